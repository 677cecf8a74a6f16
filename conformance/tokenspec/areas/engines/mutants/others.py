"""Broken signals, rules, fusions and measures."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tokenspec.areas.engines.mutants.patched import Request, Result, mutant

ENGINES = "token_signal_engines."


def _anchors_everywhere(trace: Any, window: int) -> list[int]:
    return list(range(window, len(trace) - window))


def _anchors_without_questions(trace: Any, window: int) -> list[int]:
    return [index for index in range(window, len(trace) - window) if trace.previous_character(index) == "."]


def _sum_change(signal: Sequence[float], index: int, window: int) -> float:
    return signal[index] - math.fsum(signal[index - window : index]) / window


def _other_sign(signal: Sequence[float], index: int, window: int) -> float:
    return (math.fsum(signal[index - window : index]) - math.fsum(signal[index : index + window])) / window


def _surprisal_for_entropy() -> Mapping[str, Any]:
    from tokenspec_reference.engines.token_signals import surprisal

    return {ENGINES + "entropy": surprisal}


def _absolute_flatness() -> Mapping[str, Any]:
    from tokenspec_reference.engines.token_signals import mean_change

    return {ENGINES + "flatness_change": mean_change}


def _undefined_root(left: dict[int, float], right: dict[int, float]) -> float:
    return sum(abs(left.get(token, 0.0) - right.get(token, 0.0)) for token in left.keys() | right.keys())


def _left_support_only(left: dict[int, float], right: dict[int, float]) -> float:
    total = 0.0
    for token, p in left.items():
        q = right.get(token, 0.0)
        total += sum(value * math.log(2 * value / (p + q)) / 2 for value in (p, q) if value)
    return math.sqrt(max(0.0, total))


def _substring_markers() -> Mapping[str, Any]:
    from tokenspec_reference.engines.rule_engines import MARKERS

    words = [re.escape(marker) for marker in MARKERS]
    return {"rule_engines._ANY_MARKER": re.compile("|".join(words))}


def _fewer_markers() -> Mapping[str, Any]:
    return {"rule_engines._ANY_MARKER": re.compile(r"\b(?:therefore|thus|so|but|wait)\b")}


def _blank_pieces_kept(trace: str, cuts: Any) -> Any:
    from tokenspec_reference.engines.offsets import partition

    return partition(cuts, len(trace))


def _any_length(segmentations: Any, length: int | None, _profile: str) -> int:
    return max((end for each in segmentations for _, end in each), default=0) if length is None else length


def _knows_the_length() -> Mapping[str, Any]:
    from tokenspec_reference.engines import fusion

    original = fusion._checked

    def broken(segmentations: Any, length: int | None, profile: Any) -> int:
        longest = original(segmentations, length, profile)
        return longest if length is None else length

    return {"fusion._checked": broken}


def _any_gold() -> Mapping[str, Any]:
    from tokenspec_reference.engines import metrics

    def broken(gold: Any, predicted: Any) -> Any:
        return metrics._Pair(metrics.boundaries(gold), metrics.boundaries(predicted), predicted[-1][1])

    return {"metrics._paired": broken}


def _without_profile(request: Request) -> None:
    request["parameters"].pop("profile", None)


def _dice_is_iou(_: Request, result: Result) -> None:
    if "agreement" in result:
        result["agreement"]["segment_dice"] = result["agreement"]["segment_iou"]


def _upstream(name: str) -> Any:
    """A fusion in its upstream profile; where that fails, nothing comes out."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines import fusion

        original = getattr(fusion, name).fuse

        def broken(segmentations: Any, *, length: int | None = None, **options: Any) -> Any:
            try:
                return original(segmentations, length=length, **(options | {"profile": "upstream"}))
            except ValueError:
                return []

        setattr(broken, "__signature__", inspect.signature(original))  # noqa: B010 - RTSeg routes options by signature
        return {f"fusion.{name}.fuse": staticmethod(broken)}

    return replacements


def _half_is_enough() -> Mapping[str, Any]:
    from tokenspec_reference.engines.fusion import OffsetFusionVoting

    original = OffsetFusionVoting.fuse

    def broken(segmentations: Any, *, threshold: int | None = None, length: int | None = None) -> Any:
        return original(segmentations, threshold=threshold or (len(segmentations) + 1) // 2, length=length)

    return {"fusion.OffsetFusionVoting.fuse": staticmethod(broken)}


def _instead(name: str, other: str) -> Any:
    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines import fusion

        return {f"fusion.{name}.fuse": staticmethod(getattr(fusion, other).fuse)}

    return replacements


def _chained(segmentations: Any, *, max_distance: int = 1, length: int | None = None) -> Any:
    from tokenspec_reference.engines.offsets import partition

    end = length or 0
    found = sorted({0} | {edge for segmentation in segmentations for pair in segmentation for edge in pair})
    kept = [right for left, right in pairwise(found) if right - left > max_distance]
    return partition([edge for edge in kept if end - edge > max_distance], end)


def _last_of_cluster(segmentations: Any, *, max_distance: int = 1, length: int | None = None) -> Any:
    from tokenspec_reference.engines.offsets import partition

    end = length or 0
    kept: list[int] = [end]
    for edge in sorted(
        {edge for segmentation in segmentations for pair in segmentation for edge in pair}, reverse=True
    ):
        if kept[-1] - edge > max_distance:
            kept.append(edge)
    return partition(kept, end)


def _lighter_path(segmentations: Any, *, length: int | None = None) -> Any:
    """The fewest segments instead of the heaviest."""
    from tokenspec_reference.engines.offsets import partition

    shortest = min(segmentations, key=len)
    return partition([edge for pair in shortest for edge in pair], length or 0)


def _votes(silent: Any, *, last: bool = False) -> Any:
    """Label fusion with another silence, or with ties to the last label."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines.label_fusion import LabelFusion

        original = LabelFusion.fuse

        def broken(segmentations: Any, labels: Any, fused: Any, mode: Any = "majority") -> Any:
            if last:
                segmentations, labels = list(segmentations)[::-1], list(labels)[::-1]
            return original(segmentations, labels, fused, mode)

        changed: dict[str, Any] = {} if silent is None else {"label_fusion._silent": silent}
        return changed | {"label_fusion.LabelFusion.fuse": staticmethod(broken)}

    return replacements


def _rounded_up(gold: Any) -> int:
    return max(1, math.floor(gold[-1][1] / len(gold) / 2 + 0.5)) if gold else 1


def _narrow() -> Mapping[str, Any]:
    from tokenspec_reference.engines.metrics import boundary_similarity

    def broken(gold: Any, predicted: Any, *, window: int = 3) -> float:
        return boundary_similarity(gold, predicted, window=max(0, window - 1))

    return {"metrics.boundary_similarity": broken}


def _precision_only(gold: Any, predicted: Any) -> float:
    ours, theirs = {end for _, end in gold[:-1]}, {end for _, end in predicted[:-1]}
    return len(ours & theirs) / len(theirs) if theirs else float(not ours)


MUTANTS = (
    mutant("anchors-everywhere", "ENG-070", "every token is an anchor", {ENGINES + "anchors": _anchors_everywhere}),
    mutant(
        "anchors-full-stop",
        "ENG-070",
        "only the full stop makes anchors",
        {ENGINES + "anchors": _anchors_without_questions},
    ),
    mutant(
        "surprisal-one-token", "ENG-071", "one token instead of the next window", {ENGINES + "mean_change": _sum_change}
    ),
    mutant("surprisal-rises", "ENG-071", "the change has the other sign", {ENGINES + "mean_change": _other_sign}),
    mutant("entropy-is-surprisal", "ENG-071", "the entropy engine watches surprisal", _surprisal_for_entropy),
    mutant("flatness-absolute", "ENG-072", "no division by the deviation", _absolute_flatness),
    mutant("shift-total-variation", "ENG-073", "another distance", {ENGINES + "top_k_distance": _undefined_root}),
    mutant(
        "shift-left-support", "ENG-073", "candidates of one side only", {ENGINES + "top_k_distance": _left_support_only}
    ),
    mutant("markers-in-words", "ENG-075", "markers match inside words", _substring_markers),
    mutant("markers-missing", "ENG-075", "some markers are missing", _fewer_markers),
    mutant(
        "one-line-feed",
        "ENG-076",
        "one line feed ends a segment",
        {"rule_engines.RTNewLine.pattern": re.compile(r"\n+")},
    ),
    mutant(
        "blank-pieces",
        "ENG-076",
        "white space is a segment",
        {"rule_engines._without_blank_pieces": _blank_pieces_kept},
    ),
    mutant("upstream-partitions", "ENG-086", "the profile upstream is ignored", before=_without_profile),
    mutant(
        "upstream-knows-the-length", "ENG-086", "intersect and graph keep the tail upstream loses", _knows_the_length
    ),
    mutant("any-segments", "ENG-087", "what is fused is not looked at", {"fusion._checked": _any_length}),
    mutant("any-gold", "ENG-093", "gold may be anything", _any_gold),
    mutant("voting-upstream", "ENG-080", "head and tail may be lost", _upstream("OffsetFusionVoting")),
    mutant("fuzzy-upstream", "ENG-080", "the tail may be lost", _upstream("OffsetFusionFuzzy")),
    mutant("voting-half", "ENG-081", "half of the engines are enough", _half_is_enough),
    mutant(
        "merge-intersects",
        "ENG-082",
        "merge takes the common edges",
        _instead("OffsetFusionMerge", "OffsetFusionIntersect"),
    ),
    mutant(
        "intersect-votes",
        "ENG-082",
        "intersect takes the majority",
        _instead("OffsetFusionIntersect", "OffsetFusionVoting"),
    ),
    mutant("fuzzy-chains", "ENG-083", "clusters chain", {"fusion.OffsetFusionFuzzy.fuse": staticmethod(_chained)}),
    mutant(
        "fuzzy-last",
        "ENG-083",
        "the last of a cluster stays",
        {"fusion.OffsetFusionFuzzy.fuse": staticmethod(_last_of_cluster)},
    ),
    mutant(
        "graph-shortest",
        "ENG-084",
        "the shortest segmentation wins",
        {"fusion.OffsetFusionGraph.fuse": staticmethod(_lighter_path)},
    ),
    mutant("labels-unknown-votes", "ENG-085", "UNK votes", _votes(lambda _name, _profile: False)),
    mutant(
        "labels-chunk",
        "ENG-085",
        "labels that contain unk are silent",
        _votes(lambda name, _profile: "unk" in name.lower()),
    ),
    mutant("labels-tie-last", "ENG-085", "ties go to the last engine", _votes(None, last=True)),
    mutant("similarity-narrow", "ENG-090", "a window of two characters", _narrow),
    mutant("f1-is-precision", "ENG-090", "precision instead of F1", {"metrics.boundary_f1": _precision_only}),
    mutant("overlap-is-union", "ENG-092", "intersection over union is called Dice", after=_dice_is_iou),
    mutant(
        "refused-nowhere", "ENG-060", "a refusal does not say where", {"adapter._place": lambda _field, _request: ""}
    ),
    mutant("window-rounds-up", "ENG-091", "half a mean segment rounds up", {"metrics.window_size": _rounded_up}),
)
