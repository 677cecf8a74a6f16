"""The completion-side corpus as code: what a sampler emitted, then bridged to the next turn or parsed.

Completions are written as pieces relative to a row (`tokenspec.oracle.completion`), so that one case serves every
model. The JSON files under `fixtures/cases/bridge` and `fixtures/cases/parse` are the product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import bridge_cuts, bridge_thoughts, bridge_turns, parse_cuts, parse_turns

if TYPE_CHECKING:
    from tokenspec.model import Case


def cases_of(area: str) -> list[Case]:
    """The cases of `bridge` or of `parse`, in the order of their groups."""
    groups = {
        "bridge": (bridge_turns, bridge_thoughts, bridge_cuts),
        "parse": (parse_turns, parse_cuts),
    }
    return [case for group in groups[area] for case in group.CASES]
