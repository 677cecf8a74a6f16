"""One golden of the engines area."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from tokenspec.areas.area import NO_ROW
from tokenspec.areas.engines.oracle.forced import Forced, Refuses, forced_decode
from tokenspec.areas.engines.oracle.fusing import agreement, fused, group_measures, labels_of, upstream_fused
from tokenspec.areas.engines.oracle.predictors import predictor_of
from tokenspec.areas.engines.oracle.refusals import places_of, refuse
from tokenspec.areas.engines.oracle.signals import line_cuts, marker_cuts, token_signal
from tokenspec.areas.engines.oracle.texts import texts_of
from tokenspec.areas.engines.oracle.units import UNIT_ENGINES, unit_cuts, unit_starts
from tokenspec.areas.engines.records import EnginesInput, Recorded
from tokenspec.models import Row
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.records import Case, Golden

Segments = list[tuple[int, int]]


def segmentation_golden(case: Case, row: str, rows: Mapping[str, Row]) -> Golden:
    """Compute everything twice over: what is refused, then what is answered."""
    loaded = None if row == NO_ROW else rows[row]
    header: dict[str, Any] = {
        "case": case.id,
        "row": row,
        "input_sha256": input_sha256(case.input),
        "pins": {} if loaded is None else loaded.pins,
        "oracle": {"name": "tokenspec.areas.engines.oracle"},
    }
    try:
        expect = expectation(case, loaded)
    except Refuses as refusal:
        return Golden(**header, outcome="raises", error=str(refusal))
    return Golden(**header, outcome="ok", expect=expect)


def partition(cuts: list[int], length: int) -> Segments:
    """Segments between cuts."""
    edges = sorted({0, length, *cuts})
    return list(pairwise(edges))


def expectation(case: Case, row: Row | None) -> dict[str, Any]:
    """What the chapter answers.

    Raises:
        Refuses: it refuses.
    """
    given = convert(case.input, EnginesInput, where=f"{case.id}: input")
    refuse(given, None if row is None else row.tokenizer)
    length = len(given.trace)
    results = [run(name, given, row) for name in given.engines]
    segmentations = [partition(result.cuts, length) for result in results] + [
        list(each.offsets) for each in given.given
    ]
    names = [
        result.labels or ["UNK"] * len(each)
        for result, each in zip(results, segmentations[: len(results)], strict=True)
    ]
    names += [each.labels or ["UNK"] * len(each.offsets) for each in given.given]
    if given.fusion is None:
        offsets, labels = segmentations[0], names[0]
    else:
        if given.parameters.get("profile") == "upstream":
            empty = [place for place, each in zip(places_of(given), segmentations, strict=True) if not each]
            if empty:
                raise Refuses("ENG-086", *empty)
            offsets = upstream_fused(given.fusion, segmentations, given.parameters)
        else:
            offsets = partition(fused(given.fusion, segmentations, length, given.parameters), length)
        labels = labels_of(segmentations, names, offsets, given.parameters.get("label_fusion_type", "majority"))
    expect: dict[str, Any] = {"offsets": [list(pair) for pair in offsets], "labels": labels}
    if len(segmentations) == 1 and results and results[0].threshold is not None:
        expect["threshold"] = results[0].threshold
        expect |= {} if results[0].margin is None else {"margin": results[0].margin}
    if given.gold is not None:
        expect["agreement"] = agreement(list(given.gold), offsets, length)
        if len(segmentations) > 1:
            expect["group"] = group_measures([list(given.gold), *segmentations], length)
    return expect


def run(name: str, given: EnginesInput, row: Row | None) -> Forced:
    """One engine on the trace."""
    if name in ("new-line", "new-line-verbose"):
        return Forced(line_cuts(given.trace, 2 if name == "new-line" else 1))
    if name == "rule-regex":
        return Forced(marker_cuts(given.trace, unit_starts(given.trace, given.base_units or [])))
    if name in UNIT_ENGINES:
        cuts, labels = unit_cuts(name, given)
        return Forced(cuts, labels=labels)
    if not given.trace:
        return Forced([])
    texts = texts_of(given, None if row is None else row.tokenizer, None if row is None else row.chat_template)
    vocabulary = 0 if row is None else max(row.tokenizer.get_vocab().values()) + 1
    if given.model is None or isinstance(given.model, Recorded):
        raise Refuses("ENG-060", "/model")
    predictor = predictor_of(given.model, texts, vocabulary)
    if name == "forced-decoder":
        return forced_decode(predictor, texts, given.parameters)
    return token_signal(name, predictor, texts, given.parameters)
