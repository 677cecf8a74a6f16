"""Variations of a request that must not change the segments, or change them in one direction only."""

from __future__ import annotations

import copy
from typing import Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import decided, is_tiny, shown
from tokenspec.areas.engines.checks.invariants import tokens_of
from tokenspec.areas.engines.records import EnginesOutput

ANOTHER_NAME = "<|another separator|>"


def forced(subject: Subject, requirement: str) -> bool:
    """Whether the case is one forced decoder with a clear answer; slow models are varied where the case says so."""
    if subject.request["engines"] != ["forced-decoder"] or subject.request["given"] or not decided(subject):
        return False
    return not is_tiny(subject) or requirement in subject.cell.case.requires


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


@check("engines.separator-name", area="engines", level="SEGMENTS", requires=("ENG-013",), kind="metamorphic")
def the_separators_name_does_not_matter(subject: Subject) -> Applicability | None:
    """With another name for the separator the segments are the same."""
    if not forced(subject, "ENG-013"):
        return NOT_APPLICABLE
    name = subject.request["parameters"].get("sep_tok", "<|seg|>")
    if any(name in text for text in (subject.request["trace"], subject.request["parameters"].get("system_prompt", ""))):
        return NOT_APPLICABLE
    request = varied(subject, sep_tok=ANOTHER_NAME)
    if not is_tiny(subject):
        model = request["model"]
        model["pieces"] = [ANOTHER_NAME if piece == name else piece for piece in model["pieces"]]
        for table in (*model["rows"], model.setdefault("per_separator", {})):
            if name in table:
                table[ANOTHER_NAME] = table.pop(name)
        model["separator"] = ANOTHER_NAME
    require_same(subject, request, "renaming the separator", "the id that is inserted follows sep_tok")
    return None


@check("engines.shift", area="engines", level="SEGMENTS", requires=("ENG-033",), kind="metamorphic")
def a_constant_on_all_gaps_does_not_matter(subject: Subject) -> Applicability | None:
    """Every own token eight nats less likely raises all gaps alike; normalized scores do not see it."""
    parameters = subject.request["parameters"]
    texts = tokens_of(subject) if forced(subject, "ENG-033") and not is_tiny(subject) else None
    if texts is None or parameters.get("score_mode") == "upstream_literal":
        return NOT_APPLICABLE
    if set(texts.ids) & set(texts.candidates):
        return NOT_APPLICABLE  # a token that is a candidate competes with itself
    request = copy.deepcopy(subject.request)
    model = request["model"]
    for row, token in zip(model["rows"], texts.ids, strict=False):
        row[model["pieces"][token]] -= 8.0
    require_same(subject, request, "a constant added to all gaps", "pass 2 uses the mean and deviation of pass 1")
    return None


@check("engines.quantile", area="engines", level="SCORES", requires=("ENG-052",), kind="metamorphic")
def the_threshold_grows_with_the_quantile(subject: Subject) -> Applicability | None:
    """A larger quantile gives no smaller threshold."""
    if not forced(subject, "ENG-052") or not subject.request["trace"]:
        return NOT_APPLICABLE
    quantile = subject.request["parameters"].get("quantile", 90.0)
    larger = min(100.0, quantile + 9.5)
    if larger == quantile:
        return NOT_APPLICABLE
    ours, theirs = subject.output.threshold, subject.output_of(varied(subject, quantile=larger)).threshold
    if ours is None or theirs is None:
        raise NotGiven("threshold")
    if theirs < ours - 1e-9:
        raise Violation(
            f"quantile {larger} gives a smaller threshold than {quantile}", expected=f">= {ours}", got=theirs
        )
    return None


@check("engines.computation", area="engines", level="SEGMENTS", requires=("ENG-053",), kind="metamorphic")
def how_it_is_computed_does_not_matter(subject: Subject) -> Applicability | None:
    """One token at a time, in chunks of one, of seven and of all, in double precision: the same segments."""
    if not forced(subject, "ENG-053"):
        return NOT_APPLICABLE
    require_same(subject, varied(subject, algorithm="sequential"), "reading token by token")
    for size in (1, 7, 4096):
        require_same(subject, varied(subject, chunk_size=size), f"reading {size} tokens at once")
    if is_tiny(subject) and subject.request["model"].get("dtype", "float32") == "float32":
        request = copy.deepcopy(subject.request)
        request["model"]["dtype"] = "float64"
        require_same(subject, request, "double precision")
    return None
