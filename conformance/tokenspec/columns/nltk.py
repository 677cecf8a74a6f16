"""NLTK's measures of segmentation as a column of the engines' area: Pk, WindowDiff and F1 over strings of
boundaries, and Krippendorff's alpha of several coders.

It segments nothing: it answers where a segmentation is given beside the gold one. It has no F1 within a window.
"""

from __future__ import annotations

from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns import installed_version, not_installed

BOUNDARY = "1"


class NltkColumn:
    """The column ``nltk``."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("nltk")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "nltk", "version": self.version or "not installed", "language": "python"}

    def segment(self, request: dict[str, Any]) -> dict[str, Any]:
        """The measures of the one given segmentation against the gold one."""
        if self.version is None:
            raise not_installed("nltk")
        if request["gold"] is not None and not is_partition(request["gold"], len(request["trace"])):
            raise Unsupported("has strings of boundaries, which spell partitions and nothing else")
        if request["gold"] is not None and not request["engines"] and len(request["given"]) > 1:
            coders = [request["gold"], *(each["offsets"] for each in request["given"])]
            return {"offsets": [[0, len(request["trace"])]], "group": alpha(coders, len(request["trace"]))}
        if request["gold"] is None or request["engines"] or request["fusion"] or len(request["given"]) != 1:
            raise Unsupported("measures the agreement of given segmentations, nothing else")
        offsets = request["given"][0]["offsets"]
        return {"offsets": offsets, "agreement": measures(request["gold"], offsets, len(request["trace"]))}


def is_partition(spans: list[list[int]], length: int) -> bool:
    """Whether spans cover a text one after the other, none of them empty."""
    ends = [0, *(end for _, end in spans)]
    return [start for start, _ in spans] == ends[:-1] and ends[-1] == length and ends == sorted(set(ends))


def alpha(coders: list[list[list[int]]], length: int) -> dict[str, float]:
    """Krippendorff's alpha over the inner positions of the text."""
    from nltk.metrics.agreement import AnnotationTask

    ends = [{end for _, end in side[:-1]} for side in coders]
    said = [(coder, at, at in side) for coder, side in enumerate(ends) for at in range(1, length)]
    return {"krippendorff_alpha": AnnotationTask(data=said).alpha()}


def measures(gold: list[list[int]], offsets: list[list[int]], length: int) -> dict[str, float]:
    """What it measures; the width of its windows is an argument, and half a mean segment of the gold by default."""
    from nltk.metrics.scores import f_measure
    from nltk.metrics.segmentation import pk, windowdiff

    ends = [{end for _, end in side[:-1]} for side in (gold, offsets)]
    places = ["".join(BOUNDARY if at in side else "0" for at in range(1, length)) for side in ends]
    width = max(1, round(length / len(gold) / 2)) if gold else 1
    if width >= length:
        raise Unsupported("a window as wide as the text")
    found = {"pk": pk(*places, k=width), "window_diff": windowdiff(*places, k=width)}
    shared = f_measure(*ends)
    return found if shared is None else {**found, "boundary_f1": shared}
