"""Nesting as deep as it may be, and one level deeper: 64 levels, of whatever is nested and wherever it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import refused, schema
from tokenspec.areas.fast_forward.cases.probing import probing
from tokenspec.areas.fast_forward.cases.schemas import nested
from tokenspec.store.records import Case

MOST = 64
NOTHING = {"type": "null"}
HERE = {**NOTHING, "$anchor": "here"}


def lists(levels: int, inmost: Any = NOTHING) -> Any:
    """Lists of one item in each other, so many schemas around another."""
    return nested(levels, lambda inner: {"type": "array", "items": inner, "minItems": 1, "maxItems": 1}, inmost)


def same(levels: int, inmost: Any = NOTHING) -> Any:
    """Schemas in schemas, about the same value."""
    return nested(levels, lambda inner: {"allOf": [inner]}, inmost)


def chain(links: int, around: Callable[[Any], Any]) -> Any:
    """A root that leads to the first of so many definitions, each to the next, the last to nothing."""
    leading = {str(at): around({"$ref": f"#/$defs/{at + 1}"}) for at in range(links - 1)}
    return {"$ref": "#/$defs/0", "$defs": {**leading, str(links - 1): NOTHING}}


def answered() -> Iterator[tuple[str, Any, Any, list[str]]]:
    """Name, schema, a grammar of the same texts, and texts."""
    null = schema(NOTHING)
    values = ["null", "[null]", "true", "[]"]
    for name, kind in (("lists", lists), ("alternatives", same)):
        deep = {"$ref": "#here", "$defs": {"x": kind(MOST - 2, HERE)}}
        yield f"reference-into-{name}", deep, null, values
        yield f"unused-{name}", {**NOTHING, "$defs": {"x": kind(MOST - 2)}}, null, values
    yield "data", {**NOTHING, "default": lists(MOST), "examples": [lists(MOST)]}, null, values
    yield "alternatives", same(MOST - 1), null, values
    yield "references", chain(MOST - 1, lambda inner: inner), null, values
    whole = "[" * (MOST - 1) + "null" + "]" * (MOST - 1)
    around = [whole, f"[{whole}]", whole[1:-1], whole.replace("null", "true"), whole.replace("null", "")]
    yield "lists", lists(MOST - 1), {"literal": whole}, around
    yield "lists-through-references", chain(MOST, lists_of_one), {"literal": whole}, around
    anything = nested(MOST - 1, lambda inner: {"type": "array", "items": inner}, True)
    few = nested(3, lambda inner: {"type": "array", "items": inner}, {"type": "array"})
    yield "lists-of-anything", anything, schema(few), ["[]", "[[[]]]", "[[[null]]]", "[[[", "null"]


def lists_of_one(inner: Any) -> Any:
    """A list of one item."""
    return lists(1, inner)


DEEPER: dict[str, tuple[str, Any]] = {
    "reference-into-lists": (
        "/$defs/x" + "/items" * (MOST - 1),
        {"$ref": "#here", "$defs": {"x": lists(MOST - 1, HERE)}},
    ),
    "unused-lists": ("/$defs/x" + "/items" * (MOST - 1), {**NOTHING, "$defs": {"x": lists(MOST - 1)}}),
    "unused-alternatives": ("/$defs/x" + "/allOf/0" * (MOST - 1), {**NOTHING, "$defs": {"x": same(MOST - 1)}}),
    "alternatives": ("/allOf/0" * MOST, same(MOST)),
    "references": (f"/$defs/{MOST - 1}", chain(MOST, lambda inner: inner)),
    "lists": ("/items" * MOST, lists(MOST)),
    "lists-through-references": (f"/$defs/{MOST - 1}/items", chain(MOST + 1, lists_of_one)),
    "members": ("/properties/a" * MOST, nested(MOST, lambda inner: {"properties": {"a": inner}})),
    "constant": ("/const" + "/0" * MOST, {"const": nested(MOST, lambda inner: [inner])}),
}


def cases() -> Iterator[Case]:
    """Cases ``json-as-deep-as-may-be-*`` and ``refused-json-too-deep-*``."""
    for name, value, alike, texts in answered():
        why = "Nested as deep as may be."
        slug = f"json-as-deep-as-may-be-{name}"
        yield probing(slug, why, "JSON_SCHEMA", schema(value), texts, ["FFT-041"], alike=alike)
    for name, (place, value) in DEEPER.items():
        why = "Nested one level too deep."
        where = f"/grammar/json_schema{place}"
        yield refused(
            f"refused-json-too-deep-{name}", why, "FFT-041", "unsupported-schema", where, grammar=schema(value)
        )


CASES = tuple(cases())
