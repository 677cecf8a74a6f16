"""What one render knows, and how the code of a compiled template reaches it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .limits import Budget, Limits
from .provenance import DERIVED, PRIVATE, SCAFFOLD
from .values import ValueTable

if TYPE_CHECKING:
    from jinja2.runtime import Context

STATE = PRIVATE + "state"
"""Name of the render variable that carries the state."""


@dataclass(slots=True)
class Loop:
    """An open loop.

    Attributes:
        message: the message it is at; -1 outside.
        is_by_index: it runs over something else than messages.
        is_over_parts: it walks over the parts of a message that was picked outside of any loop
            (``messages[0].content``).
    """

    message: int
    is_by_index: bool
    is_over_parts: bool


class RenderState:
    """The values of a render, its budget, and its open loops, the innermost last; the first stands for no loop."""

    def __init__(self, limits: Limits, steps: int) -> None:
        """Start outside all loops; ``steps`` is what this render may take."""
        self.table = ValueTable()
        self.budget = Budget(steps)
        self.limits = replace(limits, measured=self.table.sizes, budget=self.budget)
        self.loops = [Loop(-1, False, False)]
        self._printed = {(-1, SCAFFOLD): SCAFFOLD, (-1, DERIVED): DERIVED}

    @property
    def message(self) -> int:
        """The message the innermost loop is at; -1 outside."""
        return self.loops[-1].message

    def enter_loop(self) -> None:
        """A loop starts; until its first item it is where its surroundings are."""
        outer = self.loops[-1]
        self.loops.append(Loop(outer.message, True, outer.is_over_parts))

    def leave_loop(self) -> None:
        """A loop ended, also by ``break``."""
        self.loops.pop()

    def at_item(self, item: Any) -> None:
        """The loop is at ``item``; an item of no message belongs where the loop stands."""
        self.budget.spend(1)
        outer, loop = self.loops[-2:]
        owner = self.table.message_of(item)
        loop.message = owner if owner >= 0 else outer.message
        loop.is_by_index = owner < 0
        loop.is_over_parts = outer.is_over_parts or (
            owner >= 0 and outer.message < 0 and not self.table.is_message(item)
        )

    def at_index(self, value: Any) -> None:
        """A loop over indices picked ``value``; a loop over messages knows where it is."""
        loop = self.loops[-1]
        if loop.is_by_index and (owner := self.table.message_of(value)) >= 0:
            loop.message = owner

    def origin_here(self, origin: int) -> int:
        """Origin of what is printed now, for text that is buffered before its output; a caller's value has its own."""
        if origin > DERIVED:
            return origin
        here = self.message, origin
        if here not in self._printed:
            self._printed[here] = self.table.origin(self.message, (), computed=origin == DERIVED)
        return self._printed[here]


def state_of(context: Context) -> RenderState:
    """The state of the render that ``context`` belongs to."""
    state: RenderState = context.parent[STATE]
    return state
