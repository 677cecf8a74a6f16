"""Variations of a request that must not change the segments, or change them in one direction only."""

from __future__ import annotations

import copy
from typing import Any

from tokenspec.areas.check import Applies, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import decided, is_tiny, shown
from tokenspec.areas.engines.checks.invariants import tokens_of
from tokenspec.areas.engines.records import EnginesOutput

ANOTHER_NAME = "<|another separator|>"


def forced(requirement: str) -> Applies:
    """One forced decoder with a clear answer; slow models are varied where the case says so."""

    def applies(question: Question) -> bool:
        if question.request["engines"] != ["forced-decoder"] or question.request["given"] or not decided(question):
            return False
        return not is_tiny(question) or requirement in question.cell.case.requires

    return applies


def varied(subject: Subject, **parameters: Any) -> dict[str, Any]:
    """The request with other parameters."""
    request = copy.deepcopy(subject.request)
    request["parameters"] |= parameters
    return request


def require_same(subject: Subject, request: dict[str, Any], what: str, hint: str = "") -> None:
    """The variation gives the same segments."""
    other: EnginesOutput = subject.output_of(request)
    if other.offsets != subject.output.offsets:
        trace = subject.request["trace"]
        raise Violation(
            f"{what} changes the segments",
            expected=shown(trace, subject.output.offsets),
            got=shown(trace, other.offsets),
            hint=hint,
        )


def separator_of(question: Question) -> str:
    """The name of the separator."""
    return str(question.request["parameters"].get("sep_tok", "<|seg|>"))


def has_a_free_name(question: Question) -> bool:
    """There is a model, and the name of the separator stands in no text of the case."""
    if question.request["model"] is None:
        return False
    texts = (question.request["trace"], question.request["parameters"].get("system_prompt", ""))
    return forced("ENG-013")(question) and not any(separator_of(question) in text for text in texts)


@check(
    "engines.separator-name",
    area="engines",
    level="SEGMENTS",
    requires=("ENG-013",),
    kind="metamorphic",
    applies=has_a_free_name,
)
def the_separators_name_does_not_matter(subject: Subject) -> None:
    """With another name for the separator the segments are the same."""
    name, request = separator_of(subject), varied(subject, sep_tok=ANOTHER_NAME)
    if not is_tiny(subject):
        model = request["model"]
        model["pieces"] = [ANOTHER_NAME if piece == name else piece for piece in model["pieces"]]
        for table in (*model["rows"], model.setdefault("per_separator", {})):
            if name in table:
                table[ANOTHER_NAME] = table.pop(name)
        model["separator"] = ANOTHER_NAME
        if model.get("prompt") is not None:
            model["prompt"] = model["prompt"].replace(name, ANOTHER_NAME)
    require_same(subject, request, "renaming the separator", "the id that is inserted follows sep_tok")


def has_shiftable_gaps(question: Question) -> bool:
    """Normalized scores of a table, and no token of the trace that is a candidate: it would compete with itself."""
    if is_tiny(question) or not forced("ENG-033")(question):
        return False
    texts = tokens_of(question)
    literal = question.request["parameters"].get("score_mode") == "upstream_literal"
    if texts is None or literal or not set(texts.ids).isdisjoint(texts.candidates):
        return False
    rows, pieces = question.request["model"]["rows"], question.request["model"]["pieces"]
    return all(row.get(pieces[token], 0.0) is not None for row, token in zip(rows, texts.ids, strict=False))


@check(
    "engines.shift",
    area="engines",
    level="SEGMENTS",
    requires=("ENG-033",),
    kind="metamorphic",
    applies=has_shiftable_gaps,
)
def a_constant_on_all_gaps_does_not_matter(subject: Subject) -> None:
    """Every own token eight nats less likely raises all gaps alike; normalized scores do not see it."""
    texts = tokens_of(subject)
    assert texts is not None
    request = copy.deepcopy(subject.request)
    model = request["model"]
    for row, token in zip(model["rows"], texts.ids, strict=False):
        piece = model["pieces"][token]
        row[piece] = row.get(piece, model.get("default_logit", -30.0)) - 8.0
    require_same(subject, request, "a constant added to all gaps", "pass 2 uses the mean and deviation of pass 1")


def quantiles(question: Question) -> tuple[float, float]:
    """The quantile of the case, and a larger one if there is any."""
    quantile = float(question.request["parameters"].get("quantile", 90.0))
    return quantile, min(100.0, quantile + 9.5)


def has_a_larger_quantile(question: Question) -> bool:
    """A trace is scored by a quantile that can be larger."""
    if not question.request["trace"] or not forced("ENG-052")(question):
        return False
    quantile, larger = quantiles(question)
    return quantile < larger


@check(
    "engines.quantile",
    area="engines",
    level="SCORES",
    requires=("ENG-052",),
    kind="metamorphic",
    applies=has_a_larger_quantile,
)
def the_threshold_grows_with_the_quantile(subject: Subject) -> None:
    """A larger quantile gives no smaller threshold."""
    quantile, larger = quantiles(subject)
    ours, theirs = subject.output.threshold, subject.output_of(varied(subject, quantile=larger)).threshold
    if ours is None or theirs is None:
        raise NotGiven("threshold")
    if theirs < ours - 1e-9:
        raise Violation(
            f"quantile {larger} gives a smaller threshold than {quantile}", expected=f">= {ours}", got=theirs
        )


@check(
    "engines.computation",
    area="engines",
    level="SEGMENTS",
    requires=("ENG-053",),
    kind="metamorphic",
    applies=forced("ENG-053"),
)
def how_it_is_computed_does_not_matter(subject: Subject) -> None:
    """One token at a time, in chunks of one, of seven and of all, in double precision: the same segments."""
    require_same(subject, varied(subject, algorithm="sequential"), "reading token by token")
    for size in (1, 7, 4096):
        require_same(subject, varied(subject, chunk_size=size), f"reading {size} tokens at once")
    if is_tiny(subject) and subject.request["model"].get("dtype", "float32") == "float32":
        request = copy.deepcopy(subject.request)
        request["model"]["dtype"] = "float64"
        require_same(subject, request, "double precision")
