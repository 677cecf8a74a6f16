r"""Reads regular expressions as far as they describe a set of texts, and refuses the rest by name.

``\d`` and ``\w`` are the ASCII classes, ``.`` is any character but a line feed, a negated class is any other character.
Two dialects differ in ``\s`` and ``.``: that of grammars, where both are about ASCII, and that of ECMA 262, which JSON
schemas use. There are no back references, word boundaries, possessive quantifiers or atomic groups.
"""

from __future__ import annotations

import string
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
        return RegexSyntaxError(f"{what} at position {self.at} of {self.pattern!r}", field="regex")

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
        self.take()
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at : end].partition(",")
        if end < 0 or not _is_count(low) or (high and not _is_count(high)):
            raise self.fail("expected {m}, {m,} or {m,n}")
        self.at = end + 1
        least = int(low)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
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
            self.at -= 1
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
        if self.peek() != ")":
            raise self.fail("missing )")
        self.take()
        self.depth -= 1
        self.any_case, self.line_ends = outside
        return part if ahead is None else Ahead(part, negative=ahead)

    def opened(self) -> bool:
        """What stands between ``(?`` and the pattern of a group: a name or flags; False where there is no pattern."""
        self.take()
        end = self.at
        while end < len(self.pattern) and self.pattern[end] not in ":)>":
            end += 1
        head, close = self.pattern[self.at : end], self.pattern[end : end + 1]
        name = head.removeprefix("P").removeprefix("<")
        if close == ">" and head in (f"<{name}", f"P<{name}") and name.isidentifier():
            self.at = end + 1
            return True
        on, _, off = head.partition("-")
        if close not in (":", ")") or not close or set(on + off) - set("isu") or (close == ")" and not head):
            raise self.fail("only (...), (?:...), names, look-ahead, and the flags i, s and u are supported")
        self.at = end + 1
        if "i" in on + off:
            self.any_case = "i" not in off
        if "s" in on + off:
            self.line_ends = () if "s" not in off else LINE_FEED
        return close == ":"

    def escape(self) -> list[CodeRange]:
        char = self.take()
        if char in self.classes:
            return self.classes[char]
        if char in "pP":
            return self.property(negated=char == "P")
        code = CONTROLS.get(char)
        if code is None and char in HEX_DIGITS:
            code = self.hexadecimal(char)
        if code is None:
            if char.isalnum():
                raise self.fail(f"\\{char} is not supported")
            code = ord(char)
        return [(code, code)]

    def hexadecimal(self, kind: str) -> int:
        size = HEX_DIGITS[kind]
        digits = self.pattern[self.at : self.at + size]
        whole = len(digits) == size
        if self.peek() == "{":
            digits, closed, _ = self.pattern[self.at + 1 : self.at + 8].partition("}")
            size, whole = len(digits) + 2, bool(closed and digits)
        if not whole or not set(digits) <= set(string.hexdigits):
            raise self.fail(f"\\{kind} needs {HEX_DIGITS[kind]} hexadecimal digits, or some in braces")
        if int(digits, 16) > LAST_CODE_POINT:
            raise self.fail("there is no such character")
        self.at += size
        return int(digits, 16)

    def property(self, *, negated: bool) -> list[CodeRange]:
        name = self.take()
        if name == "{":
            name, closed, _ = self.pattern[self.at :].partition("}")
            if not closed:
                raise self.fail("missing }")
            self.at += len(name) + 1
        if name.startswith("^"):
            name, negated = name[1:], not negated
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
            low = self.bracket_item()
            if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.take()
                high = self.bracket_item()
                (first, *_), (last, *_) = low, high
                if low != [(first[0], first[0])] or high != [(last[0], last[0])] or last < first:
                    raise self.fail("a range needs two ascending characters")
                low = [(first[0], last[0])]
            ranges += low
        self.take()
        ranges = without_case(ranges) if self.any_case else ranges
        return complement(ranges) if negated else ranges

    def bracket_item(self) -> list[CodeRange]:
        char = self.take()
        if char == "[" and self.peek() == ":":
            return self.posix()
        if char == "[" or self.pattern[self.at - 1 : self.at + 1] in ("&&", "--", "~~"):
            raise self.fail("write \\[ for a bracket in a class; class operations are not supported")
        return self.escape() if char == "\\" else [(ord(char), ord(char))]

    def posix(self) -> list[CodeRange]:
        name, closed, _ = self.pattern[self.at + 1 :].partition(":]")
        negated = name.startswith("^")
        ranges = POSIX.get(name.removeprefix("^"))
        if not closed or ranges is None:
            raise self.fail(f"expected a POSIX class: {', '.join(POSIX)}")
        self.at += len(name) + 3
        return complement(ranges) if negated else ranges


def _is_count(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) < 10


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
        raise RegexSyntaxError(f"{error.args[0]}: {pattern!r}", field="regex") from None
    make = AutomatonExpressions(expressions, lambda ranges: characters(expressions, ranges))
    return make.of(automaton)
