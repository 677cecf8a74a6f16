"""Broken aligners whose answers have another form, or depend on what was asked before."""

from __future__ import annotations

from tokenspec.areas.aligners.mutants.patched import Json, aligned, each_id, edited, normative
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter


def _inclusive_ends(_request: Json, result: Json) -> None:
    result["pairs"] = [[(a, b - 1, c, d - 1) for a, b, c, d in row] for row in result["pairs"]]


def _reversed_ids(_request: Json, result: Json) -> None:
    for name in ("student_chunk_id", "teacher_chunk_id"):
        result[name] = [
            [count - 1 - chunk if chunk >= 0 else -1 for chunk in row]
            for row, count in zip(result[name], result["num_chunks"], strict=True)
        ]


def _all_slots_valid(_request: Json, result: Json) -> None:
    result["pair_valid"] = [[True] * len(row) for row in result["pair_valid"]]


def _one_slot_more(_request: Json, result: Json) -> None:
    result["pair_valid"] = [[*row, False] for row in result["pair_valid"]]


def _padding_joins(request: Json, result: Json) -> None:
    if request["task"] != "align":
        return
    for name in ("student", "teacher"):
        for row, mask in zip(result[f"{name}_chunk_id"], request[name]["mask"], strict=True):
            for index, real in enumerate(mask):
                if not real and index and row[index - 1] >= 0:
                    row[index] = row[index - 1]


def _twice_counted(_request: Json, result: Json) -> None:
    """Pairs reach one token too far."""
    for row, pairs in enumerate(result["pairs"]):
        width = len(result["student_chunk_id"][row])
        result["pairs"][row] = [(a, min(b + 1, width), c, d) if a >= 0 else (a, b, c, d) for a, b, c, d in pairs]


class Counting:
    """State that survives a call."""

    calls = 0

    @classmethod
    def edit(cls, _request: Json, result: Json) -> None:
        """Every second answer loses its last chunk."""
        cls.calls += 1
        if cls.calls % 2 == 0 and "num_chunks" in result:
            result["num_chunks"] = [max(0, count - 1) for count in result["num_chunks"]]


class Careless(ReferenceAdapter):
    """Sorts the request's keys in place."""

    def align(self, request: Json) -> Json:
        """Change what was given."""
        result = super().align(request)
        request["seen"] = True
        return result


MUTANTS = (
    edited(
        "ids-from-one", "ALN-003", "chunk ids count from 1", after=aligned(each_id(lambda c: c + 1 if c >= 0 else c))
    ),
    edited("inclusive-ends", "ALN-001", "pair ends are inclusive", after=aligned(_inclusive_ends)),
    edited("twice-counted", "ALN-001 ALN-023", "pairs reach one token too far", after=aligned(_twice_counted)),
    edited("reversed-ids", "ALN-002", "chunks are numbered from the end", after=normative(_reversed_ids)),
    edited("all-slots-valid", "ALN-004", "pair_valid is True on padding slots", after=aligned(_all_slots_valid)),
    edited("one-slot-more", "ALN-004", "one pair slot too many", after=aligned(_one_slot_more)),
    edited("padding-joins", "ALN-005", "padding joins the chunk before it", after=normative(_padding_joins)),
    edited("stateful", "ALN-006", "every second answer differs", after=Counting.edit),
    Mutant("aligners-careless", "aligners", ("ALN-006",), "the request is modified", Careless),
)
