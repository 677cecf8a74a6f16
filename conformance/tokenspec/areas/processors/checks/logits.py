"""Masked logits and packed words, place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.areas.processors.checks.asked import Asked, asking_steps, compare_rows
from tokenspec.areas.processors.oracle.scripts import NEGATIVE_INFINITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AREA, LOGITS = "processors", "LOGITS"


def words(row: str, dtype: str) -> list[str]:
    """The bit patterns of a row."""
    width = len(NEGATIVE_INFINITY[dtype])
    return [row[at : at + width] for at in range(0, len(row), width)]


def is_dead(asked: Asked, row: int, allowed: frozenset[int] | None) -> bool:
    """Ids are allowed, and all their logits are minus infinity."""
    given = words(asked.step["logits"][row], asked.step["dtype"])
    return allowed is not None and all(given[token] == NEGATIVE_INFINITY[asked.step["dtype"]] for token in allowed)


def masked_rows(subject: Subject) -> Iterator[tuple[Asked, int, frozenset[int] | None, list[str]]]:
    """Every applied row: the step, the row, what it allows, the bit patterns that came."""
    for asked in asking_steps(subject, "apply"):
        if asked.got.error is not None:
            raise Violation("refused", expected="masked logits", got=asked.got.error.code, where=asked.place)
        if asked.got.bits is None:
            raise NotGiven(f"no field bits in the answer to {asked.place}")
        for row in range(len(asked.step["logits"])):
            yield asked, row, asked.timeline.allowed(row), words(asked.got.bits[row], asked.step["dtype"])


def compare_places(
    subject: Subject, concerns: Callable[[Asked, int, frozenset[int] | None], list[int]], hint: str
) -> Applicability | None:
    """Compare the places that ``concerns`` picks on each row."""
    seen = False
    for asked, row, allowed, got in masked_rows(subject):
        want = words((asked.want.bits or [])[row], asked.step["dtype"])
        places = concerns(asked, row, allowed)
        seen = seen or bool(places)
        for token in places:
            if token >= len(got) or got[token] != want[token]:
                raise Violation(
                    "wrong bits",
                    expected=want[token],
                    got=got[token] if token < len(got) else "nothing",
                    where=f"{asked.place}, row {row}, id {token}, {asked.step['dtype']}",
                    hint=hint,
                )
    return None if seen else NOT_APPLICABLE


def banned_places(asked: Asked, allowed: frozenset[int] | None) -> list[int]:
    """Ids the row does not allow."""
    return [] if allowed is None else [token for token in range(asked.timeline.vocab_size) if token not in allowed]


@check("processors.mask.banned", area=AREA, level=LOGITS, requires=("PRC-010",), kind="golden")
def banned_is_minus_infinity(subject: Subject) -> Applicability | None:
    """Every banned logit is exactly minus infinity."""
    return compare_places(
        subject, lambda asked, _row, allowed: banned_places(asked, allowed), "write -inf, not a large negative number"
    )


@check("processors.mask.allowed", area=AREA, level=LOGITS, requires=("PRC-011",), kind="golden")
def allowed_keep_their_bits(subject: Subject) -> Applicability | None:
    """Every allowed logit keeps its bit pattern."""

    def places(asked: Asked, row: int, allowed: frozenset[int] | None) -> list[int]:
        return [] if allowed is None or is_dead(asked, row, allowed) else sorted(allowed)

    return compare_places(subject, places, "move bits, do not add a mask")


@check("processors.mask.free", area=AREA, level=LOGITS, requires=("PRC-014",), kind="golden")
def free_rows_are_left_alone(subject: Subject) -> Applicability | None:
    """A row without constraint keeps every bit."""
    return compare_places(
        subject,
        lambda asked, _row, allowed: list(range(asked.timeline.vocab_size)) if allowed is None else [],
        "everything allowed means nothing written, and nothing to be dead",
    )


@check("processors.mask.zeroed", area=AREA, level=LOGITS, requires=("PRC-013",), kind="golden")
def dead_rows_are_zeroed(subject: Subject) -> Applicability | None:
    """With on_dead zero the allowed logits of a dead row become +0.0."""

    def places(asked: Asked, row: int, allowed: frozenset[int] | None) -> list[int]:
        return sorted(allowed) if allowed is not None and is_dead(asked, row, allowed) else []

    return compare_places(subject, places, "a dead row samples from the constraint alone")


@check("processors.mask.strided", area=AREA, level=LOGITS, requires=("PRC-015",), kind="golden")
def strided_like_contiguous(subject: Subject) -> Applicability | None:
    """Strided logits are written in place, whatever their type."""
    return compare_places(
        subject,
        lambda asked, _row, _allowed: (
            list(range(asked.timeline.vocab_size)) if asked.step.get("layout") == "strided" else []
        ),
        "write through the strides, not into a contiguous copy",
    )


@check("processors.mask.packed", area=AREA, level=LOGITS, requires=("PRC-009",), kind="golden")
def packed_words(subject: Subject) -> Applicability | None:
    """Packed words: bit v % 32 of word v // 32, padding 0."""
    hint = "little end first, 1 allowed, padding bits 0, signed 32-bit words"
    return compare_rows(subject, ("bitmask",), lambda _asked, _row: True, hint)
