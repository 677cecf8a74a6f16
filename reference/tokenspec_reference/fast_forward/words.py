"""One out of many byte strings, each with what follows it: a trie whose nodes are runs of one sorted list.

``Expressions.choice`` of the same strings has the same texts. It looks at all of them for every byte; here a byte is
looked up, and an expression is made only where a text comes to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tokenspec_reference.fast_forward.expression import MANY, Expressions, Node

Follow = Callable[[int], Node]


class Words:
    """Byte strings with numbers; ``among`` is a choice of those with neighbouring numbers."""

    def __init__(self, make: Expressions, words: Sequence[bytes], texts: Sequence[int] | None = None) -> None:
        """Take the strings.

        Args:
            make: where expressions are built.
            words: distinct strings; their places are their numbers.
            texts: how many texts follow each, never too few; None where it is one.
        """
        self.make, self.words = make, words
        self.texts = [1] * len(words) if texts is None else texts
        self.order = sorted(range(len(words)), key=words.__getitem__)
        self.root = _Run(self, 0, len(words), 0)

    def among(self, start: int, stop: int, follow: Follow) -> Node:
        """Any string from number ``start`` up to before ``stop``, and behind it what ``follow`` says of its number."""
        return self.of(self.root, 0, _Window(start, stop, follow))

    def of(self, run: _Run, depth: int, window: _Window) -> Node:
        """The strings of a run without their first ``depth`` bytes."""
        make = self.make
        low, high = bisect_left(run.numbers, window.start), bisect_left(run.numbers, window.stop)
        if low == high:
            return make.nothing
        if low + 1 == high:
            number = run.numbers[low]
            return make.sequence((make.text(self.words[number][depth:]), window.follow(number)))
        first = 0
        for byte, inner in run.branches.items():
            if inner.has_any(window):
                first |= 1 << byte
        texts = run.texts[high] - run.texts[low]
        ended = run.ended if run.ended is not None and window.start <= run.ended < window.stop else None
        if ended is not None:
            texts -= self.texts[ended]

        rest = make.later(_Rest(self, run, window), nullable=False, first=first, texts=min(texts, MANY))
        if ended is not None:
            rest = make.choice((rest, window.follow(ended)))
        return make.sequence((make.text(run.beginning[depth:]), rest))


def one_of(make: Expressions, words: Iterable[bytes]) -> Node:
    """Any of the strings, and nothing behind it."""
    distinct = list(dict.fromkeys(words))
    return Words(make, distinct).among(0, len(distinct), lambda _: make.empty)


@dataclass(frozen=True, slots=True)
class _Window:
    """Numbers, and what follows them."""

    start: int
    stop: int
    follow: Follow


@dataclass(frozen=True, slots=True)
class _Rest:
    """What follows the beginning of a run, by the next byte; one small object, as there is one for each place met."""

    words: Words
    run: _Run
    window: _Window

    def __call__(self, byte: int) -> Node:
        return self.words.of(self.run.branches[byte], self.run.size + 1, self.window)


class _Run:
    """The strings at ``low`` to ``high`` of the order, which share their first ``depth`` bytes at least."""

    def __init__(self, words: Words, low: int, high: int, depth: int) -> None:
        self.of, self.low, self.high, self.depth = words, low, high, depth

    @cached_property
    def numbers(self) -> list[int]:
        return sorted(self.of.order[self.low : self.high])

    @cached_property
    def texts(self) -> list[int]:
        """How many texts the first of ``numbers`` have together."""
        return list(accumulate((self.of.texts[number] for number in self.numbers), initial=0))

    @cached_property
    def beginning(self) -> bytes:
        """What all of them begin with: the first and the last do."""
        first, last = (self.of.words[self.of.order[at]] for at in (self.low, self.high - 1))
        size = next(
            (at for at in range(self.depth, len(first)) if at == len(last) or first[at] != last[at]), len(first)
        )
        return first[:size]

    @property
    def size(self) -> int:
        return len(self.beginning)

    @cached_property
    def ended(self) -> int | None:
        """The number of the string that is the beginning and no more."""
        number = self.of.order[self.low]
        return number if len(self.of.words[number]) == self.size else None

    @cached_property
    def branches(self) -> dict[int, _Run]:
        """By the byte behind the beginning."""
        words, order, size = self.of.words, self.of.order, self.size
        found: dict[int, _Run] = {}
        low = self.low + (self.ended is not None)
        while low < self.high:
            byte = words[order[low]][size]
            end = bisect_left(range(low, self.high), byte + 1, key=lambda at: words[order[at]][size]) + low
            found[byte] = _Run(self.of, low, end, size + 1)
            low = end
        return found

    def has_any(self, window: _Window) -> bool:
        """Whether a number of the window is among them."""
        at = bisect_left(self.numbers, window.start)
        return at < len(self.numbers) and self.numbers[at] < window.stop
