"""How much of a completion that goes on is decided: what no continuation can change any more.

A prefix of the text is *decided* where every completion that begins so parses to what the prefix parses to, and more.
White space may be the template's own, the beginning of a marker may become one, and a block of calls is nothing before
it closes: none of these is decided.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tokenspec_reference.renderers.parsing.harmony import END, MESSAGE, ended_and_open
from tokenspec_reference.renderers.parsing.parse import closed_blocks
from tokenspec_reference.renderers.parsing.thought import read_thought

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenspec_reference.renderers.parsing.call_formats import CallFormat
    from tokenspec_reference.renderers.parsing.completion import Completion
    from tokenspec_reference.renderers.parsing.parse import ResponseFormat
    from tokenspec_reference.renderers.parsing.thought import PromptThought, ThoughtFormat

CUT = "\ufffd"
"""What stands for a character that has not come whole."""


class Progress(NamedTuple):
    """How far a completion is decided.

    Attributes:
        end: where the decided prefix ends.
        start: where the run of text begins that may still grow: a thought, an answer, a message.
        in_thought: whether that run is a thought.
        closed: where the last block of calls (of gpt-oss: the last message) that has ended ends; -1 for none.
        waits: one of these has to come before more is decided; None where any text may decide something.
    """

    end: int
    start: int
    in_thought: bool = False
    closed: int = -1
    waits: tuple[str, ...] | None = None


def decided(view: Completion, form: ResponseFormat, prompt: PromptThought) -> Completion:
    """The decided prefix of a completion that goes on."""
    return until(view, progress_of(view, form, prompt).end)


def until(view: Completion, end: int) -> Completion:
    """A completion that ends there; nothing in it is left open."""
    return replace(view, text=view.text[:end], stopped=True)


def progress_of(
    view: Completion, form: ResponseFormat, prompt: PromptThought, sections: tuple[str, ...] = ()
) -> Progress:
    """How far a completion that goes on is decided; ``sections`` are further markers that text may begin to spell."""
    if form.whole is not None:
        return _progress_of_harmony(view)
    markers = [form.after_content, *_markers_of_calls(form.calls), *sections]
    rest = 0
    if form.thought is not None:
        thought = read_thought(view, form.thought, prompt)
        may_open = form.thought.open.startswith(view.text.lstrip())
        if thought.reasoning is None and (may_open or prompt.closed is None):
            # Without a prompted thought a lone close marker makes reasoning of all that stands before it.
            return Progress(0, 0, in_thought=True, waits=None if may_open else (form.thought.close,))
        if not thought.is_complete:
            start = len(view.text) - len(thought.reasoning or "")
            return _progress_of_thought(view, start, form, form.thought)
        rest = thought.rest
    return _progress_of_answer(view, rest, form, markers)


def _progress_of_thought(view: Completion, start: int, form: ResponseFormat, own: ThoughtFormat) -> Progress:
    """Inside a thought: calls that begin there may turn out to end it."""
    markers = [own.open, own.close, *_markers_of_calls(form.calls)]
    begins = [form.calls.begin, *form.calls.sections[:1]] if form.calls else []
    calls = [at for marker in begins if (at := view.find(marker, start)) >= 0]
    end = _settled(view, start, min(calls, default=len(view.text)), markers)
    return Progress(end, start, in_thought=True, waits=(own.close,) if calls else None)


def _progress_of_answer(view: Completion, rest: int, form: ResponseFormat, markers: list[str]) -> Progress:
    """Behind the thought: content, and blocks of calls."""
    own = form.before_content
    if own.startswith(view.text[rest:]):
        return Progress(rest, rest)
    rest += len(own) if view.text.startswith(own, rest) else 0
    if form.bare_calls is not None and _may_be_json(view.text[rest:]):
        return Progress(rest, rest, waits=() if view.text[rest:].strip() else None)
    if form.calls is None:
        return Progress(_settled(view, rest, len(view.text), markers), rest)
    closed, opened = closed_blocks(view, rest, form.calls)
    end = _settled(view, closed, len(view.text) if opened < 0 else opened, markers)
    waits = None if opened < 0 else (form.calls.end,) if form.calls.end else (form.calls.begin, "]")
    return Progress(end, closed, closed=closed if closed > rest else -1, waits=waits)


def _progress_of_harmony(view: Completion) -> Progress:
    ended, body, is_call = ended_and_open(view)
    closed = ended if ended > 0 else -1
    if body < 0:
        return Progress(ended, ended, closed=closed, waits=(MESSAGE,))
    if is_call:
        return Progress(ended, ended, closed=closed, waits=(END,))
    return Progress(_settled(view, body, len(view.text), ()), body, closed=closed)


def _may_be_json(text: str) -> bool:
    """Whether a completion may turn out to be a bare call: nothing was said yet, or an object was begun."""
    begun = text.lstrip()
    return not begun or begun.startswith(("{", "<|python_tag|>"))


def _settled(view: Completion, start: int, end: int, markers: Iterable[str]) -> int:
    """The end of a run of text without white space, which may separate, and what may be a marker's or half a character.

    Only what the run ends with may become a marker, so one is looked for, with the white space on both sides of it. In
    front of a block nothing becomes one: in ``<<tool_call>`` the first character is text.
    """
    is_last = end == len(view.text)
    end = _without_blank(view.text, start, end)
    begun = 0
    for marker in markers if is_last else ():
        if marker not in view.known_controls:
            longest = range(min(len(marker), end - start), begun, -1)
            begun = next((n for n in longest if view.text.endswith(marker[:n], start, end)), begun)
    return _without_blank(view.text, start, end - begun) if begun else end


def _without_blank(text: str, start: int, end: int) -> int:
    while end > start and (text[end - 1] == CUT or text[end - 1].isspace()):
        end -= 1
    return end


def _markers_of_calls(form: CallFormat | None) -> list[str]:
    return [] if form is None else [form.begin, *form.sections]
