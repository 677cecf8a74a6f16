"""Lines over the pipe: framing, flushing, encoding, sizes, time."""

from __future__ import annotations

from msgspec import UNSET

from tokenspec.adapters.messages import Answer
from tokenspec.areas.check import NotGiven, Subject, Violation, check
from tokenspec.areas.protocol.checks.transcript import (
    answers,
    asks,
    broken_off,
    first_results,
    same_as_first,
    some_answer,
    unbroken,
    unbroken_at,
    why_not_reached,
)


@check("protocol.one-line", area="protocol", level="LINES", requires=("ADP-001",))
def one_line_a_message(subject: Subject) -> None:
    """One line for every message but stop, and nothing else on stdout."""
    transcript = unbroken(subject, "ADP-001")
    some_answer(transcript)
    if transcript.ending is not None and transcript.ending.said:
        raise Violation(
            f"wrote to stdout after its last answer: {transcript.ending.said!r}",
            where=f"probe {transcript.ending.how}",
            hint="stop has no answer; print for people to stderr",
        )


@check("protocol.flushed", area="protocol", level="LINES", requires=("ADP-002",))
def answers_are_flushed(subject: Subject) -> None:
    """No answer waits in a buffer."""
    some_answer(unbroken(subject, "ADP-002"))


@check("protocol.json", area="protocol", level="LINES", requires=("ADP-003",))
def answers_are_json(subject: Subject) -> None:
    """Every answer is one JSON object in UTF-8."""
    some_answer(unbroken(subject, "ADP-003"))


@check(
    "protocol.reads-any-line",
    area="protocol",
    level="LINES",
    requires=("ADP-004",),
    applies=asks("run-unicode", "run-wide"),
)
def any_line_is_read(subject: Subject) -> None:
    """Non-ASCII text, separators that end no line, and eight megabytes in one line."""
    hint = "read until the byte 0x0A, decode as UTF-8, and use no reader with a line limit or more separators"
    first = first_results(subject, lambda _, exchange: exchange.probe == "run")
    if not first:
        raise NotGiven(why_not_reached(subject.output))
    for probe, what in (("run-unicode", "a line with U+2028, U+0085 and U+1D11E"), ("run-wide", "a line of 8 MiB")):
        broke = subject.output.broke
        if broke is not None and broke.probe == probe:
            raise broken_off(subject.output, broke, f"does not read {what}: {hint}")
        for exchange, answer in answers(subject, Answer, probe):
            if (exchange.op, exchange.basic) in first and answer.error is not UNSET:
                raise Violation(f"does not read {what}", expected="a result", got=answer.error.message, hint=hint)


@check("protocol.answer-size", area="protocol", level="LINES", requires=("ADP-005",))
def answers_have_a_size(subject: Subject) -> None:
    """No answer is longer or deeper than a reader can take."""
    some_answer(unbroken(subject, "ADP-005"))


@check("protocol.in-time", area="protocol", level="LINES", requires=("ADP-006",))
def answers_come_in_time(subject: Subject) -> None:
    """No answer takes longer than its message may."""
    some_answer(unbroken(subject, "ADP-006"))


@check("protocol.unknown-keys", area="protocol", level="LINES", requires=("ADP-007",), applies=asks("run-unknown-key"))
def unknown_keys_are_ignored(subject: Subject) -> None:
    """A key of a later suite changes nothing."""
    unbroken_at(subject, "run-unknown-key", "ignore the keys of a message that you do not know")
    same_as_first(subject, "run-unknown-key")
