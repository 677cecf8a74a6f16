"""Near-ties: named where the threshold stands on a score, and nowhere else (ENG-055, ENG-056)."""

from __future__ import annotations

import math

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import is_tiny, shown
from tokenspec.areas.engines.checks.invariants import tokens_of
from tokenspec.areas.engines.checks.reports import READING, asked_of_the_oracle
from tokenspec.areas.engines.checks.variations import forced, varied
from tokenspec.areas.engines.oracle.forced import forced_decode
from tokenspec.areas.engines.oracle.predictors import predictor_of
from tokenspec.areas.engines.records import EnginesExpect, EnginesInput, EnginesOutput, Tiny
from tokenspec.store.canonical import convert

CLEAR = 5e-3  # beyond the reach of any score of a tiny model
HAIR = 1e-9  # of the distance between two scores: far below what float32 resolves


def is_one_engine(question: Question) -> bool:
    """What a fusion decides has no one threshold."""
    return not question.request.get("fusion")


def rounds(question: Question) -> bool:
    """A forced decoder in single precision on a tiny model, with scores that pass 2 repeats."""
    if not is_tiny(question) or not forced("ENG-053")(question):
        return False
    texts, parameters = tokens_of(question), question.request["parameters"]
    single = question.request["model"].get("dtype", "float32") == "float32"
    return texts is not None and len(texts.ids) >= 2 and single and parameters.get("score_mode") != "upstream_literal"


def clear_of(question: Question) -> float:
    """The margin above which nothing is close: twice the reach on a table, which the last places of a score may move.

    On a tiny model it is one number, unless TopKShift has candidates that rounding may exchange for others.
    """
    (engine,) = question.request["engines"] or [""]
    if engine not in READING or (is_tiny(question) and engine != "top-k-shift"):
        return CLEAR
    reach = 2 * (asked_of_the_oracle(question, engine).reach or 0.0)
    return max(CLEAR, reach) if is_tiny(question) else reach


@check("engines.close", area="engines", level="SCORES", requires=("ENG-056",), kind="golden", applies=is_one_engine)
def nothing_clear_is_called_close(subject: Subject) -> None:
    """Where the oracle's margin is clear of rounding, or nothing was decided by a score, no decision is close."""
    expect: EnginesExpect = subject.expect
    close = subject.output.close
    if close is None:
        raise NotGiven("close")
    _require_starts(subject, close)
    if close and (expect.margin is None or expect.margin > clear_of(subject)):
        raise Violation(
            f"{len(close)} decisions are called close",
            expected=f"none: the oracle's margin is {expect.margin}",
            got=close,
            where="close",
            hint="a decision is close by the error of its own score, not by how much one would like to be excused",
        )


@check("engines.near-tie", area="engines", level="SCORES", requires=("ENG-055",), kind="metamorphic", applies=rounds)
def a_threshold_on_a_score_is_named(subject: Subject) -> None:
    """With the threshold a hair below the largest score, the cut there is close.

    Nothing is above the threshold before that token, so its score in pass 2 is the one of pass 1.
    """
    texts = tokens_of(subject)
    assert texts is not None
    last = len(texts.ids) - 1
    output: EnginesOutput = subject.output_of(varied(subject, quantile=100 * (last - HAIR) / last))
    if len(output.offsets) < 2:
        raise NotComparable("a cut at the largest score: its token takes no separator")
    if output.close is None:
        raise NotGiven("close")
    _require_starts(subject, output.close)
    first = output.offsets[1][0]
    if not {0, first} & set(output.close):  # an insertion before token 0 shows in no cut
        raise Violation(
            "the threshold stands on a score and nothing says so",
            expected=f"close holds {first}, the first cut",
            got=output.close,
            where=shown(subject.request["trace"], output.offsets),
        )


def repeats(question: Question) -> bool:
    """The same, of a case that says that its text repeats what the model sees of it."""
    return rounds(question) and "ENG-055" in question.cell.case.requires


@check("engines.tied", area="engines", level="SCORES", requires=("ENG-055",), kind="metamorphic", applies=repeats)
def scores_that_tie_for_the_largest_are_named(subject: Subject) -> None:
    """With the threshold on the largest score, which several tokens have, all of them are close.

    They are equal by what the model sees, and rounding tells them apart: which of them stands on the threshold is an
    accident. Behind a cut that comes of it the model sees another text; one before token 0 shows nowhere.
    """
    texts, given = tokens_of(subject), convert(subject.input, EnginesInput, where=subject.cell.name)
    assert texts is not None
    assert isinstance(given.model, Tiny)
    vocabulary = max(subject.rows[subject.cell.row].tokenizer.get_vocab().values()) + 1
    predictor = predictor_of(given.model, texts, vocabulary)
    tied = forced_decode(predictor, texts, {**given.parameters, "quantile": 100}).tied
    output: EnginesOutput = subject.output_of(varied(subject, quantile=100))
    if output.close is None:
        raise NotGiven("close")
    cut = 0 if 0 in tied else min((start for start, _ in output.offsets[1:]), default=math.inf)
    missing = [start for start in tied if start <= cut and start not in output.close]
    if missing:
        raise Violation(
            "several scores tie for the threshold and are not all called close",
            expected=f"close holds {', '.join(map(str, tied))}",
            got=output.close,
            where="close",
            hint="a score that is the threshold is close where a second one of pass 1 is within reach",
        )


def _require_starts(subject: Subject, close: list[int]) -> None:
    texts = tokens_of(subject)
    starts = (
        set() if texts is None else {s for s, cuttable in zip(texts.starts, texts.cuttable, strict=True) if cuttable}
    )
    if close != sorted(set(close) & starts):
        raise Violation("close holds something else than ascending starts of cuttable tokens", got=close, where="close")
