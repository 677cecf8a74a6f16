"""Texts to a batch that student, teachers and losses read: each side tokenised and padded, each teacher aligned."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch
from tokenspec_reference.aligners.errors import AlignmentInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokenspec_reference.aligners.token_aligner import TokenAligner


class CrossTokenizerCollator:
    """Tokenise the student once, each teacher of another tokenizer once, and align it.

    ``teacher_tokenizers[i]`` and ``aligners[i]`` are ``None`` for a teacher of the student's tokenizer, which needs
    nothing of its own. Each side is cut to its ``ctx_length`` and padded on the right to it, then to a multiple of its
    ``make_seq_div_by``; padding is the tokenizer's padding token, or its end token. Tokenizers are left as they are.
    Source: NeMo-RL's collator of that name.
    """

    def __init__(
        self,
        *,
        student_tokenizer: Any,
        teacher_tokenizers: Sequence[Any],
        aligners: Sequence[TokenAligner | None],
        ctx_length_student: int,
        ctx_length_teachers: Sequence[int],
        make_seq_div_by_student: int = 1,
        make_seq_div_by_teachers: Sequence[int] | None = None,
    ) -> None:
        """Raises ``AlignmentInputError`` for lists of different length or a length below 1."""
        count = len(aligners)
        divisors = [1] * count if make_seq_div_by_teachers is None else list(make_seq_div_by_teachers)
        for name, given in (
            ("teacher_tokenizers", teacher_tokenizers),
            ("ctx_length_teachers", ctx_length_teachers),
            ("make_seq_div_by_teachers", divisors),
        ):
            if len(given) != count:
                raise AlignmentInputError(f"has {len(given)} entries for {count} aligners", field=name)
        lengths = [ctx_length_student, *ctx_length_teachers, make_seq_div_by_student, *divisors]
        if min(lengths) < 1:
            raise AlignmentInputError("must be at least 1 token", field="ctx_length or make_seq_div_by")
        self.student = (student_tokenizer, ctx_length_student, make_seq_div_by_student)
        self.teachers = list(zip(teacher_tokenizers, ctx_length_teachers, divisors, strict=True))
        self.aligners = list(aligners)

    def __call__(self, batch: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The flat batch of rows ``{"message_log": [{"content": text}], "loss_multiplier": number, "idx": any}``.

        Keys: ``input_ids``, ``token_mask`` int64 ``[B, T]``, ``input_lengths`` int64 ``[B]``, ``sample_mask`` float32
        ``[B]``, ``idx``; for each teacher ``i`` of another tokenizer ``teacher_{i}_`` and the first three, and
        ``alignment_{i}_`` and each field of an ``AlignmentBatch`` (``alignment_from_flat_batch`` reads them).
        """
        texts = [row["message_log"][0]["content"] for row in batch]
        ids, mask = padded(texts, *self.student)
        found: dict[str, Any] = {
            "input_ids": ids,
            "input_lengths": mask.sum(-1),
            "token_mask": mask,
            "sample_mask": torch.tensor([row["loss_multiplier"] for row in batch], dtype=torch.float32),
            "idx": [row["idx"] for row in batch],
        }
        for number, (aligner, side) in enumerate(zip(self.aligners, self.teachers, strict=True)):
            if aligner is None:
                continue
            own_ids, own_mask = padded(texts, *side)
            found[f"teacher_{number}_input_ids"] = own_ids
            found[f"teacher_{number}_input_lengths"] = own_mask.sum(-1)
            found[f"teacher_{number}_token_mask"] = own_mask
            aligned = aligner.align(ids, own_ids, student_attention_mask=mask, teacher_attention_mask=own_mask)
            for field in fields(AlignmentBatch):
                found[f"alignment_{number}_{field.name}"] = getattr(aligned, field.name)
        return found


def padded(texts: Sequence[str], tokenizer: Any, length: int, divisor: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and masks int64 ``[B, T]``, T the first multiple of ``divisor`` that is at least ``length``.

    A tokenizer that pads is called as upstream calls it, with all its options; where it pads on the left, padding moves
    to the right. One without a padding token cannot pad, and is not changed: its end token fills up.

    Raises:
        AlignmentInputError: a tokenizer with neither padding nor end token.
    """
    filler = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    if filler is None:
        raise AlignmentInputError("has neither a padding nor an end token", field="tokenizer")
    padding = {} if tokenizer.pad_token_id is None else {"padding": "max_length", "return_tensors": "pt"}
    called = tokenizer(list(texts), truncation=True, max_length=length, **padding)
    rows = [
        torch.as_tensor(values)[torch.as_tensor(kept) == 1]
        for values, kept in zip(called["input_ids"], called["attention_mask"], strict=True)
    ]
    width = -(-length // divisor) * divisor
    ids = torch.full((len(rows), width), filler, dtype=torch.int64)
    mask = torch.zeros(len(rows), width, dtype=torch.int64)
    for row, values in enumerate(rows):
        ids[row, : len(values)] = values
        mask[row, : len(values)] = 1
    return ids, mask
