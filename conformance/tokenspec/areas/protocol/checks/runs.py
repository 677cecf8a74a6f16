"""Runs: the number, the outcome, the result, and what an answer may depend on."""

from __future__ import annotations

import re

import msgspec
from msgspec import UNSET

from tokenspec.adapters.conversation import UNKNOWN_OPERATION
from tokenspec.adapters.messages import Answer
from tokenspec.areas import areas
from tokenspec.areas.check import NotGiven, Subject, Violation, check
from tokenspec.areas.protocol.checks.transcript import (
    SAME_INPUT,
    answers,
    asks,
    every_run,
    results,
    same_as_first,
    unbroken,
    unbroken_at,
)
from tokenspec.errors import FixtureError
from tokenspec.store.canonical import convert

CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_CODE = 40
POINTER = re.compile(r"(/([^/~]|~[01])*)*")


@check(
    "protocol.unknown-operation",
    area="protocol",
    level="RUN",
    requires=("ADP-014",),
    applies=asks("run-unknown-operation"),
)
def other_operations_are_unsupported(subject: Subject) -> None:
    """An operation it does not have is answered, and the answer is unsupported."""
    hint = 'answer {"seq": ..., "unsupported": {"reason": "no operation ..."}}'
    unbroken_at(subject, "run-unknown-operation", hint)
    for exchange, answer in answers(subject, Answer, "run-unknown-operation"):
        if answer.unsupported is UNSET:
            where = f"operation {UNKNOWN_OPERATION}"
            raise Violation(
                "answers an operation it does not have",
                where=where,
                expected="unsupported",
                got=exchange.line,
                hint=hint,
            )


@check(
    "protocol.seq", area="protocol", level="RUN", requires=("ADP-030",), applies=asks("run", "run-unknown-operation")
)
def seq_is_echoed(subject: Subject) -> None:
    """The number of the question stands in the answer."""
    unbroken(subject, "ADP-030")
    for exchange, answer in answers(subject, Answer, *every_run(subject)):
        if answer.seq != exchange.seq:
            hint = "copy seq from the message; it is no counter of yours"
            raise Violation(
                "answers another seq", where=f"probe {exchange.probe}", expected=exchange.seq, got=answer.seq, hint=hint
            )


@check(
    "protocol.one-outcome",
    area="protocol",
    level="RUN",
    requires=("ADP-031",),
    applies=asks("run", "run-unknown-operation"),
)
def one_outcome_an_answer(subject: Subject) -> None:
    """Exactly one of result, unsupported, rejected, error, in its shape."""
    unbroken(subject, "ADP-031")
    answers(subject, Answer, *every_run(subject))


@check("protocol.result-fields", area="protocol", level="RUN", requires=("ADP-032",), applies=asks("run"))
def results_have_their_fields(subject: Subject) -> None:
    """A result has the published fields of its operation."""
    kinds = {area.operation: area for area in areas().values()}
    for exchange, answer in results(subject, "run", "run-again"):
        area = kinds[exchange.op]
        try:
            convert(answer.result, area.output_type, where=f"result of {exchange.op}")
        except FixtureError as error:
            known = [field.name + " (required)" * field.required for field in msgspec.structs.fields(area.output_type)]
            got = ", ".join(answer.result) or "none"
            hint = f"the fields are {', '.join(known)}; got {got}. Schema: {area.name}.output.schema.json"
            raise Violation(str(error), where=f"operation {exchange.op}", hint=hint) from error


@check("protocol.bad-input", area="protocol", level="RUN", requires=("ADP-033",), applies=asks("run-empty"))
def a_bad_input_is_no_crash(subject: Subject) -> None:
    """An input without any field is answered, and the next case as if nothing had happened."""
    unbroken(subject, "ADP-033")
    hint = 'answer {"seq": ..., "error": {"message": "..."}} and go on'
    unbroken_at(subject, "run-empty", hint)
    for exchange, answer in answers(subject, Answer, "run-empty"):
        if answer.result is not UNSET:
            raise Violation(
                f"{exchange.op} makes a result out of an empty input", expected="error or rejected", got=exchange.line
            )


@check("protocol.same-answer", area="protocol", level="RUN", requires=("ADP-034",), applies=asks("run-again"))
def the_answer_depends_on_the_input(subject: Subject) -> None:
    """Same row and input, same result: whatever the number, the name of the case, and what was asked before."""
    same_as_first(subject, *SAME_INPUT)


@check("protocol.rejection-code", area="protocol", level="RUN", requires=("ADP-035",), applies=asks("run-empty"))
def codes_are_short_words(subject: Subject) -> None:
    """A refusal has a code, and where it says one a place, that programs can compare."""
    refused = [
        (exchange, answer.rejected)
        for exchange, answer in answers(subject, Answer, *every_run(subject))
        if answer.rejected is not UNSET
    ]
    if not refused:
        raise NotGiven("refuses no input of this conversation")
    for exchange, refusal in refused:
        if not CODE.fullmatch(refusal.code) or len(refusal.code) > LONGEST_CODE:
            raise Violation(
                "refuses with a code that is no short word",
                where=f"probe {exchange.probe}",
                expected="lower case words joined by '-', at most 40 characters",
                got=refusal.code,
                hint="put what happened into message, and the kind of refusal into code",
            )
        if not POINTER.fullmatch(refusal.place):
            raise Violation(
                "names a place that is no JSON pointer",
                where=f"probe {exchange.probe}",
                expected="a pointer into the input, as /messages/0/role",
                got=refusal.place,
            )
