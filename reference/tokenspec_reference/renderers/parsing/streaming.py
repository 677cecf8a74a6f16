"""A completion in chunks, at a cost in proportion to its length.

The readable way (:mod:`plain_stream`) parses the decided prefix again with every chunk. Here text that was told leaves
the window that is parsed, and so do blocks of calls that have closed. Three things keep the rest small:

* While nothing but a marker can decide more (a block is open, a thought's close is awaited), chunks without it are
  only collected.
* Of text that was told one character stays, so that what follows is not taken for the template's own white space. Of
  markers alone nothing stays: white space behind them may be the template's own.
* Where the same marker comes again and again and decides nothing (a value spells it), the window is parsed when it has
  grown by a quarter. Then a call is told a little later, never otherwise.

What the end decides is read from all ids, once. Example, one token a chunk: ``Hi`` is told at once; the blank behind it
waits for ``there``; ``<tool_call>`` and the JSON wait for ``</tool_call>``, which tells the call.
"""

from __future__ import annotations

import codecs
from dataclasses import replace
from typing import TYPE_CHECKING

from tokenspec_reference.renderers.parsing.completion import Completion, list_of_ids, read_completion
from tokenspec_reference.renderers.parsing.deltas import Delta, call_delta
from tokenspec_reference.renderers.parsing.parse import parse_completion
from tokenspec_reference.renderers.parsing.progress import CUT, Progress, progress_of, until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec_reference.renderers.encode import Encoder
    from tokenspec_reference.renderers.parsing.call_formats import ToolSchemas
    from tokenspec_reference.renderers.parsing.parse import ResponseFormat
    from tokenspec_reference.renderers.parsing.parsed import ParsedResponse, ParsedToolCall
    from tokenspec_reference.renderers.parsing.thought import PromptThought

FREE_TRIES = 8
"""How often in a row a marker may decide nothing before the window has to grow in between."""


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
        self._is_stopped = False
        self._told = _Told()
        self._window = _Window(encoder)
        self._own_form, self._is_behind_calls, self._is_behind_reasoning = form, False, False
        self._seen = _Told()  # of the window
        self._waits: tuple[str, ...] | None = None
        self._tries, self._next_try = 0, 0

    def feed(self, token_ids: Sequence[int]) -> Delta:
        """What these further ids make known; behind the stop token that is all the rest.

        Raises:
            TokenSpecError: they are no token ids.
        """
        ids = list_of_ids(token_ids, "token_ids")
        if self._is_stopped:
            return Delta()
        self._ids += ids
        stop = next((k for k, token in enumerate(ids) if token in self._stop_ids), len(ids))
        if stop < len(ids):
            self._is_stopped = True
            return self._rest()
        arrived = self._window.append(ids)
        return self._advance() if self._may_decide(arrived) else Delta()

    def finish(self) -> Delta:
        """What only the end of the completion decides."""
        return Delta() if self._is_stopped else self._rest()

    def _rest(self) -> Delta:
        view = read_completion(self._encoder, self._ids, self._stop_ids)
        found = parse_completion(view, self._form, self._tools, self._prompt)
        delta = Delta(
            found.content[self._told.content :],
            (found.reasoning_content or "")[self._told.reasoning :],
            [call_delta(index, call) for index, call in enumerate(found.tool_calls)][self._told.calls :],
        )
        self._told = _Told(len(found.content), len(found.reasoning_content or ""), len(found.tool_calls))
        return delta

    def _may_decide(self, arrived: str) -> bool:
        """Whether the text that arrived can decide anything."""
        if not arrived.strip().strip(CUT).strip():
            return False
        if self._waits is None:
            return True
        recent = self._window.recent(len(arrived) + max(map(len, self._waits), default=0))
        if not any(marker in recent for marker in self._waits):
            return False
        return self._tries < FREE_TRIES or len(self._window) >= self._next_try

    def _advance(self) -> Delta:
        """Tell what the window decides, and let go of it."""
        view = self._window.view()
        sections = self._form.calls.sections if self._form.calls is not None else ()
        progress = progress_of(view, self._own_form, self._prompt, sections)
        content, reasoning, calls = self._parsed(view, progress.end)
        known = [call_delta(self._told.calls + index, call) for index, call in enumerate(calls)]
        delta = Delta(content[self._seen.content :], reasoning[self._seen.reasoning :], known)
        self._told = self._told.plus(len(delta.content), len(delta.reasoning_content), len(known))
        self._waits = progress.waits
        self._tries = 0 if delta != Delta() else self._tries + 1
        end = self._let_go(view, progress)
        self._next_try = len(self._window) * 5 // 4
        content, reasoning, _ = self._parsed(self._window.view(), end)
        self._seen = _Told(len(content), len(reasoning))
        return delta

    def _parsed(self, view: Completion, end: int) -> tuple[str, str, list[ParsedToolCall]]:
        """Content, reasoning and calls of the window up to ``end``; reasoning with the line break ahead of it."""
        found = parse_completion(
            until(view, end), self._own_form, self._tools, self._prompt, is_behind_calls=self._is_behind_calls
        )
        return found.content, self._joined(found), found.tool_calls

    def _joined(self, found: ParsedResponse) -> str:
        """Reasoning of a later message of gpt-oss stands on a line of its own."""
        if found.reasoning_content is None:
            return ""
        return "\n" + found.reasoning_content if self._is_behind_reasoning else found.reasoning_content

    def _let_go(self, view: Completion, progress: Progress) -> int:
        """Drop what was told from the window; where what is decided ends in what is left."""
        if self._form.whole is not None:
            return self._let_go_of_messages(view, progress)
        start, end = progress.start, progress.end
        if progress.in_thought:
            return end - self._window.remove(start, end - 1)
        if progress.closed >= 0:
            self._is_behind_calls = True
            self._own_form = self._form_of_answers(self._form)
            end -= self._window.remove(0, progress.closed)
            start = 0
        elif end > start:
            self._own_form = self._form_of_answers(self._own_form)
            start = 0
        else:
            return end
        has_words = bool(self._parsed(self._window.view(), end)[0])
        self._forget_sections(start, end)
        return end - self._window.remove(0, end - has_words)

    def _form_of_answers(self, form: ResponseFormat) -> ResponseFormat:
        """The format behind the first words of an answer: no thought, and nothing of the template ahead of it."""
        return replace(form, thought=None, before_content="", bare_calls=None)

    def _forget_sections(self, start: int, end: int) -> None:
        """A marker around a group of calls is left out once in a run of text: not again where it is let go of."""
        calls, view = self._own_form.calls, self._window.view()
        if calls is not None and end > start:
            left = tuple(marker for marker in calls.sections if view.find(marker, start, end) < 0)
            self._own_form = replace(self._own_form, calls=replace(calls, sections=left))

    def _let_go_of_messages(self, view: Completion, progress: Progress) -> int:
        end, start = progress.end, progress.start
        if progress.closed >= 0:
            found = parse_completion(until(view, progress.closed), self._form, self._tools, self._prompt)
            self._is_behind_reasoning = self._is_behind_reasoning or found.reasoning_content is not None
            gone = self._window.remove(0, progress.closed)
            end, start = end - gone, start - gone
        return end - self._window.remove(start, end - 1)


class _Told:
    """How much was told: characters of content and reasoning, and calls."""

    def __init__(self, content: int = 0, reasoning: int = 0, calls: int = 0) -> None:
        self.content, self.reasoning, self.calls = content, reasoning, calls

    def plus(self, content: int, reasoning: int, calls: int) -> _Told:
        return _Told(self.content + content, self.reasoning + reasoning, self.calls + calls)


class _Window:
    """The text that is not told yet, as it is decoded; half characters are not part of it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known = frozenset(encoder.added.values())
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._controls: dict[int, str] = {}
        self._parts: list[str] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, ids: Sequence[int]) -> str:
        """Decode further ids; returns their text."""
        arrived: list[str] = []
        for token in ids:
            control = self._encoder.added.get(token)
            if control is None:
                arrived.append(self._decoder.decode(self._encoder.token_bytes(token)))
                self._length += len(arrived[-1])
                continue
            rest = self._decoder.decode(b"", final=True)
            arrived += [rest, control]
            self._controls[self._length + len(rest)] = control
            self._length += len(rest) + len(control)
        text = "".join(arrived)
        self._parts.append(text)
        return text

    def recent(self, count: int) -> str:
        """At least the last characters, so many; all where there are fewer."""
        found: list[str] = []
        for part in reversed(self._parts):
            found.append(part)
            count -= len(part)
            if count <= 0:
                return "".join(reversed(found))
        return self._text[-count:] + "".join(reversed(found))

    def view(self) -> Completion:
        """The window as a completion that goes on."""
        if self._parts:
            self._text += "".join(self._parts)
            self._parts = []
        return Completion(self._text, [], self._controls, self._known, stopped=False)

    def remove(self, start: int, end: int) -> int:
        """Take a range out; returns how many characters that were."""
        count = end - start
        if count <= 0:
            return 0
        self.view()
        self._text = self._text[:start] + self._text[end:]
        self._length -= count
        kept = {at: text for at, text in self._controls.items() if at < start or at >= end}
        self._controls = {at - count if at >= end else at: text for at, text in kept.items()}
        return count
