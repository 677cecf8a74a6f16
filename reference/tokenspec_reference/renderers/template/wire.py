"""What opens and ends an assistant turn: as a row states it, or as the template itself shows it.

A template is asked a few times, once per renderer: for a question with the generation prompt and without, for one with
its answer, and for an answer in the middle, whose body is followed by the token that ends it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TemplateRejects, TokenSpecError

from .ownership import assign_owners, is_body
from .sampled import GenerationPrompt, shared_prefix, until_reasoning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokenspec_reference.renderers.chat import Chat

    from .ownership import Stretch
    from .printer import Printed, Printer


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

    def __post_init__(self) -> None:
        """Raises ``TokenSpecError`` for an empty text."""
        for name in (one.name for one in fields(self)):
            if "" in getattr(self, name):
                place = f"wire.{name}[{getattr(self, name).index('')}]"
                raise TokenSpecError(
                    "an empty text opens, ends and holds the place of nothing; leave it out", field=place
                )


_PARAMETERS = {"type": "object", "properties": {}}
_TOOL = {"type": "function", "function": {"name": "f", "description": "f", "parameters": _PARAMETERS}}
_SYSTEM = {"role": "system", "content": "x"}
_PROBES: tuple[tuple[Any, list[dict[str, Any]] | None, list[dict[str, Any]]], ...] = (
    ("x", None, []),
    ([{"type": "text", "text": "x"}], None, []),
    ("x", [_TOOL], []),
    ("x", None, [_SYSTEM]),
)
"""Contents of the probing messages, tools, and what stands ahead.

Some templates take only parts, some insist on tools or on a system message.
"""

_ASKED = ("user",)
_ANSWERED = ("user", "assistant")
_GOES_ON = ("user", "assistant", "user")


@dataclass(frozen=True)
class Shown:
    """A printed conversation, and who owns what of it; messages are counted behind those ``ahead``."""

    printed: Printed
    owned: Sequence[Stretch]
    ahead: int

    @classmethod
    def of(cls, printed: Printed, ahead: int, closers: Sequence[str] = ()) -> Shown:
        """Find the owners of a text."""
        return cls(printed, assign_owners(printed.text, printed.pieces, printed.table, closers=closers), ahead)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.printed.text

    def start(self, owner: int) -> int:
        """Where a message begins; the end of the text where it owns nothing."""
        return next((s.start for s in self.owned if s.owner == self.ahead + owner), len(self.text))

    def bodies(self, owner: int) -> list[Stretch]:
        """The bodies of a message."""
        return [s for s in self.owned if s.owner == self.ahead + owner and is_body(s, self.printed.table)]

    def behind_answer(self) -> str:
        """The text behind the answer, up to the next message's body where that stands behind it."""
        answer = self.bodies(1)
        end = answer[-1].end if answer else len(self.text)
        following = (s.start for s in self.bodies(2) if s.start >= end)
        return self.text[end : next(following, len(self.text))]

    def user_header(self) -> str:
        """What the first message has in front of its body, or what stands there where it owns nothing of it."""
        body = next((s.start for s in self.bodies(0)), 0)
        return self.text[self.start(0) : body] or self.text[:body]


@dataclass(frozen=True)
class Probe:
    """Ask a template how it writes assistant turns. ``build`` makes a chat of messages and tools.

    ``eos`` ends a sequence. ``shown`` are the answers to what was asked so far, by the place of content and tools among
    the probes, and the speakers.
    """

    printer: Printer
    build: Callable[[Sequence[dict[str, Any]], Any], Chat]
    added_tokens: re.Pattern[str]
    special_tokens: Sequence[str]
    eos: str
    shown: dict[tuple[int, tuple[str, ...]], Shown | None] = field(default_factory=dict)

    def _chat(self, probe: int, speakers: tuple[str, ...]) -> Chat:
        content, tools, ahead = _PROBES[probe]
        return self.build([*ahead, *({"role": speaker, "content": content} for speaker in speakers)], tools)

    def _printed(self, chat: Chat, *, is_prompted: bool = False) -> Printed | None:
        """A conversation as the template prints it, None where it refuses it."""
        try:
            return self.printer(chat, add_generation_prompt=is_prompted)
        except TemplateRejects:
            return None

    def _shown(self, probe: int, speakers: tuple[str, ...]) -> Shown | None:
        """A conversation without generation prompt, or None where the template refuses it."""
        key = probe, speakers
        if key not in self.shown:
            printed = self._printed(self._chat(probe, speakers))
            self.shown[key] = None if printed is None else Shown.of(printed, len(_PROBES[probe][2]))
        return self.shown[key]

    def _accepted(self, speakers: tuple[str, ...]) -> Iterator[Shown]:
        """The conversations of these speakers that the template does not refuse."""
        return (shown for probe in range(len(_PROBES)) if (shown := self._shown(probe, speakers)) is not None)

    def generation_prompt(self) -> GenerationPrompt | None:
        """The generation prompt behind one user message; None where the template refuses all probes."""
        for probe in range(len(_PROBES)):
            chat = self._chat(probe, _ASKED)
            printed = self._printed(chat, is_prompted=True)
            if printed is not None:
                stretches = assign_owners(printed.text, printed.pieces, printed.table)
                return self.prompt_in(chat, printed, stretches, self._usual(probe, printed.text))
        return None

    def _usual(self, probe: int, prompted: str) -> str:
        """What ``prompted`` has from where an assistant turn in its place would begin."""
        history = self._shown(probe, _GOES_ON)
        start = len(prompted) if history is None else history.start(1)
        return prompted[start:] if history and prompted.startswith(history.text[:start]) else ""

    def prompt_in(self, chat: Chat, printed: Printed, stretches: Sequence[Stretch], usual: str) -> GenerationPrompt:
        """The generation prompt a text ends with: where it and the text without prompt part, behind the last body.

        Where the other text goes on differently (another end of the last turn), the prompt is the ``usual`` one if the
        text ends with it, else it starts at the last joint before the difference. A template that refuses the
        conversation without prompt shows nothing: then the prompt is what stands behind the last message.
        """
        last_body = max((s.end for s in stretches if is_body(s, printed.table)), default=0)
        edges = list(_edges(printed))
        without = self._printed(chat)
        if without is None:
            shared = max((s.end for s in stretches if s.owner >= 0), default=0)
        else:
            shared = shared_prefix(printed.text, without.text)
            if shared < len(without.text) and usual and printed.text.endswith(usual):
                shared = len(printed.text) - len(usual)
            elif shared < len(without.text):
                joints = GenerationPrompt.of(printed.text, edges, self.added_tokens).joints
                shared = max((joint for joint in joints if joint <= shared), default=0)
        start = max(shared, last_body)
        return GenerationPrompt.of(printed.text[start:], [edge - start for edge in edges], self.added_tokens)

    def header(self) -> GenerationPrompt:
        """What a turn of the history begins with, up to its body or a reasoning tag."""
        closers = self.closers()
        for history in chain(self._accepted(_GOES_ON), self._accepted(_ANSWERED)):
            shown = Shown.of(history.printed, history.ahead, closers)
            start, bodies = shown.start(1), shown.bodies(1)
            if bodies:
                text = until_reasoning(shown.text[start : bodies[0].start])
                return GenerationPrompt.of(text, [s.end - start for s in shown.owned], self.added_tokens)
        return GenerationPrompt("", frozenset())

    def in_front(self) -> str:
        """What stands between a question and its answer, in a history or at its end."""
        for shown in chain(self._accepted(_GOES_ON), self._accepted(_ANSWERED)):
            bodies = shown.bodies(1)
            if bodies:
                answer = bodies[0].start
                asked = max((s.end for s in shown.bodies(0) if s.end <= answer), default=0)
                return shown.text[asked:answer]
        return ""

    def ignores_the_flag(self) -> bool:
        """Whether ``add_generation_prompt`` changes nothing behind a user's message, white space aside."""
        for probe in range(len(_PROBES)):
            asked, plain = self._printed(self._chat(probe, _ASKED), is_prompted=True), self._shown(probe, _ASKED)
            if asked and plain:
                return asked.text.rstrip() == plain.text.rstrip()
        return False

    def prompts_users(self, header: str) -> bool:
        """Whether a text that ends in a user's message ends in ``header``, white space aside; one must be accepted."""
        asked = next(self._accepted(_ASKED))
        return bool(header.strip()) and asked.text.rstrip().endswith(header.strip())

    def standing_prompt(self, header: str) -> str:
        """The prompt that a template which ignores the flag ends every text with; empty where it writes none.

        ``header`` is that of its history. What follows the last answer is compared with what follows one in the middle.
        """
        closers = self.closers()
        for probe in range(len(_PROBES)):
            first, last, middle = (self._shown(probe, speakers) for speakers in (_ASKED, _ANSWERED, _GOES_ON))
            if first is None or last is None or middle is None:
                continue
            tail = last.behind_answer()
            shared = shared_prefix(tail, middle.behind_answer())
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
        behind = (shown.behind_answer() for shown in self._accepted(_GOES_ON))
        user = self._first_special(next((text for text in behind if text), ""))
        last = next((shown.behind_answer() for shown in self._accepted(_ANSWERED)), "")
        others = (self._behind_call(), self.header().text, last) if user else ()
        return tuple(dict.fromkeys(token for token in (user, *map(self._first_special, others)) if token))

    def _first_special(self, text: str) -> str:
        found = (token for token in self.special_tokens if token in text)
        return min(found, key=lambda token: (text.find(token), -len(token)), default="")

    def _behind_call(self) -> str:
        """The text behind a call, up to the body of its result; empty where the template refuses or hides the call."""
        call = {"id": "c4ll1ng01", "type": "function", "function": {"name": "f", "arguments": {"key": "x"}}}
        asked = {"role": "user", "content": "x"}
        called = {"role": "assistant", "content": "", "tool_calls": [call]}
        told = {"role": "tool", "content": "x", "name": "f", "tool_call_id": call["id"]}
        printed = self._printed(self.build([asked, called, told, asked], [_TOOL]))
        return "" if printed is None else Shown.of(printed, 0).behind_answer()

    def closers(self) -> tuple[str, ...]:
        """The special token that ends an assistant turn in the middle of a conversation, if there is one.

        The end of a sequence is one wherever it stands there. What opens the user's turn behind the answer is none,
        unless nothing else stands there: then its first one is.
        """
        for shown in self._accepted(_GOES_ON):
            bodies = shown.bodies(1)
            if not bodies:
                continue  # contents of this form are not printed
            tail = shown.text[bodies[-1].end : shown.start(2)]
            if self.eos and self.eos in tail:
                return (self.eos,)
            behind = shown.behind_answer()
            cut = min(len(tail), len(behind) - len(_shared_suffix(behind, shown.user_header())))
            tokens = (match.span() for match in self.added_tokens.finditer(tail))
            cut = next((behind for start, behind in tokens if start < cut < behind), cut)
            closers = [(at, token) for token in self.special_tokens if (at := tail.rfind(token, 0, cut)) >= 0]
            found = max(closers)[1] if closers else self._first_special(tail)
            return (found,) if found else ()
        return ()


def _shared_suffix(left: str, right: str) -> str:
    length = shared_prefix(left[::-1], right[::-1])
    return left[len(left) - length :]


def _edges(printed: Printed) -> Iterator[int]:
    """Ends of the printed pieces."""
    position = 0
    for runs, *_ in printed.pieces:
        position += sum(length for length, _ in runs)
        yield position
