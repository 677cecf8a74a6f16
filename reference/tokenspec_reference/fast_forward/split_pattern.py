r"""Reads the pattern by which a pre-tokenizer finds words, as far as it can be followed into an unknown future.

A class of characters (``\p{L}``, ``[^\r\n]``, ``(?i:s)``) stays the text it is: which characters belong to it is
asked of the tokenizer's own engine (``characters.py``), so no Unicode table is ours. What is read is how classes follow
each other. Whatever looks back, or more than one character ahead, is refused: then nothing is proven.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Engine = Literal["oniguruma", "fancy"]
Greed = Literal["greedy", "lazy", "possessive"]

GROUPS = ("(?:", "(?i:", "(?=", "(?!")
CLASS_ESCAPES = "sSdDwWhH"
CONTROL_ESCAPES = "rntfvae"
IN_BRACES = r"\{[^}]+\}"
LONG_ESCAPES = {"p": IN_BRACES, "P": IN_BRACES, "x": IN_BRACES + "|[0-9A-Fa-f]{2}", "u": IN_BRACES + "|[0-9A-Fa-f]{4}"}
JOINED_BY_FOLDING = ("ss", "ff", "fi", "fl", "st")  # two letters that one character may stand for where case is ignored
ASCII_BRACKET = re.compile(r"\[(?!\^)(?:[ -Z_-~\n\r\t\]]|\\[rntfv]|\\[^A-Za-z0-9\s])+\]")


class UnreadPattern(Exception):
    """The pattern uses something whose matches cannot be told from the characters seen so far."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One character out of class number ``index``."""

    index: int


@dataclass(frozen=True, slots=True)
class InTurn:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class FirstOf:
    """The first option that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``least`` to ``most`` times; None is without end."""

    part: Node
    least: int
    most: int | None
    greed: Greed


@dataclass(frozen=True, slots=True)
class Look:
    """What stands next: a character of the class, or (``negative``) none; no character of it is taken."""

    index: int
    negative: bool


@dataclass(frozen=True, slots=True)
class AtEnd:
    """The end of the text."""


Node = Atom | InTurn | FirstOf | Repeat | Look | AtEnd


@dataclass(frozen=True)
class SplitPattern:
    """A pattern: its tree, and its classes as patterns of one character."""

    root: Node
    classes: tuple[str, ...]


def read_split_pattern(pattern: str, engine: Engine) -> SplitPattern:
    """The tree of a pattern.

    Raises:
        UnreadPattern: naming what cannot be followed.
    """
    reader = _Reader(pattern, engine)
    root = reader.choice(ignore_case=False)
    if reader.at < len(pattern):
        raise reader.fail("unmatched )")
    if nullable(root):
        raise reader.fail("it matches the empty text")
    return SplitPattern(root, tuple(reader.classes))


def only_ascii(source: str) -> bool:
    """Whether a class has ASCII characters only; False where that cannot be told from its text."""
    return (len(source) == 1 and source.isascii() and source != ".") or bool(
        re.fullmatch(r"\\[rntfv]|\\[^A-Za-z0-9]", source) or ASCII_BRACKET.fullmatch(source)
    )


def nullable(node: Node) -> bool:
    """Whether it can match nothing."""
    match node:
        case Atom():
            return False
        case InTurn(parts):
            return all(map(nullable, parts))
        case FirstOf(options):
            return any(map(nullable, options))
        case Repeat(part, least, _, _):
            return least == 0 or nullable(part)
        case _:
            return True


def adjacent_classes(root: Node) -> frozenset[tuple[int, int]]:
    """The pairs of classes that may match neighbouring characters inside one match (Glushkov 1961)."""
    pairs: set[tuple[int, int]] = set()
    for part in _parts(root):
        if isinstance(part, InTurn):
            for index, left in enumerate(part.parts):
                for right in part.parts[index + 1 :]:
                    pairs.update((a, b) for a in _last(left) for b in _first(right))
                    if not nullable(right):
                        break
        elif isinstance(part, Repeat) and part.most != 1:
            pairs.update((a, b) for a in _last(part.part) for b in _first(part.part))
    return frozenset(pairs)


def _parts(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case InTurn(inner) | FirstOf(inner):
            for part in inner:
                yield from _parts(part)
        case Repeat(part, _, _, _):
            yield from _parts(part)


def _first(node: Node) -> set[int]:
    match node:
        case Atom(index):
            return {index}
        case InTurn(parts):
            found: set[int] = set()
            for part in parts:
                found |= _first(part)
                if not nullable(part):
                    break
            return found
        case FirstOf(options):
            return set().union(*map(_first, options))
        case Repeat(part, _, _, _):
            return _first(part)
        case _:
            return set()


def _last(node: Node) -> set[int]:
    match node:
        case Atom(index):
            return {index}
        case InTurn(parts):
            found: set[int] = set()
            for part in reversed(parts):
                found |= _last(part)
                if not nullable(part):
                    break
            return found
        case FirstOf(options):
            return set().union(*map(_last, options))
        case Repeat(part, _, _, _):
            return _last(part)
        case _:
            return set()


@dataclass
class _Reader:
    """A recursive-descent parser; one method per level."""

    pattern: str
    engine: Engine
    at: int = 0
    classes: list[str] = field(default_factory=list)

    def fail(self, what: str) -> UnreadPattern:
        return UnreadPattern(f"{what} at position {self.at} of {self.pattern!r}")

    def peek(self, length: int = 1) -> str:
        return self.pattern[self.at : self.at + length]

    def take(self) -> str:
        if self.at >= len(self.pattern):
            raise self.fail("the pattern ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def choice(self, *, ignore_case: bool) -> Node:
        options = [self.in_turn(ignore_case=ignore_case)]
        while self.peek() == "|":
            self.take()
            options.append(self.in_turn(ignore_case=ignore_case))
        return FirstOf(tuple(options)) if len(options) > 1 else options[0]

    def in_turn(self, *, ignore_case: bool) -> Node:
        parts: list[Node] = []
        start = self.at
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated(self.single(ignore_case=ignore_case)))
        spelled = self.pattern[start : self.at].lower()
        if ignore_case and (not spelled.isascii() or any(pair in spelled for pair in JOINED_BY_FOLDING)):
            raise self.fail("letters that one character may stand for where case is ignored")
        return parts[0] if len(parts) == 1 else InTurn(tuple(parts))

    def repeated(self, node: Node) -> Node:
        found = re.compile(r"([*+?]|\{\d+(?:,\d*)?\})([?+]?)").match(self.pattern, self.at)
        if found is None:
            return node
        self.at = found.end()
        counts, suffix = found.groups()
        if counts in "*+?":
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[counts]
        else:
            low, comma, high = counts[1:-1].partition(",")
            least, most = int(low), int(high) if high else None if comma else int(low)
            if suffix and self.engine == "oniguruma":
                raise self.fail("a count with a suffix")
        if isinstance(node, Look | AtEnd) or nullable(node):
            raise self.fail("a repetition of what may be empty")
        if self.peek() and self.peek() in "*+?{":
            raise self.fail("a doubled quantifier")
        return Repeat(node, least, most, {"": "greedy", "?": "lazy", "+": "possessive"}[suffix])  # type: ignore[arg-type]

    def single(self, *, ignore_case: bool) -> Node:
        char = self.peek()
        if char == "(":
            return self.group(ignore_case=ignore_case)
        if char in "^$":
            return self.anchor()
        if char in "*+?{":
            raise self.fail("nothing to repeat")
        return self.atom(self.class_source(), ignore_case=ignore_case)

    def anchor(self) -> AtEnd:
        """The end of the text, which ``$`` is to the engine of tiktoken only: to the other it is that of any line."""
        if self.engine == "oniguruma" or self.take() == "^":
            raise self.fail("an anchor")
        return AtEnd()

    def atom(self, source: str, *, ignore_case: bool) -> Atom:
        if ignore_case:
            source = f"(?i:{source})"
        if source not in self.classes:
            self.classes.append(source)
        return Atom(self.classes.index(source))

    def group(self, *, ignore_case: bool) -> Node:
        opening = next((known for known in GROUPS if self.pattern.startswith(known, self.at)), "(")
        if opening == "(" and self.peek(2) == "(?":
            raise self.fail("a look-behind, a flag, a name or an atomic group")
        self.at += len(opening)
        node = self.choice(ignore_case=ignore_case or opening == "(?i:")
        if self.take() != ")":
            raise self.fail("missing )")
        if opening not in ("(?=", "(?!"):
            return node
        if not isinstance(node, Atom):
            raise self.fail("a look-ahead over more than one character")
        return Look(node.index, negative=opening == "(?!")

    def class_source(self) -> str:
        """The text of one class of characters."""
        start = self.at
        char = self.take()
        if char == "\\":
            self.escape()
        elif char == "[":
            self.bracket()
        return self.pattern[start : self.at]

    def escape(self) -> None:
        char = self.take()
        if char in LONG_ESCAPES:
            found = re.compile(LONG_ESCAPES[char]).match(self.pattern, self.at)
            if found is None:
                raise self.fail("a broken escape")
            self.at = found.end()
        elif char.isalnum() and char not in CLASS_ESCAPES + CONTROL_ESCAPES:
            raise self.fail(f"\\{char}")

    def bracket(self) -> None:
        """To the bracket that closes the class; classes may stand in classes."""
        if self.peek() == "]" or self.peek(2) == "^]":
            raise self.fail("a class that begins with ]")
        while (char := self.take()) != "]":
            if char == "\\":
                self.escape()
            elif char == "[":
                if self.peek() == ":":
                    self.at = self.pattern.find(":]", self.at) + 2
                    if self.at == 1:
                        raise self.fail("a broken class")
                else:
                    self.bracket()
