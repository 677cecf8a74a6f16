"""A budget for the thinking segment: after ``max_tokens`` thinking tokens the end tag is forced, token by
token.

>>> think = ThinkModeLogitsProcessor([8, 9], max_tokens=2, vocab_size=16)
>>> state = think.init(rows=1)
>>> shown = []
>>> for token in (5, 5, 8, 9, 5):
...     shown.append(think.allow(state).ids(0))
...     state = think.advance(state, [token])
>>> shown
[None, None, [8], [9], None]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.contain import ContainTable, StringContainDFA
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import Problem, config_error
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

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
    """

    end_ids: tuple[int, ...]
    max_tokens: int | None
    vocab_size: int
    begin_ids: tuple[int, ...] = ()
    counting: Counting = "generated"
    close: Close = "budget"
    mask_boundaries: Boundaries = "none"

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
        for field, ids in (("end_ids", self.end_ids), ("begin_ids", self.begin_ids)):
            for place, token in enumerate(ids):
                if type(token) is not int or not 0 <= token < self.vocab_size:
                    found.append(
                        Problem(
                            f"/{field}/{place}",
                            Rule.TOKEN_ID_RANGE,
                            f"{token!r} is outside [0, {self.vocab_size})",
                        )
                    )
        if self.max_tokens is not None and (type(self.max_tokens) is not int or self.max_tokens < 0):
            found.append(
                Problem("/max_tokens", Rule.MAX_TOKENS, f"must be an integer >= 0 or null, not {self.max_tokens!r}")
            )
        for field, value, choices in (
            ("counting", self.counting, ("generated", "after_begin")),
            ("close", self.close, ("budget", "eager")),
            ("mask_boundaries", self.mask_boundaries, ("none", "begin", "both")),
        ):
            if value not in choices:
                found.append(Problem(f"/{field}", Rule.CHOICE, f"must be one of {', '.join(choices)}, not {value!r}"))
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
        return found


@dataclass(frozen=True)
class ThinkRow:
    """The readable twin, one row: ``begin`` and ``end`` are the tags seen so far, ``count`` the thinking
    tokens.
    """

    config: ThinkConfig
    begin: StringContainDFA
    end: StringContainDFA
    count: int = 0

    @classmethod
    def start(cls, config: ThinkConfig) -> ThinkRow:
        """Thinking starts at once unless tokens are counted from the begin tag."""
        begin = config.begin_ids if config.counting == "after_begin" else ()
        return cls(config, StringContainDFA(begin), StringContainDFA(config.end_ids))

    @property
    def thinking(self) -> bool:
        """Between the begin tag and the end tag."""
        return self.begin.finished and not self.end.finished

    def allowed(self) -> list[int] | None:
        """The ids that may come next, ``None`` for all."""
        spent = self.config.max_tokens is not None and self.count >= self.config.max_tokens
        closing = self.config.close == "eager" and self.end.status > 0
        if self.thinking and (spent or closing):
            return [self.config.end_ids[self.end.status]]
        banned = set()
        if self.config.mask_boundaries != "none" and self.begin.finished:
            banned.add(self.config.begin_ids[0])
        if self.config.mask_boundaries == "both" and self.end.finished:
            banned.add(self.config.end_ids[0])
        return [token for token in range(self.config.vocab_size) if token not in banned] if banned else None

    def next(self, token: int) -> ThinkRow:
        """The state after one more token."""
        if not self.begin.finished:
            return replace(self, begin=self.begin.next(token))
        if self.end.finished:
            return self
        return replace(self, end=self.end.next(token), count=self.count + 1)


@dataclass(frozen=True, eq=False)
class ThinkState:
    """Per row, int64 on the device: matched part of the begin tag, of the end tag, thinking tokens.
    ``longest`` bounds ``count`` on the host, so that a step long before the budget does not touch the device.
    """

    begin: Tensor
    end: Tensor
    count: Tensor
    longest: int


class ThinkModeLogitsProcessor:
    """The same policy for many rows. Raises ``ConfigError``; the arguments are those of ``ThinkConfig``."""

    name = "think"

    def __init__(
        self,
        end_ids: Sequence[int],
        *,
        max_tokens: int | None,
        vocab_size: int,
        begin_ids: Sequence[int] = ThinkConfig.begin_ids,
        counting: Counting = ThinkConfig.counting,
        close: Close = ThinkConfig.close,
        mask_boundaries: Boundaries = ThinkConfig.mask_boundaries,
        device: torch.device | str = "cpu",
    ) -> None:
        """Validate the policy and tabulate the tags."""
        self.config = ThinkConfig(
            tuple(end_ids), max_tokens, vocab_size, tuple(begin_ids), counting, close, mask_boundaries
        )
        self.vocab_size = vocab_size
        self.device = torch.device(device)
        self._begin = ContainTable(self.config.begin_ids if counting == "after_begin" else (), device)
        self._end = ContainTable(self.config.end_ids, device)
        self._end_ids = torch.tensor(self.config.end_ids, dtype=torch.int64, device=device)

    def init(self, rows: int) -> ThinkState:
        """No token yet."""
        zeros = torch.zeros(rows, dtype=torch.int64, device=self.device)
        return ThinkState(zeros, zeros, zeros, 0)

    def allow(self, state: ThinkState) -> AllowSet:
        """The next end-tag id where it is forced; elsewhere everything but the banned boundary ids."""
        rows, budget = state.count.shape[0], self.config.max_tokens
        begun, ended = state.begin == self._begin.length, state.end == self._end.length
        quiet = self.config.close == "budget" and (budget is None or state.longest < budget)
        if quiet:
            force = None
        else:
            spent = torch.zeros_like(begun) if budget is None else state.count >= budget
            force = begun & ~ended & ((spent | (state.end > 0)) if self.config.close == "eager" else spent)
        bans = [torch.where(where, token, PAD) for token, where in self._bans(begun, ended)]
        if force is None:
            if not bans:
                return AllowSet.everything(rows, self.vocab_size, self.device)
            return replace(AllowSet.except_for(torch.stack(bans, dim=1), self.vocab_size), never_empty=True)
        forced = self._end_ids[state.end.clamp(max=self._end.length - 1)]
        columns = [torch.where(force, forced, bans[0] if bans else PAD)]
        columns += [torch.where(force, PAD, ban) for ban in bans[1:]]
        listed = torch.stack(columns, dim=1).sort(dim=1).values
        return AllowSet(listed, ~force, self.vocab_size, bans=bool(bans), never_empty=True)

    def _bans(self, begun: Tensor, ended: Tensor) -> list[tuple[int, Tensor]]:
        if self.config.mask_boundaries == "none":
            return []
        begin = (self.config.begin_ids[0], begun)
        return [begin] if self.config.mask_boundaries == "begin" else [begin, (self.config.end_ids[0], ended)]

    def advance(
        self,
        state: ThinkState,
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> ThinkState:
        """Count and match the sampled tokens."""
        rows = state.count.shape[0]
        flags = active_rows(active, rows, self.device)
        for column in token_columns(tokens, rows, self.vocab_size, self.device, flags):
            begun = state.begin == self._begin.length
            thinking = begun & (state.end < self._end.length)
            opening = ~begun
            if flags is not None:
                thinking, opening = thinking & flags, opening & flags
            state = ThinkState(
                begin=torch.where(opening, self._begin.next(state.begin, column), state.begin),
                end=torch.where(thinking, self._end.next(state.end, column), state.end),
                count=state.count + thinking,
                longest=state.longest + 1,
            )
        return state

    def reorder(self, state: ThinkState, src: Tensor | Sequence[int]) -> ThinkState:
        """New row i = old row ``src[i]``."""
        index = source_rows(src, state.count.shape[0], self.device)
        return replace(state, begin=state.begin[index], end=state.end[index], count=state.count[index])

    def join(self, states: Sequence[ThinkState]) -> ThinkState:
        """Rows of several states."""
        parts = ([getattr(state, name) for state in states] for name in ("begin", "end", "count"))
        begin, end, count = (torch.cat(part) for part in parts)
        return ThinkState(begin, end, count, max(state.longest for state in states))
