"""Regular expressions over bytes, matched by their derivatives (Brzozowski 1964).

The derivative of an expression by a byte is the expression of what may follow that byte. Equal expressions are
built only once, so walking a text turns into dictionary look-ups: the automaton appears as it is needed.
Nothing here denotes the empty language except ``nothing``, which the constructors remove wherever it could hide, so
the first bytes of a node are exactly the bytes that lead somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tokenspec_reference.fast_forward.matcher import MARKER

CHUNK = 32  # long literals are chains of chunks, so that a derivative copies a few bytes and not the whole rest


MANY = 4096  # texts are counted up to here
FACTORED = 64  # levels of common beginnings that are taken out of a choice


@dataclass(eq=False, slots=True)  # never changed, yet not frozen: that makes a node take thrice as long to build
class Node:
    """One expression.

    ``first`` is a set of bytes as a 256-bit integer: bit b is set when a match may start with b. ``texts`` is how many
    texts it has, at most ``MANY``; two options that share a text count twice.
    """

    serial: int
    kind: str
    text: bytes
    parts: tuple[Node, ...]
    least: int
    most: int | None
    nullable: bool
    first: int
    texts: int
    derivatives: dict[int, Node] = field(default_factory=dict, repr=False)


class Expressions:
    """Builds nodes and keeps each one once. One instance per grammar; it grows as texts are matched."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}
        self._after: dict[int, Callable[[int], Node]] = {}
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

    def choice(self, options: Iterable[Node], depth: int = 0) -> Node:
        """Any of them. Literals that begin alike share their beginning, so that a byte leads to few of many."""
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
        if len(flat) > 2 and depth < FACTORED:
            flat = self._factored(flat, depth)
        parts = tuple(flat[serial] for serial in sorted(flat))
        if len(parts) < 2:
            return parts[0] if parts else self.nothing
        first = 0
        for part in parts:
            first |= part.first
        return self._node("choice", parts=parts, nullable=any(part.nullable for part in parts), first=first)

    def _factored(self, options: dict[int, Node], depth: int) -> dict[int, Node]:
        by_byte: dict[int, list[tuple[bytes, Node]]] = {}
        result: dict[int, Node] = {}
        for serial, node in options.items():
            head, tail = (
                (node, self.empty) if node.kind == "text" else node.parts if node.kind == "pair" else (node, node)
            )
            if head.kind == "text" and head.text:
                by_byte.setdefault(head.text[0], []).append((head.text, tail))
            else:
                result[serial] = node
        for literals in by_byte.values():
            low, high = min(text for text, _ in literals), max(text for text, _ in literals)
            size = next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
            shared = low[:size]
            rests = [self._pair(self.text(text[len(shared) :]), tail) for text, tail in literals]
            node = self._pair(self.text(shared), self.choice(rests, depth + 1))
            result[node.serial] = node
        return result

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

    def later(self, after: Callable[[int], Node], *, nullable: bool, first: int, texts: int) -> Node:
        """An expression that is not built: ``after`` is asked what follows a byte of ``first``, once for each byte.

        What is said of it has to be true of what it stands for.
        """
        serial = len(self._nodes)
        node = Node(serial, "later", b"", (), 0, None, nullable, first, texts)
        self._nodes[(serial,)] = node
        self._after[serial] = after
        return node

    def optional(self, node: Node) -> Node:
        """Once or not at all."""
        return self.repeat(node, 0, 1)

    def derivative(self, node: Node, byte: int) -> Node:
        """What may follow ``byte``; ``nothing`` where the byte cannot start a match."""
        known = node.derivatives.get(byte)
        if known is None:
            if not node.first >> byte & 1:
                return self.nothing
            known = node.derivatives[byte] = self._derive(node, byte)
        return known

    def after(self, node: Node, data: bytes) -> Node:
        """Return what may follow all of ``data``, or ``nothing``.

        A literal is passed at once: a text walks through it without a node for each of its bytes.
        """
        at = 0
        while at < len(data):
            head, tail = node.parts if node.kind == "pair" else (node, self.empty)
            if head.kind == "text" and head.text:
                size = min(len(head.text), len(data) - at)
                if head.text[:size] != data[at : at + size]:
                    return self.nothing
                node = self._pair(self.text(head.text[size:]), tail)
                at += size
            else:
                node = self.derivative(node, data[at])
                at += 1
        return node

    def _derive(self, node: Node, byte: int) -> Node:
        if node.kind == "text":
            return self.text(node.text[1:])
        if node.kind == "class":
            return self.empty
        if node.kind == "later":
            return self._after[node.serial](byte)
        if node.kind == "repeat":
            again = self.repeat(node.parts[0], max(node.least - 1, 0), None if node.most is None else node.most - 1)
            return self._pair(self.derivative(node.parts[0], byte), again)
        if node.kind == "choice":
            ways = [self.derivative(part, byte) for part in node.parts if part.first >> byte & 1]
        else:
            head, tail = node.parts
            ways = [self._pair(self.derivative(head, byte), tail)] if head.first >> byte & 1 else []
            if head.nullable and tail.first >> byte & 1:
                ways.append(self.derivative(tail, byte))
        return ways[0] if len(ways) == 1 else self.choice(ways)

    def _pair(self, head: Node, tail: Node) -> Node:
        if head is self.nothing or tail is self.nothing:
            return self.nothing
        if head is self.empty or tail is self.empty:
            return tail if head is self.empty else head
        if head.kind == "text":
            behind = tail.parts[0] if tail.kind == "pair" else tail
            both = head.text + behind.text
            if behind.kind == "text" and len(both) <= CHUNK and MARKER not in both:  # a forced run at once
                joined = self.text(both)
                return joined if behind is tail else self._pair(joined, tail.parts[1])
        elif head.kind == "pair":
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
        parts: tuple[Node, ...] = (),
        least: int = 0,
        most: int | None = None,
        nullable: bool = False,
        first: int,
    ) -> Node:
        key = (kind, text, least, most, first, *[part.serial for part in parts])
        known = self._nodes.get(key)
        if known is None:
            texts = _count(kind, parts, least, most, first)
            known = Node(len(self._nodes), kind, text, parts, least, most, nullable, first, texts)
            self._nodes[key] = known
        return known


def _count(kind: str, parts: Sequence[Node], least: int, most: int | None, first: int) -> int:
    """How many texts a node has."""
    if kind == "text":
        return 1
    if kind == "class":
        return first.bit_count()
    if kind == "choice":
        return min(sum(part.texts for part in parts), MANY)
    if kind == "pair":
        return min(parts[0].texts * parts[1].texts, MANY)
    if most is None or most - least >= MANY:
        return MANY
    each = parts[0].texts - parts[0].nullable  # the empty text is none of the times
    power = total = min(each**least, MANY) if each < 2 or least < 13 else MANY
    for _ in range(most - least):
        power = min(power * each, MANY)
        total += power
        if total >= MANY:
            return MANY
    return total
