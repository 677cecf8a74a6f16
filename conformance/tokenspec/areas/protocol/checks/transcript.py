"""Reading a written-down conversation: what checks of the protocol share.

A conversation that broke is a violation of the requirement its break names; what was never reached is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from tokenspec.adapters.messages import Answer, Loaded, Started
from tokenspec.adapters.reading import Malformed, read
from tokenspec.adapters.transcript import Break, Ending, Exchange, Transcript
from tokenspec.areas.check import Applies, NotGiven, Subject, Violation

T = TypeVar("T", bound=msgspec.Struct)
KINDS: dict[str, type[msgspec.Struct]] = {"start": Started, "load": Loaded, "run": Answer}
SAME_INPUT = ("run", "run-again", "run-unknown-key", "run-unicode", "run-wide")


def unbroken(subject: Subject, *requirements: str) -> Transcript:
    """The transcript; a break that names one of the requirements is the violation.

    Raises:
        Violation: with the flaw of the break.
    """
    transcript: Transcript = subject.output
    if transcript.broke is not None and transcript.broke.requirement in requirements:
        raise broken_off(transcript, transcript.broke, transcript.broke.hint)
    return transcript


def encoded(exchange: Exchange) -> bytes:
    """The line as it came: escapes of undecodable bytes are bytes again."""
    return re.sub(
        rb"\\x([89a-f][0-9a-f])", lambda found: bytes.fromhex(found[1].decode()), exchange.line.encode("utf-8")
    )


def answers(subject: Subject, kind: type[T], *probes: str) -> list[tuple[Exchange, T]]:
    """The readable answers to some probes.

    Raises:
        NotGiven: the script has such a probe, but the conversation never got there.
    """
    found = []
    for exchange in subject.output.exchanges:
        if exchange.probe in probes:
            try:
                found.append((exchange, read(encoded(exchange), kind)))
            except Malformed:
                continue
    if not found:
        raise NotGiven(why_not_reached(subject.output))
    return found


def why_not_reached(transcript: Transcript) -> str:
    """What ended the conversation, or that no claimed operation could be asked."""
    if transcript.broke is not None:
        return f"the conversation broke at {transcript.broke.probe} ({transcript.broke.requirement})"
    return "no claimed operation has a case on the toy rows it accepts"


def asks(*probes: str) -> Applies:
    """The conversation has one of these probes."""
    return lambda question: not set(probes).isdisjoint(question.request["script"])


def some_answer(transcript: Transcript) -> None:
    """Nothing is judged of a program that never answered."""
    if not transcript.exchanges:
        raise NotGiven(why_not_reached(transcript))


def ending_of(subject: Subject) -> Ending:
    """How it ended, when the conversation got that far."""
    ending: Ending | None = subject.output.ending
    if ending is None:
        raise NotGiven(why_not_reached(subject.output))
    return ending


def unbroken_at(subject: Subject, probe: str, hint: str) -> None:
    """A conversation that broke right at a probe broke the probe's requirement."""
    broke = subject.output.broke
    if broke is not None and broke.probe == probe:
        raise broken_off(subject.output, broke, hint)


def broken_off(transcript: Transcript, broke: Break, hint: str) -> Violation:
    """A break as a violation, with the end of what the program wrote to stderr."""
    said = "\n  stderr   " + transcript.stderr.replace("\n", "\n           ") if transcript.stderr else ""
    return Violation(broke.message, where=f"probe {broke.probe}", hint=hint + said)


def every_run(subject: Subject) -> set[str]:
    """The probes of this script that send run."""
    return {probe for probe in subject.request["script"] if probe.startswith("run")}


def results(subject: Subject, *probes: str) -> Iterator[tuple[Exchange, Any]]:
    """The answers with a result."""
    found = [pair for pair in answers(subject, Answer, *probes) if pair[1].result is not UNSET]
    if not found:
        raise NotGiven("no basic case has a result")
    yield from found


def position(transcript: Transcript, probe: str) -> int:
    """Where a probe stands in the conversation, or behind its end."""
    places = [place for place, exchange in enumerate(transcript.exchanges) if exchange.probe == probe]
    return places[0] if places else len(transcript.exchanges)


def first_results(subject: Subject, wanted: Callable[[int, Exchange], bool]) -> dict[tuple[str, str], Any]:
    """The first result of each operation and case among some exchanges."""
    found: dict[tuple[str, str], Any] = {}
    for place, exchange in enumerate(subject.output.exchanges):
        if exchange.probe in SAME_INPUT and wanted(place, exchange):
            try:
                answer = read(encoded(exchange), Answer)
            except Malformed:
                continue
            if answer.result is not UNSET:
                found.setdefault((exchange.op, exchange.basic), answer.result)
    return found


def same_as_first(subject: Subject, *probes: str) -> None:
    """Every answer to a case equals its first result."""
    first = first_results(subject, lambda _, __: True)
    compared = 0
    for exchange, answer in answers(subject, Answer, *probes):
        expected = first.get((exchange.op, exchange.basic))
        if expected is None:
            continue
        compared += exchange.probe != "run"
        if answer.result != expected:
            raise Violation(
                "answers the same input otherwise",
                where=f"operation {exchange.op}, probe {exchange.probe}",
                expected=expected,
                got=exchange.line,
                hint="an answer depends on the row and the input, not on seq, on case, or on what came before",
            )
    if not compared:
        raise NotGiven(why_not_reached(subject.output))
