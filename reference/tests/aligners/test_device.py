"""CPU and CUDA give equal tensors (ALN-007). Needs a GPU: run with ``-m gpu`` on a machine that has one."""

import random
from dataclasses import fields

import pytest
import torch

from tokenspec_reference.aligners import AlignmentBatch, PieceTable, TokenAligner, align_rows, align_scalar

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def cuts(rng, text, longest):
    pieces = []
    while text:
        size = rng.randint(1, longest)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def batch_of(seed, rows=4, length=500):
    rng = random.Random(seed)
    sides = ([], [])
    for _ in range(rows):
        text = bytes(rng.choice(b"abc ") for _ in range(length))
        for side, longest in zip(sides, (4, 6), strict=False):
            side.append(cuts(rng, text, longest))
    result = []
    for side in sides:
        vocabulary = sorted({piece for row in side for piece in row})
        width = max(map(len, side))
        ids = torch.tensor([[vocabulary.index(piece) for piece in row] + [0] * (width - len(row)) for row in side])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in side])
        result.append((PieceTable("random", tuple(vocabulary), ("",) * len(vocabulary)), ids, mask))
    return result


@pytest.mark.parametrize("seed", range(5))
def test_boundary_is_equal(seed):
    (s_table, s_ids, s_mask), (t_table, t_ids, t_mask) = batch_of(seed)
    masks = {"student_attention_mask": s_mask, "teacher_attention_mask": t_mask}
    found = [
        TokenAligner(s_table, t_table, device=device).align(s_ids, t_ids, **masks).to("cpu")
        for device in ("cpu", "cuda")
    ]
    for field in fields(AlignmentBatch):
        assert torch.equal(*(getattr(batch, field.name) for batch in found))


@pytest.mark.parametrize("seed", range(5))
def test_nw_compat_is_equal(seed):
    rng = random.Random(seed)
    student, teacher = ([rng.choice(["a", "b", "ab", "ba", "aa"]) for _ in range(200)] for _ in range(2))
    assert align_rows(student, teacher, device="cuda") == align_scalar(student, teacher)
