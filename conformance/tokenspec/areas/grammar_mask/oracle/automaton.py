"""A grammar as a non-deterministic automaton over bytes, made from the parse of a pattern of Python's ``re``.

It shares nothing with the reference, nor with the engines that are judged. A special token is one symbol of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from tokenspec.areas.fast_forward.oracle.patterns import data_in, pattern_of

SPECIAL = 256  # the symbol of a special token is this and its id
LAST_CHARACTER = 0x10FFFF
NO_CHARACTERS = (0xD800, 0xDFFF)
CATEGORIES = {
    "CATEGORY_DIGIT": [(0x30, 0x39)],
    "CATEGORY_WORD": [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
    "CATEGORY_SPACE": [(0x09, 0x0D), (0x20, 0x20)],
}
States = frozenset[int]
Ranges = list[tuple[int, int]]


class Automaton:
    """The texts of a grammar. States are sets, stepped by symbols; every state that is left leads to a text."""

    def __init__(self, grammar: Mapping[str, Any], special_ids: Mapping[str, int]) -> None:
        """Compile; raises ``ValueError`` for a pattern that this automaton cannot have."""
        self._edges: list[list[tuple[int, int, int]]] = []
        self._free: list[list[int]] = []
        self._special_ids = special_ids
        first = self._state()
        self._last = self._grammar(grammar, first)
        self._alive = self._leading()
        self.start = self._closed({first})
        self.step = lru_cache(maxsize=None)(self._step)

    def accepting(self, states: States) -> bool:
        """Whether the text may end here."""
        return self._last in states

    def symbols(self, states: States) -> set[int]:
        """What may come next."""
        return {
            symbol
            for state in states
            for low, high, to in self._edges[state]
            if to in self._alive
            for symbol in range(low, high + 1)
        }

    def after(self, states: States, symbols: Iterable[int]) -> States:
        """The states behind some symbols, none where they are not allowed."""
        for symbol in symbols:
            states = self.step(states, symbol)
            if not states:
                break
        return states

    def _step(self, states: States, symbol: int) -> States:
        return self._closed({to for state in states for low, high, to in self._edges[state] if low <= symbol <= high})

    def _closed(self, states: set[int]) -> States:
        found, waiting = set(states), list(states)
        while waiting:
            for to in self._free[waiting.pop()]:
                if to not in found:
                    found.add(to)
                    waiting.append(to)
        return frozenset(found & self._alive)

    def _leading(self) -> set[int]:
        """The states from which the last one can be reached."""
        back: list[set[int]] = [set() for _ in self._edges]
        for state, edges in enumerate(self._edges):
            for to in [*(to for _, _, to in edges), *self._free[state]]:
                back[to].add(state)
        found, waiting = {self._last}, [self._last]
        while waiting:
            fresh = back[waiting.pop()] - found
            found |= fresh
            waiting += fresh
        return found

    def _state(self) -> int:
        self._edges.append([])
        self._free.append([])
        return len(self._edges) - 1

    def _grammar(self, grammar: Mapping[str, Any], at: int) -> int:
        if "sequence" in grammar:
            for item in grammar["sequence"]:
                at = self._grammar(item, at)
            return at
        if "special" in grammar:
            return self._symbols([SPECIAL + self._special_ids[grammar["special"]]], at)
        if "literal" in grammar:
            return self._symbols(data_in(grammar["literal"]), at)
        if "alternatives" in grammar:
            return self._either(self._symbols(data_in(text), at) for text in grammar["alternatives"])
        parser = importlib.import_module("re._parser")
        return self._items(parser.parse(pattern_of(grammar), importlib.import_module("re").ASCII), at)

    def _symbols(self, symbols: Iterable[int], at: int) -> int:
        for symbol in symbols:
            to = self._state()
            self._edges[at].append((symbol, symbol, to))
            at = to
        return at

    def _either(self, ends: Iterable[int]) -> int:
        last = self._state()
        for end in list(ends):
            self._free[end].append(last)
        return last

    def _items(self, items: Iterable[tuple[Any, Any]], at: int) -> int:
        for name, argument in items:
            at = self._item(str(name), argument, at)
        return at

    def _item(self, name: str, argument: Any, at: int) -> int:
        match name:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self._characters(_ranges(name, argument), at)
            case "BRANCH":
                return self._either([self._items(items, at) for items in argument[1]])
            case "SUBPATTERN":
                return self._items(argument[-1], at)
            case "MAX_REPEAT":
                return self._repeated(argument, at)
            case "FAILURE":
                return self._state()
        raise ValueError(f"no {name} in this automaton")

    def _repeated(self, argument: tuple[Any, Any, Any], at: int) -> int:
        least, most, items = argument
        for _ in range(int(least)):
            at = self._items(items, at)
        if str(most) == "MAXREPEAT":
            entry = self._state()
            self._free[at].append(entry)
            self._free[self._items(items, entry)].append(entry)
            return entry
        ends = [at]
        for _ in range(int(most) - int(least)):
            inner = self._state()
            self._free[at].append(inner)
            at = self._items(items, inner)
            ends.append(at)
        return self._either(ends)

    def _characters(self, ranges: Ranges, at: int) -> int:
        last = self._state()
        for low, high in ranges:
            for sequence in _utf8(low, high):
                state = at
                for first, final in sequence[:-1]:
                    to = self._state()
                    self._edges[state].append((first, final, to))
                    state = to
                self._edges[state].append((*sequence[-1], last))
        return last


def _ranges(name: str, argument: Any) -> Ranges:
    if name == "ANY":
        return _others([(10, 10)])
    if name != "IN":
        return [(argument, argument)] if name == "LITERAL" else _others([(argument, argument)])
    negated, found = False, []
    for kind, value in argument:
        match str(kind):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found.append((value, value))
            case "RANGE":
                found.append(value)
            case "CATEGORY":
                plain = CATEGORIES.get(str(value).replace("_NOT", ""), [])
                found += _others(plain) if "_NOT" in str(value) else plain
    return _others(found) if negated else found


def _others(ranges: Ranges) -> Ranges:
    left, at = [], 0
    for low, high in sorted(ranges):
        if low > at:
            left.append((at, low - 1))
        at = max(at, high + 1)
    return [*left, (at, LAST_CHARACTER)] if at <= LAST_CHARACTER else left


def _utf8(low: int, high: int) -> Iterator[Ranges]:
    """The byte sequences of a range of characters, as ranges of bytes."""
    if low <= NO_CHARACTERS[1] and high >= NO_CHARACTERS[0]:
        if low < NO_CHARACTERS[0]:
            yield from _utf8(low, NO_CHARACTERS[0] - 1)
        if high > NO_CHARACTERS[1]:
            yield from _utf8(NO_CHARACTERS[1] + 1, high)
        return
    for edge in (0x7F, 0x7FF, 0xFFFF):
        if low <= edge < high:
            yield from _utf8(low, edge)
            yield from _utf8(edge + 1, high)
            return
    first, last = chr(low).encode(), chr(high).encode()
    for length in range(len(first) - 1, 0, -1):
        block = 64**length  # characters that share all bytes but the last ones
        if low // block != high // block:
            if low % block:
                yield from _utf8(low, low // block * block + block - 1)
                yield from _utf8(low // block * block + block, high)
                return
            if high % block != block - 1:
                yield from _utf8(low, high // block * block - 1)
                yield from _utf8(high // block * block, high)
                return
    yield list(zip(first, last, strict=True))
