"""What a result says of how it was made: forwards of the model, and how far rounding reaches (ENG-055, ENG-057)."""

from __future__ import annotations

import math

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import is_tiny
from tokenspec.areas.engines.checks.invariants import tokens_of
from tokenspec.areas.engines.checks.variations import varied
from tokenspec.areas.engines.oracle.forced import Forced, forced_decode
from tokenspec.areas.engines.oracle.predictors import predictor_of
from tokenspec.areas.engines.oracle.signals import WINDOWS, token_signal
from tokenspec.areas.engines.records import EnginesInput, EnginesOutput, Scripted
from tokenspec.store.canonical import convert

READING = {"forced-decoder", *WINDOWS}


def reads(question: Question) -> bool:
    """An engine reads a trace with a model."""
    return bool(question.request["trace"]) and not READING.isdisjoint(question.request["engines"])


def reads_a_table(question: Question) -> bool:
    """One engine reads a trace with a table, which the oracle does in no time."""
    alone = len(question.request["engines"]) == 1 and not question.request["given"]
    return reads(question) and alone and not is_tiny(question)


def decided_by_a_table(question: Question) -> bool:
    """A threshold was taken from what a table gave."""
    return reads_a_table(question) and question.expect.threshold is not None


def asked_of_the_oracle(question: Question) -> Forced:
    """The oracle's answer on a table, with what goldens leave out."""
    given, texts = convert(question.input, EnginesInput, where=question.cell.name), tokens_of(question)
    assert texts is not None
    assert isinstance(given.model, Scripted)
    predictor = predictor_of(given.model, texts, 0)
    if given.engines == ["forced-decoder"]:
        return forced_decode(predictor, texts, given.parameters)
    return token_signal(given.engines[0], predictor, texts, given.parameters)


def one_by_one(question: Question) -> int:
    """How often a model is run that reads one token at a time."""
    texts = tokens_of(question)
    assert texts is not None
    if question.request["engines"] != ["forced-decoder"]:
        return len(texts.ids)
    cuts = set(asked_of_the_oracle(question).cuts)
    return 2 * len(texts.ids) + len(cuts - {texts.starts[-1]})


@check("engines.forwards", area="engines", level="SCORES", requires=("ENG-057",), kind="metamorphic")
def forwards_are_counted(subject: Subject) -> None:
    """No forward without a model, at least one with one, and one a token when it reads token by token."""
    most = one_by_one(subject) if reads_a_table(subject) else None
    _require_forwards(subject.output.forwards, int(reads(subject)), most if reads(subject) else 0)
    if most is not None:
        other: EnginesOutput = subject.output_of(varied(subject, algorithm="sequential"))
        _require_forwards(other.forwards, most, most)


def _require_forwards(given: int | None, least: int, most: int | None) -> None:
    if given is None:
        raise NotGiven("forwards")
    if given < least or (most is not None and given > most):
        bounds = str(least) if least == most else f"at least {least}" + ("" if most is None else f", at most {most}")
        raise Violation("another number of forwards", expected=bounds, got=given, where="forwards")


@check(
    "engines.reach", area="engines", level="SCORES", requires=("ENG-055",), kind="golden", applies=decided_by_a_table
)
def the_reach_is_the_formulas(subject: Subject) -> None:
    """The distance within which a decision is close is that of the formula."""
    expected, given = asked_of_the_oracle(subject).reach, subject.output.reach
    if given is None:
        raise NotGiven("reach")
    if expected is None or not math.isclose(given, expected, rel_tol=1e-6):
        raise Violation("another reach", expected=expected, got=given, where="reach")
