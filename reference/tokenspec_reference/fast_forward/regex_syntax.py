r"""Reads regular expressions as far as they describe a set of texts, and refuses the rest by name.

``\d`` and ``\w`` are the ASCII classes, ``.`` is any character but a line feed, a negated class is any other character.
Two dialects differ in ``\s`` and ``.``: that of grammars, where both are about ASCII, and that of ECMA 262, which JSON
schemas use. There are no back references, word boundaries, possessive quantifiers or atomic groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tokenspec_reference.fast_forward.automaton import TooManyStates
from tokenspec_reference.fast_forward.automaton_expression import AutomatonExpressions
from tokenspec_reference.fast_forward.character_classes import (
    CLASSES,
    EVERY_SPACE,
    POSIX,
    of_property,
    without_case,
)
from tokenspec_reference.fast_forward.errors import InvalidGrammar
from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.pattern import (
    EMPTY,
    Ahead,
    Characters,
    Choice,
    Edge,
    Pattern,
    Repeat,
    Sequence,
    expression_of,
    is_plain,
    without_outer_edges,
)
from tokenspec_reference.fast_forward.pattern_automaton import automaton_of
from tokenspec_reference.fast_forward.utf8 import LAST_CODE_POINT, SURROGATES, CodeRange, characters, complement

CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B}
HEX_DIGITS = {"x": 2, "u": 4}
COUNTS = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\}")
FLAGS = re.compile("\\?([isu]*)-?([isu]*)([:)])")
NAME = re.compile(r"\?P?<([^>]*)>")
LINE_FEED: tuple[CodeRange, ...] = ((0x0A, 0x0A),)
LINE_ENDS: tuple[CodeRange, ...] = (*LINE_FEED, (0x0D, 0x0D), (0x2028, 0x2029))
TEXT_EDGES = {"A": False, "z": True}
LOOKS_AHEAD = {"?=": False, "?!": True}
MOST_REPEATS = 10_000
MOST_LEVELS = 64


class RegexSyntaxError(InvalidGrammar):
    """The pattern is not in the supported subset."""

    rejection_code = "invalid-grammar"


@dataclass
class _Reader:
    """A recursive-descent parser; one method per level of the grammar of patterns."""

    pattern: str
    classes: Mapping[str, list[CodeRange]]
    line_ends: tuple[CodeRange, ...]
    at: int = 0
    depth: int = 0
    any_case: bool = False

    def fail(self, what: str) -> RegexSyntaxError:
        return RegexSyntaxError(f"{what} at position {self.at} of {self.pattern!r}")

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        if not char:
            raise self.fail("the pattern ends too early")
        self.at += 1
        return char

    def characters(self, ranges: list[CodeRange]) -> Pattern:
        return Characters(tuple(without_case(ranges) if self.any_case else ranges))

    def choice(self) -> Pattern:
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        return Choice(tuple(options)) if len(options) > 1 else options[0]

    def sequence(self) -> Pattern:
        parts: list[Pattern] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.atom()))
        return Sequence(tuple(parts)) if len(parts) != 1 else parts[0]

    def repeated(self, part: Pattern) -> Pattern:
        quantifier = self.peek()
        bounds: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if quantifier == "{":
            least, most = self.braces()
        elif quantifier in bounds:
            self.take()
            least, most = bounds[quantifier]
        else:
            return part
        if isinstance(part, Edge | Ahead):
            raise self.fail("nothing to repeat")
        if self.peek() == "?":  # lazy: the same texts, found in another order
            self.take()
        return Repeat(part, least, most)

    def braces(self) -> tuple[int, int | None]:
        found = COUNTS.match(self.pattern, self.at)
        if found is None:
            raise self.fail("expected {m}, {m,} or {m,n}")
        self.at = found.end()
        low, comma, high = found.groups()
        least = int(low)
        most = int(high) if high else None if comma else least
        if max(least, most or least) > MOST_REPEATS or (most is not None and most < least):
            raise self.fail(f"repeat counts must ascend and stay below {MOST_REPEATS}")
        return least, most

    def atom(self) -> Pattern:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            return self.characters(self.bracket())
        if char == ".":
            return self.characters(complement(self.line_ends))
        if char == "\\":
            if self.peek() in TEXT_EDGES:
                return Edge(TEXT_EDGES[self.take()])
            return self.characters(self.escape())
        if char in "^$":
            return Edge(char == "$")
        if char in "*+?{":
            raise self.fail("nothing to repeat; possessive and doubled quantifiers are not supported")
        return self.characters([(ord(char), ord(char))])

    def group(self) -> Pattern:
        self.depth += 1
        if self.depth > MOST_LEVELS:
            raise self.fail(f"groups nested deeper than {MOST_LEVELS} levels")
        outside = self.any_case, self.line_ends
        ahead: bool | None = None
        if self.peek() == "?":
            if self.pattern[self.at : self.at + 2] in LOOKS_AHEAD:
                ahead = LOOKS_AHEAD[self.pattern[self.at : self.at + 2]]
                self.at += 2
            elif not self.opened():  # flags for the rest of the group around
                self.depth -= 1
                return EMPTY
        part = self.choice()
        self.take()  # what ends it
        self.depth -= 1
        self.any_case, self.line_ends = outside
        return part if ahead is None else Ahead(part, negative=ahead)

    def opened(self) -> bool:
        """What stands between ``(`` and the pattern of a group: a name or flags; False where there is no pattern."""
        name = NAME.match(self.pattern, self.at)
        if name is not None and name[1].isidentifier():
            self.at = name.end()
            return True
        flags = FLAGS.match(self.pattern, self.at)
        if flags is None or flags[0] == "?)":
            raise self.fail("only (...), (?:...), names, look-ahead, and the flags i, s and u are supported")
        self.at = flags.end()
        on, off, close = flags.groups()
        if "i" in on + off:
            self.any_case = "i" not in off
        if "s" in on + off:
            self.line_ends = () if "s" not in off else LINE_FEED
        return bool(close == ":")

    def escape(self) -> list[CodeRange]:
        char = self.take()
        if char in self.classes:
            return self.classes[char]
        if char in "pP":
            return self.property(negated=char == "P")
        code = self.hexadecimal(char) if char in HEX_DIGITS else CONTROLS.get(char)
        if code is None:
            if char.isalnum():
                raise self.fail(f"\\{char} is not supported")
            code = ord(char)
        return [(code, code)]

    def hexadecimal(self, kind: str) -> int:
        size = HEX_DIGITS[kind]
        found = re.compile(rf"\{{([0-9A-Fa-f]{{1,6}})\}}|([0-9A-Fa-f]{{{size}}})").match(self.pattern, self.at)
        if found is None:
            raise self.fail(f"\\{kind} needs {size} hexadecimal digits, or up to six in braces")
        self.at = found.end()
        code = int(found[1] or found[2], 16)
        if code > LAST_CODE_POINT:
            raise self.fail("there is no such character")
        return code

    def property(self, *, negated: bool) -> list[CodeRange]:
        name = self.take()
        if name == "{":
            name, closed, _ = self.pattern[self.at :].partition("}")
            if not closed:
                raise self.fail("missing }")
            self.at += len(name) + 1
        ranges = of_property(name)
        if ranges is None:
            raise self.fail(f"the property {name!r} is not supported; general categories are (L, Lu, Nd, ...)")
        return complement([*ranges, SURROGATES]) if negated else ranges

    def bracket(self) -> list[CodeRange]:
        negated = self.peek() == "^"
        if negated:
            self.take()
        ranges: list[CodeRange] = []
        while self.peek() != "]" or not ranges:
            item = self.bracket_item()
            if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] != "]":
                self.no_operation()
                self.take()
                low, high = self.only(item), self.only(self.bracket_item())
                if high < low:
                    raise self.fail("a range needs ascending characters")
                item = [(low, high)]
            ranges += item
        self.take()
        ranges = without_case(ranges) if self.any_case else ranges
        return complement(ranges) if negated else ranges

    def only(self, ranges: list[CodeRange]) -> int:
        if sum(high - low + 1 for low, high in ranges) != 1:
            raise self.fail("a range needs two characters")
        return ranges[0][0]

    def no_operation(self) -> None:
        if self.pattern[self.at : self.at + 2] in ("&&", "--", "~~"):
            raise self.fail("class operations are not supported")

    def bracket_item(self) -> list[CodeRange]:
        self.no_operation()
        char = self.take()
        if char == "[" and self.peek() == ":":
            return self.posix()
        if char == "[":
            raise self.fail("write \\[ for a bracket in a class; class operations are not supported")
        return self.escape() if char == "\\" else [(ord(char), ord(char))]

    def posix(self) -> list[CodeRange]:
        name, _, _ = self.pattern[self.at + 1 :].partition(":]")
        negated = name.startswith("^")
        ranges = POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise self.fail(f"expected a POSIX class: {', '.join(POSIX)}")
        self.at += len(name) + 3
        return complement(ranges) if negated else ranges


def read_pattern(pattern: str, *, ecma: bool = False) -> Pattern:
    """A pattern as data; ``ecma`` is the dialect of JSON schemas.

    Raises:
        RegexSyntaxError: the pattern uses something outside the subset; the text names it and its position.
    """
    spaces = {"s": EVERY_SPACE, "S": complement(EVERY_SPACE)}
    reader = _Reader(pattern, {**CLASSES, **spaces} if ecma else CLASSES, LINE_ENDS if ecma else LINE_FEED)
    read = reader.choice()
    if reader.at < len(pattern):
        raise reader.fail("unmatched )")
    return read


def read_regex(expressions: Expressions, pattern: str) -> Node:
    """The expression of a pattern that the whole text matches.

    Raises:
        RegexSyntaxError: the pattern uses something outside the subset, or needs too many states.
    """
    read = without_outer_edges(read_pattern(pattern))
    if is_plain(read):
        return expression_of(expressions, read)
    try:
        automaton = automaton_of(read, anywhere=False)
    except TooManyStates as error:
        raise RegexSyntaxError(f"{error.args[0]}: {pattern!r}") from None
    make = AutomatonExpressions(expressions, lambda ranges: characters(expressions, ranges))
    return make.of(automaton)
