"""Several tokens at once, as speculative decoding has them: judge drafts, commit some of them, take tokens back.

>>> from tokenspec_reference.processors import ThinkModeLogitsProcessor
>>> engine = Rewindable(Chain([ThinkModeLogitsProcessor([8, 9], max_tokens=1, vocab_size=16)]))
>>> state = engine.commit(engine.init(rows=2), [[5], []])
>>> engine.forced(state, limit=4)
[[8, 9], []]
>>> engine.masks(state, [[8, 9], [4, 4]]).accepted
(2, 1)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import RollbackOutOfRange, ShapeMismatch, TokenOutOfRange, config_error
from tokenspec_reference.processors.processor import Checked, State, active_rows, narrowed, source_rows, token_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.allow_set import AllowSet
    from tokenspec_reference.processors.chain import Chain
    from tokenspec_reference.processors.processor import Processor

    Drafts = Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class DraftSets:
    """``positions[k]`` is the set of every row behind its first ``k`` drafts, for as long as a row accepts any; a row
    that accepts fewer keeps its last set. ``accepted``: how many leading drafts each row allows.
    """

    positions: tuple[AllowSet, ...]
    accepted: tuple[int, ...]

    def to_lists(self) -> list[list[list[int] | None]]:
        """Per row the ids behind 0, 1, ... accepted drafts; ``None`` for all."""
        rows = enumerate(self.accepted)
        return [[self.positions[place].ids(row) for place in range(count + 1)] for row, count in rows]


def draft_sets(processor: Processor[State], state: State, drafts: Drafts) -> DraftSets:
    """The sets before each of ``drafts[row]`` up to the first that is not allowed, and behind the last.

    The given state is a value and stays what it was. Raises ``EmptyAllowedSet`` where members of a chain conflict
    behind an accepted draft.
    """
    current, accepted = state, [0] * len(drafts)
    positions = [processor.allow(current)]
    for place in range(max(map(len, drafts), default=0)):
        known = [
            accepted[row] == place and place < len(ids) and 0 <= ids[place] < processor.vocab_size
            for row, ids in enumerate(drafts)
        ]
        column = torch.tensor([ids[place] if one else 0 for one, ids in zip(known, drafts, strict=True)])
        allowed = positions[-1].contains(column.to(positions[-1].listed.device)).tolist()
        going = [one and within for one, within in zip(known, allowed, strict=True)]
        if not any(going):
            break
        current = processor.advance(current, column, going)
        positions.append(processor.allow(current))
        accepted = [count + one for count, one in zip(accepted, going, strict=True)]
    return DraftSets(tuple(positions), tuple(accepted))


@dataclass(frozen=True, eq=False)
class Track:
    """A chain's state, how many tokens each row was advanced over, and the states before, the newest last."""

    state: tuple[Any, ...]
    counts: tuple[int, ...]
    earlier: tuple[tuple[tuple[Any, ...], tuple[int, ...]], ...] = ()


class Rewindable:
    """A chain whose states remember where they came from; itself a processor.

    ``window`` is how many steps are remembered (``None``: all), ``checked`` refuses tokens that were not allowed.
    Counts are kept on the host, so committing waits for flags of finished rows on a device.
    """

    name = "rewindable"

    def __init__(self, chain: Chain, *, window: int | None = None, checked: bool = False) -> None:
        """Nothing is copied: states are values."""
        self.chain = chain
        self.window = window
        self.vocab_size = chain.vocab_size
        self._stepping = Checked(chain) if checked else chain
        members = enumerate(chain.processors)
        self._crossing = [place for place, member in members if getattr(member, "cross_sequence_ban", False)]

    def init(self, rows: int) -> Track:
        """Nothing to take back."""
        return Track(self.chain.init(rows), (0,) * rows)

    def allow(self, state: Track) -> AllowSet:
        """What the chain allows."""
        return self.chain.allow(state.state)

    def allow_from_logits(self, state: Track, logits: Tensor) -> AllowSet:
        """What the chain allows, with the rules that look at logits."""
        return self.chain.allow_from_logits(state.state, logits)

    def finish(self, state: Track, finished: Tensor | Sequence[bool]) -> Track:
        """Set the finished flags."""
        return replace(state, state=self.chain.finish(state.state, finished))

    def advance(
        self, state: Track, tokens: Tensor | Sequence[object], active: Tensor | Sequence[bool] | None = None
    ) -> Track:
        """Advance, and remember every step."""
        rows = len(state.counts)
        moving = self._moving(state, active)
        flags = torch.tensor(moving, dtype=torch.bool)
        for column in token_columns(tokens, rows, self.vocab_size, torch.device("cpu"), flags):
            state = self._step(state, column, moving, active)
        return state

    def _step(
        self, state: Track, column: Tensor, moving: Sequence[bool], active: Tensor | Sequence[bool] | None
    ) -> Track:
        counts = tuple(count + moves for count, moves in zip(state.counts, moving, strict=True))
        earlier = (*state.earlier, (state.state, state.counts))
        kept = earlier if self.window is None else earlier[max(len(earlier) - self.window, 0) :]
        return Track(self._stepping.advance(state.state, column, active), counts, kept)

    def _moving(self, state: Track, active: Tensor | Sequence[bool] | None = None) -> list[bool]:
        rows = len(state.counts)
        flags = active_rows(self.chain.moving(state.state, active), rows, torch.device("cpu"))
        return [True] * rows if flags is None else flags.tolist()

    def reorder(self, state: Track, src: Tensor | Sequence[int]) -> Track:
        """New row i = old row ``src[i]``, with its past."""
        index = source_rows(src, len(state.counts), torch.device("cpu")).tolist()

        def gather(one: tuple[Any, ...], counts: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
            return self.chain.reorder(one, index), tuple(counts[row] for row in index)

        current, counts = gather(state.state, state.counts)
        return Track(current, counts, tuple(gather(*one) for one in state.earlier))

    def join(self, states: Sequence[Track]) -> Track:
        """Rows of several states; of their pasts what all remember."""
        length = min(len(state.earlier) for state in states)
        pasts = zip(*(state.earlier[len(state.earlier) - length :] for state in states), strict=True)
        return Track(
            self.chain.join([state.state for state in states]),
            tuple(count for state in states for count in state.counts),
            tuple(
                (self.chain.join([one for one, _ in past]), tuple(count for _, counts in past for count in counts))
                for past in pasts
            ),
        )

    def masks(self, state: Track, drafts: Drafts) -> DraftSets:
        """The set before each draft up to the first that is not allowed, and behind the last; commits nothing.

        Raises:
            ConfigError: rows hear of each other.
            ShapeMismatch: not one list of drafts for each row.
            EmptyAllowedSet: members conflict behind an accepted draft.
        """
        self._rows_apart()
        self._one_each(state, drafts, "drafts")
        return draft_sets(self.chain, state.state, drafts)

    def commit(self, state: Track, tokens: Drafts) -> Track:
        """Each row after its own tokens, one by one; finished rows stand still.

        Raises:
            ConfigError: rows hear of each other.
            ShapeMismatch, TokenOutOfRange, ConstraintViolation: nothing is committed on any row.
        """
        self._rows_apart()
        self._one_each(state, tokens, "tokens")
        moving = self._moving(state)
        for row, ids in enumerate(tokens):
            wrong = [token for token in ids if not 0 <= token < self.vocab_size] if moving[row] else []
            if wrong:
                raise TokenOutOfRange(
                    f"id {wrong[0]} is outside [0, {self.vocab_size})", row=row, field=f"tokens[{row}]"
                )
        for place in range(max(map(len, tokens), default=0)):
            given = [place < len(ids) for ids in tokens]
            going = [one and moves for one, moves in zip(given, moving, strict=True)]
            column = torch.tensor([narrowed(ids[place]) if one else 0 for one, ids in zip(given, tokens, strict=True)])
            state = self._step(state, column, going, given)
        return state

    def rollback(self, state: Track, counts: Sequence[int]) -> Track:
        """Each row before its last ``counts[row]`` tokens; finished flags stay.

        Raises:
            ConfigError: rows hear of each other.
            RollbackOutOfRange: a count below zero, above the row's tokens, or beyond what is remembered.
        """
        self._rows_apart()
        self._one_each(state, counts, "counts")
        states = [*state.earlier, (state.state, state.counts)]
        sources = [self._remembered(states, row, count) for row, count in enumerate(counts)]
        rows_of: dict[int, list[int]] = {}
        for row, source in enumerate(sources):
            rows_of.setdefault(source, []).append(row)
        if not rows_of:
            return state
        parts = [self.chain.reorder(states[source][0], rows) for source, rows in rows_of.items()]
        order = [row for rows in rows_of.values() for row in rows]
        joined = self.chain.reorder(self.chain.join(parts), sorted(range(len(order)), key=order.__getitem__))
        left = tuple(known - count for known, count in zip(state.counts, counts, strict=True))
        return Track(self.chain.with_flags_of(joined, state.state), left, state.earlier)

    @staticmethod
    def _remembered(states: Sequence[tuple[Any, tuple[int, ...]]], row: int, count: int) -> int:
        """The newest state in which the row had that many tokens less: its tokens up to there are still its own."""
        wanted = states[-1][1][row] - count
        found = [at for at, (_, counts) in enumerate(states) if counts[row] == wanted] if count >= 0 else []
        if not found:
            raise RollbackOutOfRange(row, count, states[-1][1][row] - min(counts[row] for _, counts in states))
        return found[-1]

    def forced(self, state: Track, limit: int, stop_ids: Sequence[int] = ()) -> list[list[int]]:
        """Per row the ids that are the only ones allowed, one behind the other, at most ``limit``; commits nothing.

        A run ends behind a stop id; a finished row has none. Raises ``ConfigError`` where rows hear of each other.
        """
        self._rows_apart()
        going, current = self._moving(state), state.state
        runs: list[list[int]] = [[] for _ in going]
        for _ in range(limit):
            allow = self.chain.allow_active(current, going)
            single = (allow.count() == 1).tolist()
            going = [one and only for one, only in zip(going, single, strict=True)]
            if not any(going):
                break
            column = [_only(allow, row) if one else 0 for row, one in enumerate(going)]
            current = self.chain.advance(current, column, going)
            for row, one in enumerate(going):
                runs[row] += [column[row]] * one
            going = [one and token not in stop_ids for one, token in zip(going, column, strict=True)]
        return runs

    def _rows_apart(self) -> None:
        if self._crossing:
            reason = "rows that hear of each other cannot be judged apart; switch the cross-sequence ban off"
            raise config_error(f"/processors/{self._crossing[0]}", Rule.REORDER, reason)

    @staticmethod
    def _one_each(state: Track, given: Sequence[object], field: str) -> None:
        if len(given) != len(state.counts):
            raise ShapeMismatch(
                f"expected one entry for each of {len(state.counts)} rows, got {len(given)}", field=field
            )


def _only(allow: AllowSet, row: int) -> int:
    """The one id a row allows; of a vocabulary of one it is everything."""
    ids = allow.ids(row)
    return 0 if ids is None else ids[0]
