"""The processors corpus as code: one module per group, written out by `python -m`.

Answers come from the stateless oracle. Where the facts of the upstream project state an answer, the case carries that
answer too, and writing fails if the oracle disagrees with it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from generators.processor_cases import (
    combos,
    composition,
    masks,
    rows,
    think_policies,
    think_vectors,
    tree_configs,
    tree_modes,
    tree_paths,
)

if TYPE_CHECKING:
    from tokenspec.model import Case

GROUPS = (tree_paths, tree_configs, tree_modes, think_vectors, think_policies, rows, masks, composition, combos)


def all_cases() -> list[Case]:
    """Every processors case, in the order of the groups."""
    return list(chain.from_iterable(group.CASES for group in GROUPS))
