"""Schemas made by chance from a vocabulary of ordinary names, each asked in the middle of a text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import case, closed, schema
from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.store.records import Case

SEED = 20261120
COUNT = 60
NAMES = [
    "order",
    "user",
    "name",
    "id",
    "type",
    "status",
    "function",
    "item",
    "value",
    "total",
    "price",
    "city",
    "street",
    "country",
    "address",
    "email",
    "phone",
    "created",
    "updated",
    "description",
    "title",
    "person",
    "message",
    "query",
    "response",
    "error",
    "code",
    "count",
    "index",
    "token",
]
ODD = ["é", "日本", "straße ", "don't ", "a/b ", "#", "$", "@", "\t", "x\ny", "12", "2024-01-", "3.14 ", ""]


def cases() -> Iterator[Case]:
    """Cases ``schema-NN``."""
    rng = random.Random(SEED)
    for number in range(COUNT):
        value = object_schema(rng, 0)
        grammar = schema(value, flexible=number % 4 == 3)
        prefix = middle_of_a_text(grammar, rng)
        yield case(
            f"schema-{number:02}",
            "A schema made by chance, asked where something is forced.",
            "GENERATED_SCHEMA",
            grammar,
            [prefix] if prefix else [],
            sweep=number % 3 == 0,
        )


def middle_of_a_text(grammar: dict[str, Any], rng: random.Random) -> str:
    """The beginning of a text, up to a place where at least three bytes are forced; empty where there is none."""
    language = Language(grammar)
    places = []
    for text in language.some_texts([b""] * 8, rng):
        forced = b""
        for at in range(1, len(text)):
            if forced:  # a place inside a forced run would split the run in the middle of a token
                forced = forced[1:]
                continue
            forced = language.forced(text[:at])
            if len(forced) >= 3:
                try:
                    places.append(text[:at].decode())
                except UnicodeDecodeError:
                    continue
    return rng.choice(places) if places else ""


def name(rng: random.Random) -> str:
    """An identifier in one of the usual styles."""
    first, second = rng.choice(NAMES), rng.choice(NAMES)
    styles = [first, f"{first}_{second}", first + second.capitalize(), f"{first}-{second}", f"{first}_of_the_{second}"]
    return rng.choices(styles, [30, 25, 25, 5, 15])[0]


def word(rng: random.Random) -> str:
    """A value: a name, two names, or one with something odd in front."""
    return rng.choice([name(rng), f"{name(rng)} {name(rng)}", rng.choice(ODD) + name(rng)])


def any_schema(rng: random.Random, depth: int) -> dict[str, Any]:
    """A schema of any kind; objects become rarer inside objects."""
    kind = rng.random()
    if depth >= 3 or kind < 0.45:
        return leaf(rng)
    if kind < 0.55:
        least = rng.randint(0, 2)
        bounds = [{}, {"minItems": least}, {"minItems": least, "maxItems": least + rng.randint(1, 2)}]
        return {"type": "array", "items": any_schema(rng, depth + 1), **rng.choice(bounds)}
    if kind < 0.62:
        return {"anyOf": [any_schema(rng, depth + 1) for _ in range(rng.randint(2, 3))]}
    return object_schema(rng, depth)


def leaf(rng: random.Random) -> dict[str, Any]:
    """A value without parts."""
    kind = rng.choice(["string", "string", "integer", "number", "boolean", "null", "enum", "enum", "const", "short"])
    if kind == "enum":
        base = word(rng)
        cut = rng.randint(0, len(base))
        return {"enum": sorted({base[:cut] + word(rng) for _ in range(rng.randint(2, 5))})}
    if kind == "const":
        return {"const": word(rng)}
    return {"type": "string", "minLength": 1, "maxLength": rng.randint(3, 20)} if kind == "short" else {"type": kind}


def object_schema(rng: random.Random, depth: int) -> dict[str, Any]:
    """An object with names that often share a beginning."""
    base = name(rng)
    names: dict[str, None] = {}
    for _ in range(rng.randint(1, 6)):
        names[name(rng) if rng.random() < 0.6 else base[: rng.randint(1, len(base))] + name(rng)] = None
    required = [item for item in names if rng.random() < 0.6]
    return closed(required, {item: any_schema(rng, depth + 1) for item in names})


CASES = tuple(cases())
