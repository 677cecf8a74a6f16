"""The first answer: version and capabilities."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from tokenspec.adapters import PROTOCOL_VERSION
from tokenspec.adapters.messages import Answer, Started
from tokenspec.areas import operations
from tokenspec.areas.check import Subject, Violation, check
from tokenspec.areas.protocol.checks.transcript import answers, asks, unbroken


@check("protocol.start", area="protocol", level="START", requires=("ADP-010",))
def start_is_answered(subject: Subject) -> None:
    """Protocol, implementation and capabilities, in their shapes."""
    unbroken(subject, "ADP-010")
    answers(subject, Started, "start", "start-later")


@check("protocol.version", area="protocol", level="START", requires=("ADP-011",))
def the_version_is_its_own(subject: Subject) -> None:
    """It says what it speaks, not what it was asked."""
    for exchange, started in answers(subject, Started, "start", "start-later"):
        if started.protocol != PROTOCOL_VERSION:
            raise Violation(
                "answers another protocol version than it speaks",
                where=f"probe {exchange.probe}",
                expected=PROTOCOL_VERSION,
                got=started.protocol,
                hint="the version is a constant of your adapter; do not echo the one of the message",
            )


@check("protocol.known-operations", area="protocol", level="START", requires=("ADP-012",))
def operations_are_known(subject: Subject) -> None:
    """A misspelt capability is never asked for, and nobody would notice."""
    import difflib

    for _, started in answers(subject, Started, "start", "start-later"):
        for name in started.capabilities:
            if name not in operations():
                close = difflib.get_close_matches(name, operations(), n=1)
                meant = f"did you mean {close[0]!r}? " if close else ""
                raise Violation(f"claims the operation {name!r}", hint=f"{meant}Known: {', '.join(operations())}")


@check("protocol.claims", area="protocol", level="START", requires=("ADP-013",), applies=asks("run"))
def claims_are_kept(subject: Subject) -> None:
    """What is claimed answers at least one of its basic cases with a result."""
    asked_for: dict[str, list[Answer]] = {}
    for exchange, answer in answers(subject, Answer, "run"):
        asked_for.setdefault(exchange.op, []).append(answer)
    for operation, given in asked_for.items():
        if all(answer.result is UNSET for answer in given):
            hint = "leave an operation you do not have out of the capabilities"
            got = given[0]
            if got.error is not UNSET:
                hint = "\n           ".join(["the first answer is an error", *got.error.traceback.splitlines()[-3:]])
            raise Violation(
                f"claims {operation} and answers none of its basic cases",
                where=f"operation {operation}, {len(given)} cases",
                expected="a result",
                got=got.error.message if got.error is not UNSET else msgspec.json.encode(got).decode(),
                hint=hint,
            )
