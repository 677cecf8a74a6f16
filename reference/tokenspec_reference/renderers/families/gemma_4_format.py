r"""Gemma-4's own notation for values and tool declarations: ``{key:<|"|>text<|"|>,other:1}``, keys sorted.

The quote ``<|"|>`` is one control token, so values need no escaping. Schemas print ``description``, the keywords of the
type, ``nullable`` and ``type`` in a fixed order; unknown keywords vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined, UndefinedError

from tokenspec_reference.renderers.segments import Segment, quoted, scaffold, strip_segments
from tokenspec_reference.renderers.template_values import dictsort, is_sequence, member, text_of, upper

if TYPE_CHECKING:
    from collections.abc import Iterator

Leaf = Callable[[str], Segment]
QUOTE = scaffold('<|"|>')
STANDARD_KEYS = ("description", "type", "properties", "required", "nullable")


def argument(value: Any, leaf: Leaf, *, quotes_keys: bool = True) -> Iterator[Segment]:
    """A value; ``leaf`` makes the segments of what the caller typed."""
    if value is None or isinstance(value, bool):
        yield scaffold("null" if value is None else "true" if value else "false")
    elif isinstance(value, str):
        yield from (QUOTE, leaf(value), QUOTE)
    elif isinstance(value, Mapping):
        yield scaffold("{")
        for position, (key, element) in enumerate(dictsort(value)):
            yield scaffold("," if position else "")
            yield from (QUOTE, leaf(key), QUOTE) if quotes_keys else (leaf(key),)
            yield scaffold(":")
            yield from argument(element, leaf, quotes_keys=quotes_keys)
        yield scaffold("}")
    elif is_sequence(value):
        yield scaffold("[")
        for position, element in enumerate(value):
            yield scaffold("," if position else "")
            yield from argument(element, leaf, quotes_keys=quotes_keys)
        yield scaffold("]")
    else:
        yield leaf(str(value))


def declaration(tool: Any) -> list[Segment]:
    """``declaration:name{description:..,parameters:{properties:{..},required:[..],type:..}}``."""
    return strip_segments(_declaration(tool))


def _declaration(tool: Any) -> Iterator[Segment]:
    function = member(tool, "function")
    yield from (scaffold("declaration:"), quoted(str(member(function, "name"))), scaffold("{description:"))
    yield from (QUOTE, quoted(str(member(function, "description"))), QUOTE)
    parameters = member(function, "parameters")
    if parameters:
        yield scaffold(",parameters:{")
        properties, required = member(parameters, "properties"), member(parameters, "required")
        if properties:
            yield from (scaffold("properties:{"), *schemas(properties), scaffold("},"))
        if required:
            yield from (*_required(required), scaffold(","))
        if member(parameters, "type"):
            yield from (*_type(member(parameters, "type")), scaffold("}"))
    if "response" in function:
        response = member(function, "response")
        yield scaffold(",response:{")
        if member(response, "description"):
            yield from (
                scaffold("description:"),
                QUOTE,
                quoted(str(member(response, "description"))),
                QUOTE,
                scaffold(","),
            )
        if upper(member(response, "type")) == "OBJECT":
            yield from (*_type(member(response, "type")), scaffold("}"))
    yield scaffold("}")


def schemas(properties: Any, *, skips_standard: bool = False) -> Iterator[Segment]:
    """``name:{..}`` of each property, sorted by name."""
    pairs = [(k, v) for k, v in dictsort(properties) if not skips_standard or k not in STANDARD_KEYS]
    for position, (key, schema) in enumerate(pairs):
        yield from (scaffold("," if position else ""), quoted(str(key)), scaffold(":{"))
        for number, entry in enumerate(_keywords(schema)):
            yield scaffold("," if number else "")
            yield from entry
        yield scaffold("}")


def _keywords(schema: Any) -> Iterator[list[Segment]]:
    """The keywords of one schema, in the order they are printed."""
    kind = upper(member(schema, "type"))
    if member(schema, "description"):
        yield [scaffold("description:"), QUOTE, quoted(str(member(schema, "description"))), QUOTE]
    if kind == "STRING" and member(schema, "enum"):
        yield [scaffold("enum:"), *argument(member(schema, "enum"), quoted)]
    if kind == "ARRAY" and isinstance(member(schema, "items"), Mapping) and member(schema, "items"):
        yield [scaffold("items:{"), *_items(member(schema, "items")), scaffold("}")]
    if member(schema, "nullable"):
        yield [scaffold("nullable:true")]
    if kind == "OBJECT":
        properties = member(schema, "properties")
        if isinstance(properties, Mapping):
            yield [scaffold("properties:{"), *schemas(properties), scaffold("}")]
        else:
            yield [scaffold("properties:{"), *schemas(schema, skips_standard=True), scaffold("}")]
        if member(schema, "required"):
            yield list(_required(member(schema, "required")))
    yield list(_type(member(schema, "type")))


def _items(schema: Mapping[str, Any]) -> Iterator[Segment]:
    """The keywords of an array's element schema: all that are not null, sorted."""
    pairs = [(key, value) for key, value in dictsort(schema) if value is not None]
    for position, (key, value) in enumerate(pairs):
        yield scaffold("," if position else "")
        if key == "properties":
            yield scaffold("properties:{")
            yield from schemas(value) if isinstance(value, Mapping) else ()
            yield scaffold("}")
        elif key == "required":
            yield from _required(value)
        elif key == "type":
            names = upper(value) if isinstance(value, str) else [upper(name) for name in _elements(value)]
            yield from (scaffold("type:"), *argument(names, quoted))
        else:
            yield from (quoted(key), scaffold(":"), *argument(value, quoted))


def _required(names: Any) -> Iterator[Segment]:
    yield scaffold("required:[")
    for position, name in enumerate(_elements(names)):
        yield from (scaffold("," if position else ""), QUOTE, quoted(str(name)), QUOTE)
    yield scaffold("]")


def _type(kind: Any) -> Iterator[Segment]:
    yield from (scaffold("type:"), QUOTE, quoted(upper(kind)), QUOTE)


def _elements(value: Any) -> list[Any]:
    if isinstance(value, (bool, int, float)) or value is None:
        raise TypeError(f"{type(value).__name__} is not iterable")
    return list(value)


def get(value: Any, key: str) -> Any:
    """``value.get(key)`` of a template: None where the key is missing, refused for anything but a mapping."""
    if not isinstance(value, Mapping):
        raise UndefinedError(f"{type(value).__name__} has no get()")
    found = value.get(key)
    return None if isinstance(found, Undefined) else found


def call_name(call: Any) -> str:
    """The name of a call, which has to be text."""
    return text_of(member(member(call, "function"), "name"))
