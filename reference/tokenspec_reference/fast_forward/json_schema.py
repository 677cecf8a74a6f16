r"""JSON schemas as expressions: the subset whose texts form a regular set.

``const``, ``enum``, ``anyOf``, local ``$ref`` without recursion, and the types string (``minLength``, ``maxLength``),
integer, number, boolean, null, array (``items``, ``prefixItems``, ``minItems``, ``maxItems``) and object
(``properties``, ``required``, ``additionalProperties: false``). Annotations are skipped. Anything else is an error that
names its JSON pointer, because a keyword that is silently dropped would force wrong tokens.

Strings are spelled as llguidance 1.9.1 spells them: a control character in a constant has its short escape and its
``\u00XX`` escape, in a property name only the spelling of ``json.dumps``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward.expression import MANY, Expressions, Node
from tokenspec_reference.fast_forward.regex_syntax import read_regex
from tokenspec_reference.fast_forward.utf8 import characters, complement

ANNOTATIONS = {
    *("title", "description", "default", "examples", "$schema", "$id", "$comment"),
    *("deprecated", "readOnly", "writeOnly", "$defs", "definitions"),
}
KEYWORDS: dict[str, set[str]] = {
    "string": {"minLength", "maxLength"},
    "integer": set(),
    "number": set(),
    "boolean": set(),
    "null": set(),
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
}
SHORT_ESCAPES = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
CONTROL = [(0x00, 0x1F), (0x7F, 0x7F)]
INTEGER = r"-?(?:0|[1-9][0-9]*)"
NUMBER = INTEGER + r"(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?"
MOST_ITEMS = 10_000
MOST_LEVELS = 64
MOST_BITS = 1024


class SchemaError(TokenSpecError):
    """The schema is malformed or outside the subset; ``field`` is the JSON pointer of the keyword."""

    rejection_code = "unsupported-schema"


def read_schema(expressions: Expressions, schema: Mapping[str, Any], *, whitespace: str = "compact") -> Node:
    """The expression of all texts of a schema.

    Raises:
        SchemaError: with the JSON pointer of what is not supported.
    """
    if whitespace not in ("compact", "flexible"):
        raise SchemaError('expected "compact" or "flexible"', field="whitespace")
    gap = read_regex(expressions, r"[\x20\x0A\x0D\x09]*") if whitespace == "flexible" else expressions.empty
    node = _Reader(expressions, schema, gap).read(schema, "#", ())
    if node is expressions.nothing:
        raise SchemaError("no value satisfies this schema", field="#")
    return node


@dataclass
class _Reader:
    expressions: Expressions
    root: Any
    gap: Node
    depth: int = 0

    def read(self, schema: Any, pointer: str, references: tuple[str, ...]) -> Node:
        """One schema. ``references`` are the ``$ref`` on the way here, to notice recursion."""
        with self.level(pointer):
            return self.schema(schema, pointer, references)

    def schema(self, schema: Any, pointer: str, references: tuple[str, ...]) -> Node:
        """What ``read`` reads, one level deeper."""
        if not isinstance(schema, Mapping):
            raise SchemaError("expected an object (boolean schemas are not supported)", field=pointer)
        for keyword in schema:
            if not isinstance(keyword, str):
                raise SchemaError(f"expected text as keyword, got {keyword!r}", field=pointer)
        for keyword in ("$ref", "const", "enum", "anyOf"):
            if keyword in schema:
                self.only(schema, {keyword, "type"} if keyword in ("const", "enum") else {keyword}, pointer)
                return self.combined(keyword, schema, pointer, references)
        kinds = _kinds(schema, pointer)
        self.only(schema, {"type"}.union(*(KEYWORDS[kind] for kind in kinds)), pointer)
        return self.expressions.choice(self.typed(kind, schema, pointer, references) for kind in kinds)

    @contextmanager
    def level(self, pointer: str) -> Iterator[None]:
        """One level of nesting; too many are refused, not followed to the end of Python's stack."""
        self.depth += 1
        if self.depth > MOST_LEVELS:
            raise SchemaError(f"nested deeper than {MOST_LEVELS} levels", field=pointer)
        yield
        self.depth -= 1

    def only(self, schema: Mapping[str, Any], known: set[str], pointer: str) -> None:
        for keyword in schema:
            if keyword not in known and keyword not in ANNOTATIONS:
                raise SchemaError(
                    f"{keyword} is not supported here; supported: {', '.join(sorted(known))}",
                    field=f"{pointer}/{_escaped(keyword)}",
                )

    def combined(self, keyword: str, schema: Mapping[str, Any], pointer: str, references: tuple[str, ...]) -> Node:
        value, here = schema[keyword], f"{pointer}/{keyword}"
        if keyword == "$ref":
            return self.read(self.resolve(value, here, references), value, (*references, value))
        kinds = _kinds(schema, pointer) if "type" in schema else list(KEYWORDS)
        if keyword == "const":
            node = self.constant(value, here)
            return node if _is_of(value, kinds) else self.expressions.nothing
        if not isinstance(value, list) or not value:
            raise SchemaError("expected a list with at least one entry", field=here)
        if keyword == "enum":
            nodes = [self.constant(item, f"{here}/{i}") for i, item in enumerate(value)]
            return self.expressions.choice(node for node, item in zip(nodes, value, strict=True) if _is_of(item, kinds))
        return self.expressions.choice(self.read(item, f"{here}/{i}", references) for i, item in enumerate(value))

    def resolve(self, reference: Any, pointer: str, references: tuple[str, ...]) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise SchemaError('only references inside the schema ("#/...") are supported', field=pointer)
        if reference in references:
            raise SchemaError("recursive schemas are not supported: their texts are not a regular set", field=pointer)
        found = self.root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                raise SchemaError(f"{reference} does not exist", field=pointer)
            found = found[key]
        return found

    def typed(self, kind: str, schema: Mapping[str, Any], pointer: str, references: tuple[str, ...]) -> Node:
        if kind == "object":
            return self.object(schema, pointer, references)
        if kind == "array":
            return self.array(schema, pointer, references)
        if kind == "string":
            return self.string(schema, pointer)
        pattern = {"integer": INTEGER, "number": NUMBER, "boolean": "true|false", "null": "null"}[kind]
        return read_regex(self.expressions, pattern)

    def string(self, schema: Mapping[str, Any], pointer: str) -> Node:
        least, most = _bounds(schema, "minLength", "maxLength", pointer)
        make = self.expressions
        plain = characters(make, complement([*CONTROL, (0x22, 0x22), (0x5C, 0x5C)]))
        escaped = read_regex(make, r'\\(?:["\\bfnrt]|u00(?:[01][0-9a-fA-F]|7[fF]))')
        quote = make.text(b'"')
        return make.sequence((quote, make.repeat(make.choice((plain, escaped)), least, most), quote))

    def array(self, schema: Mapping[str, Any], pointer: str, references: tuple[str, ...]) -> Node:
        least, most = _bounds(schema, "minItems", "maxItems", pointer)
        make, gap = self.expressions, self.gap
        fixed_items = schema.get("prefixItems", [])
        if not isinstance(fixed_items, list):
            raise SchemaError("expected a list of schemas", field=f"{pointer}/prefixItems")
        first = [
            self.read(item, f"{pointer}/prefixItems/{index}", references) for index, item in enumerate(fixed_items)
        ]
        if "items" not in schema:
            raise SchemaError("array needs items (any JSON value is not a regular set)", field=f"{pointer}/items")
        closed = schema["items"] is False
        rest = make.nothing if closed else self.read(schema["items"], f"{pointer}/items", references)
        separator = make.sequence((gap, make.text(b","), gap))
        most = min(most, len(first)) if closed and most is not None else len(first) if closed else most
        if most is not None and least > most:
            raise SchemaError("minItems exceeds the number of items allowed", field=f"{pointer}/minItems")

        def item(index: int) -> Node:
            node = first[index] if index < len(first) else rest
            return make.sequence((separator, node)) if index else node

        # items after the fixed ones all look alike, so one repeat stands for them
        fixed = max(len(first), 1) if most is None else min(max(len(first), 1), most)
        least_rest = max(least - fixed, 0)
        tail = make.repeat(item(fixed), least_rest, None if most is None else most - fixed)
        for index in reversed(range(fixed)):
            tail = make.sequence((item(index), tail))
            tail = tail if index < least else make.optional(tail)
        return make.sequence((make.text(b"["), gap, tail, gap, make.text(b"]")))

    def object(self, schema: Mapping[str, Any], pointer: str, references: tuple[str, ...]) -> Node:
        if schema.get("additionalProperties") is not False:
            raise SchemaError(
                "must be false: texts with any further property are not a regular set",
                field=f"{pointer}/additionalProperties",
            )
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not isinstance(properties, Mapping):
            raise SchemaError("expected an object", field=f"{pointer}/properties")
        if not isinstance(required, list):
            raise SchemaError("expected a list of names", field=f"{pointer}/required")
        for index, name in enumerate(required):
            if not isinstance(name, str) or name not in properties:
                raise SchemaError(f"{name!r} is not among the properties", field=f"{pointer}/required/{index}")
        make, gap, always = self.expressions, self.gap, set(required)
        colon = make.sequence((gap, make.text(b":"), gap))
        items = [
            (
                make.sequence(
                    (
                        make.text(_name(name, f"{pointer}/properties")),
                        colon,
                        self.read(value, f"{pointer}/properties/{_escaped(name)}", references),
                    )
                ),
                name in always,
            )
            for name, value in properties.items()
        ]
        return self.braces(items)

    def braces(self, items: Sequence[tuple[Node, bool]]) -> Node:
        """Properties in order; the comma belongs to every property but the first one present.

        What may follow a property is built when it is reached: each of many optional ones may be followed by any later.
        """
        make, gap = self.expressions, self.gap
        if any(required and node is make.nothing for node, required in items):
            return make.nothing
        items = [item for item in items if item[0] is not make.nothing]
        comma = make.sequence((gap, make.text(b","), gap))
        texts = [1]  # of the properties from each one on, from behind
        nullable = [True]
        for node, required in reversed(items):
            texts.append(min(node.texts * comma.texts * texts[-1] + (0 if required else texts[-1]), MANY))
            nullable.append(nullable[-1] and not required)
        texts.reverse()
        nullable.reverse()

        def from_(index: int, before: Node) -> Node:
            options = []
            for at in range(index, len(items)):
                node, required = items[at]
                options.append(make.sequence((before, node, after(at + 1))))
                if required:
                    return make.choice(options)
            return make.choice([*options, make.empty])

        @cache
        def after(index: int) -> Node:
            if index == len(items):
                return make.empty
            return make.later(
                lambda: from_(index, comma), nullable=nullable[index], first=comma.first, texts=texts[index]
            )

        return make.sequence((make.text(b"{"), gap, from_(0, make.empty), gap, make.text(b"}")))

    def constant(self, value: Any, pointer: str) -> Node:
        """The spellings of one value."""
        with self.level(pointer):
            return self.value(value, pointer)

    def value(self, value: Any, pointer: str) -> Node:
        """What ``constant`` spells, one level deeper."""
        make, gap = self.expressions, self.gap
        if isinstance(value, str):
            _text(value, pointer)
            if value.isprintable() and '"' not in value and "\\" not in value:
                return make.text(f'"{value}"'.encode())
            return make.sequence((make.text(b'"'), *(self.spelled(ord(char)) for char in value), make.text(b'"')))
        if value is None or isinstance(value, bool):
            return make.text(json.dumps(value).encode())
        if isinstance(value, int):
            if value.bit_length() > MOST_BITS:
                raise SchemaError(f"an integer of more than {MOST_BITS} bits", field=pointer)
            return make.text(str(value).encode())
        if isinstance(value, Mapping):
            colon = make.sequence((gap, make.text(b":"), gap))
            items = [
                make.sequence(
                    (
                        make.text(_name(name, pointer)),
                        colon,
                        self.constant(item, f"{pointer}/{_escaped(name)}"),
                    )
                )
                for name, item in value.items()
            ]
            return self.braces([(item, True) for item in items])
        if isinstance(value, list):
            comma = make.sequence((gap, make.text(b","), gap))
            parts: list[Node] = []
            for index, item in enumerate(value):
                parts += ([comma] if index else []) + [self.constant(item, f"{pointer}/{index}")]
            return make.sequence((make.text(b"["), gap, *parts, gap, make.text(b"]")))
        raise SchemaError("numbers with a fraction have many spellings; use a Regex grammar", field=pointer)

    def spelled(self, code: int) -> Node:
        """The spellings of one character of a constant."""
        make = self.expressions
        short = [make.text(b"\\" + SHORT_ESCAPES[code].encode())] if code in SHORT_ESCAPES else []
        if not any(low <= code <= high for low, high in CONTROL):
            return short[0] if short else make.text(chr(code).encode())
        long = {make.text(b"\\u%04X" % code), make.text(b"\\u%04x" % code)}
        return make.choice((*short, *long))


def _kinds(schema: Mapping[str, Any], pointer: str) -> list[str]:
    """The types of a schema."""
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or not kinds or any(not isinstance(k, str) or k not in KEYWORDS for k in kinds):
        raise SchemaError(f"expected one of {', '.join(KEYWORDS)}, or a list of them", field=f"{pointer}/type")
    return kinds


def _is_of(value: Any, kinds: Sequence[str]) -> bool:
    """Whether a constant has one of the types."""
    if isinstance(value, bool) or value is None:
        return ("null" if value is None else "boolean") in kinds
    if isinstance(value, int):
        return "integer" in kinds or "number" in kinds
    return ("string" if isinstance(value, str) else "array" if isinstance(value, list) else "object") in kinds


def _text(value: str, pointer: str) -> bytes:
    """UTF-8, or an error where a text holds half of a character."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise SchemaError("a lone surrogate has no UTF-8; give the whole character", field=pointer) from None


def _name(name: Any, pointer: str) -> bytes:
    """A property name as it is spelled."""
    if not isinstance(name, str):
        raise SchemaError(f"expected text as the name of a property, got {name!r}", field=pointer)
    return _text(json.dumps(name, ensure_ascii=False), pointer)


def _bounds(schema: Mapping[str, Any], low: str, high: str, pointer: str) -> tuple[int, int | None]:
    for keyword in (low, high):
        value = schema.get(keyword, 0)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_ITEMS:
            raise SchemaError(f"expected an integer from 0 to {MOST_ITEMS}", field=f"{pointer}/{keyword}")
    if high in schema and schema[high] < schema.get(low, 0):
        raise SchemaError(f"{high} is below {low}", field=f"{pointer}/{high}")
    return schema.get(low, 0), schema.get(high)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
