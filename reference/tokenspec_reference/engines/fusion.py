"""Late fusion: several segmentations of one trace become one.

The profile ``partition`` (default) always returns a partition of ``[0, length)`` and counts an engine once per cut.
The profile ``upstream`` returns what the upstream package returns, holes and lost tails included.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from tokenspec_reference.engines.errors import InvalidSegmentation
from tokenspec_reference.engines.offsets import Offsets, partition, require_segmentation
from tokenspec_reference.engines.parameters import one_of, positive

Profile = Literal["partition", "upstream"]
Segmentations = Sequence[Sequence[tuple[int, int]]]


def _checked(segmentations: Segmentations, length: int | None, profile: Profile) -> int:
    """The length of the trace: the one given, or the largest end, which is all that ``upstream`` knows.

    Raises:
        InvalidSegmentation: nothing to fuse, malformed offsets, or offsets beyond the trace.
    """
    one_of(profile, ("partition", "upstream"), "profile")
    if not segmentations:
        raise InvalidSegmentation("there is no segmentation to fuse", field="segmentations")
    longest = 0
    for index, segmentation in enumerate(segmentations):
        where = f"segmentations[{index}]"
        require_segmentation(segmentation, field=where)
        if profile == "upstream" and not segmentation:
            raise InvalidSegmentation("the upstream profile cannot fuse an empty segmentation", field=where)
        end = segmentation[-1][1] if segmentation else 0
        if length is not None and end > length:
            raise InvalidSegmentation(f"a segment ends at {end}, the trace at {length}", field=where)
        longest = max(longest, end)
    return longest if length is None or profile == "upstream" else length


def edges(segmentation: Sequence[tuple[int, int]]) -> set[int]:
    """Every start and every end."""
    return {edge for pair in segmentation for edge in pair}


def _all_edges(segmentations: Segmentations) -> set[int]:
    return set().union(*(edges(segmentation) for segmentation in segmentations))


class OffsetFusion(ABC):
    """What a fusion is; one of your own needs no more than the method."""

    @staticmethod
    @abstractmethod
    def fuse(*segmentations: Any, **options: Any) -> Offsets:
        """One segmentation of several, given as one list; keyword-only parameters are the options it knows."""


class OffsetFusionMerge(OffsetFusion):
    """Cut wherever any engine cuts."""

    @staticmethod
    def fuse(segmentations: Segmentations, *, length: int | None = None, profile: Profile = "partition") -> Offsets:
        """The finest common partition; holes become segments."""
        length = _checked(segmentations, length, profile)
        found = _all_edges(segmentations)
        return list(pairwise(sorted(found))) if profile == "upstream" else partition(found, length)


class OffsetFusionFlatten(OffsetFusionMerge):
    """The same cuts; :meth:`edges` gives them as a flat list, which is all the upstream class of this name returns."""

    @staticmethod
    def edges(segmentations: Segmentations) -> list[int]:
        """Sorted starts and ends of all segmentations."""
        _checked(segmentations, None, "partition")
        return sorted(_all_edges(segmentations))


class OffsetFusionVoting(OffsetFusion):
    """Cut where at least ``threshold`` engines cut; by default more than half."""

    @staticmethod
    def fuse(
        segmentations: Segmentations,
        *,
        threshold: int | None = None,
        length: int | None = None,
        profile: Profile = "partition",
    ) -> Offsets:
        """``upstream`` counts starts and each last end, and returns what lies between the winners."""
        length = _checked(segmentations, length, profile)
        needed = len(segmentations) // 2 + 1 if threshold is None else positive(threshold, "threshold")
        if profile == "upstream":
            votes = Counter(start for segmentation in segmentations for start, _ in segmentation)
            votes.update(segmentation[-1][1] for segmentation in segmentations)
            return list(pairwise(sorted(edge for edge, count in votes.items() if count >= needed)))
        votes = Counter(edge for segmentation in segmentations for edge in edges(segmentation))
        return partition((edge for edge, count in votes.items() if count >= needed), length)


class OffsetFusionIntersect(OffsetFusion):
    """Cut where all engines cut."""

    @staticmethod
    def fuse(segmentations: Segmentations, *, length: int | None = None, profile: Profile = "partition") -> Offsets:
        """``upstream`` measures the end of the trace by the largest end."""
        length = _checked(segmentations, length, profile)
        common = set.intersection(*(edges(segmentation) for segmentation in segmentations))
        if profile == "upstream" and not common:
            raise InvalidSegmentation(
                "the engines share no edge; the upstream profile fails here", field="segmentations"
            )
        return partition(common, length)


class OffsetFusionFuzzy(OffsetFusion):
    """Cuts closer than ``max_distance`` characters to the first of their cluster count as that one."""

    @staticmethod
    def fuse(
        segmentations: Segmentations,
        *,
        max_distance: int = 1,
        length: int | None = None,
        profile: Profile = "partition",
    ) -> Offsets:
        """``partition`` keeps both ends of the trace, whatever is near them; ``upstream`` may lose the tail."""
        length = _checked(segmentations, length, profile)
        if max_distance != 0:
            positive(max_distance, "max_distance")
        found = sorted(_all_edges(segmentations) | ({0} if profile == "partition" else set()))
        kept = found[:1]
        for edge in found[1:]:
            if edge - kept[-1] > max_distance:
                kept.append(edge)
        if profile == "upstream":
            return list(pairwise(kept))
        return partition((edge for edge in kept if length - edge > max_distance), length)


class OffsetFusionGraph(OffsetFusion):
    """The path through the proposed segments that most engines agree with.

    A segment weighs as many engines as propose it; ties go to the smallest predecessor. O(edges x proposals per edge).
    """

    @staticmethod
    def fuse(segmentations: Segmentations, *, length: int | None = None, profile: Profile = "partition") -> Offsets:
        """``partition`` walks from 0 to the end, over weightless steps where nobody proposes a segment."""
        length = _checked(segmentations, length, profile)
        weights = Counter(tuple(pair) for segmentation in segmentations for pair in segmentation)
        nodes = sorted(_all_edges(segmentations))
        if profile == "partition":
            for step in pairwise(nodes):
                weights.setdefault(step, 0)
        proposed: dict[int, list[int]] = {}
        for start, end in sorted(weights):
            proposed.setdefault(end, []).append(start)
        best = dict.fromkeys(nodes, 0)
        came_from: dict[int, int] = {}
        for node in nodes:
            for start in proposed.get(node, []):
                weight = best[start] + weights[start, node]
                if weight > best[node] or (profile == "partition" and node not in came_from):
                    best[node], came_from[node] = weight, start
        path = [nodes[-1]] if nodes else []
        while path and path[-1] in came_from:
            path.append(came_from[path[-1]])
        return partition(path, length)
