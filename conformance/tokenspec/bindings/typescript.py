"""TypeScript: interfaces, and unions of literals."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tokenspec.bindings.shapes import (
    Alias,
    Definition,
    Either,
    Fixed,
    Listed,
    Mapped,
    Named,
    Nullable,
    Plain,
    Shape,
    Words,
)
from tokenspec.bindings.words import comment

PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "any": "unknown"}


def write(definitions: Sequence[Definition]) -> str:
    """A module of these types."""
    lines: list[str] = []
    for one in definitions:
        lines += ["", *comment(one.text, "//")]
        if isinstance(one, Alias):
            lines.append(f"export type {one.name} = {written(one.shape)};")
            continue
        lines.append(f"export interface {one.name} {{")
        for field in one.fields:
            kind = written(field.shape) + (" | null" if field.nullable and field.shape != Plain("any") else "")
            lines += [*comment(field.text, "//", "  "), f"  {field.name}{'' if field.required else '?'}: {kind};"]
        lines.append("}")
    return "\n".join(lines[1:]) + "\n"


def written(shape: Shape) -> str:
    """A type."""
    match shape:
        case Nullable(inside):
            return f"{written(inside)} | null"
        case Plain(kind):
            return PLAIN[kind]
        case Named(name):
            return name
        case Words(words):
            return " | ".join(json.dumps(word) for word in words)
        case Either(shapes):
            return " | ".join(dict.fromkeys(written(one) for one in shapes))
        case Mapped(value):
            return f"Record<string, {written(value)}>"
        case Fixed(items):
            return f"[{', '.join(written(item) for item in items)}]"
        case Listed(item):
            text = written(item)
            return f"({text})[]" if " | " in text else f"{text}[]"
