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
        shapes = [shape for shape in self.shapes.of[goals] if possible(shape, done)]
        node = self._nodes[goals] = self.make.choice(self.shape(shape, depth + 1) for shape in shapes)
        return node

    def later(self, goals: Goals) -> Node:
        """The same, built when a byte of it is asked for."""
        if goals not in self._later:
            shapes = [shape for shape in self.shapes.of[goals] if possible(shape, self.shapes.finished)]
            first = 0
            for shape in shapes:
                first |= self.first(shape)
            self._later[goals] = self.make.later(lambda: self.node(goals, 0), nullable=False, first=first, texts=MANY)
        return self._later[goals]

    def first(self, shape: Shape) -> int:
        """The bytes that a value may begin with, as a set."""
        openings = {String: b'"', Array: b"[", Object: b"{"}
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
            (self.pair(self.make.text(name_of(name, "#")), goals, depth), required)
            for name, goals, required in shape.named
            if goals in done
        ]
        other = self.make.choice(
            self.pair(self.quoted(self.name(names)), goals, depth) for names, goals in shape.further if goals in done
        )
        return self.text.between(b"{", _Members(self.make, self.text.comma, items, other, shape.sizes).all(), b"}")

    def name(self, names: Automaton) -> Node:
        return self._in_strings.of(names)

    def pair(self, name: Node, goals: Goals, depth: int) -> Node:
        return self.make.sequence((name, self.text.colon, self.node(goals, depth)))


class _Members:
    """Properties in order, each required or not, then any number of others; how many is counted where it matters.

    The comma belongs to every property but the first one present. What may follow a property is built when it is
    reached: each of many optional ones may be followed by any later.
    """

    def __init__(
        self,
        make: Expressions,
        comma: Node,
        items: Sequence[tuple[Node, bool]],
        other: Node,
        sizes: tuple[int, int | None],
    ) -> None:
        self.make, self.comma, self.items, self.other = make, comma, items, other
        self.least, self.most = sizes
        self.counted = sizes != (0, None)
        last = len(items)
        self.needed = [0] * (last + 1)  # required ones from each on
        self.texts = [1] * (last + 1)  # how many texts the properties from each on have
        self.stop = [last] * (last + 1)  # after the next required one
        for index in reversed(range(last)):
            node, required = items[index]
            self.needed[index] = self.needed[index + 1] + required
            more = node.texts * comma.texts * self.texts[index + 1]
            self.texts[index] = min(more + (0 if required else self.texts[index + 1]), MANY)
            self.stop[index] = index + 1 if required else self.stop[index + 1]
        self.after: Callable[[int, int], Node] = cache(self._after)

    def all(self) -> Node:
        """All of them, from the first."""
        return self.from_(0, 0)

    def count(self, count: int) -> int:
        """How many there are, as far as it matters."""
        return min(count, self.least if self.most is None else self.most + 1) if self.counted else min(count, 1)

    def possible(self, index: int, count: int) -> bool:
        """Whether properties from ``index`` on can make the object complete."""
        left = len(self.items) - index
        fits = self.most is None or count + self.needed[index] <= self.most
        return fits and (self.other is not self.make.nothing or count + left >= self.least)

    def from_(self, index: int, count: int) -> Node:
        make, options = self.make, []
        before = self.comma if count else make.empty
        more = self.count(count + 1)
        for at in range(index, len(self.items)):
            node, required = self.items[at]
            if self.possible(at + 1, count + 1):
                options.append(make.sequence((before, node, self.after(at + 1, more))))
            if required:
                return make.choice(options)
        if self.other is not make.nothing and (self.most is None or count < self.most):
            options.append(make.sequence((before, self.other, self.after(len(self.items), more))))
        if count >= self.least:
            options.append(make.empty)
        return make.choice(options)

    def _after(self, index: int, count: int) -> Node:
        """What follows ``count`` properties, where those before ``index`` are over."""
        others = self.other is not self.make.nothing and (self.most is None or count < self.most)
        if not others and not any(self.possible(at + 1, count + 1) for at in range(index, self.stop[index])):
            return self.make.empty
        return self.make.later(
            lambda: self.from_(index, count),
            nullable=self.needed[index] == 0 and count >= self.least,
            first=self.comma.first,
            texts=MANY if others else self.texts[index],
        )
