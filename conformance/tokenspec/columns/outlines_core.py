"""outlines-core as a column of the grammar masks: an index of a whole vocabulary, made of a regular expression.

Schemas become expressions by its own builder. It knows no special tokens in a grammar.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.fast_forward.records import Hex, data_of
from tokenspec.columns.mask_steps import SteppedColumn

MOST_TAKEN = 64


class OutlinesCoreColumn(SteppedColumn):
    """The column ``outlines-core``."""

    package = "outlines-core"
    language = "rust"

    @staticmethod
    def tokens(known: Any) -> Any:
        """Ids by their bytes, and behind them the id that ends a sequence."""
        from outlines_core import Vocabulary

        return Vocabulary(len(known.bytes_of), {piece: list(ids) for piece, ids in known.ids_of.items()})

    @staticmethod
    def engine(grammar: dict[str, Any], tokens: Any, known: Any) -> _Stepping:
        """One guide, asked step by step."""
        return _Stepping(_guide(expression(grammar), tokens), len(known.bytes_of))


class _Stepping:
    """A guide, step by step."""

    def __init__(self, guide: Any, end: int) -> None:
        self.guide, self.ends = guide, frozenset((end,))

    def mask(self) -> list[int]:
        return sorted(self.guide.get_tokens())

    def take(self, token: int) -> bool:
        if token in self.ends or token not in self.guide.get_tokens():
            return False
        self.guide.advance(token, return_tokens=False)
        return True

    def back(self, count: int) -> None:
        self.guide.rollback_state(count)


def _guide(pattern: str, vocabulary: Any) -> Any:
    from outlines_core import Guide, Index

    try:
        return Guide(Index(pattern, vocabulary), max_rollback=MOST_TAKEN)
    except (ValueError, TypeError) as error:
        raise Rejected("invalid-grammar", str(error)) from error


def expression(grammar: dict[str, Any]) -> str:
    """A grammar as a regular expression."""
    if "regex" in grammar:
        pattern: str = grammar["regex"]
        return pattern
    if "json_schema" in grammar:
        from outlines_core.json_schema import build_regex_from_schema

        gap = r"[ \n\r\t]*" if grammar.get("whitespace") == "flexible" else ""
        try:
            built: str = build_regex_from_schema(json.dumps(grammar["json_schema"]), gap)
        except (ValueError, TypeError) as error:
            raise Rejected("invalid-grammar", str(error)) from error
        return built
    if "sequence" in grammar and all("special" not in item for item in grammar["sequence"]):
        return "".join(f"(?:{expression(item)})" for item in grammar["sequence"])
    texts = [grammar["literal"]] if "literal" in grammar else grammar.get("alternatives")
    if texts is None:
        raise Unsupported("special tokens as grammar items")
    try:
        spelled = [data_of(one if isinstance(one, str) else msgspec.convert(one, Hex)).decode() for one in texts]
    except UnicodeDecodeError as error:
        raise Unsupported("literals that are not UTF-8") from error
    return "|".join(map(re.escape, spelled))
