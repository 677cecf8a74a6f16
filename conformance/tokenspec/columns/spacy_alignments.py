"""spacy-alignments (the ``tokenizations`` library) as a column of the aligners' area.

It aligns two tokenizations of one text character by character. Which characters a token stands for is what the
tokenizer's own offsets say, so it answers where these tile the text: no characters divided, no added tokens around.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns import installed_version, not_installed

Pieces = list[tuple[int, str]]


class SpacyAlignmentsColumn:
    """The column ``spacy-alignments``."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("spacy-alignments")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "spacy-alignments", "version": self.version or "not installed", "language": "rust"}

    def align(self, request: dict[str, Any]) -> dict[str, Any]:
        """Positions that share characters, gathered until nothing is shared with another chunk."""
        if self.version is None:
            raise not_installed("spacy-alignments")
        if request["task"] not in {"align", "align-pieces"} or request["profile"] != "boundary" or request["options"]:
            raise Unsupported("aligns the characters of two tokenizations, nothing else")
        sides = [sides_of(request, name) for name in ("student", "teacher")]
        if len({len(side) for side in sides}) > 1:
            raise Unsupported("a damaged batch")
        ids: tuple[list[list[int]], list[list[int]]] = ([], [])
        for row in zip(*sides, strict=True):
            if len({"".join(text for _, text in pieces) for pieces, _ in row}) > 1:
                raise Unsupported("two different texts")
            for own, (pieces, count), chunk in zip(ids, row, chunks([pieces for pieces, _ in row]), strict=True):
                found = dict(zip((position for position, _ in pieces), chunk, strict=True))
                own.append([found.get(position, -1) for position in range(count)])
        return {"student_chunk_id": ids[0], "teacher_chunk_id": ids[1]}


def sides_of(request: dict[str, Any], name: str) -> list[tuple[Pieces, int]]:
    """Of each row of a side: the positions that have text, with it, and how many positions there are."""
    if request["task"] == "align":
        side = request[name]
        rows = zip(side["ids"], side["mask"], side["texts"], strict=False)
        return [(told(side["model"], ids, mask, text), len(ids)) for ids, mask, text in rows]
    data = request["data"]
    if f"{name}_habits" in data or any(kind not in {"text", "padding"} for row in data[name] for kind, _ in row):
        raise Unsupported("positions that are no text")
    return [([(at, value) for at, (kind, value) in enumerate(row) if kind == "text"], len(row)) for row in data[name]]


def told(model: str, ids: list[int], mask: list[int], text: str) -> Pieces:
    """Positions with the characters that the tokenizer's offsets give them."""
    from tokenspec.models import load

    if len(ids) != len(mask):
        raise Unsupported("a damaged batch")
    encoding = load(model).tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    kept = [position for position, real in enumerate(mask) if real]
    if [ids[position] for position in kept] != encoding["input_ids"]:
        raise Unsupported("ids that are not exactly those of the text")
    spans = encoding["offset_mapping"]
    edges = [0, *(end for _, end in spans)]
    if [start for start, _ in spans] != edges[:-1] or edges[-1] != len(text) or any(a == b for a, b in pairwise(edges)):
        raise Unsupported("offsets that do not tile the text")
    return [(position, text[start:end]) for position, (start, end) in zip(kept, spans, strict=True)]


def chunks(sides: Sequence[Pieces]) -> tuple[list[int], list[int]]:
    """Chunk ids of both sides: what the library aligns, directly or by way of others, is one chunk."""
    from spacy_alignments import get_alignments

    there, back = get_alignments(*([text for _, text in pieces] for pieces in sides))
    if not all(there) or not all(back):
        raise Unsupported("a token with no counterpart")
    student, teacher = [-1] * len(there), [-1] * len(back)
    number = -1
    for at, partners in enumerate(there):
        if all(teacher[partner] < 0 for partner in partners):
            number += 1
        student[at] = number
        for partner in partners:
            teacher[partner] = number
    return student, teacher
