"""Broken aligners of the profile ``boundary``: chunks, special tokens, normal forms, cut texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from tokenspec.areas.aligners.mutants.patched import Json, each_id, edited, normative, replaced
from tokenspec_reference.aligners import (
    boundary,
    boundary_batch,
    boundary_text,
    piece_table,
    special_pairs,
    unicode_forms,
)
from tokenspec_reference.aligners.boundary_text import RowText, Settled
from tokenspec_reference.aligners.errors import AlignmentInputError

PAIR_SPECIALS = special_pairs.pair_specials
SETTLE = boundary_text.settle


def _late_teacher(_request: Json, result: Json) -> None:
    """The teacher's chunks begin one token late."""
    for row in result["teacher_chunk_id"]:
        for index in range(len(row) - 1, 0, -1):
            if row[index] > 0 and row[index - 1] == row[index] - 1:
                row[index] = row[index - 1]


def _coarse(chunk: int) -> int:
    return chunk // 2 if chunk >= 0 else -1


def _coarse_ids(request: Json, result: Json) -> None:
    each_id(_coarse)(request, result)
    result["num_chunks"] = [(count + 1) // 2 for count in result["num_chunks"]]


def _drop_last(_request: Json, result: Json) -> None:
    for name in ("student_chunk_id", "teacher_chunk_id"):
        result[name] = [
            [-1 if chunk == count - 1 else chunk for chunk in row]
            for row, count in zip(result[name], result["num_chunks"], strict=True)
        ]
    result["num_chunks"] = [max(0, count - 1) for count in result["num_chunks"]]


def _first_token_only(_request: Json, result: Json) -> None:
    """Only the last token of a chunk keeps its id."""
    for name in ("student_chunk_id", "teacher_chunk_id"):
        result[name] = [
            [-1 if chunk >= 0 and chunk in row[index + 1 :] else chunk for index, chunk in enumerate(row)]
            for row in result[name]
        ]


def _specials_never_pair(s_code: Any, _s: Any, t_code: Any, _t: Any, _common: Any) -> Any:
    return torch.zeros_like(s_code, dtype=torch.bool), torch.zeros_like(t_code, dtype=torch.bool)


def _specials_by_place(s_code: Any, s_places: Any, t_code: Any, t_places: Any, common: Any) -> Any:
    """Roles are ignored."""
    return PAIR_SPECIALS(s_code.clamp(max=1), s_places, t_code.clamp(max=1), t_places, common)


def _specials_any_place(s_code: Any, s_places: Any, t_code: Any, t_places: Any, common: Any) -> Any:
    """Places are ignored."""
    return PAIR_SPECIALS(
        s_code, torch.zeros_like(s_places), t_code, torch.zeros_like(t_places), torch.zeros_like(common)
    )


def _keep_crossing(partners: Any) -> Any:
    """The student's order decides which of two crossing candidates stays."""
    before = torch.cat([partners.new_full((1,), -1), partners.cummax(0).values[:-1]])
    return partners > before


def _leftover_group(request: Json, result: Json) -> None:
    """What is left on either side forms one more group."""
    if request["task"] != "align":
        return
    for row, count in enumerate(result["num_chunks"]):
        rest = []
        for name in ("student", "teacher"):
            ids, mask = result[f"{name}_chunk_id"][row], request[name]["mask"][row]
            last = max((index for index, chunk in enumerate(ids) if chunk >= 0), default=-1)
            rest.append([index for index, real in enumerate(mask) if real and index > last])
        if any(rest):
            for name, indices in zip(("student", "teacher"), rest, strict=True):
                for index in indices:
                    result[f"{name}_chunk_id"][row][index] = count
            result["num_chunks"][row] += 1


def _always_truncate(student: Any, teacher: Any, *, row: int, truncate: bool) -> Any:
    del truncate
    return SETTLE(student, teacher, row=row, truncate=True)


def _never_truncate(student: Any, teacher: Any, *, row: int, truncate: bool) -> Any:
    del truncate
    return SETTLE(student, teacher, row=row, truncate=False)


def _vague(message: str) -> Callable[..., None]:
    def refuse(student: bytes, teacher: bytes, *, row: int = 0) -> None:
        del row
        common = boundary.common_prefix_length(student, teacher)
        if common < min(len(student), len(teacher)):
            raise AlignmentInputError(message)

    return refuse


def _marks_follow(ends: Any, *, between: int) -> Any:
    """A position inside a changed segment counts as the segment's end."""
    del between
    places = ends * boundary_text.PLACES_PER_BYTE
    for index in range(len(places) - 2, -1, -1):
        if ends[index] == unicode_forms.INSIDE:
            places[index] = places[index + 1]
    return places


def _padding_counts(request: Json, result: Json) -> None:
    """Ids start at the number of padded positions on the student's left."""
    if request["task"] != "align":
        return
    for row, mask in enumerate(request["student"]["mask"]):
        shift = mask.index(1) if 1 in mask else 0
        for name in ("student_chunk_id", "teacher_chunk_id"):
            result[name][row] = [chunk + shift if chunk >= 0 else -1 for chunk in result[name][row]]
        result["num_chunks"][row] += shift


def _same_is_one(request: Json, result: Json) -> None:
    """Equal sides become one chunk."""
    if request["task"] == "align" and request["student"]["ids"] == request["teacher"]["ids"]:
        each_id(lambda chunk: min(chunk, 0))(request, result)
        result["num_chunks"] = [min(1, count) for count in result["num_chunks"]]


def _single_is_correct(_request: Json, result: Json) -> None:
    for row, correct in enumerate(result["pair_is_correct"]):
        ids = result["student_chunk_id"][row]
        result["pair_is_correct"][row] = [flag and ids.count(chunk) == 1 for chunk, flag in enumerate(correct)]


def _half_single(_request: Json, result: Json) -> None:
    """The exact partition looks at its own side only."""
    for name in ("student", "teacher"):
        ids = result[f"{name}_chunk_id"]
        result[f"{name}_exact"] = [[chunk >= 0 and row.count(chunk) == 1 for chunk in row] for row in ids]


def _bytes_when_truncating(student: RowText, teacher: RowText, *, row: int, truncate: bool) -> Settled:
    sides = (replace(side, normalises=side.normalises and not truncate) for side in (student, teacher))
    return boundary_text.settle(*sides, row=row, truncate=truncate)


MUTANTS = (
    edited("late-teacher", "ALN-010", "teacher chunks begin one token late", after=normative(_late_teacher)),
    edited("coarse", "ALN-011", "two chunks are one", after=normative(_coarse_ids)),
    edited("drop-last", "ALN-012", "the last chunk is missing", after=normative(_drop_last)),
    edited("last-token-only", "ALN-012 ALN-023", "a chunk keeps one token", after=normative(_first_token_only)),
    replaced(
        "specials-alone",
        "ALN-013",
        "special tokens never pair",
        (boundary_batch, "pair_specials", _specials_never_pair),
    ),
    replaced(
        "specials-by-place",
        "ALN-013",
        "special tokens pair whatever their role",
        (boundary_batch, "pair_specials", _specials_by_place),
    ),
    replaced(
        "specials-any-place",
        "ALN-013",
        "special tokens pair wherever they stand",
        (boundary_batch, "pair_specials", _specials_any_place),
    ),
    replaced(
        "truncated-as-bytes",
        "ALN-018",
        "two texts are compared as bytes, whatever their normal forms",
        (boundary_batch, "settle", _bytes_when_truncating),
    ),
    replaced(
        "crossing-kept",
        "ALN-013 ALN-019",
        "the student's order decides between crossing special tokens",
        (special_pairs, "_crosses_nothing", _keep_crossing),
    ),
    replaced(
        "added-space-is-text",
        "ALN-014",
        "the space a tokenizer adds counts as text",
        (piece_table, "_prefix_rule", lambda _normalizers, _pre_tokenizers: ("none", False)),
    ),
    replaced(
        "no-normal-form",
        "ALN-015",
        "normal forms are not compared",
        (piece_table, "_unicode_form", lambda _normalizers: None),
    ),
    replaced(
        "marks-follow",
        "ALN-015",
        "a token inside a changed segment ends where the segment ends",
        (boundary_text, "_places", _marks_follow),
    ),
    edited(
        "leftover-group",
        "ALN-016",
        "what is left on either side forms one more chunk",
        after=normative(_leftover_group),
    ),
    replaced(
        "always-truncate",
        "ALN-017",
        "different texts are truncated silently",
        (boundary_batch, "settle", _always_truncate),
    ),
    replaced(
        "vague-refusal",
        "ALN-017",
        "the refusal does not say where",
        (boundary_text, "require_common_prefix", _vague("the texts differ")),
    ),
    replaced(
        "never-truncate", "ALN-018", "the option truncate is ignored", (boundary_batch, "settle", _never_truncate)
    ),
    edited("padding-counts", "ALN-020", "chunk ids depend on left padding", after=normative(_padding_counts)),
    edited("same-is-one", "ALN-021", "equal sides become one chunk", after=normative(_same_is_one)),
    edited("single-is-correct", "ALN-022", "only chunks of one token are correct", after=normative(_single_is_correct)),
    edited("half-single", "ALN-022", "the exact partition ignores the other side", after=normative(_half_single)),
)
