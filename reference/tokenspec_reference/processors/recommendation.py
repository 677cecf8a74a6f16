"""Generative recommendation: an item is a combo of ``k`` tokens, and some combos must not be completed
(again).

Banning happens at the last token of a combo only. Optional, after the pinned upstream; two deliberate
differences: the end of thinking is found by KMP (upstream's matcher forgets a match that overlaps itself),
and a ban never writes a finite number. The diversity rule needs logits, so it has its own entry point,
``allow_from_logits``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.contain import StringContainDFA
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import ConfigError, Problem, config_error, range_problems
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns
from tokenspec_reference.top_ids import top_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

Combo = tuple[int, ...]
MOST_DIVERGENT = 8  # upstream bans at most this many of a row's best first tokens


@dataclass(frozen=True)
class ComboRow:
    """One row: the unfinished combo, combos it made or heard of, how many it made, the think prelude."""

    prefix: Combo
    banned: frozenset[Combo]
    completed: int
    prelude: StringContainDFA

    def next(self, token: int, size: int) -> tuple[ComboRow, Combo | None]:
        """The row after one token, and the combo it completed."""
        if not self.prelude.finished:
            return replace(self, prelude=self.prelude.next(token)), None
        combo = (*self.prefix, token)
        if len(combo) < size:
            return replace(self, prefix=combo), None
        return replace(self, prefix=(), banned=self.banned | {combo}, completed=self.completed + 1), combo


class RecommendationLogitsProcessor:
    """Bans configured and already generated combos; with ``cross_sequence_ban`` also those of the other rows.

    Row 0 is the primary sequence: it neither receives other rows' combos nor diverges. States are tuples of
    ``ComboRow`` on the host.
    """

    name = "recommendation"

    def __init__(
        self,
        combo_token_size: int,
        *,
        vocab_size: int,
        banned_combo_token_ids: Sequence[Sequence[int]] = (),
        cross_sequence_ban: bool = False,
        cross_seq_diverge_start_combo: int = 0,
        end_think_token_ids: Sequence[int] = (),
        device: torch.device | str = "cpu",
    ) -> None:
        """Raises ``ConfigError`` for a size below 1, a combo of another length, or an id outside the
        vocabulary.
        """
        problems = []
        if type(combo_token_size) is not int or combo_token_size < 1:
            problems.append(
                Problem("/combo_token_size", Rule.COMBO_SIZE, f"must be at least 1, not {combo_token_size!r}")
            )
        for place, combo in enumerate(banned_combo_token_ids):
            where = f"/banned_combo_token_ids/{place}"
            if len(combo) != combo_token_size:
                reason = f"has {len(combo)} tokens, every combo has {combo_token_size}"
                problems.append(Problem(where, Rule.COMBO_LENGTH, reason))
            problems += range_problems(where, combo, vocab_size)
        problems += range_problems("/end_think_token_ids", end_think_token_ids, vocab_size)
        if problems:
            raise ConfigError(problems)
        self.size = combo_token_size
        self.vocab_size = vocab_size
        self.device = torch.device(device)
        self.cross_sequence_ban = cross_sequence_ban and combo_token_size > 1
        self.diverge_from = cross_seq_diverge_start_combo
        self._configured: dict[Combo, set[int]] = {}  # by prefix: configurations can hold many thousand combos
        for combo in banned_combo_token_ids:
            self._configured.setdefault(tuple(combo[:-1]), set()).add(combo[-1])
        self._start = ComboRow((), frozenset(), 0, StringContainDFA(tuple(end_think_token_ids)))

    def init(self, rows: int) -> tuple[ComboRow, ...]:
        """Every row before its first combo."""
        return (self._start,) * rows

    def allow(self, state: tuple[ComboRow, ...]) -> AllowSet:
        """Everything but the tokens that would complete a banned combo."""
        return self._except([self._completing(row) for row in state])

    def allow_from_logits(self, state: tuple[ComboRow, ...], logits: Tensor) -> AllowSet:
        """``allow`` and, with the cross-sequence ban, the diversity rule.

        At the first token of a combo, row i > 0 loses its ``min(i, vocab - 1, 8)`` best tokens once it has
        completed ``cross_seq_diverge_start_combo`` combos. ``logits`` ``[rows, vocab]`` are read, not
        written.
        """
        bans = [self._completing(row) for row in state]
        for place, row in enumerate(state):
            fresh = row.prelude.finished and not row.prefix and row.completed >= self.diverge_from
            if self.cross_sequence_ban and place > 0 and fresh:
                best = top_ids(logits[place][None], min(place, self.vocab_size - 1, MOST_DIVERGENT))
                bans[place] |= set(best[0].tolist())
        return self._except(bans)

    def advance(
        self,
        state: tuple[ComboRow, ...],
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> tuple[ComboRow, ...]:
        """Append the tokens; with the cross-sequence ban, tell every row but the first what the others
        completed.
        """
        flags = active_rows(active, len(state), self.device)
        running = [True] * len(state) if flags is None else flags.tolist()
        for column in token_columns(tokens, len(state), self.vocab_size, self.device, flags):
            steps = [
                row.next(token, self.size) if runs else (row, None)
                for row, token, runs in zip(state, column.tolist(), running, strict=True)
            ]
            state = tuple(row for row, _ in steps)
            fresh = frozenset(combo for _, combo in steps if combo is not None)
            if self.cross_sequence_ban and fresh:
                state = tuple(
                    replace(row, banned=row.banned | fresh) if place > 0 and running[place] else row
                    for place, row in enumerate(state)
                )
        return state

    def reorder(self, state: tuple[ComboRow, ...], src: Tensor | Sequence[int]) -> tuple[ComboRow, ...]:
        """New row i = old row ``src[i]``. Raises ``ConfigError`` with the cross-sequence ban: row 0 would
        lose its meaning.
        """
        if self.cross_sequence_ban:
            raise config_error("", Rule.REORDER, "beams reorder rows; switch the cross-sequence ban off")
        return tuple(state[row] for row in source_rows(src, len(state), torch.device("cpu")).tolist())

    def join(self, states: Sequence[tuple[ComboRow, ...]]) -> tuple[ComboRow, ...]:
        """Rows of several states."""
        return tuple(row for state in states for row in state)

    def _completing(self, row: ComboRow) -> set[int]:
        if not row.prelude.finished or len(row.prefix) != self.size - 1:
            return set()
        learnt = {combo[-1] for combo in row.banned if combo[:-1] == row.prefix}
        return learnt | self._configured.get(row.prefix, set())

    def _except(self, bans: list[set[int]]) -> AllowSet:
        width = max((len(ban) for ban in bans), default=0)
        if width == 0:
            return AllowSet.everything(len(bans), self.vocab_size, self.device)
        table = [[*ban, *[PAD] * (width - len(ban))] for ban in bans]
        return AllowSet.except_for(torch.tensor(table, dtype=torch.int64, device=self.device), self.vocab_size)
