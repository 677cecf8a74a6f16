"""What of a conversation was sampled, by rendering its prefixes with transformers: no look into the template.

A sampler that was given ``messages[:k]`` with the generation prompt wrote turn ``k`` from the end of that text on,
wherever the whole text begins with it. Where it does not, the history is written anew, and the turn may begin anywhere
behind its header: the last control token or role word that stands in front of its body.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenspec.oracle.clock import frozen
from wild.conversations import Message, tools_for, with_text_arguments, words_of
from wild.vocabulary import BODY

ROLES = re.compile(r"assistant|model|chatbot|response|user|human", re.IGNORECASE)


def text_of(tokenizer: Any, messages: Sequence[Message], *, prompt: bool, tools: Any = None) -> str | None:
    """The text that ``apply_chat_template`` gives, None where it raises."""
    try:
        with frozen():
            text = tokenizer.apply_chat_template(
                copy.deepcopy(list(messages)), tools=tools, tokenize=False, add_generation_prompt=prompt
            )
    except Exception:  # noqa: BLE001 - a template can raise anything
        return None
    return str(text)


@dataclass(frozen=True)
class Turn:
    """What is known of an assistant turn in a text, in characters.

    Attributes:
        index: of the message.
        body: half-open ranges of its words.
        before: the last word of another message in front of the body ends here.
        start: where the emission starts, None where only ``after`` is known.
        after: the emission does not start before this.
        closers: control tokens behind the body that may end the emission, half-open.
    """

    index: int
    body: list[tuple[int, int]]
    before: int
    start: int | None
    after: int
    closers: list[tuple[int, int]]


@dataclass(frozen=True)
class Told:
    """A conversation in the form that a template takes, its text, its assistant turns, and the template's markers."""

    messages: list[Message]
    tools: Any
    text: str
    turns: list[Turn]
    markers: Sequence[str]


def tell(tokenizer: Any, conversation: list[Message], markers: Sequence[str]) -> Told | None:
    """What transformers says of a conversation, None where it refuses it in both forms of arguments."""
    tools = tools_for(conversation)
    prompt = conversation[-1]["role"] != "assistant"
    for messages in (conversation, with_text_arguments(conversation)):
        text = text_of(tokenizer, messages, prompt=prompt, tools=tools)
        if text is not None:
            assistants = [k for k, message in enumerate(messages) if message["role"] == "assistant"]
            prompts = _prompts(tokenizer, messages[0], tools)
            turns = [_turn(tokenizer, messages, k, text, tools, markers, prompts=prompts) for k in assistants]
            return Told(messages, tools, text, [turn for turn in turns if turn is not None], markers)
    return None


def _prompts(tokenizer: Any, message: Message, tools: Any) -> str:
    """Whether a template prompts behind a message: ``asked``, ``always``, or empty."""
    asked, bare = (text_of(tokenizer, [message], prompt=prompt, tools=tools) for prompt in (True, False))
    if asked != bare:
        return "asked"
    tail = (bare or "")[max((end for _, end in found(bare or "", message)), default=len(bare or "")) :]
    return "always" if re.search("assistant|model|chatbot|response", tail, re.IGNORECASE) else ""


def found(text: str, message: Message) -> list[tuple[int, int]]:
    """Where the words of a message stand first."""
    return [(text.find(word), text.find(word) + len(word)) for word in words_of(message) if word in text]


def everywhere(text: str, message: Message) -> list[tuple[int, int]]:
    """Where the words of a message stand, also again."""
    return [match.span() for word in words_of(message) for match in re.finditer(re.escape(word), text)]


def _turn(
    tokenizer: Any,
    messages: list[Message],
    index: int,
    text: str,
    tools: Any,
    markers: Sequence[str],
    *,
    prompts: str,
) -> Turn | None:
    body = found(text, messages[index])
    if not body:
        return None
    first, last = min(start for start, _ in body), max(end for _, end in everywhere(text, messages[index]))
    others = [place for k, message in enumerate(messages) if k != index for place in everywhere(text, message)]
    before = max((end for _, end in others if end <= first), default=0)
    prompted, bare = (text_of(tokenizer, messages[:index], prompt=prompt, tools=tools) for prompt in (True, False))
    control = [marker for marker in markers if not BODY.search(marker)]
    if prompted is not None and prompted != bare:
        tail = prompted[max((end for message in messages[:index] for _, end in found(prompted, message)), default=0) :]
        control = [marker for marker in control if marker in tail]
    header = before + _header(text[before:first], control)
    start = None
    if prompted is not None and text.startswith(prompted) and len(prompted) <= first:
        is_told = prompts == "always" or (prompts and (prompted != bare or header <= len(prompted)))
        start = len(prompted) if is_told else None
        header = max(header, len(prompted))
    behind = min((at for at, _ in others if at >= last), default=len(text))
    closers = [
        match.span()
        for match in re.compile("|".join(map(re.escape, markers))).finditer(text, last, behind)
        if not BODY.search(match[0])
    ]
    return Turn(index, body, before, start, header if start is None else start, closers)


def _header(scaffold: str, control: Sequence[str]) -> int:
    """Where the header of a turn ends: behind its last role word or control token."""
    ends = [match.end() for match in ROLES.finditer(scaffold)]
    return max([*ends, *(scaffold.rfind(marker) + len(marker) for marker in control if marker in scaffold)], default=0)
