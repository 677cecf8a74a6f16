"""Short ways to say a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenspec.store.records import Case

ANY = ("MSK-001", "MSK-002", "MSK-003", "MSK-005")
MOVES = {"accept": "MSK-010", "rollback": "MSK-011"}
mask: dict[str, Any] = {"op": "mask"}


def accept(*tokens: int) -> dict[str, Any]:
    """Give tokens."""
    return {"op": "accept", "tokens": list(tokens)}


def rollback(count: int) -> dict[str, Any]:
    """Take tokens back."""
    return {"op": "rollback", "count": count}


def vocabulary(*merged: str | dict[str, str], special: Sequence[str] = ()) -> dict[str, Any]:
    """256 bytes and these merges: the first merged token is id 256."""
    return {"merged": list(merged), **({"special": list(special)} if special else {})}


def case(
    slug: str,
    why: str,
    flags: str,
    grammar: dict[str, Any],
    *steps: dict[str, Any],
    requires: Sequence[str] = (),
    rows: list[str] | None = None,
    **given: Any,
) -> Case:
    """A case that is answered; every case is judged by the rules of any mask."""
    script = list(steps) or [mask]
    moves = {MOVES[step["op"]] for step in script if step["op"] in MOVES}
    cut = {"MSK-006"} if given.get("prefix") else set()
    return Case(
        id=f"grammar-mask/{slug}",
        area="grammar-mask",
        flags=flags.split(),
        requires=sorted({*ANY, *moves, *cut, *requires}),
        why=why,
        since="0.1",
        rows=rows,
        input={"grammar": grammar, **given, "steps": script},
    )


def refused(slug: str, why: str, code: str, place: str, **given: Any) -> Case:
    """A case that is refused."""
    return Case(
        id=f"grammar-mask/{slug}",
        area="grammar-mask",
        flags=["BAD_GRAMMAR"],
        requires=["MSK-013"],
        why=why,
        since="0.1",
        input={"vocabulary": vocabulary("ab"), "steps": [mask], **given},
        outcome="raises",
        refusal={"code": code, "places": [place]},
        source="spec/70-grammar-mask.md",
    )
