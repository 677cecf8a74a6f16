r"""DeepSeek-V4: results inside the user's turn, calls in DSML, every think tag written by what stands before the turn.

The publisher ships an encoder, no chat template.

Wire::

    <｜begin▁of▁sentence｜>[effort]{system}[\n\n## Tools ...]
    <｜User｜>({content} | <tool_result>{content}</tool_result>), joined by blank lines
    <｜Assistant｜>(<think>{reasoning}</think> | </think>){content}
        [\n\n<｜DSML｜tool_calls>\n(<｜DSML｜invoke name="{name}">\n
        (<｜DSML｜parameter name="{key}" string="{true | false}">{value}</｜DSML｜parameter>\n)*
        </｜DSML｜invoke>\n)*</｜DSML｜tool_calls>]<｜end▁of▁sentence｜>
    <｜latest_reminder｜>{content}

Quirks: user messages and results that follow on each other are one turn, results in it in the order of the calls;
``<｜Assistant｜>`` and the tag are written only behind a user's or developer's turn. ``enable_thinking=True`` opens the
thought; reasoning before the last user turn is dropped, and developer messages with it, unless there are tools or
``drop_thinking=False``. Tools go behind the first developer's text, else the first system text, else in front.
Arguments that are neither a mapping nor JSON are printed as the value of one parameter named ``arguments``.
``reasoning_effort`` (``low``, ``high``, ``max``) puts a text in front of a conversation with thinking. A system's or a
developer's message may have a ``response_format``, a schema that stands behind its tools. What only the publisher's own
pipelines write (``task``, ``wo_eos``) is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenspec_reference.renderers.families.deepseek_dsml import (
    calls,
    formatted,
    functions_of,
    holder_of_tools,
    response_format,
    tools,
)
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.call_formats import DSML_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, body, scaffold
from tokenspec_reference.renderers.template_values import is_defined, member, printed, refuse, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokenspec_reference.renderers.chat import Chat, Turn

EOS = "<｜end▁of▁sentence｜>"
ASSISTANT = "<｜Assistant｜>"
EFFORTS = {
    "low": "",
    "high": (
        "Reasoning Effort: Absolute maximum with no shortcuts permitted.\n"
        "You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root "
        "cause, rigorously stress-testing your logic against all potential paths, edge cases, and adversarial "
        "scenarios.\n"
        "Explicitly write out your entire deliberation process, documenting every intermediate step, considered "
        "alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.\n\n"
    ),
    "max": (
        "Reasoning Effort: Beyond maximum — exhaustive, relentless, and uncompromising.\n"
        "You MUST reason with the utmost depth and rigor, leaving absolutely nothing to chance: exhaustively decompose "
        "the problem into its most fundamental components, trace every causal chain to its root, and resolve the "
        "underlying cause rather than any surface symptom.\n"
        "Do not stop reasoning until you have independently verified the solution from multiple angles and are certain "
        "that no assumption remains unchecked and no error remains undiscovered.\n\n"
    ),
}
TOOLS_HEADER = (
    "\n\n## Tools\n\nYou have access to a set of tools to help answer the user's question. You can invoke tools by "
    'writing a "<｜DSML｜tool_calls>" block like the following:\n\n<｜DSML｜tool_calls>\n'
    '<｜DSML｜invoke name="$TOOL_NAME">\n'
    '<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>\n...\n'
    '</｜DSML｜invoke>\n<｜DSML｜invoke name="$TOOL_NAME2">\n...\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>\n\n'
    'String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, '
    'arrays, objects), pass the value in JSON format and set `string="false"`.\n\n'
    "If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside "
    "<think>...</think> BEFORE any tool calls or final response.\n\n"
    "Otherwise, output directly after </think> with tool calls or final response.\n\n### Available Tool Schemas\n\n"
)
TOOLS_FOOTER = "\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n"
UNKNOWN_KEYS = ("task", "wo_eos")
KEPT_ROLES = ("user", "system", "tool", "latest_reminder", "direct_search_results")


class Part(NamedTuple):
    """A message, or a result, in a user's turn."""

    turn: Turn
    written: tuple[Segment, ...]


@dataclass(frozen=True)
class Mode:
    """How thoughts are written: whether the model thinks, and from which message on reasoning is kept."""

    thinks: bool
    keeps_from: int

    @classmethod
    def of(cls, chat: Chat) -> Mode:
        """Reasoning before the last user's or developer's message, or results in their place, is dropped."""
        thinks = chat.enabled("enable_thinking", default=False)
        drops = chat.enabled("drop_thinking", default=True) and not chat.tools
        asked = [position for position, turn in enumerate(chat.turns) if turn.role in ("user", "tool", "developer")]
        return cls(thinks, _start_of_run(chat, asked[-1]) if drops and asked else -1)

    def tag(self, asked: int) -> str:
        """The tag behind the turn that asks, which ends with the message ``asked``."""
        return "<think>" if self.thinks and asked >= self.keeps_from else "</think>"


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    yield block(OUTSIDE, scaffold("<｜begin▁of▁sentence｜>" + _effort(chat)))
    mode, turns = Mode.of(chat), _kept(chat)
    holder = holder_of_tools(chat, turns)
    if chat.tools and holder is None:
        yield block(OUTSIDE, *tools(chat, TOOLS_HEADER, TOOLS_FOOTER))
    order: dict[Any, int] = {}
    asked: int | None = None
    position = 0
    while position < len(turns):
        turn = turns[position]
        offered = tools(chat, TOOLS_HEADER, TOOLS_FOOTER) if holder == turn.index else ()
        end = position + 1
        functions = [] if turn.role in ("user", "tool") else functions_of(turn)
        if turn.role == "assistant":
            opener = "" if asked is None else ASSISTANT + mode.tag(asked)
            yield assistant(turn.index, opener, _reply(turn, mode, functions))
            order = _order_of_calls(turn) if functions else order
        elif turn.role in ("user", "tool"):
            while end < len(turns) and _goes_on(turns[end - 1], turns[end]):
                end += 1
            yield from _run(turns[position:end], order)
        elif turn.role == "developer":
            text = body(text_of(turn.content)) if turn.get("content") else refuse("a developer message needs content")
            yield block(turn.index, scaffold("<｜User｜>"), text, *offered, *response_format(turn))
        elif turn.role == "system":
            said = printed(turn.content) if turn.get("content") else ()
            yield block(turn.index, *said, *offered, *response_format(turn))
        elif turn.role == "latest_reminder":
            prompt = "" if asked is None else ASSISTANT + mode.tag(asked)
            yield block(OUTSIDE, scaffold(prompt))
            yield block(turn.index, scaffold("<｜latest_reminder｜>"), *formatted(turn.content))
        else:
            refuse(f"Unknown role: {turn.role}")
        asked = turns[end - 1].index if turn.role in ("user", "tool", "developer") else None
        position = end


def generation_prompt(chat: Chat) -> str:
    """The assistant token and a tag behind a user's or developer's turn; nothing elsewhere."""
    last = chat.turns[-1]
    return ASSISTANT + Mode.of(chat).tag(last.index) if last.role in ("user", "tool", "developer") else ""


def _effort(chat: Chat) -> str:
    effort = chat.option("reasoning_effort") or "low"
    if effort not in EFFORTS:
        refuse(f"Invalid reasoning effort: {effort}, expected one of {list(EFFORTS)}")
    return EFFORTS[effort] if chat.enabled("enable_thinking", default=False) else ""


def _start_of_run(chat: Chat, position: int) -> int:
    """The first of the user's messages and results that are one turn with the message at ``position``."""
    while position and {chat.turns[position].role, chat.turns[position - 1].role} <= {"user", "tool"}:
        position -= 1
    return position


def _kept(chat: Chat) -> list[Turn]:
    """All messages; where thoughts are dropped, others than those the format knows are dropped with them."""
    if any(turn.get(key) for turn in chat.turns for key in UNKNOWN_KEYS):
        refuse(f"{', '.join(UNKNOWN_KEYS)} are not written")
    mode = Mode.of(chat)
    keeps_all = not mode.thinks or mode.keeps_from < 0
    return [
        turn
        for turn in chat.turns
        if keeps_all or turn.index >= mode.keeps_from or turn.role in (*KEPT_ROLES, "assistant")
    ]


def _goes_on(before: Turn, turn: Turn) -> bool:
    """Whether a message is of the same user's turn as the one before it."""
    return turn.role in ("user", "tool") and turn.index == before.index + 1


def _run(turns: list[Turn], order: Mapping[Any, int]) -> Iterator[Block]:
    """A user's turn: texts where they stand, results in the order of the calls they answer."""
    parts = [Part(turn, tuple(_result(turn) if turn.role == "tool" else _text(turn))) for turn in turns]
    results = [part for part in parts if part.turn.role == "tool"]
    if order:
        results.sort(key=lambda part: order.get(part.turn.get("tool_call_id"), 0))
    following = iter(results)
    for position, part in enumerate(parts):
        written = next(following) if part.turn.role == "tool" else part
        yield block(written.turn.index, scaffold("\n\n" if position else "<｜User｜>"), *written.written)


def _text(turn: Turn) -> Iterator[Segment]:
    content = turn.get("content")
    yield body(text_of(content) if is_defined(content) else "")


def _result(turn: Turn) -> Iterator[Segment]:
    content = turn.content
    yield scaffold("<tool_result>")
    if isinstance(content, (list, tuple)):
        for position, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else refuse("a part of a result is no mapping")
            yield scaffold("\n\n" if position else "")
            text = text_of(part.get("text", "")) if kind == "text" else f"[Unsupported {kind}]"
            yield body(text) if kind == "text" else scaffold(text)
    else:
        yield from printed(content)
    yield scaffold("</tool_result>")


def _reply(turn: Turn, mode: Mode, functions: list[tuple[str, Any]]) -> Iterator[Segment]:
    if mode.thinks and turn.index > mode.keeps_from:
        reasoning = turn.get("reasoning_content")
        yield from (*(printed(reasoning) if reasoning else ()), scaffold("</think>"))
    if turn.get("content"):
        yield from printed(turn.content)
    if functions:
        yield from calls("tool_calls", ((name, _arguments(arguments)) for name, arguments in functions))
    yield scaffold(EOS)


def _arguments(arguments: Any) -> Any:
    """The value of JSON text; what is no JSON is the value of one parameter."""
    if isinstance(arguments, dict):
        return arguments
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return {"arguments": arguments}


def _order_of_calls(turn: Turn) -> dict[Any, int]:
    """The place of each call that has an id."""
    found = ((member(call, "id") or member(member(call, "function"), "id")) for call in turn.get("tool_calls"))
    return {identifier: position for position, identifier in enumerate(found) if identifier}


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=(EOS,),
    response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), DSML_CALLS),
)
