"""Go: structs for encoding/json. What may be of several types is ``any``; what may be absent or null, a pointer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

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
    Record,
    Shape,
    Words,
)
from tokenspec.bindings.words import comment, pascal

PLAIN = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool", "any": "any"}
INITIALS = {"Id": "ID", "Ids": "IDs"}


def write(definitions: Sequence[Definition]) -> str:
    """A file of the package ``tokenspec``."""
    lines = ["package tokenspec"]
    for one in definitions:
        lines += ["", *comment(one.text, "//")]
        if isinstance(one, Alias):
            lines.append(f"type {one.name} = {written(one.shape, one.name)}")
            continue
        lines.append(f"type {one.name} struct {{")
        for field in one.fields:
            lines += [*comment(field.text, "//", "\t"), f"\t{exported(field.name)} {tagged(one, field)}"]
        lines.append("}")
        for field in one.fields:
            lines += constants(field.shape, one.name + exported(field.name))
    return "\n".join(lines) + "\n"


def exported(name: str) -> str:
    """A field's name."""
    return "".join(INITIALS.get(word, word) for word in map(pascal, name.split("_")))


def tagged(record: Record, field: Field) -> str:
    """A field's type and its tag.

    A nil list or map is null; one that must not be null but may be absent is left out where its absence means empty.
    """
    kind = written(field.shape, record.name + exported(field.name))
    contains = kind.startswith(("[]", "map[")) or kind == "any"
    absent = not field.required and not field.nullable
    pointer = (field.nullable and not contains) or (absent and not (contains and field.default))
    tag = f"{field.name},omitempty" if absent else field.name
    return f'{"*" if pointer else ""}{kind} `json:"{tag}"`'


def written(shape: Shape, place: str) -> str:
    """A type; words get one of their own, named after their place."""
    match shape:
        case Nullable(inside):
            kind = written(inside, place)
            return kind if kind.startswith(("[]", "map[")) else f"*{kind}"
        case Plain(kind):
            return PLAIN[kind]
        case Named(name):
            return name
        case Words():
            return place
        case Either():
            return "any"
        case Mapped(value):
            return f"map[string]{written(value, place)}"
        case Listed(item):
            return f"[]{written(item, place)}"
        case Fixed(items):
            kinds = {written(item, place) for item in items}
            return f"[{len(items)}]{kinds.pop() if len(kinds) == 1 else 'any'}"


def constants(shape: Shape, place: str) -> Iterator[str]:
    """The type of words, and each of them."""
    match shape:
        case Words(words):
            yield f"\ntype {place} string\n\nconst ("
            yield from (f"\t{place}{pascal(word)} {place} = {json.dumps(word)}" for word in words)
            yield ")"
        case Listed(inside) | Mapped(inside) | Nullable(inside):
            yield from constants(inside, place)
        case _:
            pass
