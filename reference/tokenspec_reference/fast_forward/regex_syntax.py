r"""Reads the regular expressions that every peer reads the same way, and refuses the rest by name.

The whole text must match, so there are no anchors. ``\d``, ``\w`` and ``\s`` are the ASCII classes, ``.`` is any
character but a line feed, a negated class is any other character. There are no look-arounds, back references, flags
or lazy quantifiers: a set of texts has no use for them.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from tokenspec_reference.fast_forward.errors import InvalidGrammar
from tokenspec_reference.fast_forward.expression import Expressions, Node
from tokenspec_reference.fast_forward.utf8 import CodeRange, characters, complement

DIGITS = [(0x30, 0x39)]
WORD = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
SPACE = [(0x09, 0x0D), (0x20, 0x20)]
CLASSES: dict[str, list[CodeRange]] = {
    "d": DIGITS,
    "w": WORD,
    "s": SPACE,
    "D": complement(DIGITS),
    "W": complement(WORD),
    "S": complement(SPACE),
}
CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B}
HEX_DIGITS = {"x": 2, "u": 4}
MOST_REPEATS = 10_000
MOST_LEVELS = 64


class RegexSyntaxError(InvalidGrammar):
    """The pattern is not in the supported subset."""

    rejection_code = "invalid-grammar"


@dataclass
class _Reader:
    """A recursive-descent parser; one method per level of the grammar of patterns."""

    expressions: Expressions
    pattern: str
    at: int = 0
    depth: int = 0

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

    def choice(self) -> Node:
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        return self.expressions.choice(options)

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.atom()))
        return self.expressions.sequence(parts)

    def repeated(self, node: Node) -> Node:
        quantifier = self.peek()
        bounds: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if quantifier == "{":
            least, most = self.braces()
        elif quantifier in bounds:
            self.take()
            least, most = bounds[quantifier]
        else:
            return node
        if self.peek() and self.peek() in "?+*{":
            raise self.fail("lazy, possessive and doubled quantifiers are not supported")
        return self.expressions.repeat(node, least, most)

    def braces(self) -> tuple[int, int | None]:
        self.take()
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at : end].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()):
            raise self.fail("expected {m}, {m,} or {m,n}")
        self.at = end + 1
        least = int(low)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise self.fail(f"repeat counts must ascend and stay below {MOST_REPEATS}")
        return least, most

    def atom(self) -> Node:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            return characters(self.expressions, self.bracket())
        if char == ".":
            return characters(self.expressions, complement([(0x0A, 0x0A)]))
        if char == "\\":
            return characters(self.expressions, self.escape())
        if char in "^$":
            self.at -= 1
            raise self.fail("anchors are not supported: the whole text is matched")
        if char in "*+?{":
            self.at -= 1
            raise self.fail("nothing to repeat")
        return characters(self.expressions, [(ord(char), ord(char))])

    def group(self) -> Node:
        self.depth += 1
        if self.depth > MOST_LEVELS:
            raise self.fail(f"groups nested deeper than {MOST_LEVELS} levels")
        if self.peek() == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                raise self.fail("only (...) and (?:...) are supported, no look-around, name or flag")
            self.at += 2
        node = self.choice()
        if self.peek() != ")":
            raise self.fail("missing )")
        self.take()
        self.depth -= 1
        return node

    def escape(self) -> list[CodeRange]:
        char = self.take()
        if char in CLASSES:
            return CLASSES[char]
        code = CONTROLS.get(char)
        if code is None and char in HEX_DIGITS:
            digits = self.pattern[self.at : self.at + HEX_DIGITS[char]]
            if len(digits) < HEX_DIGITS[char] or not set(digits) <= set(string.hexdigits):
                raise self.fail(f"\\{char} needs {HEX_DIGITS[char]} hexadecimal digits")
            code = int(digits, 16)
            self.at += HEX_DIGITS[char]
        if code is None:
            if char.isalnum():
                raise self.fail(f"\\{char} is not supported")
            code = ord(char)
        return [(code, code)]

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
        return complement(ranges) if negated else ranges

    def bracket_item(self) -> list[CodeRange]:
        char = self.take()
        if char == "[" or self.pattern[self.at - 1 : self.at + 1] in ("&&", "--", "~~"):
            raise self.fail("write \\[ for a bracket in a class; class operations are not supported")
        return self.escape() if char == "\\" else [(ord(char), ord(char))]


def read_regex(expressions: Expressions, pattern: str) -> Node:
    """The expression of a pattern.

    Raises:
        RegexSyntaxError: the pattern uses something outside the subset; the text names it and its position.
    """
    reader = _Reader(expressions, pattern)
    node = reader.choice()
    if reader.at < len(pattern):
        raise reader.fail("unmatched )")
    return node
