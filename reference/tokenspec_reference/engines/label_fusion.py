"""Labels of the fused segments from the labels of the segments they overlap."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal

from tokenspec_reference.engines.errors import InvalidSegmentation
from tokenspec_reference.engines.parameters import one_of
from tokenspec_reference.engines.segmentation import UNKNOWN_LABEL

LabelMode = Literal["majority", "concat"]


class LabelFusion:
    """Every old segment that shares a character with the new one has one vote, whatever its length."""

    @staticmethod
    def fuse(
        segmentations: Sequence[Sequence[tuple[int, int]]],
        labels: Sequence[Sequence[str]],
        fused: Sequence[tuple[int, int]],
        mode: LabelMode = "majority",
        *,
        profile: Literal["partition", "upstream"] = "partition",
    ) -> list[str]:
        """One label per fused segment.

        ``majority``: the most frequent label, ties to the one met first (engine order, then position); ``concat``: the
        distinct labels, sorted, joined by ``+``. ``UNK`` never votes and is the answer when nobody else does. The
        ``upstream`` profile also silences every label that contains ``unk`` (so a label ``chunk`` never wins).

        Raises:
            InvalidParameter: unknown mode or profile.
            InvalidSegmentation: labels and segments of an engine differ in number.
        """
        one_of(mode, ("majority", "concat"), "label_fusion_type")
        one_of(profile, ("partition", "upstream"), "profile")
        for index, (offsets, names) in enumerate(zip(segmentations, labels, strict=True)):
            if len(offsets) != len(names):
                raise InvalidSegmentation(f"{len(names)} labels for {len(offsets)} segments", field=f"labels[{index}]")
        return [_label(segmentations, labels, segment, mode, profile) for segment in fused]


def _label(
    segmentations: Sequence[Sequence[tuple[int, int]]],
    labels: Sequence[Sequence[str]],
    segment: tuple[int, int],
    mode: LabelMode,
    profile: str,
) -> str:
    votes = [
        name
        for offsets, names in zip(segmentations, labels, strict=True)
        for (start, end), name in zip(offsets, names, strict=True)
        if min(end, segment[1]) > max(start, segment[0]) and not _silent(name, profile)
    ]
    if not votes:
        return UNKNOWN_LABEL
    return statistics.mode(votes) if mode == "majority" else "+".join(sorted(set(votes)))


def _silent(name: str, profile: str) -> bool:
    return "unk" in name.lower() if profile == "upstream" else name.upper() == UNKNOWN_LABEL
