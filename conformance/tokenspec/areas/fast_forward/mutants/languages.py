"""Broken readings of grammars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenspec.areas.fast_forward.mutants.edits import Request, mutant, schemas_in
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.fast_forward import adapter, json_schema, json_text, regex_syntax, utf8
from tokenspec_reference.fast_forward.character_classes import CLASSES
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.expression import Node
from tokenspec_reference.fast_forward.mask import allowed_tokens
from tokenspec_reference.fast_forward.schema_document import Document
from tokenspec_reference.fast_forward.vocabulary import TokenBytes


def lowest_ids(vocabulary: TokenBytes, state: Any) -> Iterator[int]:
    for token in allowed_tokens(vocabulary, state):
        spelled = vocabulary.by_id[token]
        if spelled is None or vocabulary.id_of[spelled] == token:
            yield token


# ---- languages -----------------------------------------------------------------------------------------------------


def short_escape_only(text: Any, code: int) -> Node:
    if code in json_text.SHORT_ESCAPES:
        node: Node = text.make.text(b"\\" + json_text.SHORT_ESCAPES[code].encode())
        return node
    return ESCAPED(text, code)


def pointer_as_it_is(document: Any, reference: str, pointer: str) -> str:
    found = document.root
    for key in reference[2:].split("/"):
        if key not in found:
            raise SchemaError(f"{reference} does not exist", field=pointer)
        found = found[key]
    return reference


def type_beside_constants_forgotten(request: Request) -> None:
    for schema in schemas_in(request["grammar"].get("json_schema", {})):
        if {"const", "enum"} & set(schema):
            schema.pop("type", None)


def least_of_the_rest_forgotten(request: Request) -> None:
    schema = request["grammar"].get("json_schema", {})
    if "minItems" in schema:
        schema["minItems"] = min(schema["minItems"], max(len(schema.get("prefixItems", ())), 1))


def whole_lines(ranges: Sequence[utf8.CodeRange]) -> list[utf8.CodeRange]:
    return COMPLEMENT([] if list(ranges) == [(0x0A, 0x0A)] else ranges)


def classes(**changed: list[utf8.CodeRange]) -> tuple[Any, str, Any]:
    return regex_syntax, "CLASSES", {**CLASSES, **changed}


def any_count(reader: Any) -> tuple[int, int | None]:
    least, most = BRACES(reader)
    return min(least, 1), most


def ranges_by_first_byte(low: int, high: int) -> Iterator[tuple[utf8.CodeRange, ...]]:
    for part in BYTE_SEQUENCES(low, high):
        yield (*part[:1], *((0x80, 0xBF) for _ in part[1:]))


def brackets_allowed(reader: Any) -> list[utf8.CodeRange]:
    char = reader.take()
    return reader.escape() if char == "\\" else [(ord(char), ord(char))]


def texts_counted_in_bytes(request: Request) -> None:
    schema = request["grammar"].get("json_schema", {})
    if schema.get("maxLength"):
        schema["maxLength"] -= 1


ESCAPED = json_text.JsonText.escaped
COMPLEMENT = utf8.complement
BRACES = regex_syntax._Reader.braces
BYTE_SEQUENCES = utf8.byte_sequences
FRACTIONS_ONLY = json_text.INTEGER + r"(?:\.[0-9]+)?"
LETTERS_AND_DIGITS = [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "lowest-ids",
        "FFT-012",
        "of ids with equal bytes the mask has one",
        (adapter, "allowed_tokens", lowest_ids),
        rows=("toy-metaspace",),
    ),
    mutant(
        "short-escape-only",
        "FFT-042",
        "a constant has no \\u escapes of what has a short one",
        (json_text.JsonText, "escaped", short_escape_only),
    ),
    mutant(
        "pointer-not-unescaped",
        "FFT-042",
        "~0 and ~1 of a $ref stay",
        (Document, "target", pointer_as_it_is),
    ),
    mutant("type-beside", "FFT-042", "type beside constants says nothing", before=type_beside_constants_forgotten),
    mutant("least-of-the-rest", "FFT-042", "minItems counts the first items only", before=least_of_the_rest_forgotten),
    mutant("dot-takes-lines", "FFT-042", "a dot matches a line feed", (regex_syntax, "complement", whole_lines)),
    mutant("word-without-underscore", "FFT-042", "\\w has no underscore", classes(w=LETTERS_AND_DIGITS)),
    mutant("space-without-vertical-tab", "FFT-042", "\\s is four characters", classes(s=[(9, 10), (13, 13), (32, 32)])),
    mutant("no-exponent", "FFT-042", "numbers have no exponent", (json_schema, "NUMBER", FRACTIONS_ONLY)),
    mutant("count-of-one", "FFT-042", "counts above one are one", (regex_syntax._Reader, "braces", any_count)),
    mutant("range-by-first-byte", "FFT-042", "ranges end at blocks", (utf8, "byte_sequences", ranges_by_first_byte)),
    mutant("shorter-texts", "FFT-042", "maxLength is exclusive", before=texts_counted_in_bytes),
    mutant(
        "class-operations", "FFT-041", "a bracket in a class", (regex_syntax._Reader, "bracket_item", brackets_allowed)
    ),
)
