"""What opens and ends an assistant turn: as a row states it, or as the template itself shows it.

A template is asked twice, once per renderer: for the generation prompt of a one-message conversation, and for a
conversation with an assistant turn in the middle, whose body is followed by the token that ends it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TemplateRejects

from .ownership import assign_owners, is_body
from .sampled import GenerationPrompt, shared_prefix, until_reasoning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokenspec_reference.renderers.chat import Chat

    from .ownership import Stretch
    from .printer import Printed, Printer


History = tuple["Printed", "list[Stretch]"]
"""A printed conversation and who owns what of it."""


@dataclass(frozen=True)
class Wire:
    """What is known of a wire format.

    ``assistant_open`` and ``assistant_close`` are texts that open and end an assistant turn; a closer may be the first
    token of the next turn, which then counts as sampled. ``placeholders`` are media tokens the template writes for a
    part of a message; they count as body. ``stops`` are tokens that end a completion beside the closers.
    """

    assistant_open: tuple[str, ...] = ()
    assistant_close: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()


_TOOL = {"name": "f", "description": "f", "parameters": {"type": "object", "properties": {}}}
_PROBES: tuple[tuple[Any, list[dict[str, Any]] | None], ...] = (
    ("x", None),
    ([{"type": "text", "text": "x"}], None),
    ("x", [{"type": "function", "function": _TOOL}]),
)
"""Contents of the probing messages, and tools: some templates take only parts, some insist on tools."""


@dataclass(frozen=True)
class Probe:
    """Ask a template how it writes assistant turns. ``build`` makes a chat of messages and tools.

    ``eos`` ends a sequence. ``histories`` are the answers to what was asked so far, by the place of content and tools
    among the probes.
    """

    printer: Printer
    build: Callable[[Sequence[dict[str, Any]], Any], Chat]
    added_tokens: re.Pattern[str]
    special_tokens: Sequence[str]
    eos: str
    histories: dict[int, History | None] = field(default_factory=dict)

    def generation_prompt(self) -> GenerationPrompt | None:
        """The generation prompt behind one user message; None where the template refuses all probes."""
        for probe, (content, tools) in enumerate(_PROBES):
            chat = self.build([{"role": "user", "content": content}], tools)
            try:
                printed = self.printer(chat, add_generation_prompt=True)
                owned = assign_owners(printed.text, printed.pieces, printed.table)
                return self.prompt_in(chat, printed, owned, self._usual(probe, printed.text))
            except TemplateRejects:
                continue
        return None

    def _usual(self, probe: int, prompted: str) -> str:
        """What ``prompted`` has from where an assistant turn in its place would begin."""
        history = self._history(probe)
        if history is None:
            return ""
        printed, owned = history
        start = next((s.start for s in owned if s.owner == 1), len(prompted))
        return prompted[start:] if prompted.startswith(printed.text[:start]) else ""

    def _history(self, probe: int) -> History | None:
        """A conversation with an assistant turn in the middle, or None where the template refuses it."""
        if probe not in self.histories:
            content, tools = _PROBES[probe]
            chat = self.build([{"role": role, "content": content} for role in ("user", "assistant", "user")], tools)
            try:
                printed = self.printer(chat, add_generation_prompt=False)
            except TemplateRejects:
                self.histories[probe] = None
            else:
                self.histories[probe] = printed, assign_owners(printed.text, printed.pieces, printed.table)
        return self.histories[probe]

    def _accepted(self) -> Iterator[History]:
        """The histories that the template does not refuse."""
        return (history for probe in range(len(_PROBES)) if (history := self._history(probe)) is not None)

    def prompt_in(self, chat: Chat, printed: Printed, stretches: Sequence[Stretch], usual: str) -> GenerationPrompt:
        """The generation prompt a text ends with: where it and the text without prompt part, behind the last body.

        Where the other text goes on differently (another end of the last turn), the prompt is the ``usual`` one if the
        text ends with it, else it starts at the last joint before the difference. A template that refuses the
        conversation without prompt shows nothing: then the prompt is what stands behind the last message.
        """
        last_body = max((s.end for s in stretches if is_body(s, printed.table)), default=0)
        edges = list(_edges(printed))
        try:
            without = self.printer(chat, add_generation_prompt=False).text
        except TemplateRejects:
            shared = max((s.end for s in stretches if s.owner >= 0), default=0)
        else:
            shared = shared_prefix(printed.text, without)
            if shared < len(without) and usual and printed.text.endswith(usual):
                shared = len(printed.text) - len(usual)
            elif shared < len(without):
                joints = GenerationPrompt.of(printed.text, edges, self.added_tokens).joints
                shared = max((joint for joint in joints if joint <= shared), default=0)
        start = max(shared, last_body)
        return GenerationPrompt.of(
            printed.text[start:], [edge - start for edge in edges if edge > start], self.added_tokens
        )

    def header(self) -> GenerationPrompt:
        """What a turn of the history begins with, up to its body or a reasoning tag; none where that is white space."""
        closers = self.closers()
        for printed, _ in self._accepted():
            owned = assign_owners(printed.text, printed.pieces, printed.table, closers=closers)
            start = next((s.start for s in owned if s.owner == 1), len(printed.text))
            body = next((s.start for s in owned if s.owner == 1 and is_body(s, printed.table)), None)
            if body is not None:
                text = until_reasoning(printed.text[start:body])
                edges = [edge - start for edge in _edges(printed) if 0 < edge - start <= len(text)]
                return GenerationPrompt.of(text if text.strip() else "", edges, self.added_tokens)
        return GenerationPrompt("", ())

    def in_front(self) -> str:
        """What stands between a question and its answer, in a history or at its end."""
        for printed, owned in (*self._accepted(), *self._pairs()):
            bodies = [s for s in owned if is_body(s, printed.table)]
            answer = next((s.start for s in bodies if s.owner == 1), None)
            if answer is not None:
                asked = max((s.end for s in bodies if s.owner != 1 and s.end <= answer), default=0)
                return printed.text[asked:answer]
        return ""

    def ignores_the_flag(self) -> bool:
        """Whether ``add_generation_prompt`` changes nothing behind a user's message, white space aside."""
        for content, tools in _PROBES:
            chat = self.build([{"role": "user", "content": content}], tools)
            try:
                asked, plain = (self.printer(chat, add_generation_prompt=wanted).text for wanted in (True, False))
                return asked.rstrip() == plain.rstrip()
            except TemplateRejects:
                continue
        return False

    def prompts_users(self, header: str) -> bool:
        """Whether every text that ends in a user's message ends in ``header``, the white space behind it aside."""
        for content, tools in _PROBES:
            chat = self.build([{"role": "user", "content": content}], tools)
            try:
                text = self.printer(chat, add_generation_prompt=False).text
            except TemplateRejects:
                continue
            return bool(header.strip()) and text.rstrip().endswith(header.strip())
        return False

    def standing_prompt(self, header: str) -> str:
        """The prompt that a template which ignores the flag ends every text with; empty where it writes none.

        ``header`` is that of its history. What follows the last answer is compared with what follows one in the middle.
        """
        closers = self.closers()
        for probe, (content, tools) in enumerate(_PROBES):
            middle = self._history(probe)
            chats = [
                self.build([{"role": role, "content": content} for role in roles], tools)
                for roles in (("user",), ("user", "assistant"))
            ]
            try:
                first, last = (self.printer(chat, add_generation_prompt=False) for chat in chats)
            except TemplateRejects:
                continue
            if middle is None:
                continue
            tail = _behind_answer(last, assign_owners(last.text, last.pieces, last.table))
            between = _behind_answer(*middle)
            shared = shared_prefix(tail, between)
            tokens = (found for found in self.added_tokens.finditer(tail) if found[0] not in closers)
            cut = next((found.start() for found in tokens if found.start() < shared <= found.end()), shared)
            own = tail[cut:] if shared < len(tail) else ""
            standing = [text for text in (header, own) if text.strip() and tail.endswith(text)]
            whole = max((text for text in standing if first.text.endswith(text)), key=len, default="")
            return whole or self._from_a_token(_shared_suffix(own, first.text))
        return ""

    def _from_a_token(self, text: str) -> str:
        """The text from its first added token on; empty where it is no more than a token."""
        token = self.added_tokens.search(text)
        found = text[token.start() :] if token else ""
        return "" if self.added_tokens.fullmatch(found.strip()) else found

    def next_markers(self) -> tuple[str, ...]:
        """The special tokens that open the turn behind an assistant's, for templates that write no closer.

        They are those of a user, of a result, and of another turn of the assistant; then what ends the last turn.
        """
        behind = (_behind_answer(*history) for history in self._accepted())
        user = self._first_special(next((text for text in behind if text), ""))
        last = next((_behind_answer(*pair) for pair in self._pairs()), "")
        others = (self._behind_call(), self.header().text, last) if user else ()
        return tuple(dict.fromkeys(token for token in (user, *map(self._first_special, others)) if token))

    def _first_special(self, text: str) -> str:
        found = [(text.find(token), -len(token), token) for token in self.special_tokens if token in text]
        return min(found, default=(0, 0, ""))[2]

    def _behind_call(self) -> str:
        """The text behind a call, up to the body of its result; empty where the template refuses both."""
        call = {"id": "c4ll1ng01", "type": "function", "function": {"name": "f", "arguments": {"key": "x"}}}
        asked = {"role": "user", "content": "x"}
        called = {"role": "assistant", "content": "", "tool_calls": [call]}
        told = {"role": "tool", "content": "x", "name": "f", "tool_call_id": call["id"]}
        try:
            chat = self.build([asked, called, told, asked], [{"type": "function", "function": _TOOL}])
            printed = self.printer(chat, add_generation_prompt=False)
        except TemplateRejects:
            return ""
        owned = assign_owners(printed.text, printed.pieces, printed.table)
        bodies = [s for s in owned if is_body(s, printed.table)]
        end = max((s.end for s in bodies if s.owner == 1), default=len(printed.text))
        return printed.text[end : next((s.start for s in bodies if s.owner == 2), end)]

    def _pairs(self) -> Iterator[History]:
        """A question and an answer that nothing follows, where the template does not refuse them."""
        for content, tools in _PROBES:
            chat = self.build([{"role": role, "content": content} for role in ("user", "assistant")], tools)
            try:
                printed = self.printer(chat, add_generation_prompt=False)
            except TemplateRejects:
                continue
            yield printed, assign_owners(printed.text, printed.pieces, printed.table)

    def closers(self) -> tuple[str, ...]:
        """The special token that ends an assistant turn in the middle of a conversation, if there is one.

        The end of a sequence is one wherever it stands there. What opens the user's turn behind the answer is none,
        unless nothing else stands there.
        """
        for printed, owned in self._accepted():
            bodies = [s for s in owned if s.owner == 1 and is_body(s, printed.table)]
            if not bodies:
                continue  # contents of this form are not printed
            end = next((s.start for s in owned if s.owner == 2), len(printed.text))
            tail = printed.text[bodies[-1].end : end]
            if self.eos and self.eos in tail:
                return (self.eos,)
            cut = len(tail) - len(_shared_suffix(tail, _user_header(printed, owned)))
            tokens = (match.span() for match in self.added_tokens.finditer(tail))
            cut = next((behind for start, behind in tokens if start < cut < behind), cut)
            for text in (tail[:cut], tail):
                found = [(text.rfind(token), token) for token in self.special_tokens if token in text]
                if found:
                    return (max(found)[1],)
            return ()
        return ()


def _user_header(printed: Printed, owned: Sequence[Stretch]) -> str:
    """What the first message has in front of its body, or what stands there where it owns nothing of it."""
    start = next((s.start for s in owned if s.owner == 0), 0)
    body = next((s.start for s in owned if s.owner == 0 and is_body(s, printed.table)), start)
    return printed.text[start:body] or printed.text[:body]


def _shared_suffix(left: str, right: str) -> str:
    length = shared_prefix(left[::-1], right[::-1])
    return left[len(left) - length :]


def _behind_answer(printed: Printed, owned: Sequence[Stretch]) -> str:
    """The text behind the answer of a probe, up to the next message's body."""
    bodies = [s for s in owned if is_body(s, printed.table)]
    end = next((s.end for s in bodies if s.owner == 1), len(printed.text))
    return printed.text[end : next((s.start for s in bodies if s.owner == 2), len(printed.text))]


def _edges(printed: Printed) -> Iterator[int]:
    """Ends of the printed pieces."""
    position = 0
    for runs, *_ in printed.pieces:
        position += sum(length for length, _ in runs)
        yield position
