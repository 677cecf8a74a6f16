r"""How JSON writes characters, numbers and constants here.

Strings are spelled without ``\/`` and without ``\u`` escapes, apart from control characters: in values these have a
short escape and the ``\u00XX`` escape, in the name of a property only the spelling of ``json.dumps``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.schema_document import MOST_LEVELS, escaped
from tokenspec_reference.fast_forward.utf8 import CodeRange, byte_sequences, merged
from tokenspec_reference.fast_forward.words import one_of

SHORT_ESCAPES = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
CONTROL = [(0x00, 0x1F), (0x7F, 0x7F)]
BEYOND_ASCII = (0x80, 0x10FFFF)
INTEGER = r"-?(?:0|[1-9][0-9]*)"
NUMBER = INTEGER + r"(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?"
MOST_BITS = 1330  # of an integer of 400 digits


def decimal_of(value: float, pointer: str) -> Decimal:
    """A number of a schema, exactly as it is written there.

    Raises:
        SchemaError: it is not finite, or has more digits than any text would hold.
    """
    if value.bit_length() < MOST_BITS if isinstance(value, int) else isfinite(value):
        return Decimal(repr(value))
    raise SchemaError("expected a number of at most 400 digits", field=pointer)


def digits_of(value: float, pointer: str) -> str:
    """A number as a constant is spelled: its digits, without exponent, and without a fraction that is zero.

    >>> digits_of(1e3, "#"), digits_of(-2.50, "#"), digits_of(1e-7, "#")
    ('1000', '-2.5', '0.0000001')
    """
    text = f"{decimal_of(value, pointer):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def utf8_of(text: str, pointer: str) -> bytes:
    """UTF-8, or an error where a text holds half of a character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise SchemaError("a lone surrogate has no UTF-8; give the whole character", field=pointer) from None


def name_of(name: Any, pointer: str) -> bytes:
    """A property name as it is spelled."""
    if not isinstance(name, str):
        raise SchemaError(f"expected text as the name of a property, got {name!r}", field=pointer)
    return utf8_of(json.dumps(name, ensure_ascii=False), pointer)


def check_value(value: Any, pointer: str, depth: int = 0) -> None:
    """Raise a SchemaError unless a constant is JSON, not too deep, and can be written."""
    if depth >= MOST_LEVELS:
        raise SchemaError(f"nested deeper than {MOST_LEVELS} levels", field=pointer)
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        utf8_of(value, pointer)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            name_of(name, pointer)
            check_value(item, f"{pointer}/{escaped(name)}", depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            check_value(item, f"{pointer}/{index}", depth + 1)
    elif isinstance(value, int | float):
        decimal_of(value, pointer)
    else:
        raise SchemaError(f"expected a JSON value, got {type(value).__name__}", field=pointer)


class JsonText:
    """Spellings as expressions. ``gap`` may stand between tokens; ``comma`` and ``colon`` have it around them."""

    def __init__(self, make: Expressions, gap: Node, comma: Node, colon: Node) -> None:
        self.make, self.gap, self.comma, self.colon = make, gap, comma, colon

    def between(self, opening: bytes, inside: Node, closing: bytes) -> Node:
        """What stands in brackets."""
        make = self.make
        return make.sequence((make.text(opening), self.gap, inside, self.gap, make.text(closing)))

    def spellings(self, code: int) -> list[bytes]:
        """How one character is written."""
        short = [b"\\" + SHORT_ESCAPES[code].encode()] if code in SHORT_ESCAPES else []
        if not any(low <= code <= high for low, high in CONTROL):
            return short or [chr(code).encode()]
        return [*short, *(b"\\u00%d" % (code >> 4) + last.encode() for last in (f"{code & 15:x}", f"{code & 15:X}"))]

    def escaped(self, code: int) -> Node:
        """The spellings of one character."""
        return one_of(self.make, self.spellings(code))

    def characters(self, ranges: Sequence[CodeRange]) -> Node:
        """One character out of the ranges, as a string spells it."""
        make = self.make
        plain, options = 0, list[Node]()
        escapes: list[bytes] = []
        for low, high in merged(ranges):
            for code in range(low, min(high, 0x7F) + 1):
                if code in SHORT_ESCAPES or any(first <= code <= last for first, last in CONTROL):
                    escapes += self.spellings(code)
                else:
                    plain |= 1 << code
            start = max(low, BEYOND_ASCII[0])
            options += [make.sequence(make.byte_range(*pair) for pair in part) for part in byte_sequences(start, high)]
        return make.choice((make.byte_class(plain), one_of(make, escapes), *options))

    def only_spelling(self, value: Any, pointer: str = "#") -> bytes | None:
        """The bytes of a value that is spelled in one way only; None where it is not, or is a list or an object."""
        if isinstance(value, str):
            plain = utf8_of(value, pointer) if value.isprintable() and '"' not in value and "\\" not in value else None
            return None if plain is None else b'"' + plain + b'"'
        if value is None or isinstance(value, bool):
            return json.dumps(value).encode()
        return digits_of(value, pointer).encode() if isinstance(value, int | float) else None

    def constant(self, value: Any, pointer: str) -> Node:
        """The spellings of one value; objects have their properties in the order given."""
        make = self.make
        only = self.only_spelling(value, pointer)
        if only is not None:
            return make.text(only)
        if isinstance(value, str):
            utf8_of(value, pointer)
            return make.sequence((make.text(b'"'), *(self.escaped(ord(char)) for char in value), make.text(b'"')))
        opening, closing = (b"{", b"}") if isinstance(value, Mapping) else (b"[", b"]")
        parts: list[Node] = []
        for name, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            parts += [self.comma] if parts else []
            if isinstance(value, Mapping):
                parts += [make.text(name_of(name, pointer)), self.colon]
            parts.append(self.constant(item, pointer))
        return self.between(opening, make.sequence(parts), closing)
