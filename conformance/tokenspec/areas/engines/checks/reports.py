"""What a result says of how it was made: forwards of the model, and how far rounding reaches (ENG-055, ENG-057)."""

from __future__ import annotations

import math

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import decided, is_tiny
from tokenspec.areas.engines.checks.invariants import tokens_of
from tokenspec.areas.engines.checks.variations import varied
from tokenspec.areas.engines.oracle.forced import ROUNDING, Forced, forced_decode
from tokenspec.areas.engines.oracle.predictors import predictor_of
from tokenspec.areas.engines.oracle.signals import WINDOWS, token_signal
from tokenspec.areas.engines.records import EnginesInput, EnginesOutput, Scripted, Tiny
from tokenspec.store.canonical import convert

READING = {"forced-decoder", *WINDOWS}
UNITS = 8
EPSILONS = {"float32": 2.0**-23, "float64": 2.0**-52}
VISIBLE = 1e-6  # far above what double precision loses of a score


def reads(question: Question) -> bool:
    """An engine reads a trace with a model."""
    return bool(question.request["trace"]) and not READING.isdisjoint(question.request["engines"])


def reads_a_table(question: Question) -> bool:
    """Engines read a trace with a table, which the oracle does in no time."""
    return reads(question) and not is_tiny(question)


def decided_by_a_table(question: Question) -> bool:
    """One threshold was taken from what a table gave."""
    return reads_a_table(question) and question.expect.threshold is not None


def asked_of_the_oracle(question: Question, engine: str) -> Forced:
    """The oracle's answer of an engine that reads, with what goldens leave out."""
    given, texts = convert(question.input, EnginesInput, where=question.cell.name), tokens_of(question)
    assert texts is not None
    assert isinstance(given.model, Scripted | Tiny)
    row = question.rows.get(question.cell.row)
    predictor = predictor_of(given.model, texts, 0 if row is None else max(row.tokenizer.get_vocab().values()) + 1)
    if engine == "forced-decoder":
        return forced_decode(predictor, texts, given.parameters)
    rounding = ROUNDING if isinstance(given.model, Scripted) else UNITS * EPSILONS[given.model.dtype]
    return token_signal(engine, predictor, texts, given.parameters, rounding=rounding)


def one_by_one(question: Question, engine: str) -> tuple[int, int] | None:
    """How often, at least and at most, a model is run by an engine that reads one token at a time.

    The cuts of a tiny model are those of the golden, where rounding cannot change them; whether the separator stands
    before the first token, too, no segment shows.
    """
    texts = tokens_of(question)
    assert texts is not None
    if engine != "forced-decoder":
        return len(texts.ids), len(texts.ids)
    if not is_tiny(question):
        cuts, unseen = set(asked_of_the_oracle(question, engine).cuts), 0
    elif decided(question):
        cuts, unseen = {start for start, _ in question.expect.offsets[1:]}, 1
    else:
        return None
    least = 2 * len(texts.ids) + len(cuts - {texts.starts[-1]})
    return least, least + unseen


def reads_alone(question: Question) -> bool:
    """Every token is read by itself for the asking: tables are read in no time, and of the others some cases ask."""
    return not is_tiny(question) or "ENG-053" in question.cell.case.requires


@check("engines.forwards", area="engines", level="SCORES", requires=("ENG-057",), kind="metamorphic")
def forwards_are_counted(subject: Subject) -> None:
    """No forward without a model, at least one of each that has one, and one a token when it reads token by token."""
    if not reads(subject):
        _require_forwards(subject.output.forwards, 0, 0)
        return
    counted = [one_by_one(subject, engine) for engine in subject.request["engines"] if engine in READING]
    known = [bounds for bounds in counted if bounds is not None]
    most = sum(bounds[1] for bounds in known) if len(known) == len(counted) else None
    _require_forwards(subject.output.forwards, len(counted), most)
    if most is not None and reads_alone(subject):
        other: EnginesOutput = subject.output_of(varied(subject, algorithm="sequential"))
        _require_forwards(other.forwards, sum(bounds[0] for bounds in known), most)


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
    """The distance within which a decision is close is that of the formula, and clear of it close is close.

    Where it is no wider than the last places of a score, which decisions are within it is left to the implementation.
    """
    found, given = asked_of_the_oracle(subject, subject.request["engines"][0]), subject.output.reach
    expected = found.reach
    if given is None:
        raise NotGiven("reach")
    if expected is None or not math.isclose(given, expected, rel_tol=1e-6):
        raise Violation("another reach", expected=expected, got=given, where="reach")
    if subject.output.close is not None and expected > VISIBLE:
        named = set(subject.output.close)
        due = {start for start, distance in found.distances if 0 < distance < expected / 2}
        allowed = {start for start, distance in found.distances if 0 < distance < expected * 2}
        if not due <= named <= allowed:
            raise Violation("others are close", expected=sorted(due), got=subject.output.close, where="close")
