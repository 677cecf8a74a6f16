"""Automata among expressions: a state is an expression that is built when a text comes to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenspec_reference.fast_forward.automaton import Automaton
from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.utf8 import CodeRange

Spell = Callable[[Sequence[CodeRange]], Node]


class AutomatonExpressions:
    """Turns automata into expressions, each state once.

    ``spell`` says how one character out of some ranges is written: as itself, or as in a JSON string.
    """

    def __init__(self, make: Expressions, spell: Spell) -> None:
        self.make = make
        self.spell = spell
        self._spelled: dict[tuple[CodeRange, ...], Node] = {}
        self._states: dict[tuple[int, int], tuple[Automaton, Node]] = {}

    def of(self, automaton: Automaton, state: int = 0) -> Node:
        """The texts of an automaton from a state on."""
        if not automaton:
            return self.make.nothing
        known = self._states.get((id(automaton), state))
        if known is None:
            known = self._states[id(automaton), state] = (automaton, self._build(automaton, state))
        return known[1]

    def _build(self, automaton: Automaton, state: int) -> Node:
        make = self.make
        by_target: dict[int, list[CodeRange]] = {}
        for low, high, target in automaton.edges[state]:
            by_target.setdefault(target, []).append((low, high))
        heads = [(self.spelled(tuple(ranges)), target) for target, ranges in by_target.items()]
        nullable = automaton.accepting[state]
        if not heads:
            return make.empty
        first = 0
        for head, _ in heads:
            first |= head.first

        def build() -> Node:
            return make.choice([make.sequence((head, self.of(automaton, target))) for head, target in heads])

        texts = automaton.texts(state, lambda low, high: self.spelled(((low, high),)).texts)
        return make.later(lambda byte: make.derivative(build(), byte), nullable=nullable, first=first, texts=texts)

    def spelled(self, ranges: tuple[CodeRange, ...]) -> Node:
        """One character out of the ranges, as it is written."""
        node = self._spelled.get(ranges)
        if node is None:
            node = self._spelled[ranges] = self.spell(ranges)
        return node
