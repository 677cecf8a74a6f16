"""Tool wire text that the Qwen families share (and that other ChatML families borrowed)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.segments import Block, Segment, block, body, quoted, scaffold
from tokenspec_reference.renderers.template_values import member, printed, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokenspec_reference.renderers.chat import Chat, Turn

TOOLS_HEADER = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
TOOLS_FOOTER = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)


def tools_block(tools: Sequence[Any]) -> Iterator[Segment]:
    """The tool signatures, one JSON object a line, inside the system turn."""
    yield scaffold(TOOLS_HEADER)
    for tool in tools:
        yield scaffold("\n")
        yield quoted(tojson(tool))
    yield scaffold(TOOLS_FOOTER)


def json_call(call: Any, *, quote_strings: bool) -> Iterator[Segment]:
    """One call as JSON. Arguments given as text are copied verbatim, unless the format quotes them once more."""
    arguments = member(call, "arguments")
    yield scaffold('<tool_call>\n{"name": "')
    yield from printed(member(call, "name"))
    yield scaffold('", "arguments": ')
    if isinstance(arguments, str) and not quote_strings:
        yield body(arguments)
    else:
        yield body(tojson(arguments))
    yield scaffold("}\n</tool_call>")


def tool_result(chat: Chat, turn: Turn, content: Iterator[Segment]) -> Block:
    """A tool result; results in a row share one user turn, opened by the first and closed by the last."""
    return block(
        turn.index,
        scaffold("<|im_start|>user\n<tool_response>\n" if chat.starts_results(turn) else "\n<tool_response>\n"),
        *content,
        scaffold("\n</tool_response><|im_end|>\n" if chat.ends_results(turn) else "\n</tool_response>"),
    )
