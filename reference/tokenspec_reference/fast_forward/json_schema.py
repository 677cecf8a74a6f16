r"""JSON schemas as expressions: all texts that satisfy a schema, or a refusal that names the place.

Properties stand in the order of the schema, further ones after them. A schema that holds itself is no regular set of
texts: its expressions are built where a text comes to them, so what is open stands behind the byte to come, as on a
stack. How JSON is written is said in ``json_text``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tokenspec_reference.fast_forward.automaton import Automaton
from tokenspec_reference.fast_forward.automaton_expression import AutomatonExpressions
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.expression import MANY, Expressions, Node
from tokenspec_reference.fast_forward.json_text import INTEGER, NUMBER, JsonText, name_of
from tokenspec_reference.fast_forward.regex_syntax import read_regex
from tokenspec_reference.fast_forward.schema_alternatives import Alternatives
from tokenspec_reference.fast_forward.schema_demands import Goals
from tokenspec_reference.fast_forward.schema_document import Document
from tokenspec_reference.fast_forward.schema_shapes import (
    Array,
    Constant,
    Number,
    Object,
    Shape,
    Shapes,
    String,
    most_items,
    possible,
)
from tokenspec_reference.fast_forward.utf8 import LAST_CODE_POINT
from tokenspec_reference.fast_forward.words import Words, one_of

WHITESPACE = ("compact", "spaced", "flexible")
BUILT_AT_ONCE = 12  # levels of values in values; what is deeper is built when a text comes to it
ANY_CHARACTER = [(0, LAST_CODE_POINT)]
ROOT: Goals = (("#", False),)


def read_schema(
    expressions: Expressions, schema: Any, *, whitespace: str = "compact", most_whitespace: int | None = None
) -> Node:
    """The expression of all texts of a schema.

    Args:
        expressions: where expressions are built.
        schema: a JSON schema as Python values.
        whitespace: "compact" allows none; "spaced" has one space after each comma and colon; "flexible" allows any
            between tokens.
        most_whitespace: how much "flexible" allows at one place; None is without end.

    Raises:
        SchemaError: with the JSON pointer of what is not understood.
    """
    if whitespace not in WHITESPACE:
        raise SchemaError(f"expected one of {', '.join(WHITESPACE)}", field="whitespace")
    if most_whitespace is not None and (
        isinstance(most_whitespace, bool) or not isinstance(most_whitespace, int) or most_whitespace < 0
    ):
        raise SchemaError("expected None or an integer of at least 0", field="most_whitespace")
    shapes = Shapes(Alternatives(Document(schema)))
    if ROOT not in shapes.finished:
        raise SchemaError("no value satisfies this schema", field="#")
    return _Builder(expressions, shapes, _spelling(expressions, whitespace, most_whitespace)).node(ROOT, 0)


def _spelling(make: Expressions, whitespace: str, most: int | None) -> JsonText:
    gap, after = make.empty, make.text(b" ") if whitespace == "spaced" else make.empty
    if whitespace == "flexible":
        gap = after = make.repeat(read_regex(make, r"[\x20\x0A\x0D\x09]"), 0, most)
    return JsonText(
        make, gap, make.sequence((gap, make.text(b","), after)), make.sequence((gap, make.text(b":"), after))
    )


class _Builder:
    """Expressions of shapes, each set of goals once."""

    def __init__(self, make: Expressions, shapes: Shapes, text: JsonText) -> None:
        self.make = make
        self.shapes = shapes
        self.text = text
        self._nodes: dict[Goals, Node | None] = {}
        self._later: dict[Goals, Node] = {}
        self._characters = text.characters(ANY_CHARACTER)
        self._in_strings = AutomatonExpressions(make, text.characters)

    def node(self, goals: Goals, depth: int) -> Node:
        """The texts that satisfy goals; what is being built, or lies deep, is built when a text comes to it."""
        known = self._nodes.get(goals)
        if known is not None:
            return known
        if goals not in self.shapes.finished:
            return self.make.nothing
        if goals in self._nodes or depth > BUILT_AT_ONCE:
            return self.later(goals)
        self._nodes[goals] = None
        done = self.shapes.finished
        words: list[bytes] = []
        options: list[Node] = []
        for shape in self.shapes.of[goals]:
            word = self.text.only_spelling(shape.value) if isinstance(shape, Constant) else None
            if word is not None:
                words.append(word)
            elif possible(shape, done):
                options.append(self.shape(shape, depth + 1))
        options.append(one_of(self.make, words))
        node = self._nodes[goals] = self.make.choice(options)
        return node

    def later(self, goals: Goals) -> Node:
        """The same, built when a byte of it is asked for."""
        if goals not in self._later:
            shapes = [shape for shape in self.shapes.of[goals] if possible(shape, self.shapes.finished)]
            first = 0
            for shape in shapes:
                first |= self.first(shape)
            self._later[goals] = self.make.later(
                lambda byte: self.make.derivative(self.node(goals, 0), byte), nullable=False, first=first, texts=MANY
            )
        return self._later[goals]

    def first(self, shape: Shape) -> int:
        """The bytes that a value may begin with, as a set."""
        openings = {Array: b"[", Object: b"{"}
        opening = openings.get(type(shape))
        return 1 << opening[0] if opening else self.shape(shape, 0).first

    def shape(self, shape: Shape, depth: int) -> Node:
        """The texts of one shape."""
        if isinstance(shape, Constant):
            return self.text.constant(shape.value, "#")
        if isinstance(shape, Number):
            if shape.spellings is not None:
                return self._in_strings.of(shape.spellings)
            return read_regex(self.make, INTEGER if shape.whole else NUMBER)
        if isinstance(shape, String):
            inside = (
                self.make.repeat(self._characters, *shape.lengths)
                if shape.texts is None
                else self._in_strings.of(shape.texts)
            )
            return self.quoted(inside)
        return self.array(shape, depth) if isinstance(shape, Array) else self.object(shape, depth)

    def quoted(self, inside: Node) -> Node:
        quote = self.make.text(b'"')
        return self.make.sequence((quote, inside, quote))

    def array(self, shape: Array, depth: int) -> Node:
        """Items after the fixed ones all look alike, so one repeat stands for them."""
        make, least = self.make, shape.counts[0]
        limit = most_items(shape, self.shapes.finished)
        most = None if limit == float("inf") else int(limit)
        fixed = max(len(shape.first), 1) if most is None else min(max(len(shape.first), 1), most)

        def item(index: int) -> Node:
            node = self.node(shape.first[index] if index < len(shape.first) else shape.rest, depth)
            return make.sequence((self.text.comma, node)) if index else node

        tail = make.repeat(item(fixed), max(least - fixed, 0), None if most is None else most - fixed)
        for index in reversed(range(fixed)):
            tail = make.sequence((item(index), tail))
            tail = tail if index < least else make.optional(tail)
        return self.text.between(b"[", tail, b"]")

    def object(self, shape: Object, depth: int) -> Node:
        """Declared properties, each once, then others, as many as there may be."""
        done = self.shapes.finished
        items = [
            (name_of(name, "#"), self.value(goals, depth), required)
            for name, goals, required in shape.named
            if goals in done
        ]
        other = self.make.choice(
            self.make.sequence((self.quoted(self.name(names)), self.value(goals, depth)))
            for names, goals in shape.further
            if goals in done
        )
        end = self.make.sequence((self.text.gap, self.make.text(b"}")))
        members = _Members(self.make, self.text.comma, end, items, other, shape.sizes)
        return self.make.sequence((self.make.text(b"{"), self.text.gap, members.all()))

    def name(self, names: Automaton) -> Node:
        return self._in_strings.of(names)

    def value(self, goals: Goals, depth: int) -> Node:
        """What stands behind a name."""
        return self.make.sequence((self.text.colon, self.node(goals, depth)))


class _Members:
    """Properties in order, each required or not, then any number of others, then the end of the object.

    How many there are is counted where it matters. The comma belongs to every property but the first one present. What
    may follow a property is built when it is reached: each of many optional ones may be followed by any later. The end
    is part of it: were it a tail behind all properties, every node on the way would exist with it and without it.
    """

    def __init__(
        self,
        make: Expressions,
        comma: Node,
        end: Node,
        items: Sequence[tuple[bytes, Node, bool]],
        other: Node,
        sizes: tuple[int, int | None],
    ) -> None:
        self.make, self.comma, self.end, self.items, self.other = make, comma, end, items, other
        self.least, self.most = sizes
        self.counted = sizes != (0, None)
        last = len(items)
        self.needed = [0] * (last + 1)  # required ones from each on
        self.texts = [end.texts] * (last + 1)  # how many texts the properties from each on have, with the end
        follow = [1] * last  # how many the value of each and what is behind it have
        self.stop = [last] * (last + 1)  # after the next required one
        for index in reversed(range(last)):
            _, node, required = items[index]
            self.needed[index] = self.needed[index + 1] + required
            follow[index] = min(node.texts * comma.texts * self.texts[index + 1], MANY)
            self.texts[index] = min(follow[index] + (0 if required else self.texts[index + 1]), MANY)
            self.stop[index] = index + 1 if required else self.stop[index + 1]
        self.words = Words(make, [name for name, _, _ in items], follow)
        self.after: Callable[[int, int], Node] = cache(self._after)

    def all(self) -> Node:
        """All of them, from the first, and the end."""
        first = self.next_one(0, 0)
        return self.make.choice((first, self.end)) if self.may_end(0, 0) else first

    def count(self, count: int) -> int:
        """How many there are, as far as it matters."""
        return min(count, self.least if self.most is None else self.most + 1) if self.counted else min(count, 1)

    def next_ones(self, index: int, count: int) -> tuple[int, int]:
        """The properties from ``index`` on of which one may come next so that the object can still be complete.

        The later one is, the fewer are needed behind it, and the fewer there are.
        """
        stop = self.stop[index]
        if self.other is self.make.nothing:
            stop = min(stop, len(self.items) + count + 1 - self.least)
        start = index
        while self.most is not None and start < stop and count + 1 + self.needed[start + 1] > self.most:
            start += 1
        return start, max(start, stop)

    def others(self, index: int, count: int) -> bool:
        """Whether a property that is not declared may come next."""
        free = self.most is None or count < self.most
        return self.other is not self.make.nothing and free and not self.needed[index]

    def next_one(self, index: int, count: int) -> Node:
        """One more property and all that follows it, without the comma before it."""
        make, more = self.make, self.count(count + 1)

        def behind(at: int) -> Node:
            return make.sequence((self.items[at][1], self.after(at + 1, more)))

        options = [self.words.among(*self.next_ones(index, count), behind)]
        if self.others(index, count):
            options.append(make.sequence((self.other, self.after(len(self.items), more))))
        return make.choice(options)

    def may_end(self, index: int, count: int) -> bool:
        """Whether ``count`` properties are enough, where those before ``index`` are over."""
        return not self.needed[index] and count >= self.least

    def _after(self, index: int, count: int) -> Node:
        """What follows ``count`` properties, where those before ``index`` are over."""
        start, stop = self.next_ones(index, count)
        others, may_end = self.others(index, count), self.may_end(index, count)
        if not others and start == stop:
            return self.end

        def behind(byte: int) -> Node:
            more = self.make.sequence((self.make.derivative(self.comma, byte), self.next_one(index, count)))
            return self.make.choice((more, self.make.derivative(self.end, byte))) if may_end else more

        return self.make.later(
            behind,
            nullable=False,
            first=self.comma.first | (self.end.first if may_end else 0),
            texts=MANY if others else self.texts[index],
        )
