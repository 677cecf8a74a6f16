"""``TokenAligner``: two tokenizers, two profiles, one call from padded id tensors to an ``AlignmentBatch``."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch, AlignmentPair, drop_padding, spans_to_batch
from tokenspec_reference.aligners.boundary_batch import (
    DeviceTable,
    align_boundary,
    device_tables,
    read_side,
)
from tokenspec_reference.aligners.devices import exact_device
from tokenspec_reference.aligners.errors import AlignmentInputError, IdOutOfVocabulary
from tokenspec_reference.aligners.nw_compat import FastAligner
from tokenspec_reference.aligners.nw_forms import Forms
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, Scores
from tokenspec_reference.aligners.piece_table import PieceTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

Profile = Literal["boundary", "nw-compat"]
OnMismatch = Literal["error", "truncate"]
INTEGER_TYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


class TokenAligner:
    """Aligns the ids that two tokenizers give for one text.

    ``profile="boundary"`` (normative): the finest segmentation at common byte boundaries, from ids and byte lengths
    alone. ``profile="nw-compat"``: NeMo-RL's dynamic programme over canonical spellings, bit for bit.

    A tokenizer is a fast Hugging Face tokenizer or, for ``boundary``, a ``PieceTable``.
    ``special_roles`` declares roles for token spellings of either side (``boundary``), e.g.
    ``{"<think>": "think", "[THINK]": "think"}``. ``device``: where to compute and return; default where the ids are.
    ``projection_matrix_path`` is only kept, for the loss; ``max_comb_len``, ``scores`` and ``anchor_lengths`` concern
    ``nw-compat``.
    Source: NeMo-RL x_token, ``TokenAligner``.
    """

    def __init__(
        self,
        student_tokenizer: Any,
        teacher_tokenizer: Any,
        projection_matrix_path: str | PathLike[str] | None = None,
        max_comb_len: int = 4,
        *,
        profile: Profile = "boundary",
        device: torch.device | str | None = None,
        on_mismatch: OnMismatch = "error",
        special_roles: Mapping[str, str] | None = None,
        scores: Scores = DEFAULT_SCORES,
        anchor_lengths: Sequence[int] = (3,),
    ) -> None:
        """Raises ``AlignmentInputError`` for an unknown option; tokenizers are read at the first ``align``."""
        _require_choice("profile", profile, get_args(Profile))
        _require_choice("on_mismatch", on_mismatch, get_args(OnMismatch))
        if max_comb_len < 1:
            raise AlignmentInputError("must be at least 1 token", field="max_comb_len")
        self.student_tokenizer = student_tokenizer
        self.teacher_tokenizer = teacher_tokenizer
        if any(length < 1 for length in anchor_lengths):
            raise AlignmentInputError("must be lengths of at least 1 token", field="anchor_lengths")
        self.projection_matrix_path = projection_matrix_path
        self.scores = scores
        self.anchor_lengths = tuple(anchor_lengths)
        self.max_combination_len = max_comb_len
        self.profile: Profile = profile
        self.on_mismatch: OnMismatch = on_mismatch
        self.special_roles = dict(special_roles or {})
        self.device = None if device is None else exact_device(device)
        self._on_device: dict[torch.device, tuple[DeviceTable, DeviceTable]] = {}

    @cached_property
    def tables(self) -> tuple[PieceTable, PieceTable]:
        """Piece tables of the student and the teacher (``boundary``)."""
        return self._table(self.student_tokenizer), self._table(self.teacher_tokenizer)

    def _table(self, tokenizer: Any) -> PieceTable:
        if isinstance(tokenizer, PieceTable):
            return tokenizer
        return PieceTable.from_tokenizer(tokenizer, special_roles=self.special_roles)

    def align(
        self,
        student_ids: torch.Tensor,
        teacher_ids: torch.Tensor,
        *,
        student_attention_mask: torch.Tensor | None = None,
        teacher_attention_mask: torch.Tensor | None = None,
    ) -> AlignmentBatch:
        """Align ``[B, T_s]`` with ``[B, T_t]`` integer ids.

        Masks of the same shapes are 1 on real tokens, 0 on padding; without a mask every position is real.

        Raises:
            AlignmentInputError: wrong rank, dtype, batch size or mask shape.
            IdOutOfVocabulary: an unmasked id its tokenizer lacks.
            TextMismatch: ``boundary``, a row spells two texts and ``on_mismatch`` is ``"error"``.
        """
        _require_batch(student_ids, teacher_ids, student_attention_mask, teacher_attention_mask)
        device = self.device or student_ids.device
        align = self._align_boundary if self.profile == "boundary" else self._align_compat
        return align(student_ids, teacher_ids, student_attention_mask, teacher_attention_mask, device)

    def _align_boundary(
        self,
        student_ids: torch.Tensor,
        teacher_ids: torch.Tensor,
        student_mask: torch.Tensor | None,
        teacher_mask: torch.Tensor | None,
        device: torch.device,
    ) -> AlignmentBatch:
        tables = self._device_tables(device)
        student = read_side(student_ids.to(device), student_mask, tables[0], field="student_ids")
        teacher = read_side(teacher_ids.to(device), teacher_mask, tables[1], field="teacher_ids")
        return align_boundary(student, teacher, tables, truncate=self.on_mismatch == "truncate")

    def _device_tables(self, device: torch.device) -> tuple[DeviceTable, DeviceTable]:
        if device not in self._on_device:
            self._on_device[device] = device_tables(*self.tables, device)
        return self._on_device[device]

    def _align_compat(
        self,
        student_ids: torch.Tensor,
        teacher_ids: torch.Tensor,
        student_mask: torch.Tensor | None,
        teacher_mask: torch.Tensor | None,
        device: torch.device,
    ) -> AlignmentBatch:
        fast = replace(self._fast, device=device)
        pieces = self._pieces[0].rows(student_ids), self._pieces[1].rows(teacher_ids)
        rows = [fast.spans(student, teacher) for student, teacher in zip(*pieces, strict=True)]
        batch = spans_to_batch(rows, student_length=student_ids.shape[1], teacher_length=teacher_ids.shape[1])
        batch = drop_padding(batch, student_attention_mask=student_mask, teacher_attention_mask=teacher_mask)
        return batch.to(device)

    def compat_pairs(
        self, student_ids: torch.Tensor, teacher_ids: torch.Tensor, device: torch.device | str = "cpu"
    ) -> list[list[AlignmentPair[str]]]:
        """The pairs of ``nw-compat`` per row, gaps and padding included, before masks (``profile`` does not matter)."""
        fast = replace(self._fast, device=device)
        pieces = self._pieces[0].rows(student_ids), self._pieces[1].rows(teacher_ids)
        return [fast.pairs(student, teacher) for student, teacher in zip(*pieces, strict=True)]

    @cached_property
    def _fast(self) -> FastAligner:
        """``nw-compat`` with the canonical forms of both vocabularies, as far as they were seen."""
        return FastAligner(Forms(), self.max_combination_len, self.anchor_lengths, self.scores)

    @cached_property
    def _pieces(self) -> tuple[Pieces, Pieces]:
        return Pieces(self.student_tokenizer, "student_ids"), Pieces(self.teacher_tokenizer, "teacher_ids")


class Pieces:
    """The vocabulary pieces of a tokenizer, each asked for once."""

    def __init__(self, tokenizer: Any, field: str) -> None:
        """``field`` is what a refusal names."""
        self.tokenizer, self.field = tokenizer, field
        self.size = _largest_id(tokenizer) + 1
        self.known: dict[int, str] = {}

    def rows(self, ids: torch.Tensor) -> list[list[str]]:
        """Pieces of every position, padding included, as upstream.

        Raises:
            IdOutOfVocabulary: an id that the tokenizer lacks.
        """
        rows = ids.tolist()
        for row, values in enumerate(rows):
            for value in set(values) - self.known.keys():
                piece = self.tokenizer.convert_ids_to_tokens(value) if 0 <= value < self.size else None
                if piece is None:
                    raise IdOutOfVocabulary(
                        f"{value} is none of the vocabulary, whose largest id is {self.size - 1}; "
                        "nw-compat reads padding too",
                        field=f"{self.field}[{row}][{values.index(value)}]",
                    )
                self.known[value] = piece
        return [[self.known[value] for value in values] for values in rows]


def _largest_id(tokenizer: Any) -> int:
    """The largest id of a vocabulary: with holes in it, that is more than the number of its entries."""
    known = tokenizer.get_vocab() if hasattr(tokenizer, "get_vocab") else {}
    return max(known.values(), default=len(tokenizer) - 1)


def _require_choice(field: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise AlignmentInputError(f"{value!r} is none of {', '.join(choices)}", field=field)


def _require_batch(
    student_ids: torch.Tensor,
    teacher_ids: torch.Tensor,
    student_mask: torch.Tensor | None,
    teacher_mask: torch.Tensor | None,
) -> None:
    for side, ids, mask in (("student", student_ids, student_mask), ("teacher", teacher_ids, teacher_mask)):
        if not isinstance(ids, torch.Tensor) or ids.dim() != 2 or ids.dtype not in INTEGER_TYPES:
            raise AlignmentInputError(
                "must be an integer tensor [batch, tokens]; pad ragged rows and pass a mask",
                field=f"{side}_ids",
            )
        if mask is not None and (not isinstance(mask, torch.Tensor) or mask.shape != ids.shape):
            raise AlignmentInputError(
                f"must be a tensor of shape {tuple(ids.shape)} like its ids", field=f"{side}_attention_mask"
            )
    if len(student_ids) != len(teacher_ids):
        raise AlignmentInputError(
            f"has {len(teacher_ids)} rows, student_ids has {len(student_ids)}", field="teacher_ids"
        )
