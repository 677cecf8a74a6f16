"""The order of things that all families but harmony share: thought first, then content and blocks of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokenspec_reference.renderers.parsing import bare_calls
from tokenspec_reference.renderers.parsing.call_formats import Attempt, CallFormat, ToolSchemas
from tokenspec_reference.renderers.parsing.closing import written_in
from tokenspec_reference.renderers.parsing.parsed import ParsedResponse, ParsedToolCall
from tokenspec_reference.renderers.parsing.thought import PromptThought, Thought, ThoughtFormat, read_thought

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.completion import Completion

Whole = Callable[["Completion", ToolSchemas], ParsedResponse]


@dataclass(frozen=True)
class ResponseFormat:
    """How a family's completions are read. ``whole`` replaces the shared order where a format has its own.

    ``before_content`` and ``after_content`` are what the template itself puts around an answer. ``bare_calls`` stand
    where a completion begins, so a format that has them has no thoughts.
    """

    thought: ThoughtFormat | None = None
    calls: CallFormat | None = None
    before_content: str = ""
    after_content: str = ""
    bare_calls: bare_calls.Reader | None = None
    whole: Whole | None = None


def parse_completion(
    view: Completion,
    form: ResponseFormat,
    tools: ToolSchemas,
    prompt: PromptThought,
    *,
    is_behind_calls: bool = False,
) -> ParsedResponse:
    """Read a completion. Nothing is dropped: what is neither thought nor call is content.

    ``is_behind_calls`` says that the view is the rest of a completion, of which calls were read already.
    """
    if form.whole is not None:
        return form.whole(view, tools)
    if form.bare_calls is not None and (bare := form.bare_calls(view.text, tools)).calls:
        calls = [_record(view, begin, end, attempt) for begin, end, attempt in bare.calls]
        return ParsedResponse(view.text[bare.words :], None, calls)
    thought = read_thought(view, form.thought, prompt)
    if not thought.is_complete and form.calls is not None and view.stopped:
        thought = _thought_before_calls(view, thought, form.calls, tools)
    rest = thought.rest
    if view.text.startswith(form.before_content, rest):
        rest += len(form.before_content)
    content, calls = _content_and_calls(view, rest, form.calls, tools, is_behind_calls=is_behind_calls)
    if not calls and not is_behind_calls:
        own = (form.after_content, form.after_content.rstrip())
        content = content.removesuffix(next((text for text in own if content.endswith(text)), ""))
    return ParsedResponse(content, thought.reasoning, calls, thought.is_complete)


def _thought_before_calls(view: Completion, thought: Thought, form: CallFormat, tools: ToolSchemas) -> Thought:
    """A thought whose close marker was misspelled ends where the whole calls begin that the turn ends with."""
    start = thought.rest - len(thought.reasoning or "")
    begins = [view.find(marker, start) for marker in (form.begin, *form.sections[:1])]
    begin = min((at for at in begins if at >= 0), default=len(view.text))
    content, calls = _content_and_calls(view, begin, form, tools)
    if not calls or content.strip() or any(call.status != "ok" for call in calls):
        return thought
    return replace(thought, reasoning=view.text[start:begin].removesuffix(form.separator), rest=begin)


def _content_and_calls(
    view: Completion, start: int, form: CallFormat | None, tools: ToolSchemas, *, is_behind_calls: bool = False
) -> tuple[str, list[ParsedToolCall]]:
    if form is None:
        return view.text[start:], []
    passages: list[tuple[int, int]] = [(start, start)] if is_behind_calls else []
    calls: list[ParsedToolCall] = []
    position = start
    while (begin := view.find(form.begin, position)) >= 0:
        passages.append((position, begin))
        block = _block(view, begin + len(form.begin), form)
        attempts = form.read(view.text[begin + len(form.begin) : block.end], tools)
        if block.ending != "closed":
            is_cut = block.ending == "open" and not view.stopped
            attempts[-1] = _unclosed(attempts[-1], view.text[begin + len(form.begin) :] if is_cut else "")
        calls += [_record(view, begin, block.behind, attempt) for attempt in attempts]
        position = block.behind
    cut = _cut_marker(view, position, form.begin)
    if cut < len(view.text):
        calls.append(_record(view, cut, len(view.text), Attempt(None, None, "unclosed_block")))
    passages.append((position, cut))
    return _content(view, passages, form, has_calls=bool(calls)), calls


def closed_blocks(view: Completion, start: int, form: CallFormat) -> tuple[int, int]:
    """Where the last block of calls ends that has closed, and where one begins that has not; -1 where none is open."""
    position = start
    while (begin := view.find(form.begin, position)) >= 0:
        block = _block(view, begin + len(form.begin), form)
        if not block.is_decided:
            return position, begin
        position = block.behind
    return position, -1


def _cut_marker(view: Completion, start: int, marker: str) -> int:
    """Where a completion that was cut inside a marker begins it; its length where no control token says that it did."""
    end = len(view.text)
    if view.stopped:
        return end
    for position in range(max(start, end - len(marker)), end):
        if marker.startswith(view.text[position:]):
            return position if any(control >= position for control in view.controls) else end
    return end


class _Block(NamedTuple):
    """A block of calls: where its inside ends, where reading goes on, and whether no further text changes that.

    A block that lacks its close marker ends where the next one begins (``taken over``).
    """

    end: int
    behind: int
    ending: Literal["closed", "open", "taken over"]
    is_decided: bool


def _block(view: Completion, inside: int, form: CallFormat) -> _Block:
    """The block whose inside begins here."""
    if not form.end:
        following = view.find(form.begin, inside)
        limit = len(view.text) if following < 0 else following
        own = form.ends(view.text[inside:limit]) if form.ends is not None else -1
        end = limit if own < 0 else inside + own
        is_closed = own >= 0 or following >= 0
        return _Block(end, end, "closed" if is_closed or view.stopped else "open", is_closed)
    close = _close(view, inside, form)
    limit = len(view.text) if close < 0 else close
    following = _begin_outside_values(view, inside, limit, form)
    if following >= 0:
        return _Block(following, following, "taken over", close >= 0)
    if close < 0:
        return _Block(limit, limit, "open", is_decided=False)
    return _Block(close, close + len(form.end), "closed", is_decided=True)


def _begin_outside_values(view: Completion, inside: int, limit: int, form: CallFormat) -> int:
    """Where another block begins before this one closes; -1 where none does. In a value the marker is text."""
    begin = view.find(form.begin, inside, limit)
    values = written_in(form.values, view.text[inside:limit])
    if begin < 0 or values is None:
        return begin
    text = view.text[inside:limit]
    if values.ending(text) == "open":
        return -1
    ranges = values.ranges(text)
    while begin >= 0 and any(start < begin - inside < end for start, end in ranges):
        begin = view.find(form.begin, begin + 1, limit)
    return begin


def _unclosed(attempt: Attempt, text: str) -> Attempt:
    """An attempt that nothing closes; a name that ``text``, which may go on, ends with was not written whole."""
    is_named = attempt.name and text.partition(attempt.name)[1:] != (attempt.name, "")
    return replace(attempt, name=attempt.name if is_named else None, status="unclosed_block")


def _close(view: Completion, inside: int, form: CallFormat) -> int:
    """Where the block closes; -1 if nowhere: a value that was cut may spell the marker."""
    first = close = view.find(form.end, inside)
    values = written_in(form.values, view.text[inside:close])
    while values is not None and close >= 0:
        ending = values.ending(view.text[inside:close])
        if ending != "open":
            return close if ending == "whole" else first
        value_end = view.text.find(values.close, close)  # no marker before it can end the block
        close = -1 if value_end < 0 else view.find(form.end, value_end)
    return first if values is None or view.stopped else -1


def _content(view: Completion, passages: Sequence[tuple[int, int]], form: CallFormat, *, has_calls: bool) -> str:
    """The text around the blocks, without section markers and the template's separators."""
    head, *others = (_without(view, start, end, form.sections) for start, end in passages)
    if has_calls:
        head = head.removesuffix(form.separator)
    return head + "".join(text for text in others if text.strip())


def _without(view: Completion, start: int, end: int, markers: Sequence[str]) -> str:
    """The text of a passage without the first of each marker."""
    found = [(at, at + len(marker)) for marker in markers if (at := view.find(marker, start, end)) >= 0]
    starts, ends = [start, *(behind for _, behind in sorted(found))], [*(at for at, _ in sorted(found)), end]
    return "".join(view.text[one:other] for one, other in zip(starts, ends, strict=True))


def _record(view: Completion, begin: int, end: int, attempt: Attempt) -> ParsedToolCall:
    return ParsedToolCall(
        raw=view.text[begin:end],
        name=attempt.name,
        arguments=attempt.arguments,
        status=attempt.status,
        token_span=view.span(begin, end),
        id=attempt.id,
    )
