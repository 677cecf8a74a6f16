"""Engines without a model: discourse markers, blank lines, and the base units themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tokenspec_reference.engines.base_units import BaseSegmenter, BaseUnit, base_units, rule_based_starts
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.offsets import Offsets, partition
from tokenspec_reference.engines.segmentation import Segmentation, unlabelled

MARKERS = (
    *("therefore", "thus", "hence", "so", "follows that", "implies", "we conclude"),
    *("but", "however", "though", "instead", "actually", "nevertheless", "on the other hand"),
    *("this is wrong", "that was wrong", "i was mistaken", "let me reconsider", "wait"),
    *("now we", "let us", "next", "consider", "we need to", "the goal"),
    *("the answer is", "therefore the answer", "in conclusion", "final answer"),
)
_ANY_MARKER = re.compile("|".join(rf"\b{re.escape(marker)}\b" for marker in MARKERS))


def _require_text(trace: str) -> None:
    if not isinstance(trace, str):
        raise InvalidParameter(f"expected a string, got {type(trace).__name__}", field="trace")


@dataclass(frozen=True)
class RTRuleRegex:
    """A base unit that contains a discourse marker starts a new segment."""

    def segment(
        self, trace: str, *, seg_base_unit: BaseUnit = "clause", base_segmenter: BaseSegmenter = rule_based_starts
    ) -> Segmentation:
        """Segment ``trace``; markers match whole words, in any case."""
        _require_text(trace)
        units = base_units(trace, seg_base_unit, base_segmenter)
        starts = [start for start, end in units[1:] if _ANY_MARKER.search(trace[start:end].lower())]
        return unlabelled(partition(starts, len(trace)))


@dataclass(frozen=True)
class RTNewLine:
    """A segment ends after every blank line (``verbose=False``) or every line break (``RTNewLineVerbose``)."""

    pattern: ClassVar[re.Pattern[str]] = re.compile(r"\n{2,}")

    def segment(self, trace: str) -> Segmentation:
        """Segment ``trace``; a piece of whitespace alone joins the piece after it, or before it at the end."""
        _require_text(trace)
        cuts = [match.end() for match in self.pattern.finditer(trace)]
        return unlabelled(_without_blank_pieces(trace, cuts))


@dataclass(frozen=True)
class RTNewLineVerbose(RTNewLine):
    """Every run of line breaks ends a segment."""

    pattern: ClassVar[re.Pattern[str]] = re.compile(r"\n+")


@dataclass(frozen=True)
class RTPlainSegmenter:
    """The base units as they are."""

    def segment(
        self, trace: str, *, seg_base_unit: BaseUnit = "clause", base_segmenter: BaseSegmenter = rule_based_starts
    ) -> Segmentation:
        """Segment ``trace`` into its clauses or sentences."""
        _require_text(trace)
        return unlabelled(base_units(trace, seg_base_unit, base_segmenter))


def _without_blank_pieces(trace: str, cuts: Sequence[int]) -> Offsets:
    """Cut only where text on both sides remains: since the cut before, and up to the end."""
    kept = [0]
    for cut in cuts:
        if trace[kept[-1] : cut].strip() and trace[cut:].strip():
            kept.append(cut)
    return partition(kept, len(trace))
