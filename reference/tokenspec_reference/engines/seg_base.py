"""``SegBase``: the class RT-SEG's own engines and its users' derive from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tokenspec_reference.engines.base_units import BaseSegmenter, BaseUnit, base_units, rule_based_starts
from tokenspec_reference.engines.offsets import Offsets
from tokenspec_reference.engines.segmentation import Segmentation


class SegBase(ABC):
    """An engine with the static method ``_segment(trace, **options) -> (offsets, labels)``; :class:`RTSeg` runs it."""

    @staticmethod
    def get_base_offsets(
        trace: str, seg_base_unit: BaseUnit, base_segmenter: BaseSegmenter = rule_based_starts
    ) -> Offsets:
        """The base units of ``trace`` as ``(start, end)`` pairs: a partition.

        Raises:
            InvalidParameter: ``seg_base_unit`` is neither ``clause`` nor ``sent``.
        """
        return base_units(trace, seg_base_unit, base_segmenter)

    @staticmethod
    @abstractmethod
    def _segment(trace: str, **options: Any) -> tuple[Offsets, list[str]]:
        """What a derived class writes."""

    def segment(self, trace: str, **options: Any) -> Segmentation:
        """The answer of ``_segment``, which gets every option of the call."""
        offsets, labels = self._segment(trace, **options)
        return Segmentation(list(offsets), list(labels))
