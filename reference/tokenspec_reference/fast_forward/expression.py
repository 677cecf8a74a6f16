"""Regular expressions over bytes, matched by their derivatives (Brzozowski 1964).

The derivative of an expression by a byte is the expression of what may follow that byte. Equal expressions are
built only once, so walking a text turns into dictionary look-ups: the automaton appears as it is needed.
Nothing here denotes the empty language except ``nothing``, which the constructors remove wherever it could hide, so
the first bytes of a node are exactly the bytes that lead somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

CHUNK = 32  # long literals are chains of chunks, so that a derivative copies a few bytes and not the whole rest


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One expression. ``first`` is a set of bytes as a 256-bit integer: bit b is set when a match may start with b."""

    serial: int
    kind: str
    text: bytes
    parts: tuple[Node, ...]
    least: int
    most: int | None
    nullable: bool
    first: int
    derivatives: dict[int, Node] = field(default_factory=dict, repr=False)


class Expressions:
    """Builds nodes and keeps each one once. One instance per grammar; it grows as texts are matched."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}
        self.nothing = self._node("class", first=0)
        self.empty = self._node("text", nullable=True, first=0)

    def text(self, data: bytes) -> Node:
        """Exactly these bytes."""
        if len(data) <= CHUNK:
            return self._node("text", text=data, first=1 << data[0]) if data else self.empty
        chain = self.empty
        for start in reversed(range(0, len(data), CHUNK)):
            chain = self._pair(self.text(data[start : start + CHUNK]), chain)
        return chain

    def byte_class(self, members: int) -> Node:
        """One byte out of a set (256-bit integer)."""
        return self._node("class", first=members) if members else self.nothing

    def byte_range(self, low: int, high: int) -> Node:
        """One byte between ``low`` and ``high`` inclusive."""
        return self.byte_class((1 << (high + 1)) - (1 << low))

    def sequence(self, parts: Iterable[Node]) -> Node:
        """One after the other; kept nested to the right so that a derivative only touches the head."""
        chain = self.empty
        for part in reversed(list(parts)):
            chain = self._pair(part, chain)
        return chain

    def choice(self, options: Iterable[Node]) -> Node:
        """Any of them."""
        flat: dict[int, Node] = {}
        single_bytes = 0
        for option in options:
            for node in option.parts if option.kind == "choice" else (option,):
                if node.kind == "class":
                    single_bytes |= node.first
                else:
                    flat[node.serial] = node
        if single_bytes:
            node = self.byte_class(single_bytes)
            flat[node.serial] = node
        parts = tuple(flat[serial] for serial in sorted(flat))
        if len(parts) < 2:
            return parts[0] if parts else self.nothing
        first = 0
        for part in parts:
            first |= part.first
        return self._node("choice", parts=parts, nullable=any(part.nullable for part in parts), first=first)

    def repeat(self, node: Node, least: int = 0, most: int | None = None) -> Node:
        """``least`` to ``most`` times; None is without end."""
        if most == 0 or node is self.empty:
            return self.empty
        if node is self.nothing:
            return self.nothing if least else self.empty
        if least == most == 1:
            return node
        if node.nullable:
            least = 0
        return self._node("repeat", parts=(node,), least=least, most=most, nullable=least == 0, first=node.first)

    def optional(self, node: Node) -> Node:
        """Once or not at all."""
        return self.repeat(node, 0, 1)

    def derivative(self, node: Node, byte: int) -> Node:
        """What may follow ``byte``; ``nothing`` where the byte cannot start a match."""
        if not node.first >> byte & 1:
            return self.nothing
        known = node.derivatives.get(byte)
        if known is None:
            known = node.derivatives[byte] = self._derive(node, byte)
        return known

    def _derive(self, node: Node, byte: int) -> Node:
        if node.kind == "text":
            return self.text(node.text[1:])
        if node.kind == "class":
            return self.empty
        if node.kind == "choice":
            return self.choice(self.derivative(part, byte) for part in node.parts)
        if node.kind == "repeat":
            again = self.repeat(node.parts[0], max(node.least - 1, 0), None if node.most is None else node.most - 1)
            return self._pair(self.derivative(node.parts[0], byte), again)
        head, tail = node.parts
        through_head = self._pair(self.derivative(head, byte), tail)
        return self.choice((through_head, self.derivative(tail, byte))) if head.nullable else through_head

    def _pair(self, head: Node, tail: Node) -> Node:
        if head is self.nothing or tail is self.nothing:
            return self.nothing
        if head is self.empty or tail is self.empty:
            return tail if head is self.empty else head
        if head.kind == "pair":
            spine, rest = [], head
            while rest.kind == "pair":
                spine.append(rest.parts[0])
                rest = rest.parts[1]
            chain = self._pair(rest, tail)
            for part in reversed(spine):
                chain = self._pair(part, chain)
            return chain
        return self._node(
            "pair",
            parts=(head, tail),
            nullable=head.nullable and tail.nullable,
            first=head.first | tail.first if head.nullable else head.first,
        )

    def _node(
        self,
        kind: str,
        *,
        text: bytes = b"",
        parts: Sequence[Node] = (),
        least: int = 0,
        most: int | None = None,
        nullable: bool = False,
        first: int,
    ) -> Node:
        key = (kind, text, *(part.serial for part in parts), least, most, first if kind == "class" else 0)
        known = self._nodes.get(key)
        if known is None:
            known = Node(len(self._nodes), kind, text, tuple(parts), least, most, nullable, first)
            self._nodes[key] = known
        return known


class ExpressionState:
    """A matcher state: one node. States are shared, so equal states are the same object."""

    __slots__ = ("_allowed", "_next", "_node", "_states")

    def __init__(self, states: States, node: Node) -> None:
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
            members = []
            rest = self._node.first
            while rest:
                members.append((rest & -rest).bit_length() - 1)
                rest &= rest - 1
            self._allowed = bytes(members)
        return self._allowed

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
        return self._states.setdefault(node.serial, ExpressionState(self, node))
