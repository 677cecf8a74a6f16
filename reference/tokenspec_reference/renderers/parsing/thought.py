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


def read_thought(view: Completion, form: ThoughtFormat | None, prompt_tail: str | None) -> Thought:
    """Split off the thought.

    ``prompt_tail`` is None where the prompt left no thought open, else what it wrote after the open marker. Without an
    open prompt a thought starts at the beginning of the completion (after white space) or nowhere: a marker further on
    is text. Only a lone close marker counts wherever it stands, as the end of a thought whose opener is missing.
    """
    if form is None:
        return Thought(None, is_complete=True, rest=0)
    blank = len(view.text) - len(view.text.lstrip())
    opens = view.find(form.open, blank, blank + len(form.open)) == blank
    if opens:
        start = _after(view.text, blank + len(form.open), form.after_open)
    elif prompt_tail is not None:
        start = _after(view.text, 0, form.after_open.removeprefix(prompt_tail))
    else:
        start = 0
    close = view.find(form.close, start)
    if close < 0:
        if not opens and prompt_tail is None:
            return Thought(None, is_complete=True, rest=0)
        return Thought(view.text[start:], is_complete=False, rest=len(view.text))
    reasoning = view.text[start:close]
    if form.before_close and reasoning.endswith(form.before_close):
        reasoning = reasoning[: len(reasoning) - len(form.before_close)]
    return Thought(reasoning, is_complete=True, rest=_after(view.text, close + len(form.close), form.after_close))


def _after(text: str, position: int, own: str) -> int:
    """Skip the template's own text, as much of its beginning as is there."""
    for character in own:
        if not text.startswith(character, position):
            break
        position += 1
    return position
