"""A script of grammar-mask steps, told to an engine that has masks, takes tokens and gives them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tokenspec.adapters import Rejected
from tokenspec.areas.grammar_mask.oracle.golden import BEYOND, runs


class Engine(Protocol):
    """What an engine's column translates. ``ends`` are the ids that end a sequence in its masks."""

    ends: frozenset[int]

    def mask(self) -> list[int]:
        """The allowed ids, ascending."""

    def take(self, token: int) -> bool:
        """Move over a token, or stay."""

    def back(self, count: int) -> None:
        """Give the last tokens back."""


def stepped(engine: Engine, prefix: list[int], steps: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The answers to a script behind a prefix.

    Raises:
        Rejected: the engine does not allow the prefix.
    """
    for token in prefix:
        if not engine.take(token):
            raise Rejected("invalid-prefix", f"token {token} is not allowed")
    answers: list[dict[str, Any]] = []
    taken = 0
    for step in steps:
        match step["op"]:
            case "mask":
                ids = engine.mask()
                named = [token for token in ids if token not in engine.ends]
                answers.append({"ranges": runs(named), "may_end": len(named) < len(ids)})
            case "accept":
                count = 0
                while count < len(step["tokens"]) and engine.take(step["tokens"][count]):
                    count += 1
                taken += count
                answers.append({"accepted": count})
            case _ if 0 <= step["count"] <= taken:
                engine.back(step["count"])
                taken -= step["count"]
                answers.append({})
            case _:
                answers.append({"refused": BEYOND})
    return {"steps": answers}
