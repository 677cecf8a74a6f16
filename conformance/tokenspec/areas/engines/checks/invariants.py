"""What holds of every segmentation, whatever made it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from tokenspec.areas.area import NO_ROW
from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.engines.checks.answers import is_tiny, shown
from tokenspec.areas.engines.records import EnginesInput, EnginesOutput, Recorded
from tokenspec.store.canonical import convert

if TYPE_CHECKING:
    from tokenspec.areas.engines.oracle.texts import Texts

LABELLING = {"zero-shot", "topics", "argument", "reasoning-flow", "thought-anchor"}
"""Engines whose labels are not UNK."""


def tokens_of(question: Question) -> Texts | None:
    """The trace as its tokenizer sees it; None where no model is involved or there is no trace."""
    from tokenspec.areas.engines.oracle.texts import texts_of

    given = convert(question.input, EnginesInput, where=question.cell.name)
    if given.model is None or isinstance(given.model, Recorded) or not given.trace:
        return None
    row = None if question.cell.row == NO_ROW else question.rows[question.cell.row]
    return texts_of(given, None if row is None else row.tokenizer, None if row is None else row.chat_template)


def is_upstream(question: Question) -> bool:
    """What RT-SEG's fusions give need not be a partition."""
    return bool(question.request["parameters"].get("profile") == "upstream")


def is_partitioned(question: Question) -> bool:
    """The answer is a partition."""
    return not is_upstream(question)


@check("engines.partition", area="engines", level="SEGMENTS", requires=("ENG-001",), applies=is_partitioned)
def segments_partition_the_trace(subject: Subject) -> None:
    """Segments follow each other from 0 to the end without gap, overlap or emptiness."""
    _require_partition(subject)


def is_fused(question: Question) -> bool:
    """Segmentations are fused."""
    return bool(question.request.get("fusion"))


def is_fused_partition(question: Question) -> bool:
    """The same, of fused ones."""
    return is_fused(question) and is_partitioned(question)


@check("engines.fused-partition", area="engines", level="SEGMENTS", requires=("ENG-080",), applies=is_fused_partition)
def a_fusion_partitions_the_trace(subject: Subject) -> None:
    """The same of fused segments, whose inputs may have holes."""
    _require_partition(subject)


def _require_partition(subject: Subject) -> None:
    output: EnginesOutput = subject.output
    trace = subject.request["trace"]
    edge = 0
    for index, (start, end) in enumerate(output.offsets):
        if start != edge or end <= start:
            raise Violation(
                f"segment {index} is ({start}, {end}), but the one before ends at {edge}",
                got=shown(trace, output.offsets),
                where=f"offsets[{index}]",
            )
        edge = end
    if edge != len(trace):
        raise Violation(
            "the last segment does not end with the trace", expected=len(trace), got=edge, where="offsets[-1]"
        )


def cuts_tokens(question: Question) -> bool:
    """A trace is cut between tokens of a model."""
    return not is_fused(question) and tokens_of(question) is not None


@check("engines.cuts", area="engines", level="SEGMENTS", requires=("ENG-002",), applies=cuts_tokens)
def cuts_are_token_starts_between_characters(subject: Subject) -> None:
    """Every boundary is the start of a token that shares no character with the tokens before it."""
    texts = tokens_of(subject)
    assert texts is not None
    allowed = {start for start, cuttable in zip(texts.starts, texts.cuttable, strict=True) if cuttable} | {0}
    for index, (start, _) in enumerate(subject.output.offsets):
        if start not in allowed:
            near = texts.trace[max(0, start - 8) : start] + "|" + texts.trace[start : start + 8]
            raise Violation(
                "a cut where no token can begin a segment",
                got=f"character {start}: {near!r}",
                where=f"offsets[{index}]",
                hint="cursors that add up decoded token lengths drift on split and composed characters",
            )


def barred(texts: Texts) -> set[int]:
    """The characters beside a separator of the trace."""
    return {
        texts.starts[index]
        for index, token in enumerate(texts.ids)
        if token in texts.candidates or (index and texts.ids[index - 1] == texts.separator)
    } - {0}


def has_separators(question: Question) -> bool:
    """The trace of a forced decoder holds separators itself."""
    if question.request["engines"] != ["forced-decoder"] or is_fused(question):
        return False
    texts = tokens_of(question)
    return texts is not None and bool(barred(texts))


@check("engines.beside-separators", area="engines", level="SEGMENTS", requires=("ENG-031",), applies=has_separators)
def no_cut_beside_a_separator(subject: Subject) -> None:
    """No boundary stands before a trace token that is a candidate, nor right after the separator."""
    texts = tokens_of(subject)
    assert texts is not None
    closed = barred(texts)
    for start, _ in subject.output.offsets:
        if start in closed:
            raise Violation(
                "a cut beside a separator of the trace",
                got=repr(texts.trace[max(0, start - 8) : start] + "|" + texts.trace[start : start + 8]),
                where=f"character {start}",
            )


@check("engines.label-count", area="engines", level="LABELS", requires=("ENG-003",))
def one_label_per_segment(subject: Subject) -> None:
    """There are as many labels as segments, and engines without labels say UNK."""
    output: EnginesOutput = subject.output
    if output.labels is None:
        raise NotGiven("labels")
    if len(output.labels) != len(output.offsets):
        raise Violation("labels and segments differ in number", expected=len(output.offsets), got=len(output.labels))
    silent = LABELLING.isdisjoint(subject.request["engines"]) and not subject.request.get("given")
    if silent and set(output.labels) - {"UNK"}:
        raise Violation("this engine has no labels", expected="UNK", got=sorted(set(output.labels)))


def is_asked_twice(question: Question) -> bool:
    """Slow models are asked twice where the case says so."""
    return not is_tiny(question) or "ENG-004" in question.cell.case.requires


@check(
    "engines.repeatable",
    area="engines",
    level="SEGMENTS",
    requires=("ENG-004",),
    kind="metamorphic",
    applies=is_asked_twice,
)
def the_same_request_gives_the_same_result(subject: Subject) -> None:
    """After a call with other options, the request gives what it gave; and it was not changed."""
    if subject.mutated:
        raise Violation("the implementation changed the request it was given")
    other = copy.deepcopy(subject.request)
    if "forced-decoder" in other["engines"] and other["model"] is not None:
        other["parameters"] |= {"quantile": 12.5, "beta": 0.25, "alpha": 0.5}
        subject.call(other)
    again: EnginesOutput = subject.output_of(copy.deepcopy(subject.request))
    if (again.offsets, again.labels) != (subject.output.offsets, subject.output.labels):
        trace = subject.request["trace"]
        raise Violation(
            "the same request, asked again, gives other segments",
            expected=shown(trace, subject.output.offsets),
            got=shown(trace, again.offsets),
            hint="options of one call must not become defaults of the next",
        )
