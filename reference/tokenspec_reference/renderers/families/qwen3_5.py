r"""Qwen3.5, Qwen3.6 and Qwen3.8: XML tool calls, trimmed content, a think block that the prompt opens.

Wire::

    [<|im_start|>system\n[tools][\n\n]{system}<|im_end|>\n]
    <|im_start|>user\n{parts}<|im_end|>\n
    <|im_start|>assistant\n[<think>\n{reasoning}\n</think>\n\n]{content}[\n\n]
        <tool_call>\n<function={name}>\n(<parameter={key}>\n{value}\n</parameter>\n)*</function>\n</tool_call>...<|im_end|>\n
    <|im_start|>user[\n<tool_response>\n{parts}\n</tool_response>]+<|im_end|>\n

Quirks: the think block is written for every turn after the last user query, also empty; the tools come before the
system text; content is trimmed as a whole, so outer whitespace of a part is only lost at the ends; a conversation
without a user query, a late system message and unknown roles are refused; a tool result that comes first in the
conversation has no opener. Revision ``3.5`` prints values that are no containers in Python's spelling (``True``);
``3.6`` in JSON's, and keeps think blocks of all turns under ``preserve_thinking=True``. Revision ``3.8`` keeps them
unless told otherwise, cuts no thought out of content, leaves an empty system message out, and where thinking is not
switched off writes a sentence on ``reasoning_effort`` (``xhigh``, ``medium``, which has none, or ``low``) ahead of
tools and system text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.families.qwen3_vl import MediaCount
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.media.qwen import QWEN3_VL_MEDIA
from tokenspec_reference.renderers.parsing.call_formats import XML_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat
from tokenspec_reference.renderers.segments import (
    OUTSIDE,
    Block,
    Segment,
    assistant,
    block,
    body,
    joined,
    quoted,
    scaffold,
    strip_segments,
)
from tokenspec_reference.renderers.template_values import (
    cut_thought,
    function_of,
    is_defined,
    items,
    member,
    printed,
    refuse,
    text_of,
    tojson,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec_reference.renderers.chat import Chat, Turn

CALL_INSTRUCTIONS = (
    "\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
    "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT "
    "after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge and do not "
    "tell the user about function calls\n</IMPORTANT>"
)
EFFORTS = {
    "xhigh": (
        "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider "
        "plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer."
    ),
    "medium": "",
    "low": (
        "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion "
        "without unnecessary elaboration."
    ),
}


def segments(chat: Chat, revision: str) -> Iterator[Block]:
    """The wire format above."""
    add_vision_id = bool(chat.option("add_vision_id"))
    yield from _preamble(chat, _effort(chat) if revision == "3.8" else "", revision, add_vision_id=add_vision_id)
    last_query = _last_query(chat)
    media = MediaCount(add_vision_id=add_vision_id)
    for turn in chat.turns:
        content = strip_segments(_parts(turn.content, media))
        if turn.role == "system":
            if turn.index:
                refuse("System message must be at the beginning.")
        elif turn.role == "user":
            yield block(turn.index, scaffold("<|im_start|>user\n"), *content, scaffold("<|im_end|>\n"))
        elif turn.role == "assistant":
            reply = _reply(chat, turn, content, last_query, revision)
            yield assistant(turn.index, "<|im_start|>assistant\n", reply, "\n")
        elif turn.role == "tool":
            yield _tool_result(chat, turn, content)
        else:
            refuse("Unexpected message role.")


def generation_prompt(chat: Chat) -> str:
    """The assistant opener and an open think block, or a closed one when thinking is switched off."""
    thinks = chat.option("enable_thinking") is not False
    return "<|im_start|>assistant\n" + ("<think>\n" if thinks else "<think>\n\n</think>\n\n")


def _effort(chat: Chat) -> str:
    """What the system block says on the effort; empty where thinking is switched off, in whatever words."""
    thinks, effort = chat.option("enable_thinking"), chat.option("reasoning_effort")
    if is_defined(thinks) and thinks is not True:
        return ""
    named = effort if is_defined(effort) else "xhigh"
    if not isinstance(named, str) or named not in EFFORTS:
        refuse(f"Unexpected reasoning effort {named}. Supported types are xhigh (default), medium, and low.")
    return EFFORTS[named]


def _preamble(chat: Chat, effort: str, revision: str, *, add_vision_id: bool) -> Iterator[Block]:
    first = chat.turns[0]
    has_system = first.role == "system"
    media = MediaCount(add_vision_id=add_vision_id)
    system = strip_segments(_parts(first.content, media, is_system=True)) if has_system else []
    owner = 0 if has_system else OUTSIDE
    opener, closer = scaffold("<|im_start|>system\n"), scaffold("<|im_end|>\n")
    if chat.tools:
        signatures = [part for tool in chat.tools for part in (scaffold("\n"), quoted(tojson(tool)))]
        header = scaffold("# Tools\n\nYou have access to the following functions:\n\n<tools>")
        footer = scaffold("\n</tools>" + CALL_INSTRUCTIONS + ("\n\n" if joined(system) else ""))
        told = scaffold(effort + "\n\n" if effort else "")
        yield block(owner, opener, told, header, *signatures, footer, *system, closer)
    elif effort or (has_system and (joined(system) or revision != "3.8")):
        told = scaffold(effort + ("\n\n" if effort and joined(system) else ""))
        yield block(owner, opener, told, *system, closer)


def _parts(content: Any, media: MediaCount, *, is_system: bool = False, counted: bool = True) -> Iterator[Segment]:
    """The content macro of the template: text, parts, or nothing."""
    if isinstance(content, str):
        yield body(content)
    elif isinstance(content, (list, tuple)):
        for part in content:
            kind = member(part, "type")
            if "image" in part or "image_url" in part or kind == "image":
                if is_system:
                    refuse("System message cannot contain images.")
                yield from media.placeholder("Picture", "<|image_pad|>", counted=counted)
            elif "video" in part or kind == "video":
                if is_system:
                    refuse("System message cannot contain videos.")
                yield from media.placeholder("Video", "<|video_pad|>", counted=counted)
            elif "text" in part:
                yield from printed(member(part, "text"))
            else:
                refuse("Unexpected item type in content.")
    elif content is not None and is_defined(content):
        refuse("Unexpected content type.")


def _last_query(chat: Chat) -> int:
    """Index of the last user message that is no tool response in disguise; refused when there is none."""
    uncounted = MediaCount(add_vision_id=bool(chat.option("add_vision_id")))
    for turn in reversed(chat.turns):
        if turn.role == "user":
            content = joined(_parts(turn.content, uncounted, counted=False)).strip()
            if not (content.startswith("<tool_response>") and content.endswith("</tool_response>")):
                return turn.index
    return refuse("No user query found in messages.")


def _reply(chat: Chat, turn: Turn, content: list[Segment], last_query: int, revision: str) -> Iterator[Segment]:
    reasoning, text = turn.get("reasoning_content"), joined(content)
    if not isinstance(reasoning, str):
        reasoning = ""
        if "</think>" in text and revision != "3.8":
            reasoning, text = cut_thought(text)
            content = [body(text)]
    if turn.index > last_query or _keeps_thoughts(chat, revision):
        yield from (scaffold("<think>\n"), body(reasoning.strip()), scaffold("\n</think>\n\n"))
    yield from content
    calls = turn.get("tool_calls")
    if isinstance(calls, (list, tuple, str)):
        for position, call in enumerate(calls):
            yield scaffold("\n" if position else "\n\n" if text.strip() else "")
            chosen = function_of(call, is_defined)
            yield from xml_call(chosen, as_json=revision != "3.5", empty="" if revision == "3.8" else None)
    yield scaffold("<|im_end|>")


def _keeps_thoughts(chat: Chat, revision: str) -> bool:
    kept = chat.option("preserve_thinking")
    return (kept is True and revision != "3.5") or (revision == "3.8" and not is_defined(kept))


def xml_call(call: Any, *, as_json: bool, prints_name: bool = False, empty: str | None = None) -> Iterator[Segment]:
    """One call as XML; scalars are printed as JSON or as Python does; a missing name is refused, or printed empty.

    Arguments that equal ``empty`` are none.
    """
    name = member(call, "name")
    yield from (scaffold("<tool_call>\n<function="), body(str(name) if prints_name else text_of(name)), scaffold(">\n"))
    arguments = member(call, "arguments")
    for key, value in items(arguments) if is_defined(arguments) and (empty is None or arguments != empty) else ():
        yield from (scaffold("<parameter="), body(key), scaffold(">\n"))
        yield body(_value(value, as_json=as_json))
        yield scaffold("\n</parameter>\n")
    yield scaffold("</function>\n</tool_call>")


def _value(value: Any, *, as_json: bool) -> str:
    if isinstance(value, str):
        return value
    return tojson(value) if as_json or isinstance(value, (Mapping, list, tuple)) else str(value)


def _tool_result(chat: Chat, turn: Turn, content: list[Segment]) -> Block:
    """Results in a row share one user turn; the first message of a conversation never opens one."""
    opens = turn.index > 0 and chat.starts_results(turn)
    opener = scaffold(("<|im_start|>user" if opens else "") + "\n<tool_response>\n")
    closer = scaffold("\n</tool_response>" + ("<|im_end|>\n" if chat.ends_results(turn) else ""))
    return block(turn.index, opener, *content, closer)


def _family(revision: str) -> Family:
    return Family(
        segments=partial(segments, revision=revision),
        generation_prompt=generation_prompt,
        stop_tokens=("<|im_end|>", "<|endoftext|>"),
        response=ResponseFormat(ThoughtFormat(), XML_CALLS),
        media=QWEN3_VL_MEDIA,
    )


FAMILY = Revisions(_family, markers=(("3.8", "reasoning_effort"), ("3.6", "preserve_thinking"), ("3.5", "")))
