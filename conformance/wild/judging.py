"""What becomes of a template: exact, unattributed in part, refused, or wrong with the place."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from tokenspec.guard.strangers import strangers
from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers import RenderedTokens
from tokenspec_reference.renderers.template import TemplateRenderer
from wild.answers import answer_differences, content_differences
from wild.conversations import CONVERSATIONS, Message, tools_for
from wild.prefix_oracle import ROLES, Told, Turn, everywhere, tell, text_of
from wild.vocabulary import markers_of, tokenizer_for

GIVEN = 500_000
"""Bytes that what is asked of a template at once counts for: a conversation and all its prefixes."""

ABILITIES = ("stop", "parse", "bridge")
LETTERS = re.compile(r"[^\W\d_]{2,}")
"""Behind the words of a turn without calls markers and signs are sampled: what has letters is the template's own."""


@dataclass
class Judged:
    """One template on all conversations.

    Attributes:
        wrong: what is wrong, ready to print.
        rendered: conversations that transformers renders.
        tokens: of assistant turns.
        unattributed: of these, what the renderer says of nobody.
        able: conversations on which stop ids, parse and bridge answered.
        asked: conversations on which they were asked.
    """

    wrong: list[str] = field(default_factory=list)
    rendered: int = 0
    tokens: int = 0
    unattributed: int = 0
    able: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ABILITIES, 0))
    asked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ABILITIES, 0))

    @property
    def verdict(self) -> str:
        """One word; a template that transformers renders nothing with is refused."""
        if self.wrong:
            return "wrong"
        return ("unattributed" if self.unattributed else "exact") if self.rendered else "refused"


def judging() -> Callable[[str], Judged]:
    """:func:`judge` without the warnings that users get."""
    warnings.simplefilter("ignore")
    return judge


def judge(template: str) -> Judged:
    """Everything of one template.

    Raises:
        OutOfBounds: it runs away on a conversation.
    """
    judged = Judged()
    try:
        with strangers("template", GIVEN):
            tokenizer = tokenizer_for(template)
            renderer = TemplateRenderer(tokenizer)
    except TokenSpecError:
        return judged
    for name, conversation in CONVERSATIONS.items():
        with strangers("template", GIVEN):
            told = tell(tokenizer, conversation, markers_of(template))
            _judge_one(judged, renderer, name, conversation, told)
    return judged


def _judge_one(
    judged: Judged, renderer: TemplateRenderer, name: str, conversation: list[Message], told: Told | None
) -> None:
    """One conversation; ``told`` is what transformers makes of it, None where it refuses."""
    given = told.messages if told else conversation
    prompt = conversation[-1]["role"] != "assistant"
    try:
        rendered = renderer.render(given, tools=tools_for(given), add_generation_prompt=prompt)
    except TokenSpecError as error:
        if told is not None:
            judged.wrong.append(f"{name}: refused: {error}")
        return
    if told is None:
        judged.wrong += [f"{name}: rendered what transformers refuses"]
        return
    judged.rendered += 1
    judged.wrong += [f"{name}: {what}" for what in differences(told, rendered)]
    judged.wrong += [f"{name}: {what}" for what in content_differences(told, rendered)]
    judged.tokens += sum(told.messages[k]["role"] == "assistant" for k in rendered.message_indices if k >= 0)
    judged.unattributed += sum(end - start for start, end in rendered.unattributed)
    judged.wrong += [f"{name}: {what}" for what in _abilities(judged, renderer, told, rendered)]


def differences(told: Told, rendered: RenderedTokens) -> Iterator[str]:
    """Text, bodies and sampled regions against the oracle."""
    if rendered.text != told.text:
        yield "the text differs"
        return
    unknown = {k for start, end in rendered.unattributed for k in range(start, end)}
    for index, message in enumerate(told.messages):
        for start, end in everywhere(told.text, message):
            if message["role"] != "assistant" and any(rendered.sampled_mask[k] for k in _tokens(rendered, start, end)):
                yield f"{told.text[start:end]!r} of message {index} is sampled"
    for turn in told.turns:
        for what in _turn_differences(told, turn, rendered, unknown):
            yield f"message {turn.index}: {what}"


def _turn_differences(told: Told, turn: Turn, rendered: RenderedTokens, unknown: set[int]) -> Iterator[str]:
    last = max(end for _, end in everywhere(told.text, told.messages[turn.index]))
    sampled = [k for k in range(len(rendered.token_ids)) if _is_sampled(rendered, k, turn.index)]
    if not sampled:
        if not all(unknown.issuperset(_tokens(rendered, start, end)) for start, end in turn.body):
            yield "nothing is sampled"
        return
    begin, stop = rendered.char_spans[sampled[0]][0], rendered.char_spans[sampled[-1]][1]
    for start, end in turn.body:
        if not all(k in unknown or rendered.sampled_mask[k] for k in _tokens(rendered, start, end)):
            yield f"{told.text[start:end]!r} is not sampled"
    if begin < turn.after:
        yield f"sampled from {told.text[begin : turn.after]!r} on, that is too early"
    elif turn.start is not None and not unknown.issuperset(_tokens(rendered, turn.start, begin)):
        yield f"sampled from behind {told.text[turn.start : begin]!r} on, that is too late"
    ends = [end for _, end in turn.closers]
    tail = told.text[last:stop]
    closer = max((marker for marker in told.markers if tail.endswith(marker)), key=len, default="")
    words = _words(tail.removesuffix(closer), told.markers)
    words -= _words(told.text[turn.before : last], told.markers)  # a turn may end with the words it opens with
    if any(map(ROLES.search, words)) or (words and "tool_calls" not in told.messages[turn.index]):
        yield f"sampled to the end of {tail!r}"
    elif not ends or stop == ends[0]:
        return
    elif stop > ends[0] and (not closer or closer == _opener(told)):
        yield f"sampled to the end of {tail!r}"
    elif not closer and turn.start is not None and not _opens_a_turn(told.text, last, ends[0]):
        yield f"the stop token behind {tail!r} is not sampled"


def _opens_a_turn(text: str, start: int, end: int) -> bool:
    """Whether a marker is behind a role word, or in front of one: then it is no closer."""
    return bool(ROLES.search(text, start, end) or ROLES.match(text, end))


def _opener(told: Told) -> str:
    """The last marker in front of the first words of a conversation: behind a closer, nobody emits it."""
    scaffold = told.text[: min((at for at, _ in everywhere(told.text, told.messages[0])), default=0)]
    return max(told.markers, key=lambda marker: (scaffold.rfind(marker), len(marker)), default="")


def _words(scaffold: str, markers: Sequence[str]) -> set[str]:
    """What is written with letters beside markers."""
    for marker in markers:
        scaffold = scaffold.replace(marker, " ")
    return set(LETTERS.findall(scaffold))


def _is_sampled(rendered: RenderedTokens, token: int, message: int) -> bool:
    return rendered.sampled_mask[token] and rendered.message_indices[token] == message


def _tokens(rendered: RenderedTokens, start: int, end: int) -> list[int]:
    """Tokens that start in a range of characters."""
    return [k for k, (at, _) in enumerate(rendered.char_spans) if start <= at < end]


def _abilities(judged: Judged, renderer: TemplateRenderer, told: Told, rendered: RenderedTokens) -> Iterator[str]:
    """Stop ids, parse and bridge on the turns whose start the oracle knows: whether they answer, and rightly."""
    for turn in told.turns:
        sampled = [k for k in range(len(rendered.token_ids)) if _is_sampled(rendered, k, turn.index)]
        if turn.start is None or not sampled or len(sampled) != sampled[-1] + 1 - sampled[0]:
            continue  # it is not known, or the template takes the turn apart
        start = _tokens(rendered, turn.start, len(told.text))[0]  # what is unattributed was emitted, too
        prompt, completion = rendered.token_ids[:start], rendered.token_ids[start : sampled[-1] + 1]
        answer = _asked(judged, "parse", renderer.parse_response, completion, tools=told.tools, prompt_ids=prompt)
        if answer is not None and start == sampled[0]:
            emitted = told.text[turn.start : rendered.char_spans[sampled[-1]][1]]
            for what in answer_differences(told.messages[turn.index], emitted, answer):
                yield f"message {turn.index}: {what}"
        later = told.messages[turn.index + 1 :]
        following = list(takewhile(lambda message: message["role"] != "assistant", later))
        if following:
            _asked(judged, "stop", renderer.get_stop_token_ids)
            bridge = _asked(
                judged, "bridge", renderer.bridge_to_next_turn, prompt, completion, following, tools=told.tools
            )
            if bridge is not None:
                yield from _bridged(renderer, told, turn, following, bridge)


def _asked(judged: Judged, name: str, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """The answer, None where it is refused; both are counted."""
    judged.asked[name] += 1
    try:
        answer = call(*given, **named)
    except UnsupportedByReference:
        return None
    judged.able[name] += answer is not None
    return answer


def _bridged(
    renderer: TemplateRenderer, told: Told, turn: Turn, following: list[Message], answer: Any
) -> Iterator[str]:
    """A bridge equals the render of the longer conversation, where that goes on from the prompt.

    Nobody tells a bridge whether the turn is text or parts: nothing is known where a template goes on otherwise.
    """
    whole = [*told.messages[: turn.index + 1], *following]
    text = text_of(renderer.tokenizer, whole, prompt=True, tools=told.tools)
    parts = told.messages[turn.index]["content"]
    if isinstance(parts, list):
        whole[turn.index] = {**whole[turn.index], "content": parts[-1]["text"]}
        if text_of(renderer.tokenizer, whole, prompt=True, tools=told.tools) != text:
            return
    if text is None or not text.startswith(told.text[: turn.closers[0][1] if turn.closers else turn.body[-1][1]]):
        return
    expected = renderer.encoder.ids(text)
    if answer.token_ids != expected:
        yield f"message {turn.index}: bridged otherwise than rendered"
