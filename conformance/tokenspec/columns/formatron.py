"""Formatron as a column of the grammar masks: an Earley parser over the bytes of tokens.

It has no token that ends a sequence: a format that is complete says so, and goes no further. It takes nothing back, so
what is left of the path is walked again.
"""

from __future__ import annotations

from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.mask_steps import SteppedColumn


class FormatronColumn(SteppedColumn):
    """The column ``formatron``."""

    package = "formatron"

    @staticmethod
    def tokens(known: Any) -> Any:
        """Bytes by id; names serve its own messages only, so ids with equal bytes keep theirs apart."""
        import kbnf

        tokens = {token: kbnf.Token(data) for token, data in enumerate(known.bytes_of) if data}
        return kbnf.Vocabulary(tokens, {token: str(token) for token in tokens})

    @staticmethod
    def engine(grammar: dict[str, Any], tokens: Any, known: Any) -> _Stepping:
        """One formatter, told the tokens so far."""
        return _Stepping(grammar, tokens, known)


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
