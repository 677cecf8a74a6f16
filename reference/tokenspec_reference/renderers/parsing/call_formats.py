"""How families spell tool calls: where a block begins and ends, and how its inside is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tokenspec_reference.renderers.parsing.closing import JsonValues, TaggedValues, Values
from tokenspec_reference.renderers.parsing.json_values import Unreadable, decode_at, loads
from tokenspec_reference.renderers.parsing.parsed import Status

MISSING = object()
UNREADABLE = object()
XML_VALUES = TaggedValues.of(
    begins="<parameter=", head=r"<parameter=([^>\n]*)>\n?", close="</parameter>", last="</function>"
)
KEY_VALUES = TaggedValues.of(
    begins="<arg_key>",
    head=r"<arg_key>((?:(?!<arg_key>).)*?)</arg_key>\s*<arg_value>",
    close="</arg_value>",
    last="</arg_value>",
)
HY3_VALUES = TaggedValues.of(
    begins="<arg_key:opensource>",
    head=r"<arg_key:opensource>((?:(?!<arg_key:opensource>).)*?)</arg_key:opensource>\s*<arg_value:opensource>",
    close="</arg_value:opensource>",
    last="</arg_value:opensource>",
)
DSML_VALUES = TaggedValues.of(
    begins="<｜DSML｜parameter name=",
    head=r'<｜DSML｜parameter name="([^"]*)" string="(?:true|false)">',
    close="</｜DSML｜parameter>",
    last="</｜DSML｜invoke>",
    other_call=r'<｜DSML｜invoke name="[^"]*">',
)
INVOKED_VALUES = TaggedValues.of(
    begins="<parameter name=",
    head=r'<parameter name="([^"]*)">',
    close="</parameter>",
    last="</invoke>",
    other_call=r'<invoke name="[^"]*">',
)
BARE_NAME = re.compile(r"[\w.\-/:]+")
"""A name that stands between tags; other words there are none."""


@dataclass(frozen=True)
class Attempt:
    """What the inside of a block says; positions are not known here."""

    name: str | None
    arguments: Any
    status: Status
    id: str | None = None


Reader = Callable[[str, "ToolSchemas"], list[Attempt]]


@dataclass(frozen=True)
class CallFormat:
    """Blocks of calls in the text. ``sections`` are markers around a group of blocks; they are no content.

    An empty ``end`` says that a block runs to the next one, or to where ``ends`` says that the notation ends by itself
    (-1: nowhere). ``separator`` is what the template writes between content
    and the first block. ``values`` say whether a close marker ends the block, or stands in one of them.
    """

    begin: str
    end: str
    read: Reader
    separator: str = ""
    sections: tuple[str, ...] = ()
    values: Values | None = None
    ends: Callable[[str], int] | None = None


class ToolSchemas:
    """The declared tools: which names exist, and what type a parameter has."""

    def __init__(self, tools: Any) -> None:
        """Accepts tool schemas with and without the ``{"type": "function", "function": ...}`` envelope."""
        self.parameters: dict[str, Mapping[str, Any]] = {}
        for tool in tools or ():
            function = tool.get("function", tool) if isinstance(tool, Mapping) else {}
            if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                schema = function.get("parameters")
                properties = schema.get("properties") if isinstance(schema, Mapping) else None
                self.parameters[function["name"]] = properties if isinstance(properties, Mapping) else {}

    def status(self, name: str) -> Status:
        """``unknown_tool`` for a name outside the declared tools."""
        return "ok" if not self.parameters or name in self.parameters else "unknown_tool"

    def value(self, name: str, key: str, text: str) -> Any:
        """A value written as bare text, in the type its schema declares.

        Text stays text where the schema allows a string. Without a schema it is what it reads as: JSON, Python's
        ``True``, ``False`` or ``None``, else text.
        """
        schema = self.parameters.get(name, {}).get(key)
        types = _types(schema)
        if "string" in types:
            return text
        value = _literal(text)
        return text if value in (MISSING, UNREADABLE) else value

    def is_unreadable(self, name: str, key: str, text: str) -> bool:
        """Whether a value that may not be text is spelled as a number that is none (``NaN``, ``1e999``)."""
        return "string" not in _types(self.parameters.get(name, {}).get(key)) and _literal(text) is UNREADABLE


def _types(schema: Any) -> set[str]:
    if not isinstance(schema, Mapping):
        return set()
    kind = schema.get("type")
    named = {kind} if isinstance(kind, str) else set(kind) if isinstance(kind, list) else set()
    for keyword in ("anyOf", "oneOf"):
        for option in schema.get(keyword) or ():
            named |= _types(option)
    if not named and any(isinstance(value, str) for value in schema.get("enum") or ()):
        named = {"string"}
    return named


def _literal(text: str) -> Any:
    """What bare text reads as, MISSING for plain text, UNREADABLE for JSON without a value."""
    python = {"True": True, "False": False, "None": None}
    if text.strip() in python:
        return python[text.strip()]
    try:
        return loads(text)
    except Unreadable:
        return UNREADABLE
    except ValueError:
        return MISSING


def called(name: Any, arguments: Any, tools: ToolSchemas, identifier: str | None = None) -> Attempt:
    """A call whose notation was read: check name and arguments.

    Arguments a template wrote as a JSON text inside the JSON come back as that text.
    """
    if not isinstance(name, str) or not name:
        return Attempt(None, arguments, "missing_name", identifier)
    if isinstance(arguments, str):
        status = "invalid_json" if _literal(arguments) in (MISSING, UNREADABLE) else tools.status(name)
        return Attempt(name, arguments, status, identifier)
    if not isinstance(arguments, (Mapping, list)):
        return Attempt(name, arguments, "malformed_structure", identifier)
    return Attempt(name, arguments, tools.status(name), identifier)


def read_json_object(text: str, tools: ToolSchemas) -> list[Attempt]:
    """``{"name": ..., "arguments": ...}``."""
    try:
        value = loads(text)
    except ValueError:
        found = re.match(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"', text)
        return [Attempt(found[1] if found else None, None, "invalid_json")]
    return [_call_of(value, tools)]


def _call_of(value: Any, tools: ToolSchemas) -> Attempt:
    """The call that an object with name and arguments is."""
    if not isinstance(value, Mapping):
        return Attempt(None, value, "malformed_structure")
    return called(value.get("name"), value.get("arguments"), tools)


def read_json_list(text: str, tools: ToolSchemas) -> list[Attempt]:
    """``[{"name": ..., "arguments": ..., "id": ...}, ...]``: the calls of a turn in one list, as far as written."""
    attempts: list[Attempt] = []
    rest = text.strip().removeprefix("[").lstrip()
    while rest and not rest.startswith("]"):
        try:
            value, end = decode_at(rest, 0)
        except ValueError:
            return [*attempts, *read_json_object(rest, tools)]
        attempt = _call_of(value, tools)
        identifier = value.get("id") if isinstance(value, Mapping) else None
        attempts.append(replace(attempt, id=identifier if isinstance(identifier, str) else None))
        rest = rest[end:].lstrip().removeprefix(",").lstrip()
    return attempts or [Attempt(None, None, "malformed_structure")]


def json_end(text: str) -> int:
    """Where the first JSON list or object of a text ends; -1 where none does."""
    found = re.search(r"[\[{]", text)
    try:
        return decode_at(text, found.start())[1] if found else -1
    except ValueError:
        return -1


def read_xml_function(text: str, tools: ToolSchemas) -> list[Attempt]:
    r"""``<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>``, or JSON where a model fell back."""
    found = re.search(r"<function=([^>\n]*)>(.*)", text, re.DOTALL)
    if not found:
        return read_json_object(text, tools)
    name, (inside, ending) = found[1], XML_VALUES.of_call(found[2])
    pairs = [(key, value.removesuffix("\n")) for key, value in XML_VALUES.read(inside)]
    return [_with_values(name, pairs, tools.status(name) if ending == "whole" else "malformed_structure", tools)]


def _with_values(name: str, pairs: Sequence[tuple[str, str]], status: Status, tools: ToolSchemas) -> Attempt:
    """A call whose values are bare text: each in the type of its schema; one that has no value breaks the call."""
    arguments = {key: tools.value(name, key, text) for key, text in pairs}
    if not name:
        return Attempt(None, arguments, "missing_name")
    if status in {"ok", "unknown_tool"} and any(tools.is_unreadable(name, key, text) for key, text in pairs):
        status = "invalid_json"
    return Attempt(name, arguments, status)


def read_key_values(text: str, tools: ToolSchemas) -> list[Attempt]:
    """``NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>``, or JSON where a model fell back to it."""
    head = text.split("<arg_key>", maxsplit=1)[0]
    name = head.strip()
    if name.startswith("{"):
        return read_json_object(text, tools)
    return [_tagged(name, text[len(head) :], KEY_VALUES, tools)]


def _tagged(name: str, inside: str, values: TaggedValues, tools: ToolSchemas) -> Attempt:
    """A call of a bare name with keys and values in tags behind it."""
    found = _with_values(name, values.read(inside), tools.status(name), tools)
    if not name:
        return found
    if not BARE_NAME.fullmatch(name):
        return replace(found, name=None, status="malformed_structure")
    return found if values.fill(inside) else replace(found, status="malformed_structure")


def read_invocations(text: str, tools: ToolSchemas) -> list[Attempt]:
    """MiniMax: several ``<invoke name="N">`` in one block, or JSON where a model fell back to it."""
    attempts = [
        _with_values(name, INVOKED_VALUES.read(inside), status, tools)
        for name, inside, status in _invocations(text, '<invoke name="([^"]*)">', INVOKED_VALUES, tools)
    ]
    return attempts or read_json_object(text, tools)


def _invocations(text: str, tag: str, values: TaggedValues, tools: ToolSchemas) -> Iterator[tuple[str, str, Status]]:
    """The calls in a block: name, what stands between the tags, and how that ends; words between calls are left."""
    _, *found = re.split(tag, text)
    for name, written in zip(found[::2], found[1::2], strict=True):
        inside, ending = values.of_call(written)
        said: Status = tools.status(name) if name else "missing_name"
        yield name, inside, {"whole": said, "open": "unclosed_block", "broken": "malformed_structure"}[ending]


def read_kimi(text: str, tools: ToolSchemas) -> list[Attempt]:
    """``functions.NAME:INDEX<|tool_call_argument_begin|>{JSON}``; the first part is the call's id.

    An id of another form does not say which tool is called.
    """
    identifier, marker, arguments = text.partition("<|tool_call_argument_begin|>")
    identifier = identifier.strip()
    if not marker:
        return [Attempt(None, None, "malformed_structure", identifier or None)]
    named = re.fullmatch(r"(?:functions\.)?(.+):\d+", identifier, re.DOTALL)
    name = named[1] if named else ""
    try:
        value = loads(arguments)
    except ValueError:
        return [Attempt(name or None, arguments, "invalid_json", identifier or None)]
    return [called(name, value, tools, identifier or None)]


def read_named_json(text: str, tools: ToolSchemas) -> list[Attempt]:
    """``NAME {JSON}``."""
    name, _, arguments = text.partition(" ")
    try:
        value = loads(arguments)
    except ValueError:
        return [Attempt(name or None, arguments, "invalid_json")]
    return [called(name, value, tools)]


def read_fenced_json(text: str, tools: ToolSchemas) -> list[Attempt]:
    r"""DeepSeek: ``function<｜tool▁sep｜>NAME\n```json\n{JSON}\n```."""
    found = re.search(r"<｜tool▁sep｜>([^\n]*)\n```json\n(.*?)\n?```\s*\Z", text, re.DOTALL)
    if not found:
        return [Attempt(None, None, "malformed_structure")]
    try:
        value = loads(found[2])
    except ValueError:
        return [Attempt(found[1] or None, found[2], "invalid_json")]
    return [called(found[1], value, tools)]


def read_separated_json(text: str, tools: ToolSchemas) -> list[Attempt]:
    """DeepSeek since V3.1: ``NAME<｜tool▁sep｜>{JSON}``."""
    name, marker, arguments = text.partition("<｜tool▁sep｜>")
    if not marker:
        return [Attempt(None, None, "malformed_structure")]
    try:
        value = loads(arguments)
    except ValueError:
        return [Attempt(name or None, arguments, "invalid_json")]
    return [called(name, value, tools)]


def read_separated_values(text: str, tools: ToolSchemas) -> list[Attempt]:
    """Hy3: ``NAME<tool_sep>``, then keys and values in tags; every tag ends in ``:opensource``."""
    name, marker, inside = text.partition("<tool_sep:opensource>")
    if not marker:
        return [Attempt(None, None, "malformed_structure")]
    return [_tagged(name.strip(), inside, HY3_VALUES, tools)]


def read_dsml(text: str, tools: ToolSchemas) -> list[Attempt]:
    """DeepSeek since V3.2: several ``<｜DSML｜invoke name="N">`` in one block; each value says whether it is text."""
    attempts = []
    for name, inside, ending in _invocations(text, '<｜DSML｜invoke name="([^"]*)">', DSML_VALUES, tools):
        arguments: dict[str, Any] = {}
        status = ending
        texts = re.findall(r'<｜DSML｜parameter name="([^"]*)" string="true">', inside)
        for key, value in DSML_VALUES.read(inside):
            try:
                arguments[key] = value if key in texts else loads(value)
            except ValueError:
                arguments[key], status = value, "invalid_json"
        attempts.append(Attempt(name or None, arguments, status))
    return attempts or [Attempt(None, None, "malformed_structure")]


JSON_CALLS = CallFormat("<tool_call>", "</tool_call>", read_json_object, separator="\n", values=JsonValues())
XML_CALLS = CallFormat("<tool_call>", "</tool_call>", read_xml_function, separator="\n\n", values=XML_VALUES)
KEY_VALUE_CALLS = CallFormat("<tool_call>", "</tool_call>", read_key_values, values=KEY_VALUES)
MINIMAX_CALLS = CallFormat(
    "<minimax:tool_call>", "</minimax:tool_call>", read_invocations, separator="\n", values=INVOKED_VALUES
)
KIMI_CALLS = CallFormat(
    "<|tool_call_begin|>",
    "<|tool_call_end|>",
    read_kimi,
    sections=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    values=JsonValues(),
)
DEEPSEEK_CALLS = CallFormat(
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    read_fenced_json,
    sections=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    values=JsonValues(),
)
DEEPSEEK_BARE_CALLS = replace(DEEPSEEK_CALLS, read=read_separated_json)
HY3_CALLS = CallFormat(
    "<tool_call:opensource>",
    "</tool_call:opensource>",
    read_separated_values,
    separator="\n",
    sections=("<tool_calls:opensource>", "</tool_calls:opensource>"),
    values=HY3_VALUES,
)
DSML_CALLS = CallFormat(
    "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", read_dsml, separator="\n\n", values=DSML_VALUES
)
DSML_FUNCTION_CALLS = replace(DSML_CALLS, begin="<｜DSML｜function_calls>", end="</｜DSML｜function_calls>")
