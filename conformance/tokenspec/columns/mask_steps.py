"""A script of grammar-mask steps, told to an engine that has masks, takes tokens and gives them back.

Packages that have such an engine, and nothing else that is judged, are columns by :class:`SteppedColumn`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.areas.grammar_mask.oracle.golden import BEYOND, runs
from tokenspec.columns import installed_version, not_installed
from tokenspec.store.canonical import canonical_json


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


class SteppedColumn(ABC):
    """A package that masks by a vocabulary and a grammar, without special tokens in either.

    Attributes:
        package: its name here and in the registry.
        language: it is written in.
    """

    package: ClassVar[str]
    language: ClassVar[str] = "python"

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version(self.package)

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": self.package, "version": self.version or "not installed", "language": self.language}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Build the row's vocabulary now."""
        del assets
        self._require_package()
        _tokens(self.tokens, model, "")

    def grammar_mask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One engine, asked step by step."""
        self._require_package()
        if any(not isinstance(piece, str) for piece in request["prefix"]):
            raise Unsupported("special tokens as grammar items")
        inline = request["vocabulary"]
        known, tokens = _tokens(self.tokens, request["model"] or "", canonical_json(inline) if inline else "")
        prefix = [token for piece in request["prefix"] for token in known.encode(piece)]
        return stepped(self.engine(request["grammar"], tokens, known), prefix, request["steps"])

    def _require_package(self) -> None:
        if self.version is None:
            raise not_installed(self.package)

    @staticmethod
    @abstractmethod
    def tokens(known: Any) -> Any:
        """The vocabulary as the package reads it."""

    @staticmethod
    @abstractmethod
    def engine(grammar: dict[str, Any], tokens: Any, known: Any) -> Engine:
        """The engine of a grammar.

        Raises:
            Rejected: the package refuses the grammar.
            Unsupported: it has no such grammar.
        """


@lru_cache(maxsize=2)
def _tokens(read: Callable[[Any], Any], model: str, inline: str) -> tuple[Any, Any]:
    """The vocabulary for reading, and the package's own."""
    known = vocabulary_of({"vocabulary": json.loads(inline)} if inline else {}, model)
    return known, read(known)
