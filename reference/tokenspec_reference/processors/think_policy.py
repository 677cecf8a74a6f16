"""A think policy: what may be configured, and what it allows, one row at a time and in the chapter's words.

>>> row = ThinkRow.start(ThinkConfig((8,), 1, 10, closing_ids=(6, 8), min_tokens=1))
>>> row.allowed(), row.next(5).allowed(), row.next(5).next(6).allowed()
([0, 1, 2, 3, 4, 5, 6, 7, 9], [6], [8])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tokenspec_reference.processors.contain import StringContainDFA
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import Problem, config_error, range_problems

Counting = Literal["generated", "after_begin"]
Close = Literal["budget", "eager"]
Boundaries = Literal["none", "begin", "both"]


@dataclass(frozen=True)
class ThinkConfig:
    """The policy, validated.

    ``counting``: ``generated`` counts from the first generated token, ``after_begin`` from the token after
    the begin tag (feed the prompt through ``advance`` to count what it already holds). ``close``: ``budget``
    forces at the budget only, ``eager`` completes the end tag as soon as its first token appears.
    ``mask_boundaries``: ``begin`` bans the first begin id from the start of thinking on, ``both`` also bans
    the first end id once the segment is closed. ``max_tokens=None`` never forces.
    ``closing_ids``: what is forced at the budget in place of the end tag, with which it ends. ``min_tokens``: how many
    tokens the segment holds before the end tag may complete.
    """

    end_ids: tuple[int, ...]
    max_tokens: int | None
    vocab_size: int
    begin_ids: tuple[int, ...] = ()
    counting: Counting = "generated"
    close: Close = "budget"
    mask_boundaries: Boundaries = "none"
    closing_ids: tuple[int, ...] | None = None
    min_tokens: int = 0

    @property
    def closing(self) -> tuple[int, ...]:
        """What is forced at the budget."""
        return self.end_ids if self.closing_ids is None else self.closing_ids

    def __post_init__(self) -> None:
        """Raise ``ConfigError`` with the JSON pointer of the wrong field."""
        for problem in self._problems():
            raise config_error(problem.pointer, problem.rule, problem.reason)

    def _problems(self) -> list[Problem]:
        found = []
        if not self.end_ids:
            found.append(
                Problem("/end_ids", Rule.END_IDS_EMPTY, "without an end tag nothing can be forced; give its ids")
            )
        named = {"end_ids": self.end_ids, "begin_ids": self.begin_ids, "closing_ids": self.closing_ids or ()}
        for field_name, ids in named.items():
            found += range_problems(f"/{field_name}", ids, self.vocab_size)
        if self.max_tokens is not None and (type(self.max_tokens) is not int or self.max_tokens < 0):
            found.append(
                Problem("/max_tokens", Rule.MAX_TOKENS, f"must be an integer >= 0 or null, not {self.max_tokens!r}")
            )
        for field_name, value, choices in (
            ("counting", self.counting, ("generated", "after_begin")),
            ("close", self.close, ("budget", "eager")),
            ("mask_boundaries", self.mask_boundaries, ("none", "begin", "both")),
        ):
            if value not in choices:
                found.append(
                    Problem(f"/{field_name}", Rule.CHOICE, f"must be one of {', '.join(choices)}, not {value!r}")
                )
        if not self.begin_ids and (self.counting == "after_begin" or self.mask_boundaries != "none"):
            found.append(
                Problem("/begin_ids", Rule.BEGIN_IDS_EMPTY, "this counting or masking needs the begin tag's ids")
            )
        if self.mask_boundaries != "none" and self.begin_ids[:1] == self.end_ids[:1]:
            found.append(
                Problem(
                    "/mask_boundaries",
                    Rule.BOUNDARIES_SHARE_A_TOKEN,
                    "begin and end tag start with the same id, so banning one bans the other; use none",
                )
            )
        if self.mask_boundaries != "none" and self.vocab_size < 3:
            found.append(Problem("/mask_boundaries", Rule.VOCAB_SIZE, "banning two ids needs a vocabulary of three"))
        return found + self._length_problems()

    def _length_problems(self) -> list[Problem]:
        """Closing sequences and minima that do not go with the rest."""
        found = []
        tag = StringContainDFA(self.end_ids)
        if not tag.feed(self.closing).finished:
            found.append(Problem("/closing_ids", Rule.CLOSING_END_TAG, "must end with the end tag"))
        elif tag.feed(self.closing[:-1]).finished:
            reason = "the end tag occurs before its end, and closes there; give the sequence up to it"
            found.append(Problem("/closing_ids", Rule.CLOSING_END_TAG, reason))
        if type(self.min_tokens) is not int or self.min_tokens < 0:
            found.append(Problem("/min_tokens", Rule.MIN_TOKENS, f"must be an integer >= 0, not {self.min_tokens!r}"))
        elif type(self.max_tokens) is int and self.min_tokens > self.max_tokens:
            reason = f"{self.min_tokens} is above max_tokens, {self.max_tokens}"
            found.append(Problem("/min_tokens", Rule.MIN_TOKENS, reason))
        elif self.min_tokens and self.vocab_size < 2:
            found.append(Problem("/min_tokens", Rule.VOCAB_SIZE, "banning an id needs a vocabulary of two"))
        return found


@dataclass(frozen=True)
class ThinkRow:
    """The readable twin, one row: ``begin``, ``end`` and ``closing`` are what has been seen of the tags and of the
    closing sequence, ``count`` the thinking tokens.
    """

    config: ThinkConfig
    begin: StringContainDFA
    end: StringContainDFA
    closing: StringContainDFA
    count: int = 0

    @classmethod
    def start(cls, config: ThinkConfig) -> ThinkRow:
        """Thinking starts at once unless tokens are counted from the begin tag."""
        begin = config.begin_ids if config.counting == "after_begin" else ()
        return cls(config, StringContainDFA(begin), StringContainDFA(config.end_ids), StringContainDFA(config.closing))

    @property
    def thinking(self) -> bool:
        """Between the begin tag and the end tag."""
        return self.begin.finished and not self.end.finished

    def allowed(self) -> list[int] | None:
        """The ids that may come next, ``None`` for all."""
        config = self.config
        if self.thinking and config.close == "eager" and self.end.status > 0:
            return [config.end_ids[self.end.status]]
        if self.thinking and config.max_tokens is not None and self.count >= config.max_tokens:
            begun = max(self.closing, self.end, key=lambda seen: seen.status)  # the first of two equal ones
            return [begun.pattern[begun.status]]
        banned = set()
        if self.thinking and self.count < config.min_tokens:
            fateful = 0 if config.close == "eager" else len(config.end_ids) - 1
            banned = {config.end_ids[fateful]} if self.end.status == fateful else set()
        if config.mask_boundaries != "none" and self.begin.finished:
            banned.add(config.begin_ids[0])
        if config.mask_boundaries == "both" and self.end.finished:
            banned.add(config.end_ids[0])
        return [token for token in range(config.vocab_size) if token not in banned] if banned else None

    def next(self, token: int) -> ThinkRow:
        """The state after one more token."""
        if not self.begin.finished:
            return replace(self, begin=self.begin.next(token))
        if self.end.finished:
            return self
        end, closing = self.end.next(token), self.closing.next(token)
        return replace(self, end=end, closing=closing, count=self.count + 1)
