"""Masks over the vocabularies of real models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.grammar_mask.cases.build import case

if TYPE_CHECKING:
    from tokenspec.store.records import Case

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}

CASES: list[Case] = [
    case("row-literal", "A text of several words.", "MASK_IDS", {"literal": "hello world"}),
    case("row-literal-inside", "Behind half a word.", "MASK_IDS", {"literal": " QVBoxLayout"}, prefix=[" QVB"]),
    case("row-digits", "Digits only.", "MASK_IDS", {"regex": "[0-9]{1,9}"}),
    case("row-anything", "Almost every id; broken characters among them.", "MASK_BYTES", {"regex": "(.|\\n)*"}),
    case("row-accents", "Characters of two and three bytes.", "MASK_BYTES", {"regex": "[\\u00e9\\u65e5]+"}),
    case("row-object", "The beginning of an object.", "MASK_IDS", {"json_schema": PERSON}),
    case("row-string", "Within a string.", "MASK_IDS", {"json_schema": PERSON}, prefix=['{"name":"Jo']),
    case("row-between", "Between two members.", "MASK_IDS", {"json_schema": PERSON}, prefix=['{"name":"Jo"']),
    case("row-special-as-text", "Text that looks like a control token.", "MASK_SPECIAL", {"literal": "<think>"}),
]
