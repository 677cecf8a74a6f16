"""Masked logits and packed words, place by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec.areas.check import Question, Subject, Violation, check
from tokenspec.areas.processors.checks.asked import Asked, Rows, answered, answers, asking_steps
from tokenspec.areas.processors.oracle.scripts import NEGATIVE_INFINITY

if TYPE_CHECKING:
    from collections.abc import Callable

AREA, LOGITS = "processors", "LOGITS"


def words(row: str, dtype: str) -> list[str]:
    """The bit patterns of a row."""
    width = len(NEGATIVE_INFINITY[dtype])
    return [row[at : at + width] for at in range(0, len(row), width)]


def is_dead(asked: Asked, row: int, allowed: frozenset[int] | None) -> bool:
    """Ids are allowed, and all their logits are minus infinity."""
    given = words(asked.step["logits"][row], asked.step["dtype"])
    return allowed is not None and all(given[token] == NEGATIVE_INFINITY[asked.step["dtype"]] for token in allowed)


@dataclass(frozen=True)
class Places:
    """The places of masked rows that a check compares, picked by the script and its expectation alone."""

    concerns: Callable[[Asked, int, frozenset[int] | None], list[int]]

    def of(self, asked: Asked) -> list[tuple[int, list[int]]]:
        """The rows of a step with their places."""
        rows = range(len(asked.step["logits"]))
        return [(row, self.concerns(asked, row, asked.timeline.allowed(row))) for row in rows]

    def applies(self, question: Question) -> bool:
        """Whether there is a place to compare."""
        steps = asking_steps(question, "apply")
        return any(places for asked in steps for _, places in self.of(asked))

    def compare(self, subject: Subject, hint: str) -> None:
        """Compare the bits of these places."""
        got = answers(subject)
        for asked in asking_steps(subject, "apply"):
            dtype, given = asked.step["dtype"], answered(asked, got, "masked logits", hint)
            for row, places in self.of(asked):
                want, bits = words((asked.want.bits or [])[row], dtype), words(given[row], dtype)
                for token in places:
                    if token >= len(bits) or bits[token] != want[token]:
                        raise Violation(
                            "wrong bits",
                            expected=want[token],
                            got=bits[token] if token < len(bits) else "nothing",
                            where=f"{asked.place}, row {row}, id {token}, {dtype}",
                            hint=hint,
                        )


def banned_places(asked: Asked, allowed: frozenset[int] | None) -> list[int]:
    """Ids the row does not allow."""
    return [] if allowed is None else [token for token in range(asked.timeline.vocab_size) if token not in allowed]


def kept_places(asked: Asked, row: int, allowed: frozenset[int] | None) -> list[int]:
    """Ids the row allows, unless all their logits are minus infinity."""
    return [] if allowed is None or is_dead(asked, row, allowed) else sorted(allowed)


def dead_places(asked: Asked, row: int, allowed: frozenset[int] | None) -> list[int]:
    """Ids a dead row allows."""
    return sorted(allowed) if allowed is not None and is_dead(asked, row, allowed) else []


BANNED = Places(lambda asked, _row, allowed: banned_places(asked, allowed))
ALLOWED = Places(kept_places)
FREE = Places(lambda asked, _row, allowed: list(range(asked.timeline.vocab_size)) if allowed is None else [])
ZEROED = Places(dead_places)
STRIDED = Places(
    lambda asked, _row, _allowed: (
        list(range(asked.timeline.vocab_size)) if asked.step.get("layout") == "strided" else []
    )
)
PACKED = Rows(("bitmask",))


@check("processors.mask.banned", area=AREA, level=LOGITS, requires=("PRC-010",), kind="golden", applies=BANNED.applies)
def banned_is_minus_infinity(subject: Subject) -> None:
    """Every banned logit is exactly minus infinity."""
    BANNED.compare(subject, "write -inf, not a large negative number")


@check(
    "processors.mask.allowed", area=AREA, level=LOGITS, requires=("PRC-011",), kind="golden", applies=ALLOWED.applies
)
def allowed_keep_their_bits(subject: Subject) -> None:
    """Every allowed logit keeps its bit pattern."""
    ALLOWED.compare(subject, "move bits, do not add a mask")


@check("processors.mask.free", area=AREA, level=LOGITS, requires=("PRC-014",), kind="golden", applies=FREE.applies)
def free_rows_are_left_alone(subject: Subject) -> None:
    """A row without constraint keeps every bit."""
    FREE.compare(subject, "everything allowed means nothing written, and nothing to be dead")


@check("processors.mask.zeroed", area=AREA, level=LOGITS, requires=("PRC-013",), kind="golden", applies=ZEROED.applies)
def dead_rows_are_zeroed(subject: Subject) -> None:
    """With on_dead zero the allowed logits of a dead row become +0.0."""
    ZEROED.compare(subject, "a dead row samples from the constraint alone")


@check(
    "processors.mask.strided", area=AREA, level=LOGITS, requires=("PRC-015",), kind="golden", applies=STRIDED.applies
)
def strided_like_contiguous(subject: Subject) -> None:
    """Strided logits are written in place, whatever their type."""
    STRIDED.compare(subject, "write through the strides, not into a contiguous copy")


@check("processors.mask.packed", area=AREA, level=LOGITS, requires=("PRC-009",), kind="golden", applies=PACKED.applies)
def packed_words(subject: Subject) -> None:
    """Packed words: bit v % 32 of word v // 32, padding 0."""
    PACKED.compare(subject, "little end first, 1 allowed, padding bits 0, signed 32-bit words")
