"""Expressions as matcher states: each expression met is one state, which remembers what was asked of it."""

from __future__ import annotations

from functools import lru_cache

from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.matcher import MARKER, Remembering


@lru_cache(maxsize=1024)
def _members(first: int) -> bytes:
    """The bytes of a 256-bit set, ascending; states share few sets."""
    members = []
    while first:
        members.append((first & -first).bit_length() - 1)
        first &= first - 1
    return bytes(members)


class ExpressionState(Remembering):
    """A matcher state: one node. States are shared, so equal states are the same object."""

    __slots__ = ("_allowed", "_next", "_node", "_states")

    def __init__(self, states: States, node: Node) -> None:
        super().__init__()
        self._states = states
        self._node = node
        self._allowed: bytes | None = None
        self._next: dict[int, ExpressionState | None] = {}

    def accepting(self) -> bool:
        """Whether the bytes so far are a complete text."""
        return self._node.nullable

    def allowed(self) -> bytes:
        """The bytes that may come next, ascending."""
        if self._allowed is None:
            self._allowed = _members(self._node.first)
        return self._allowed

    def texts(self) -> int:
        """How many texts there are from here, at most ``MANY``; never too few."""
        return self._node.texts

    def literal(self) -> tuple[bytes, ExpressionState]:
        """Bytes without choice and without end, and the state after them; empty where that takes a look at bytes."""
        node, run = self._node, b""
        empty = self._states.expressions.empty
        while True:
            head, tail = node.parts if node.kind == "pair" else (node, empty)
            if head.kind != "text" or not head.text or MARKER in head.text:
                return run, self._states.at(node) if run else self
            run += head.text
            node = tail

    def after(self, data: bytes) -> ExpressionState | None:
        """Return the state after ``data``; the bytes on the way get no state of their own."""
        expressions = self._states.expressions
        node = expressions.after(self._node, data)
        return None if node is expressions.nothing else self._states.at(node)

    def step(self, byte: int) -> ExpressionState | None:
        """The state after ``byte``."""
        if byte not in self._next:
            expressions = self._states.expressions
            node = expressions.derivative(self._node, byte)
            self._next[byte] = None if node is expressions.nothing else self._states.at(node)
        return self._next[byte]


class States:
    """The states met so far of one grammar."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self._states: dict[int, ExpressionState] = {}

    def at(self, node: Node) -> ExpressionState:
        """The state of a node."""
        known = self._states.get(node.serial)
        if known is None:
            known = self._states[node.serial] = ExpressionState(self, node)
        return known
