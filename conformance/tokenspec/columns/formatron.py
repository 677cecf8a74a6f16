"""Formatron as a column of the grammar masks: an Earley parser over the bytes of tokens.

It has no token that ends a sequence: a format that is complete says so, and goes no further. It takes nothing back, so
what is left of the path is walked again.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.columns import installed_version
from tokenspec.columns.mask_steps import stepped
from tokenspec.store.canonical import canonical_json


class FormatronColumn:
    """The column ``formatron``."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("formatron")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "formatron", "version": self.version or "not installed", "language": "python"}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Build the row's vocabulary now."""
        del assets
        if self.version is None:
            raise Unsupported("not installed")
        _tokens_of(model, "")

    def grammar_mask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One formatter, told the tokens so far."""
        if self.version is None:
            raise Unsupported("not installed")
        if any(not isinstance(piece, str) for piece in request["prefix"]):
            raise Unsupported("special tokens as grammar items")
        inline = request["vocabulary"]
        known, tokens = _tokens_of(request["model"] or "", canonical_json(inline) if inline else "")
        prefix = [token for piece in request["prefix"] for token in known.encode(piece)]
        return stepped(_Stepping(request["grammar"], tokens, known), prefix, request["steps"])


class _Stepping:
    """A formatter and the tokens it was told; ``end`` stands in its masks where it is complete."""

    def __init__(self, grammar: dict[str, Any], tokens: Any, known: Any) -> None:
        from formatron.formatter import FormatterBuilder

        def decode(ids: list[int]) -> str:
            return b"".join(known.bytes_of[token] or b"" for token in ids).decode(errors="replace")

        builder = FormatterBuilder()
        try:
            builder.append_str(line(builder, grammar))
            self.formatter = builder.build(tokens, decode)
        except Unsupported:
            raise
        except Exception as error:  # its builders raise whatever theirs raise
            raise Rejected("invalid-grammar", str(error)) from error
        self.path: list[int] = []
        self.end = len(known.bytes_of)
        self.ends = frozenset((self.end,))

    def mask(self) -> list[int]:
        if self.formatter.is_completed():
            return [self.end]
        self.formatter.compute_allowed_tokens()
        return sorted(self.formatter.get_allowed_tokens_since_last_computation())

    def take(self, token: int) -> bool:
        if token == self.end or token not in self.mask():
            return False
        self.formatter.accept_token(token)
        self.path.append(token)
        return True

    def back(self, count: int) -> None:
        self.path = self.path[: len(self.path) - count]
        self.formatter.reset()
        for token in self.path:
            self.formatter.accept_token(token)


@lru_cache(maxsize=2)
def _tokens_of(model: str, inline: str) -> tuple[Any, Any]:
    """The vocabulary for reading, and its own copy."""
    import kbnf

    known = vocabulary_of({"vocabulary": json.loads(inline)} if inline else {}, model)
    tokens = {token: kbnf.Token(data) for token, data in enumerate(known.bytes_of) if data}
    own = kbnf.Vocabulary(tokens, {token: str(token) for token in tokens})
    return known, own


def line(builder: Any, grammar: dict[str, Any]) -> str:
    """A grammar as a line of its formats."""
    if "json_schema" in grammar:
        raise Unsupported("its JSON has white space")
    if "regex" in grammar:
        return f"{builder.regex(grammar['regex'])}"
    if "sequence" in grammar:
        return "".join(line(builder, item) for item in grammar["sequence"])
    texts = [grammar["literal"]] if "literal" in grammar else grammar.get("alternatives")
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise Unsupported("special tokens, and literals that are not UTF-8")
    return f"{builder.choose(*texts)}" if len(texts) > 1 else texts[0].replace("$", "$$")
