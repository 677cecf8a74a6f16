"""The same script asked in another way: twice, and behind the same bytes cut otherwise."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.grammar_mask.checks.answers import AREA, MASK, MOVES, has, one_each
from tokenspec.areas.refusal import refused

if TYPE_CHECKING:
    from tokenspec.areas.grammar_mask.records import StepAnswer


def ask(subject: Subject, **changes: Any) -> list[StepAnswer]:
    """The implementation's answers to another script."""
    request = {**subject.request, **changes}
    return one_each(request["steps"], subject.output_of(request).steps)


def answered(subject: Subject) -> list[StepAnswer]:
    """The answers to the script itself; some of them have to be masks."""
    given = one_each(subject.request["steps"], subject.output.steps)
    if all(one.ranges is None for one in given):
        raise NotGiven("no field ranges in any answer")
    return given


@check("grammar-mask.twice", area=AREA, level=MASK, requires=("MSK-005",), kind="metamorphic", applies=has("mask"))
def asked_twice(subject: Subject) -> None:
    """A mask asked twice is the same mask, and the request is left alone."""
    if subject.mutated:
        raise Violation("the implementation changed its request")
    times = [1 + (step["op"] == "mask") for step in subject.request["steps"]]
    firsts = answered(subject)
    doubled = [step for step, count in zip(subject.request["steps"], times, strict=True) for _ in range(count)]
    again = iter(ask(subject, steps=doubled))
    for place, (count, first) in enumerate(zip(times, firsts, strict=True)):
        for other in islice(again, count):
            if other != first:
                raise Violation("asked twice, answered differently", expected=first, got=other, where=f"step {place}")


def has_text_before(question: Question) -> bool:
    """A prefix of several ASCII characters, which may be cut anywhere."""
    prefix = question.request["prefix"]
    return has("mask")(question) and any(isinstance(one, str) and one.isascii() and len(one) > 1 for one in prefix)


@check("grammar-mask.cut", area=AREA, level=MASK, requires=("MSK-006",), kind="metamorphic", applies=has_text_before)
def cut_otherwise(subject: Subject) -> None:
    """The prefix character by character gives the same answers."""
    pieces = [
        one
        for piece in subject.request["prefix"]
        for one in (list(piece) if isinstance(piece, str) and piece.isascii() else [piece])
    ]
    for place, (one, other) in enumerate(zip(answered(subject), ask(subject, prefix=pieces), strict=True)):
        if one != other:
            raise Violation("another answer behind the same bytes", expected=one, got=other, where=f"step {place}")


@check("grammar-mask.refused", area=AREA, level=MOVES, requires=("MSK-013",), kind="rejects")
def bad_input_is_refused(subject: Subject) -> None:
    """A prefix, a name or a grammar that make no sense are refused."""
    refused(subject)
