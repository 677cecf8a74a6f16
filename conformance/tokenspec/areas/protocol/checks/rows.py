"""Rows: loaded, refused, kept apart, left alone."""

from __future__ import annotations

from tokenspec.adapters.messages import Loaded
from tokenspec.adapters.transcript import Transcript
from tokenspec.areas.check import NotGiven, Subject, Violation, check
from tokenspec.areas.protocol.checks.transcript import (
    answers,
    asks,
    first_results,
    position,
    unbroken,
    unbroken_at,
    why_not_reached,
)


@check("protocol.load", area="protocol", level="LOAD", requires=("ADP-020",), applies=asks("load", "load-missing"))
def load_is_answered(subject: Subject) -> None:
    """ok, or not ok and why."""
    unbroken(subject, "ADP-020")
    for exchange, loaded in answers(subject, Loaded, "load", "load-second", "load-missing"):
        if not loaded.ok and not loaded.reason.strip():
            hint = 'the reason is printed in the matrix: {"ok": false, "reason": "..."}'
            raise Violation("refuses a row without a reason", where=f"probe {exchange.probe}", hint=hint)


@check("protocol.missing-row", area="protocol", level="LOAD", requires=("ADP-021",), applies=asks("load-missing"))
def a_missing_row_is_no_crash(subject: Subject) -> None:
    """A row whose files are not there is answered, and the next message too."""
    unbroken(subject, "ADP-021")
    hint = 'answer {"ok": false, "reason": "..."} and go on'
    unbroken_at(subject, "load-missing", hint)
    answers(subject, Loaded, "load-missing")


@check("protocol.two-rows", area="protocol", level="LOAD", requires=("ADP-022",), applies=asks("load-second"))
def two_rows_stay_loaded(subject: Subject) -> None:
    """After a second row the first is still there, and is not confused with it."""
    second = position(subject.output, "load-second")
    before = first_results(subject, lambda place, _: place < second)
    after = first_results(subject, lambda place, exchange: place > second and exchange.probe == "run-again")
    pairs = [
        (operation, result, after[operation, case])
        for (operation, case), result in before.items()
        if (operation, case) in after
    ]
    if not pairs:
        raise NotGiven(why_not_reached(subject.output))
    for operation, first, again in pairs:
        if first != again:
            raise Violation(
                "answers a case of the first row otherwise once a second row is loaded",
                where=f"operation {operation}",
                expected=first,
                got=again,
                hint="keep the rows apart by the model of their load, and keep at least the last two",
            )


@check("protocol.rows-unchanged", area="protocol", level="LOAD", requires=("ADP-023",), applies=asks("load"))
def rows_are_not_written_to(subject: Subject) -> None:
    """The files of a row are read, never written."""
    transcript: Transcript = subject.output
    answers(subject, Loaded, "load")
    if transcript.changed:
        hint = "keep caches in a temporary folder: the files of a row are everybody's"
        raise Violation(f"changed files of the rows it was given: {', '.join(transcript.changed)}", hint=hint)
