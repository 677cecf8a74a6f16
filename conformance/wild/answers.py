"""What a parse must give back of a turn that a template wrote, and what of other roles is content.

Only what the template wrote of a message can be asked back: a thought that it drops, a name that it does not write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tokenspec_reference.renderers import ParsedResponse, RenderedTokens
from wild.conversations import Message, words_of
from wild.prefix_oracle import Told, everywhere

AS_DATA = re.compile(r"""['"]type['"]""")
"""The template prints the parts of a message as data, not what they say."""

MEDIA = re.compile(r"<\|?(image|video|audio)\w*\|?>")
"""A placeholder is content also where a template writes one for every question: the picture is given beside it."""


def answer_differences(message: Message, region: str, answer: ParsedResponse) -> Iterator[str]:
    """What a parse of an assistant turn says otherwise than its message, of which ``region`` is the emission.

    A template may write what is said beside a call as a thought, in harmony's channel for them. Thoughts inside a
    content that it prints as it is are content where it has no notation for them, or has closed the thought before.
    """
    if isinstance(message["content"], list) and AS_DATA.search(region):
        if answer.content not in region or not all(word in answer.content for word in words_of(message)):
            yield f"parsed as {answer.content!r}, the template writes its parts as data"
        return
    thoughts, texts = _said(message)
    thought, text = (" ".join(_plain(one) for one in ones if one.strip() in region) for ones in (thoughts, texts))
    calls = [
        (call["function"]["name"], _arguments(call))
        for call in message.get("tool_calls", ())
        if all(value in region for value in _arguments(call).values())
    ]
    content, reasoning = _plain(answer.content), _plain(answer.reasoning_content or "")
    accepted = {(text.strip(), thought.strip())}
    if "<|channel|>analysis" in region:
        accepted.add(("", f"{thought} {text}".strip()))
    if isinstance(message["content"], str) and message["content"].strip() in region:
        accepted.add((_plain(message["content"]), _plain(message.get("reasoning_content", ""))))
    if (content, reasoning) not in accepted:
        yield f"parsed as {content!r} and the thought {reasoning!r}, it is {text!r} and {thought!r}"
    read = [(call.name, call.arguments) for call in answer.tool_calls]
    if [arguments for _, arguments in read] != [arguments for _, arguments in calls] or any(
        wanted in region and name != wanted for (name, _), (wanted, _) in zip(read, calls, strict=True)
    ):
        yield f"calls parsed as {read}, they are {calls}"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _said(message: Message) -> tuple[list[str], list[str]]:
    """Thoughts and texts of a message, in pieces."""
    content = message["content"]
    if isinstance(content, list):
        return tuple([part[kind] for part in content if part["type"] == kind] for kind in ("thinking", "text"))  # type: ignore[return-value]
    inline, is_inline, text = content.replace("<think>", "").rpartition("</think>")
    thoughts = [message.get("reasoning_content", ""), inline if is_inline else ""]
    return [one for one in thoughts if one.strip()], [text] if text.strip() else []


def _arguments(call: Message) -> Any:
    arguments = call["function"]["arguments"]
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def content_differences(told: Told, rendered: RenderedTokens) -> Iterator[str]:
    """Of users, system and tools: their words are content of their message, and nothing else is."""
    for index, message in enumerate(told.messages):
        if message["role"] == "assistant":
            continue
        for start, end in everywhere(told.text, message):
            tokens = [k for k, (at, _) in enumerate(rendered.char_spans) if start <= at < end]
            if not all(rendered.is_content[k] for k in tokens):
                yield f"{told.text[start:end]!r} of message {index} is no content"
            if any(rendered.message_indices[k] != index for k in tokens):
                yield f"{told.text[start:end]!r} belongs to another message than {index}"
        for run in _content_of(told.text, rendered, index):
            said = (message["content"], json.dumps(message["content"]), repr(message["content"]))
            if not any(run.strip() in text for text in said) and not MEDIA.fullmatch(run.strip()):
                yield f"{run!r} is content of message {index}"


def _content_of(text: str, rendered: RenderedTokens, message: int) -> Iterator[str]:
    """Uninterrupted content of a message."""
    run = ""
    for (start, end), owner, is_content in zip(
        rendered.char_spans, rendered.message_indices, rendered.is_content, strict=True
    ):
        if is_content and owner == message:
            run += text[start:end]
        elif run:
            yield run
            run = ""
    if run:
        yield run
