"""The grammars: literals, alternatives, regular expressions, JSON schemas, special tokens, and their sequence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tokenspec_reference.fast_forward.errors import InvalidGrammar
from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.expression_state import ExpressionState, States
from tokenspec_reference.fast_forward.json_schema import read_schema
from tokenspec_reference.fast_forward.matcher import MARKER, mark
from tokenspec_reference.fast_forward.regex_syntax import read_regex
from tokenspec_reference.fast_forward.words import one_of

Build = Callable[[Expressions], Node]


class Grammar:
    """A matcher at its first state, and the recipe of its expression so that grammars can be put in sequence."""

    def __init__(self, build: Build) -> None:
        """Keep the recipe and build the expression once.

        Raises:
            InvalidGrammar: no text at all belongs to the grammar.
        """
        expressions = Expressions()
        node = build(expressions)
        if node is expressions.nothing:
            raise InvalidGrammar("no text belongs to this grammar", field="grammar")
        self.build = build
        self._start = States(expressions).at(node)

    def accepting(self) -> bool:
        """Whether the empty text belongs to the grammar."""
        return self._start.accepting()

    def allowed(self) -> bytes:
        """The bytes a text may start with, ascending."""
        return self._start.allowed()

    def step(self, byte: int) -> ExpressionState | None:
        """The state after one byte."""
        return self._start.step(byte)

    def after(self, data: bytes) -> ExpressionState | None:
        """The state after several bytes."""
        return self._start.after(data)

    def texts(self) -> int:
        """How many texts there are, as far as they are counted; never too few."""
        return self._start.texts()

    def literal(self) -> tuple[bytes, ExpressionState]:
        """Bytes that all texts begin with, and the state after them; empty where that takes a look at bytes."""
        return self._start.literal()


class Literal(Grammar):
    """Exactly these bytes (a string stands for its UTF-8)."""

    def __init__(self, text: bytes | str) -> None:
        """Take the literal; the marker byte 0xFF is refused, ``Special`` names special tokens."""
        data = _plain(text, "literal")
        super().__init__(lambda expressions: expressions.text(data))


class Alternatives(Grammar):
    """One out of several literals."""

    def __init__(self, texts: Sequence[bytes | str]) -> None:
        """Take the literals; at least one."""
        if isinstance(texts, str | bytes) or not texts:
            raise InvalidGrammar("expected a list of at least one literal", field="alternatives")
        data = [_plain(text, f"alternatives[{index}]") for index, text in enumerate(texts)]
        super().__init__(lambda expressions: one_of(expressions, data))


class Regex(Grammar):
    """A regular expression that the whole text matches; the syntax is that of ``regex_syntax``."""

    def __init__(self, pattern: str) -> None:
        """Read the pattern.

        Raises:
            RegexSyntaxError: outside the supported subset.
        """
        super().__init__(lambda expressions: read_regex(expressions, pattern))


class JsonSchema(Grammar):
    """JSON texts of a schema, properties in the order of the schema (``json_schema``)."""

    def __init__(
        self, schema: Mapping[str, Any] | bool, *, whitespace: str = "compact", most_whitespace: int | None = None
    ) -> None:
        """Read the schema.

        Args:
            schema: a JSON schema as Python values.
            whitespace: "compact" allows none, "spaced" one space after commas and colons, "flexible" any amount between
                tokens, as llguidance does by default.
            most_whitespace: how much "flexible" allows at one place; None is without end.

        Raises:
            SchemaError: a keyword that is not understood, named by its JSON pointer.
        """
        super().__init__(
            lambda expressions: read_schema(expressions, schema, whitespace=whitespace, most_whitespace=most_whitespace)
        )


class Special(Grammar):
    """One special token, by id."""

    def __init__(self, token_id: int) -> None:
        """Take the id."""
        if token_id < 0:
            raise InvalidGrammar("a token id is not negative", field="special")
        super().__init__(lambda expressions: expressions.text(mark(token_id)))


class InOrder(Grammar):
    """One grammar after the other."""

    def __init__(self, items: Sequence[Grammar]) -> None:
        """Take the grammars in order."""
        super().__init__(lambda expressions: expressions.sequence(item.build(expressions) for item in items))


def _plain(text: bytes | str, field: str) -> bytes:
    try:
        data = text.encode() if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError:
        raise InvalidGrammar("a lone surrogate has no UTF-8; give the whole character", field=field) from None
    if MARKER in data:
        raise InvalidGrammar("the byte 0xFF marks special tokens; use Special(token_id)", field=field)
    return data
