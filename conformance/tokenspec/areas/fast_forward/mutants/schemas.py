"""Broken readings of what JSON schemas demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tokenspec.areas.fast_forward.mutants.edits import Request, mutant, schemas_in
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.fast_forward import (
    json_schema,
    pattern_automaton,
    regex_syntax,
    schema_judgement,
    schema_texts,
)
from tokenspec_reference.fast_forward.automaton import Automaton
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.expression import Node
from tokenspec_reference.fast_forward.number_texts import Range, within
from tokenspec_reference.fast_forward.schema_alternatives import Alternatives
from tokenspec_reference.fast_forward.schema_demands import Demands
from tokenspec_reference.fast_forward.schema_keywords import BY_KEYWORD


def without(*keywords: str) -> Callable[[Request], None]:
    """A reader that forgets keywords."""

    def before(request: Request) -> None:
        for schema in schemas_in(request["grammar"].get("json_schema", {})):
            for keyword in keywords:
                schema.pop(keyword, None)

    return before


def objects_are_closed(request: Request) -> None:
    for schema in schemas_in(request["grammar"].get("json_schema", {})):
        if schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)


def first_of_all(request: Request) -> None:
    for schema in schemas_in(request["grammar"].get("json_schema", {})):
        if isinstance(schema.get("allOf"), list):
            schema["allOf"] = schema["allOf"][:1]


def keywords_beside_references_forgotten(request: Request) -> None:
    for schema in schemas_in(request["grammar"].get("json_schema", {})):
        if "$ref" in schema:
            for keyword in ("type", "maxLength"):
                schema.pop(keyword, None)


def spaces_forgotten(request: Request) -> None:
    request["grammar"].pop("most_whitespace", None)


def spaced_is_compact(request: Request) -> None:
    if request["grammar"].get("whitespace") == "spaced":
        request["grammar"]["whitespace"] = "compact"


def texts_matching(pattern: str) -> Automaton:
    return pattern_automaton.automaton_of(regex_syntax.read_pattern(pattern, ecma=True), anywhere=False)


def unknown_refused(alternatives: Any, schema: Any, pointer: str, negated: bool) -> Iterator[list[Demands]]:
    for keyword in schema:
        if keyword not in BY_KEYWORD and keyword not in KNOWN:
            raise SchemaError(f"{keyword} is unknown", field=f"{pointer}/{keyword}")
    yield from PARTS(alternatives, schema, pointer, negated)


def within_closed(bounds: Range, *given: Any, **named: Any) -> Automaton:
    return within(Range(bounds.low, bounds.high), *given, **named)


def not_again(builder: Any, _: Any) -> Node:
    nothing: Node = builder.make.nothing
    return nothing


PARTS = Alternatives.parts
KNOWN = {
    *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$defs", "definitions", "title", "description"),
    *("default", "examples", "$schema", "$id", "$comment", "deprecated", "readOnly", "writeOnly"),
}

MUTANTS: tuple[Mutant, ...] = (
    mutant("closed-objects", "FFT-042", "an object has no further properties", before=objects_are_closed),
    mutant("first-of-all", "FFT-042", "of allOf the first counts", before=first_of_all),
    mutant(
        "beside-references", "FFT-042", "what is beside $ref says nothing", before=keywords_beside_references_forgotten
    ),
    mutant("no-formats", "FFT-042", "formats say nothing", before=without("format")),
    mutant("no-multiples", "FFT-042", "multipleOf says nothing", before=without("multipleOf")),
    mutant(
        "no-sizes", "FFT-042", "numbers of properties say nothing", before=without("minProperties", "maxProperties")
    ),
    mutant("no-pattern-names", "FFT-042", "patterns of names say nothing", before=without("patternProperties")),
    mutant(
        "no-exclusive-bounds",
        "FFT-042",
        "open bounds belong to the range",
        (schema_judgement, "within", within_closed),
    ),
    mutant(
        "whole-patterns", "FFT-042", "a pattern matches the whole string", (schema_texts, "texts_with", texts_matching)
    ),
    mutant("one-case", "FFT-042", "the flag i says nothing", (regex_syntax, "without_case", list)),
    mutant("endless-space", "FFT-042", "white space has no bound", before=spaces_forgotten),
    mutant("no-spaces", "FFT-042", "spaced is compact", before=spaced_is_compact),
    mutant("unknown-keywords", "FFT-043", "unknown keywords are refused", (Alternatives, "parts", unknown_refused)),
    mutant("shallow-recursion", "FFT-042", "no value holds itself", (json_schema._Builder, "later", not_again)),
)
