"""Rust: structs and enums, with serde where the feature ``serde`` is on; without it they need no crate."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tokenspec.bindings.shapes import (
    Alias,
    Definition,
    Either,
    Field,
    Fixed,
    Listed,
    Mapped,
    Named,
    Nullable,
    Plain,
    Shape,
    Words,
)
from tokenspec.bindings.words import comment, pascal

PLAIN = {"string": "String", "integer": "i64", "number": "f64", "boolean": "bool", "any": "Json"}
DERIVE = [
    "#[derive(Clone, Debug, PartialEq)]",
    '#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]',
]
SKIPPED = 'cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))'
HEAD = """\
use std::collections::BTreeMap;

/// Any JSON value.
#[cfg(feature = "serde")]
pub type Json = serde_json::Value;

/// Any JSON value.
#[cfg(not(feature = "serde"))]
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}
"""
KEYWORDS = {
    "as",
    "box",
    "dyn",
    "enum",
    "fn",
    "for",
    "in",
    "loop",
    "match",
    "mod",
    "move",
    "ref",
    "type",
    "use",
    "where",
}


class Writer:
    """Types in the order they were asked for, the enums of their fields behind them."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self.lines: list[str] = []
        self.later: list[str] = []

    def define(self, one: Definition) -> None:
        """A struct, or a type alias."""
        self.lines += ["", *comment(one.text, "///")]
        if isinstance(one, Alias):
            self.lines.append(f"pub type {one.name} = {self.written(one.shape, one.name)};")
        else:
            self.lines += [*DERIVE, f"pub struct {one.name} {{"]
            for field in one.fields:
                self.lines += [*comment(field.text, "///", "    "), *self.field(field, one.name)]
            self.lines.append("}")
        self.lines += self.later
        self.later = []

    def field(self, field: Field, owner: str) -> list[str]:
        """Null and absent are both None; what must be there is written as null."""
        kind = self.written(field.shape, owner + pascal(field.name))
        optional = not field.required or (field.nullable and kind != "Json")
        name = f"r#{field.name}" if field.name in KEYWORDS else field.name
        attribute = [f"    #[{SKIPPED}]"] if not field.required else []
        return [*attribute, f"    pub {name}: {f'Option<{kind}>' if optional else kind},"]

    def written(self, shape: Shape, place: str) -> str:
        """A type; words and alternatives get an enum named after their place."""
        match shape:
            case Nullable(inside):
                return f"Option<{self.written(inside, place)}>"
            case Plain(kind):
                return PLAIN[kind]
            case Named(name):
                return name
            case Mapped(value):
                return f"BTreeMap<String, {self.written(value, place)}>"
            case Listed(item):
                return f"Vec<{self.written(item, place)}>"
            case Fixed(items):
                return f"({', '.join(self.written(item, place) for item in items)})"
            case Words(words):
                self.later += ["", *DERIVE, f"pub enum {place} {{"]
                for word in words:
                    renamed = f'    #[cfg_attr(feature = "serde", serde(rename = {json.dumps(word)}))]'
                    self.later += [renamed, f"    {pascal(word.lower())},"]
                self.later.append("}")
                return place
            case Either(shapes):
                kinds = dict.fromkeys(self.written(one, f"{place}{label(one)}") for one in shapes)
                untagged = '#[cfg_attr(feature = "serde", serde(untagged))]'
                self.later += ["", *DERIVE, untagged, f"pub enum {place} {{"]
                labels = dict(zip(kinds, (label(one) for one in shapes), strict=False))
                self.later += [f"    {labels[kind]}({kind})," for kind in kinds]
                self.later.append("}")
                return place


def label(shape: Shape) -> str:
    """The variant of an alternative."""
    match shape:
        case Plain(kind):
            return {"string": "Text", "any": "Value"}.get(kind, kind.capitalize())
        case Named(name):
            return name
        case Words():
            return "Word"
        case Mapped():
            return "Object"
        case Listed() | Fixed():
            return "List"
        case Either():
            return "Either"
        case Nullable(inside):
            return f"Maybe{label(inside)}"


def write(definitions: Sequence[Definition]) -> str:
    """A module of these types."""
    writer = Writer()
    for one in definitions:
        writer.define(one)
    return HEAD + "\n".join(writer.lines) + "\n"
