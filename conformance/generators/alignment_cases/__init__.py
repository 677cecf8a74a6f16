"""The cases of the aligners' area, written out of tables: texts on real tokenizers, pieces, tables, files, losses.

All text is our own. Expectations are goldens: ``tokenspec bless --area aligners`` (for ``nw-compat`` with
``TOKENSPEC_NEMO_RL`` set to a checkout of the upstream project).
"""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.model import Case

from . import compat, damaged, losses, pieces, sides, texts


def all_cases() -> Iterator[Case]:
    """Every case, in the order of the chapter."""
    for module in (texts, sides, damaged, pieces, compat, losses):
        yield from module.cases()
