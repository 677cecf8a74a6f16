"""lm-format-enforcer as a column of the grammar masks: a prefix tree of tokens walked with a parser of characters.

It knows characters, not bytes: ids that are no text by themselves are never in its masks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.mask_steps import SteppedColumn


class LmFormatEnforcerColumn(SteppedColumn):
    """The column ``lm-format-enforcer``."""

    package = "lm-format-enforcer"

    @staticmethod
    def tokens(known: Any) -> Any:
        """Its prefix tree of the ids that are text."""
        from lmformatenforcer import TokenEnforcerTokenizerData

        regular = []
        for token, data in enumerate(known.bytes_of):
            try:
                regular.append((token, (data or b"").decode(), False))
            except UnicodeDecodeError:
                continue
        regular = [entry for entry in regular if entry[1]]
        end = len(known.bytes_of)

        def decode(ids: list[int]) -> str:
            return b"".join(known.bytes_of[token] or b"" for token in ids).decode(errors="ignore")

        return TokenEnforcerTokenizerData(regular, decode, end, use_bitmask=False, vocab_size=end + 1)

    @staticmethod
    def engine(grammar: dict[str, Any], tokens: Any, known: Any) -> _Stepping:
        """One enforcer, asked by the tokens so far."""
        del known
        return _Stepping(tokens, parser(grammar))


class _Stepping:
    """An enforcer, which finds its state by the tokens."""

    def __init__(self, tokens: Any, parsed: Any) -> None:
        from lmformatenforcer import RegexParser, TokenEnforcer

        if isinstance(parsed, RegexParser):
            parsed.context.state_character_cache = _Sets()
        self.enforcer, self.path = TokenEnforcer(tokens, parsed), []
        self.ends = frozenset((tokens.eos_token_id,))

    path: list[int]

    def mask(self) -> list[int]:
        return sorted({int(token) for token in self.enforcer.get_allowed_tokens(self.path).allowed_tokens})

    def take(self, token: int) -> bool:
        if token in self.ends or token not in self.mask():
            return False
        self.path = [*self.path, token]
        return True

    def back(self, count: int) -> None:
        self.path = self.path[: len(self.path) - count]


class _Sets(dict[int, frozenset[str]]):
    """The characters that it remembers of a state, which it intersects with those of every node of its tree.

    A text it walks each time, 20,000 characters of a vocabulary; of two sets only the smaller one.
    """

    def __setitem__(self, state: int, characters: Iterable[str]) -> None:
        super().__setitem__(state, frozenset(characters))


def parser(grammar: dict[str, Any]) -> Any:
    """A grammar as one of its parsers."""
    from lmformatenforcer import JsonSchemaParser, RegexParser, SequenceParser, StringParser

    if "json_schema" in grammar and grammar.get("whitespace") != "flexible":
        raise Unsupported("its JSON has white space")
    try:
        if "regex" in grammar:
            return RegexParser(grammar["regex"])
        if "json_schema" in grammar:
            return JsonSchemaParser(grammar["json_schema"])
        if "sequence" in grammar:
            return SequenceParser([parser(item) for item in grammar["sequence"]])
    except Unsupported:
        raise
    except Exception as error:  # its parsers raise whatever theirs raise
        if "not supported" in str(error):
            raise Unsupported(str(error)) from error
        raise Rejected("invalid-grammar", str(error)) from error
    texts = [grammar["literal"]] if "literal" in grammar else grammar.get("alternatives")
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise Unsupported("special tokens, and literals that are not UTF-8")
    return RegexParser("|".join(map(re.escape, texts))) if len(texts) > 1 else StringParser(texts[0])
