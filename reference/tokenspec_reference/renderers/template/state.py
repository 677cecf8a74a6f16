"""What one render knows, and how the code of a compiled template reaches it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .limits import Budget, Limits
from .provenance import PRIVATE, SCAFFOLD
from .values import ValueTable

if TYPE_CHECKING:
    from jinja2.runtime import Context

STATE = PRIVATE + "state"
"""Name of the render variable that carries the state."""


class RenderState:
    """The values of a render, its budget, and what each open loop is at.

    ``loops`` are messages; ``index_loops`` tell which loops run over something else than messages; ``part_loops``,
    which walk over the parts of a message that was picked outside of any loop (``messages[0].content``).
    """

    def __init__(self, limits: Limits, steps: int) -> None:
        """Start outside all loops; ``steps`` is what this render may take."""
        self.table = ValueTable()
        self.budget = Budget(steps)
        self.limits = replace(limits, measured=self.table.sizes, budget=self.budget)
        self.loops: list[int] = [-1]
        self.index_loops: list[bool] = [False]
        self.part_loops: list[bool] = [False]
        self._scaffold = {-1: SCAFFOLD}

    @property
    def message(self) -> int:
        """The message the innermost loop is at; -1 outside."""
        return self.loops[-1]

    def enter_loop(self) -> None:
        """A loop starts; until its first item it is where its surroundings are."""
        self.loops.append(self.loops[-1])
        self.index_loops.append(True)
        self.part_loops.append(self.part_loops[-1])

    def leave_loop(self) -> None:
        """A loop ended, also by ``break``."""
        self.loops.pop()
        self.index_loops.pop()
        self.part_loops.pop()

    def at_item(self, item: Any) -> None:
        """The loop is at ``item``; an item of no message belongs where the loop stands."""
        self.budget.spend(1)
        owner = self.table.message_of(item)
        self.loops[-1] = owner if owner >= 0 else self.loops[-2]
        self.index_loops[-1] = owner < 0
        self.part_loops[-1] = self.part_loops[-2] or (
            owner >= 0 and self.loops[-2] < 0 and not self.table.is_message(item)
        )

    def at_index(self, value: Any) -> None:
        """A loop over indices picked ``value``; a loop over messages knows where it is."""
        owner = self.table.message_of(value) if self.index_loops[-1] else -1
        if owner >= 0:
            self.loops[-1] = owner

    def scaffold_origin(self) -> int:
        """Origin of template text printed now, for text that is buffered before it is output."""
        if self.message not in self._scaffold:
            self._scaffold[self.message] = self.table.origin(self.message, ())
        return self._scaffold[self.message]


def state_of(context: Context) -> RenderState:
    """The state of the render that ``context`` belongs to."""
    state: RenderState = context.parent[STATE]
    return state
