"""A JSON Schema as the few shapes that a type of another language is written from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenspec.adapters import CONVERSE, messages
from tokenspec.areas import areas
from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import read_json


@dataclass(frozen=True)
class Plain:
    """``string``, ``integer``, ``number``, ``boolean``, or ``any``."""

    kind: str


@dataclass(frozen=True)
class Listed:
    """Any number of items."""

    item: Shape


@dataclass(frozen=True)
class Fixed:
    """So many items, each of its own shape."""

    items: tuple[Shape, ...]


@dataclass(frozen=True)
class Mapped:
    """An object whose keys are data."""

    value: Shape


@dataclass(frozen=True)
class Named:
    """A record, or an alias, by its name."""

    name: str


@dataclass(frozen=True)
class Words:
    """One of these strings."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Either:
    """One of several shapes."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Nullable:
    """The shape, or null, inside another shape; a field says so itself."""

    shape: Shape


Shape = Nullable | Plain | Listed | Fixed | Mapped | Named | Words | Either
ANY = Plain("any")


@dataclass(frozen=True)
class Field:
    """One field of a record.

    Attributes:
        name: on the wire.
        shape: of its value, where that is not null.
        nullable: whether it may be null.
        required: whether it must be there.
        default: whether its absence means a value.
        text: what it is.
    """

    name: str
    shape: Shape
    nullable: bool
    required: bool
    default: bool
    text: str


@dataclass(frozen=True)
class Record:
    """An object with these fields."""

    name: str
    text: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Alias:
    """Another name of a shape."""

    name: str
    text: str
    shape: Shape


Definition = Record | Alias


def definitions(operations: Sequence[str], kinds: Sequence[str] = ("", "request", "output")) -> list[Definition]:
    """The messages of the protocol, and requests and results of these operations, each type once.

    A name that two areas mean differently gets the area's in front, whichever operations are chosen.

    Args:
        operations: whose requests and results.
        kinds: the empty one for messages; ``expect`` is what a golden expects.
    """
    schemas = dict(_schemas())
    taken: dict[str, list[Any]] = {}
    for _, schema in schemas.values():
        for name, node in schema["$defs"].items():
            if node not in taken.setdefault(name, []):
                taken[name].append(node)
    ambiguous = {name for name, nodes in taken.items() if len(nodes) > 1}
    found: dict[str, Definition] = {}
    for file, (operation, schema) in schemas.items():
        if (operation and operation not in operations) or (operation and file.rpartition(".")[2]) not in kinds:
            continue
        stem = "".join(word.capitalize() for word in operation.split("_"))
        names = {name: f"{stem}{name}" if name in ambiguous else name for name in schema["$defs"]}
        for name, node in schema["$defs"].items():
            found.setdefault(names[name], _definition(names[name], node, names))
    return list(found.values())


def _schemas() -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """By file: the operation it is of (none: a message), and the schema."""
    folder = fixtures_dir() / "schema"
    for name in messages.MESSAGES:
        yield f"adapter/{name}", ("", read_json(folder / "adapter" / f"{name}.schema.json"))
    for area in areas().values():
        for kind in ("request", "output", "expect") if area.operation != CONVERSE else ():
            yield f"{area.name}.{kind}", (area.operation, read_json(folder / f"{area.name}.{kind}.schema.json"))


def _definition(name: str, node: Mapping[str, Any], names: Mapping[str, str]) -> Definition:
    text, of_fields = _explained(node.get("description", ""))
    if "properties" not in node:
        return Alias(name, text, _shape(node, names)[0])
    required = set(node.get("required", ()))
    fields = []
    for key, value in node["properties"].items():
        shape, nullable = _shape(value, names)
        fields.append(Field(key, shape, nullable, key in required, "default" in value, of_fields.get(key, "")))
    return Record(name, text, tuple(fields))


def _shape(node: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Shape, bool]:
    """A shape, and whether null may stand in its place."""
    if "$ref" in node:
        return Named(names[node["$ref"].rpartition("/")[2]]), False
    if "anyOf" in node:
        parts = [_shape(part, names)[0] for part in node["anyOf"] if part.get("type") != "null"]
        if {Plain("integer"), Plain("number")} <= set(parts):
            parts.remove(Plain("integer"))
        shape = parts[0] if len(parts) == 1 else Either(tuple(parts))
        return shape, any(part.get("type") == "null" for part in node["anyOf"])
    if "enum" in node or "const" in node:
        words = node.get("enum", [node.get("const")])
        return Words(tuple(word for word in words if word is not None)), None in words
    kind = node.get("type")
    if kind == "array":
        if "prefixItems" in node:
            return Fixed(tuple(_inside(item, names) for item in node["prefixItems"])), False
        return Listed(_inside(node.get("items", {}), names)), False
    if kind == "object":
        inside = node.get("additionalProperties")
        return Mapped(_inside(inside, names) if isinstance(inside, Mapping) else ANY), False
    return (Plain(str(kind)), False) if kind is not None else (ANY, True)


def _inside(node: Mapping[str, Any], names: Mapping[str, str]) -> Shape:
    """The shape of an item or a value, null included; anything is null already."""
    shape, nullable = _shape(node, names)
    return Nullable(shape) if nullable and shape != ANY else shape


def _explained(description: str) -> tuple[str, dict[str, str]]:
    """What a docstring says of the whole, and of each field it lists."""
    whole, _, listed = description.partition("\n\nAttributes:\n")
    fields: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \w)", listed):
        keys, colon, text = " ".join(entry.split()).partition(": ")
        for key in keys.split(", ") if colon else ():
            fields[key] = text
    return " ".join(whole.split()), fields
