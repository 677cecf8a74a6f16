"""Where a completion thinks, and what of the white space around a thought is the template's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.completion import Completion


@dataclass(frozen=True)
class ThoughtFormat:
    """Markers of a thought, and the exact text the template puts inside and after them."""

    open: str = "<think>"
    close: str = "</think>"
    after_open: str = "\n"
    before_close: str = "\n"
    after_close: str = "\n\n"


@dataclass(frozen=True)
class Thought:
    """The reasoning of a completion, None where there is none, and where the rest begins."""

    reasoning: str | None
    is_complete: bool
    rest: int


@dataclass(frozen=True)
class PromptThought:
    """What a prompt did with the thought of the turn it opens.

    ``opened`` is what it wrote after an open marker it left open, ``closed`` what it wrote after the close marker of a
    thought it closed itself; both are None where it did neither.
    """

    opened: str | None = None
    closed: str | None = None


def read_prompt(text: str, form: ThoughtFormat, opened_at: int, closed_at: int) -> PromptThought:
    """Look at the end of a prompt; the positions are those of the last markers in it, -1 for none."""
    if opened_at > closed_at:
        tail = text[opened_at + len(form.open) :]
        return PromptThought(opened=tail if form.after_open.startswith(tail) else None)
    if closed_at >= 0:
        tail = text[closed_at + len(form.close) :]
        return PromptThought(closed=tail if form.after_close.startswith(tail) else None)
    return PromptThought()


def read_thought(view: Completion, form: ThoughtFormat | None, prompt: PromptThought) -> Thought:
    """Split off the thought.

    Without an open prompt a thought starts at the beginning of the completion (after white space) or nowhere: a marker
    further on is text. Only a lone close marker counts wherever it stands, as the end of a thought whose opener is
    missing.
    """
    if form is None:
        return Thought(None, is_complete=True, rest=0)
    blank = len(view.text) - len(view.text.lstrip())
    opens = view.find(form.open, blank) == blank
    if opens:
        start = _after(view.text, blank + len(form.open), form.after_open)
    elif prompt.opened is not None:
        start = _after(view.text, 0, form.after_open.removeprefix(prompt.opened))
    elif prompt.closed is not None:
        rest = _after(view.text, 0, form.after_close.removeprefix(prompt.closed))
        return Thought(None, is_complete=True, rest=rest)
    else:
        start = 0
    close = view.find(form.close, start)
    if close < 0:
        if not opens and prompt.opened is None:
            return Thought(None, is_complete=True, rest=0)
        return Thought(view.text[start:], is_complete=False, rest=len(view.text))
    reasoning = view.text[start:close].removesuffix(form.before_close)
    return Thought(reasoning, is_complete=True, rest=_after(view.text, close + len(form.close), form.after_close))


def _after(text: str, position: int, own: str) -> int:
    """Skip the template's own text, as much of its beginning as is there."""
    for character in own:
        if not text.startswith(character, position):
            break
        position += 1
    return position
