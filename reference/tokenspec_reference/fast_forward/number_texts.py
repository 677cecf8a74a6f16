"""The decimal spellings of the numbers within bounds, and of the multiples of a number.

A number is read digit by digit. Against each bound it is so far below, equal or above, and the digits that are left of
the bound decide; of a multiple only the remainder has to be known. With bounds there is no exponent: how far it shifts
the digits before it would take endless memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm

from tokenspec_reference.fast_forward.automaton import NO_TEXT, Automaton, explored

ZERO = ord("0")


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``low`` to ``high``; None has no bound, an open bound is not itself a member."""

    low: Decimal | None = None
    high: Decimal | None = None
    low_open: bool = False
    high_open: bool = False

    def cut(self, other: Range) -> Range:
        """The numbers of both."""
        low, low_open = max(
            ((r.low, r.low_open) for r in (self, other) if r.low is not None), default=(None, False), key=_tight_low
        )
        high, high_open = min(
            ((r.high, not r.high_open) for r in (self, other) if r.high is not None), default=(None, True)
        )
        return Range(low, high, low_open, not high_open)

    def contains(self, value: Decimal) -> bool:
        """Whether a number is within the bounds."""
        above = self.low is None or value > self.low or (value == self.low and not self.low_open)
        return above and (self.high is None or value < self.high or (value == self.high and not self.high_open))


EVERYTHING = Range()


def _tight_low(bound: tuple[Decimal | None, bool]) -> tuple[Decimal, bool]:
    return bound[0] or Decimal(0), bound[1]


def common_multiple(numbers: Iterable[Fraction]) -> Fraction | None:
    """The least number that is a multiple of all; None of none."""
    result: Fraction | None = None
    for number in numbers:
        if result is None:
            result = number
        else:
            bottom = lcm(result.denominator, number.denominator)
            result = Fraction(lcm(int(result * bottom), int(number * bottom)), bottom)
    return result


def _scaled(multiple: Fraction) -> tuple[int, int]:
    """The decimals of a number, and the number without its point."""
    scale = 0
    while (multiple * 10**scale).denominator > 1:
        scale += 1
    return scale, int(multiple * 10**scale)


def remainders(multiple: Fraction) -> int:
    """How many remainders have to be told apart to know the multiples of a number; it has to end as a decimal."""
    scale, divisor = _scaled(multiple)
    return divisor * (scale + 1)


def within(bounds: Range, multiple: Fraction | None, *, whole: bool, uneven: bool = False) -> Automaton:
    """The spellings of the numbers within bounds that are multiples of ``multiple``.

    ``whole`` numbers have no fraction, ``uneven`` ones one that is not zero. A multiple has as many
    decimals at most as the number it is a multiple of. With a bound zero has no sign.
    """
    positive = _magnitudes(bounds, multiple, whole=whole, uneven=uneven)
    mirrored = Range(_minus(bounds.high), _minus(bounds.low), bounds.high_open, bounds.low_open)
    unsigned = mirrored if bounds == EVERYTHING else mirrored.cut(Range(low=Decimal(0), low_open=True))
    negative = _magnitudes(unsigned, multiple, whole=whole, uneven=uneven)
    size = len(positive.edges)

    def moves(state: int) -> Iterable[tuple[int, int, int]]:
        if state == 0 and negative:
            yield ord("-"), ord("-"), size
        if positive and state < size:
            yield from positive.edges[state]
        elif state >= size:
            for low, high, target in negative.edges[state - size]:
                yield low, high, target + size

    def accepts(state: int) -> bool:
        return positive.accepting[state] if state < size else negative.accepting[state - size]

    if not positive:  # the first state is still needed, for the sign
        size = 1
        return explored(0, moves, lambda state: state > 0 and negative.accepting[state - 1])
    return explored(0, moves, accepts)


def _minus(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.copy_negate()  # ``-value`` would round


@dataclass(frozen=True, slots=True)
class _Bound:
    """Digits of a bound that is not negative, and how a number compares with it so far: -1, 0 or 1."""

    whole: str
    fraction: str

    def ended(self, count: int, compared: int) -> int:
        """The comparison when ``count`` whole digits are all."""
        return compared if count == len(self.whole) else -1 if count < len(self.whole) else 1


def _bound(value: Decimal) -> _Bound:
    whole, _, fraction = f"{value.copy_abs():f}".partition(".")  # zero may have a sign
    return _Bound(whole, fraction.rstrip("0"))


FRACTIONS = ("fraction", "uneven")
State = tuple[str, int, tuple[int, ...], int]
"""A phase (start, zero, whole, point, fraction, uneven), digits in it up to a cap, comparisons, and the remainder."""


def _magnitudes(bounds: Range, multiple: Fraction | None, *, whole: bool, uneven: bool) -> Automaton:
    """Spellings without sign."""
    if bounds.high is not None and bounds.high < 0:
        return NO_TEXT
    low = bounds.low if bounds.low is not None and (bounds.low > 0 or (bounds.low == 0 and bounds.low_open)) else None
    known = [_bound(value) for value in (low, bounds.high) if value is not None]
    wanted = [] if low is None else [(0, 1) if not bounds.low_open else (1,)]
    wanted += [] if bounds.high is None else [(-1,) if bounds.high_open else (-1, 0)]
    return _Magnitudes(known, wanted, multiple, whole=whole, uneven=uneven).automaton()


class _Magnitudes:
    """The automaton of unsigned numbers that compare with some bounds in the ways wanted."""

    def __init__(
        self,
        bounds: Sequence[_Bound],
        wanted: Sequence[Sequence[int]],
        multiple: Fraction | None,
        *,
        whole: bool,
        uneven: bool,
    ) -> None:
        self.bounds, self.wanted, self.uneven = bounds, wanted, uneven
        self.decimals = 0 if whole else None
        self.most = max((len(bound.whole) for bound in bounds), default=0) + 1
        self.longest = max((len(bound.fraction) for bound in bounds), default=0)
        self.scale, self.divisor = (0, 1) if multiple is None else _scaled(multiple)
        if multiple is not None:
            self.decimals = 0 if whole else self.scale

    def automaton(self) -> Automaton:
        return explored(("start", 0, (0,) * len(self.bounds), 0), self.moves, self.accepts)

    def moves(self, state: State) -> Iterable[tuple[int, int, State]]:
        phase, count, compared, remainder = state
        if phase in ("zero", "whole") and self.decimals != 0:
            ends = tuple(b.ended(count, c) for b, c in zip(self.bounds, compared, strict=True))
            yield ord("."), ord("."), ("point", 0, ends, remainder)
        if phase == "zero" or (phase in FRACTIONS and count == self.decimals):
            return
        for digit in range(10):
            left = (remainder * 10 + digit) % self.divisor
            if phase in ("start", "whole"):
                after = tuple(
                    c or _sign(digit - int(b.whole[count])) if count < len(b.whole) else c
                    for b, c in zip(self.bounds, compared, strict=True)
                )
                following = "zero" if phase == "start" and digit == 0 else "whole"
                target = (following, min(count + 1, self.most), after, left)
            else:
                after = tuple(
                    c or _sign(digit - (int(b.fraction[count]) if count < len(b.fraction) else 0))
                    for b, c in zip(self.bounds, compared, strict=True)
                )
                cap = max(self.longest, self.decimals or 0)
                following = "uneven" if digit or phase == "uneven" else "fraction"
                target = (following if self.uneven else "fraction", min(count + 1, cap), after, left)
            yield ZERO + digit, ZERO + digit, target

    def accepts(self, state: State) -> bool:
        phase, count, compared, remainder = state
        if phase in ("start", "point") or (self.uneven and phase != "uneven"):
            return False
        digits = count if phase in FRACTIONS else 0
        if self.divisor > 1 and remainder * 10 ** (self.scale - digits) % self.divisor:
            return False
        for bound, so_far, wanted in zip(self.bounds, compared, self.wanted, strict=True):
            now = so_far if phase in FRACTIONS else bound.ended(count, so_far)
            rest = bound.fraction[digits:]
            if (now or (-1 if rest else 0)) not in wanted:
                return False
        return True


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)
