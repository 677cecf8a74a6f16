"""What a case asks of forcing, and what was answered, in the forms that the checks compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tokenspec.areas.check import (
    Applies,
    Judge,
    NotComparable,
    NotGiven,
    Question,
    Subject,
    Violation,
    check,
    everywhere,
)
from tokenspec.areas.fast_forward.oracle.vocabulary import OracleVocabulary
from tokenspec.areas.fast_forward.records import Answer, FastForwardExpect, FastForwardOutput, Query, data_of

MARKED = re.compile(rb"\xff\[(\d+)\]")


def rule(
    name: str, level: str, *requires: str, kind: str = "invariant", applies: Applies = everywhere
) -> Callable[[Judge], Judge]:
    """Register a check of this area."""
    return check(
        f"fast-forward.{name}", area="fast-forward", level=level, requires=requires, kind=kind, applies=applies
    )


def read(given: dict[str, Any]) -> Query | None:
    """A query; None where it is none, which is to be refused and not to be judged."""
    try:
        return msgspec.convert(given, Query)
    except msgspec.ValidationError:
        return None


def queries(question: Question, mode: str) -> list[Query]:
    """The queries of one mode."""
    return [query for query in map(read, question.input["queries"]) if query is not None and query.mode == mode]


def asked(subject: Subject) -> list[tuple[Query, Answer]]:
    """The queries with their answers; a wrong number of answers is a Violation."""
    output: FastForwardOutput = subject.output
    made = [*map(read, subject.input["queries"])]
    if len(made) != len(output.answers):
        raise Violation("one answer per query", expected=len(made), got=len(output.answers))
    return [(query, answer) for query, answer in zip(made, output.answers, strict=True) if query is not None]


def answers(subject: Subject, mode: str) -> Iterator[tuple[Query, list[int], Answer]]:
    """The answers of one mode that were given.

    Raises:
        NotComparable: the case asks for none.
        NotGiven: none was given.
    """
    found = [(query, answer.tokens, answer) for query, answer in asked(subject) if query.mode == mode]
    given = [(query, tokens, answer) for query, tokens, answer in found if tokens is not None]
    if not found:
        raise NotComparable(f"the case does not ask for mode {mode}")
    if not given:
        raise NotGiven(f"mode {mode}: {found[0][2].unsupported}")
    return iter(given)


def field(value: Any, name: str) -> Any:
    """An optional field, or NotGiven."""
    if value is None:
        raise NotGiven(f"{name} is not given")
    return value


def vocabulary(question: Question) -> OracleVocabulary:
    """The vocabulary as the oracle reads it."""
    from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of

    return vocabulary_of(question.input, question.cell.row)


def forced(question: Question) -> bytes:
    """The forced bytes by the oracle."""
    expect: FastForwardExpect = question.expect
    return data_of(expect.forced_bytes)


def has_prefix(question: Question) -> bool:
    """Tokens stand before the grammar."""
    return bool(question.expect.prefix_tokens)


def marked(question: Question) -> list[int]:
    """The special tokens among the forced bytes."""
    return [int(number) for number in MARKED.findall(forced(question))]


def raw(known: OracleVocabulary, tokens: list[int]) -> bytes:
    """Token bytes, special tokens as markers."""
    return b"".join(known.spell([token]) or b"\xff[%d]" % token for token in tokens)


def equal(message: str, expected: object, got: object, *, where: str = "", hint: str = "") -> None:
    """A Violation unless both are equal."""
    if expected != got:
        raise Violation(message, expected=expected, got=got, where=where, hint=hint)


def prefix_of(message: str, shorter: list[int], longer: list[int], where: str) -> None:
    """A Violation unless the first list begins the second."""
    if longer[: len(shorter)] != shorter:
        raise Violation(message, expected=f"a prefix of {longer}", got=shorter, where=where)


def knows_the_longest(question: Question) -> bool:
    """All texts of the grammar are known, or all up to a depth, and with them what they share."""
    expect: FastForwardExpect = question.expect
    whole = expect.texts is not None or expect.depth is not None
    return whole and expect.longest is not None and bool(expect.beginnings)
