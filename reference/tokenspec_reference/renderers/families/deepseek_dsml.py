"""DSML, DeepSeek's markup since V3.2: how its encoders write calls, where they put the tools, how they print values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.segments import Segment, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import is_defined, member, printed, refuse, tojson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn


RESPONSE_FORMAT = "\n\n## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n"


def formatted(value: Any) -> Iterator[Segment]:
    """``"{}".format(value)`` as a message body: what is missing is None, and printed as such."""
    return printed(value if is_defined(value) else None)


def holder_of_tools(chat: Chat, turns: Iterable[Turn]) -> int | None:
    """The message that has the tools: the first developer's, else the first system's; None where they stand alone."""
    if not chat.tools:
        return None
    known = list(turns)
    return next((turn.index for role in ("developer", "system") for turn in known if turn.role == role), None)


def tools(chat: Chat, header: str, footer: str) -> Iterator[Segment]:
    """The schemas of the tools, a line each, between the words of a revision."""
    yield scaffold(header)
    for position, tool in enumerate(chat.tools or ()):
        function = member(tool, "function")
        if not is_defined(function):
            refuse("a tool needs its function")
        yield from (scaffold("\n" if position else ""), quoted(tojson(function)))
    yield scaffold(footer)


def response_format(turn: Turn) -> Iterator[Segment]:
    """The schema that a system's or a developer's message has answers follow, behind its tools."""
    schema = turn.get("response_format")
    if schema:
        yield from (scaffold(RESPONSE_FORMAT), quoted(tojson(schema)))


def functions_of(turn: Turn) -> list[tuple[str, Any]]:
    """Name and arguments of each call; whoever makes it, it needs both."""
    functions = [member(call, "function") for call in turn.get("tool_calls") or ()]
    found = [(member(function, "name"), member(function, "arguments")) for function in functions]
    if not all(is_defined(name) and is_defined(arguments) for name, arguments in found):
        refuse("a call needs a name and arguments")
    return [(str(name), arguments) for name, arguments in found]


def calls(name_of_block: str, functions: Iterable[tuple[str, Any]]) -> Iterator[Segment]:
    """A block of calls behind a blank line; the arguments of each are a mapping, all else is refused."""
    yield scaffold(f"\n\n<｜DSML｜{name_of_block}>\n")
    for name, arguments in functions:
        yield from _call(name, arguments)
    yield scaffold(f"</｜DSML｜{name_of_block}>")


def _call(name: str, arguments: Any) -> Iterator[Segment]:
    yield from (scaffold('<｜DSML｜invoke name="'), body(name), scaffold('">\n'))
    if not isinstance(arguments, dict):
        refuse("arguments are no object")
    for position, (key, value) in enumerate(arguments.items()):
        is_text = isinstance(value, str)
        yield from (scaffold(("\n" if position else "") + '<｜DSML｜parameter name="'), body(key))
        yield scaffold(f'" string="{"true" if is_text else "false"}">')
        yield from (body(value if is_text else tojson(value)), scaffold("</｜DSML｜parameter>"))
    yield scaffold("\n</｜DSML｜invoke>\n")
