r"""DeepSeek-V3.2: calls in DSML, and the opener of an answer written as soon as there is something to answer.

The publisher ships an encoder, no chat template.

Wire::

    <｜begin▁of▁sentence｜>{system}[\n\n## Tools ...]
    <｜User｜>{content}<｜Assistant｜>(<think> | </think>)
    [{reasoning}</think>]{content}
        [\n\n<｜DSML｜function_calls>\n(<｜DSML｜invoke name="{name}">\n
        (<｜DSML｜parameter name="{key}" string="{true | false}">{value}</｜DSML｜parameter>\n)*
        </｜DSML｜invoke>\n)*</｜DSML｜function_calls>]<｜end▁of▁sentence｜>
    \n\n<function_results>(\n<result>{content}</result>)*\n</function_results>\n\n(<think> | </think>)

Quirks: the opener stands behind every user message and behind the result of the last call, whatever follows, so
``add_generation_prompt`` changes nothing; behind other messages an assistant has none. ``enable_thinking=True`` opens
the thought behind the last user message and from there on, and an answer there needs reasoning or calls; no other
reasoning is written. A developer's content is a user's behind the words ``# The user's message is:``; where the model
thinks, one before the last user message is refused, unless ``drop_thinking=False``. Tools go in front of the first
developer's content, else behind the first system text, else stand alone. Results are refused where there is no call
left for them; one that comes first answers the calls of the last message, if the prompt is asked for. A system's or a
developer's message may have a ``response_format``, a schema that stands behind the tools it has. ``tools`` of a message
are refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.deepseek_dsml import (
    calls,
    formatted,
    functions_of,
    holder_of_tools,
    response_format,
    tools,
)
from tokenspec_reference.renderers.family import Family
from tokenspec_reference.renderers.parsing.call_formats import DSML_FUNCTION_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import OUTSIDE, Block, Segment, assistant, block, scaffold
from tokenspec_reference.renderers.template_values import printed, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

EOS = "<｜end▁of▁sentence｜>"
TOOLS_HEADER = (
    "\n\n## Tools\n\nYou have access to a set of tools you can use to answer the user's question.\n"
    'You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply '
    "to the user:\n<｜DSML｜function_calls>\n"
    '<｜DSML｜invoke name="$FUNCTION_NAME">\n'
    '<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>\n...\n'
    '</｜DSML｜invoke>\n<｜DSML｜invoke name="$FUNCTION_NAME2">\n...\n</｜DSML｜invoke>\n</｜DSML｜function_calls>\n\n'
    "String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects "
    'should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for '
    "other types (numbers, booleans, arrays, objects).\n\n"
    "If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking "
    "block. Here is an example:\n\n<｜DSML｜function_calls>\n...\n</｜DSML｜function_calls>\n\n"
    "<function_results>\n...\n</function_results>\n\n<think>...thinking about results</think>\n\n"
    "Here are the functions available in JSONSchema format:\n<functions>\n"
)
TOOLS_FOOTER = "\n</functions>\n"
KEPT_ROLES = ("user", "system", "tool", "assistant")


@dataclass(frozen=True)
class Mode:
    """How thoughts are written: whether the model thinks, and which message asked last (-1 without one)."""

    thinks: bool
    last_asked: int

    @classmethod
    def of(cls, chat: Chat) -> Mode:
        """A user's or developer's message asks."""
        asked = (turn.index for turn in reversed(chat.turns) if turn.role in ("user", "developer"))
        return cls(chat.enabled("enable_thinking", default=False), next(asked, -1))

    def tag(self, index: int) -> str:
        """The tag behind the message that asks, or the last result, at ``index``."""
        return "<think>" if self.thinks and index >= self.last_asked else "</think>"


def segments(chat: Chat) -> Iterator[Block]:
    """The wire format above."""
    mode, holder = Mode.of(chat), holder_of_tools(chat, chat.turns)
    _check(chat, mode)
    yield block(OUTSIDE, scaffold("<｜begin▁of▁sentence｜>"))
    if chat.tools and holder is None:
        yield block(OUTSIDE, *tools(chat, TOOLS_HEADER, TOOLS_FOOTER))
    caller, opener = -1, ""
    for turn in chat.turns:
        functions = functions_of(turn)
        if turn.role == "assistant":
            yield assistant(turn.index, opener, _reply(turn, mode, functions))
        else:
            yield block(OUTSIDE, scaffold(opener))
            offered = tools(chat, TOOLS_HEADER, TOOLS_FOOTER) if holder == turn.index else ()
            yield block(turn.index, *_asked(chat, turn, caller, (*offered, *response_format(turn))))
        opener = _opener(chat, turn, mode, caller)
        caller = caller if turn.role == "tool" else turn.index
    if not chat.add_generation_prompt:
        yield block(OUTSIDE, scaffold(opener))


def generation_prompt(chat: Chat) -> str:
    """The opener behind the last message, which stands there unasked, too."""
    caller = next((turn.index for turn in reversed(chat.turns[:-1]) if turn.role != "tool"), -1)
    return _opener(chat, chat.turns[-1], Mode.of(chat), caller)


def _check(chat: Chat, mode: Mode) -> None:
    """Refuse what is not written, and what the encoder drops and then misses."""
    if any(turn.get("tools") for turn in chat.turns):
        refuse("tools of a message are not written")
    drops = mode.thinks and chat.enabled("drop_thinking", default=True)
    if drops and any(turn.role not in KEPT_ROLES for turn in chat.turns[: max(mode.last_asked, 0)]):
        refuse("a developer message before the last user message, where thoughts are dropped")


def _opener(chat: Chat, turn: Turn, mode: Mode, caller: int) -> str:
    """What is written behind a message for the answer to it; ``caller`` is the message whose calls results answer."""
    if turn.role in ("user", "developer"):
        return "<｜Assistant｜>" + mode.tag(turn.index)
    is_last_result = turn.role == "tool" and not _calls_left(chat, turn, caller)
    return "\n\n" + mode.tag(turn.index) if is_last_result else ""


def _calls_left(chat: Chat, turn: Turn, caller: int) -> int:
    """How many calls are without a result behind this one.

    The encoder looks for the calls of a result that comes first at index -1, which is the last message it was given.
    """
    if caller >= 0:
        found = chat.turns[caller].role == "assistant"
    else:
        stands_alone = chat.tools and holder_of_tools(chat, chat.turns) is None  # a message of its own, in front
        found = not turn.index and not stands_alone and chat.add_generation_prompt
    left = len(chat.turns[caller].get("tool_calls") or ()) - (turn.index - caller)
    return left if found and left >= 0 else refuse("there is no call left for a result")


def _asked(chat: Chat, turn: Turn, caller: int, offered: tuple[Segment, ...]) -> Iterator[Segment]:
    """A message that is no answer; ``offered`` are the tools and the format of the response, where it has them."""
    if turn.role == "user":
        yield from (scaffold("<｜User｜>"), *formatted(turn.content))
    elif turn.role == "developer":
        if not turn.get("content"):
            refuse("a developer message needs content")
        yield from (scaffold("<｜User｜>"), *offered, scaffold("\n\n# The user's message is: "), *printed(turn.content))
    elif turn.role == "system":
        yield from (*(printed(turn.content) if turn.get("content") else ()), *offered)
    elif turn.role == "tool":
        is_first, is_last = turn.index == caller + 1, not _calls_left(chat, turn, caller)
        yield scaffold(("\n\n<function_results>" if is_first else "") + "\n<result>")
        yield from (*formatted(turn.content), scaffold("</result>" + ("\n</function_results>" if is_last else "")))
    else:
        refuse(f"Unknown role: {turn.role}")


def _reply(turn: Turn, mode: Mode, functions: list[tuple[str, Any]]) -> Iterator[Segment]:
    if mode.thinks and turn.index > mode.last_asked:
        reasoning = turn.get("reasoning_content")
        if not (reasoning or functions):
            refuse("an answer of a model that thinks needs reasoning or calls")
        yield from (*(printed(reasoning) if reasoning else ()), scaffold("</think>"))
    if turn.get("content"):
        yield from printed(turn.content)
    if functions:
        yield from calls("function_calls", ((name, _arguments(arguments)) for name, arguments in functions))
    yield scaffold(EOS)


def _arguments(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) else json.loads(arguments)


FAMILY = Family(
    segments=segments,
    generation_prompt=generation_prompt,
    stop_tokens=(EOS,),
    response=ResponseFormat(ThoughtFormat(after_open="", before_close="", after_close=""), DSML_FUNCTION_CALLS),
)
