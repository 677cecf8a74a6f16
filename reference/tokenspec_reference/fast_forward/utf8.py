"""Ranges of code points as sequences of byte ranges: how a grammar over characters becomes one over bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenspec_reference.fast_forward.expression import Expressions, Node

LAST_CODE_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
LENGTH_LIMITS = (0x7F, 0x7FF, 0xFFFF, LAST_CODE_POINT)

CodeRange = tuple[int, int]


def byte_sequences(low: int, high: int) -> Iterator[tuple[CodeRange, ...]]:
    """Split ``low..high`` so that each part is a product of byte ranges.

    >>> [[(hex(a), hex(b)) for a, b in part] for part in byte_sequences(0x7F, 0x80)]
    [[('0x7f', '0x7f')], [('0xc2', '0xc2'), ('0x80', '0x80')]]
    """
    if low > high:
        return
    if low <= SURROGATES[1] and high >= SURROGATES[0]:
        yield from byte_sequences(low, SURROGATES[0] - 1)
        yield from byte_sequences(SURROGATES[1] + 1, high)
        return
    for limit in LENGTH_LIMITS:
        if low <= limit < high:
            yield from byte_sequences(low, limit)
            yield from byte_sequences(limit + 1, high)
            return
    for continuation_bits in (6, 12, 18):
        block = (1 << continuation_bits) - 1
        if high <= 0x7F or low & ~block == high & ~block:
            continue
        if low & block:
            yield from byte_sequences(low, low | block)
            yield from byte_sequences((low | block) + 1, high)
            return
        if high & block != block:
            yield from byte_sequences(low, (high & ~block) - 1)
            yield from byte_sequences(high & ~block, high)
            return
    yield tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))


def characters(expressions: Expressions, ranges: Sequence[CodeRange]) -> Node:
    """One character out of the ranges, as an expression over its UTF-8 bytes."""
    return expressions.choice(
        expressions.sequence(expressions.byte_range(*pair) for pair in part)
        for low, high in merged(ranges)
        for part in byte_sequences(low, high)
    )


def merged(ranges: Sequence[CodeRange]) -> list[CodeRange]:
    """Sorted, without overlaps.

    >>> merged([(5, 9), (1, 2), (3, 6)])
    [(1, 9)]
    """
    result: list[CodeRange] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return result


def complement(ranges: Sequence[CodeRange]) -> list[CodeRange]:
    """Every other code point.

    >>> complement([(0, 9), (11, 0x10FFFF)])
    [(10, 10)]
    """
    result: list[CodeRange] = []
    start = 0
    for low, high in merged(ranges):
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST_CODE_POINT:
        result.append((start, LAST_CODE_POINT))
    return result
