"""A completion in chunks: after each, what no continuation can change any more.

A prefix of the text is *decided* where every completion that begins so parses to what the prefix parses to, and more.
So a stream parses the decided prefix again and tells what is new: nothing is taken back, whatever the chunks are. The
readable way; its cost grows with the square of the length, by the time one parse takes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.parsing.completion import list_of_ids, read_completion
from tokenspec_reference.renderers.parsing.harmony import decided_harmony
from tokenspec_reference.renderers.parsing.parse import closed_blocks, parse_completion
from tokenspec_reference.renderers.parsing.thought import read_thought

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokenspec_reference.renderers.encode import Encoder
    from tokenspec_reference.renderers.parsing.call_formats import CallFormat, ToolSchemas
    from tokenspec_reference.renderers.parsing.completion import Completion
    from tokenspec_reference.renderers.parsing.parse import ResponseFormat
    from tokenspec_reference.renderers.parsing.parsed import ParsedResponse, ParsedToolCall, Status
    from tokenspec_reference.renderers.parsing.thought import PromptThought, ThoughtFormat

CUT = "\ufffd"
"""What stands for a character that has not come whole."""


@dataclass(frozen=True)
class CallDelta:
    """A call that became known: its place among the calls, and its arguments as JSON text.

    ``arguments`` of an attempt that is not ``ok`` are the text that was written.
    """

    index: int
    name: str | None
    arguments: str
    status: Status = "ok"
    id: str | None = None


@dataclass(frozen=True)
class Delta:
    """What became known with a chunk: text to append to content and reasoning, and further calls."""

    content: str = ""
    reasoning_content: str = ""
    tool_calls: list[CallDelta] = field(default_factory=list)


class ResponseStream:
    """Reads one completion in chunks of ids: ``feed`` each, then ``finish``.

    The joined deltas are what ``parse_response`` says of all ids: content, reasoning and calls.
    """

    def __init__(
        self,
        encoder: Encoder,
        stop_ids: frozenset[int],
        form: ResponseFormat,
        tools: ToolSchemas,
        prompt: PromptThought,
    ) -> None:
        """The arguments are those of a parse."""
        self._encoder, self._stop_ids = encoder, stop_ids
        self._form, self._tools, self._prompt = form, tools, prompt
        self._ids: list[int] = []
        self._content = self._reasoning = ""
        self._calls = 0

    def feed(self, token_ids: Sequence[int]) -> Delta:
        """What these further ids make known; behind the stop token that is all the rest.

        Raises:
            TokenSpecError: they are no token ids.
        """
        self._ids += list_of_ids(token_ids, "token_ids")
        view = read_completion(self._encoder, self._ids, self._stop_ids)
        return self._told(view if view.stopped else decided(view, self._form, self._prompt))

    def finish(self) -> Delta:
        """What only the end of the completion decides."""
        return self._told(read_completion(self._encoder, self._ids, self._stop_ids))

    def _told(self, view: Completion) -> Delta:
        found: ParsedResponse = parse_completion(view, self._form, self._tools, self._prompt)
        reasoning = found.reasoning_content or ""
        delta = Delta(
            found.content[len(self._content) :],
            reasoning[len(self._reasoning) :],
            [_call(index, call) for index, call in enumerate(found.tool_calls)][self._calls :],
        )
        self._content, self._reasoning, self._calls = found.content, reasoning, len(found.tool_calls)
        return delta


def decided(view: Completion, form: ResponseFormat, prompt: PromptThought) -> Completion:
    """The decided prefix of a completion that goes on."""
    if form.whole is not None:
        start, end = decided_harmony(view)
        return _until(view, _settled(view, start, end, ()))
    own = [form.after_content, *_markers_of_thought(form.thought), *_markers_of_calls(form.calls)]
    return _until(view, _decided_end(view, form, prompt, own))


def _decided_end(view: Completion, form: ResponseFormat, prompt: PromptThought, markers: list[str]) -> int:
    length = len(view.text)
    if form.thought is not None:
        thought = read_thought(view, form.thought, prompt)
        if thought.reasoning is None and prompt.closed is None:
            return 0  # a lone close marker makes reasoning of all that stands before it
        if not thought.is_complete:
            start = length - len(thought.reasoning or "")
            begins = [form.calls.begin, *form.calls.sections[:1]] if form.calls else []
            calls = [at for marker in begins if (at := view.find(marker, start)) >= 0]
            return _settled(view, start, min(calls, default=length), markers)
        rest = thought.rest
    else:
        rest = 0
    own = form.before_content
    if own.startswith(view.text[rest:]):
        return rest
    rest += len(own) if view.text.startswith(own, rest) else 0
    if form.bare_call is not None and _may_be_json(view.text[rest:]):
        return rest
    if form.calls is None:
        return _settled(view, rest, length, markers)
    closed, opened = closed_blocks(view, rest, form.calls)
    return _settled(view, closed, length if opened < 0 else opened, markers)


def _may_be_json(text: str) -> bool:
    """Whether a completion may turn out to be a bare call: nothing was said yet, or an object was begun."""
    begun = text.lstrip()
    return not begun or begun.startswith(("{", "<|python_tag|>"))


def _settled(view: Completion, start: int, end: int, markers: Iterable[str]) -> int:
    """The end of a passage without white space, which may separate, and what may be a marker's or half a character."""
    while True:
        text = view.text[start:end]
        kept = len(text.rstrip().rstrip(CUT))
        for marker in markers:
            if marker not in view.known_controls:
                kept -= next((n for n in range(len(marker), 0, -1) if text[:kept].endswith(marker[:n])), 0)
        if start + kept == end:
            return end
        end = start + kept


def _markers_of_thought(form: ThoughtFormat | None) -> list[str]:
    return [] if form is None else [form.open, form.close]


def _markers_of_calls(form: CallFormat | None) -> list[str]:
    return [] if form is None else [form.begin, *form.sections]


def _until(view: Completion, end: int) -> Completion:
    """A completion that ends there; nothing in it is left open."""
    return replace(view, text=view.text[:end], stopped=True)


def _call(index: int, call: ParsedToolCall) -> CallDelta:
    said = call.arguments
    arguments = "" if said is None else said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return CallDelta(index, call.name, arguments, call.status, call.id)
