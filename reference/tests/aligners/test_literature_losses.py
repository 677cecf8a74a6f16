"""Losses of the literature: what stands outside chunks, what a teacher excludes, and blocks."""

import pytest
import torch

from tokenspec_reference.aligners import AlignmentBatch
from tokenspec_reference.aligners.loss_utils import (
    AlmOptions,
    Projections,
    Space,
    UldOptions,
    alm_loss,
    blocks,
    dual_space_loss,
    uld_loss,
)

STUDENT_CHUNKS = torch.tensor([[-1, 0, 0, 1, -1], [-1, -1, 0, -1, -1]])
TEACHER_CHUNKS = torch.tensor([[-1, 0, 1, 1, -1, -1], [-1, 0, 0, -1, -1, -1]])
COMMON = {"common_student": torch.tensor([0, 3]), "common_teacher": torch.tensor([2, 0])}
ALM = AlmOptions(binarization_temperature=1.0, append_boundary=True, merge_above=0.2)


def setting():
    generator = torch.Generator().manual_seed(3)
    alignment = AlignmentBatch(
        pair_valid=torch.tensor([[True, True], [True, False]]),
        pair_is_correct=torch.ones(2, 2, dtype=torch.bool),
        student_exact_partition_mask=torch.zeros(0),
        teacher_exact_partition_mask=torch.zeros(0),
        student_chunk_id=STUDENT_CHUNKS,
        teacher_chunk_id=TEACHER_CHUNKS,
        num_chunks=torch.tensor([2, 1]),
    )
    student, teacher = (torch.randn(2, *shape, generator=generator) for shape in ((5, 6), (6, 7)))
    ids = torch.randint(0, 6, (2, 5), generator=generator), torch.randint(0, 7, (2, 6), generator=generator)
    return student.requires_grad_(), teacher, *ids, alignment


LOSSES = {
    "observed": lambda *given: uld_loss(*given).loss,
    "bayesian": lambda *given: uld_loss(*given, options=UldOptions(merge="bayesian")).loss,
    "hybrid": lambda *given: uld_loss(*given, token_map=COMMON, options=UldOptions(beta=0.0)).loss,
    "alm": lambda *given: (
        alm_loss(*given, student_boundary=torch.tensor([1]), teacher_boundary=torch.tensor([2, 3]), options=ALM).loss
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_stands_outside_chunks_changes_nothing(name):
    given = setting()
    loss = LOSSES[name](*given)
    (plain,) = torch.autograd.grad(loss, given[0])
    read = [STUDENT_CHUNKS >= 0, TEACHER_CHUNKS >= 0]
    if name != "observed":
        read = [side | torch.cat([side[:, 1:], torch.zeros(2, 1, dtype=torch.bool)], 1) for side in read]
    holed = [
        torch.where(rows[..., None], logits.detach(), torch.nan) for rows, logits in zip(read, given[:2], strict=True)
    ]
    ids = [given[2].where(STUDENT_CHUNKS >= 0, 10**6), given[3].where(TEACHER_CHUNKS >= 0, 10**6)]
    again = LOSSES[name](holed[0].requires_grad_(), holed[1], *ids, given[4])
    (gradient,) = torch.autograd.grad(again, holed[0])
    assert again == loss
    assert torch.equal(gradient, plain)


@pytest.mark.parametrize("name", LOSSES)
def test_a_token_that_the_teacher_excludes(name):
    student, teacher, *others = setting()
    loss = LOSSES[name](student, teacher.index_fill(-1, torch.tensor([0, 2]), -torch.inf), *others)
    (gradient,) = torch.autograd.grad(loss, student)
    assert loss.isfinite()
    assert gradient.isfinite().all()


@pytest.mark.parametrize("merge", ["observed", "bayesian"])
def test_blocks_and_all_at_once_agree(merge, monkeypatch):
    monkeypatch.setattr(blocks, "NUMBERS_AT_ONCE", 1)
    found = []
    for in_blocks in (True, False):
        given = setting()
        loss = uld_loss(*given, token_map=COMMON, options=UldOptions(merge=merge, in_blocks=in_blocks)).loss
        found.append((loss.detach(), *torch.autograd.grad(loss, given[0])))
    assert all(torch.allclose(one, other) for one, other in zip(*found, strict=True))


def test_a_teacher_that_excludes_tokens_in_two_spaces():
    generator = torch.Generator().manual_seed(4)

    def space(length, width, columns):
        states = (torch.randn(1, length, width, generator=generator) for _ in range(3))
        labels = torch.randint(0, columns, (1, length), generator=generator)
        logits, head = (torch.randn(*shape, generator=generator) for shape in ((1, length, columns), (columns, width)))
        return Space(*states, labels, logits, head)

    student, teacher = space(4, 2, 5), space(3, 3, 6)
    teacher.logits[..., 1] = -torch.inf
    student.hidden.requires_grad_()
    layers = (torch.nn.Linear(*shape) for shape in ((4, 6), (2, 3), (3, 2)))
    terms = dual_space_loss(student, teacher, Projections(*layers))
    (gradient,) = torch.autograd.grad(terms.loss, student.hidden)
    assert terms.loss.isfinite()
    assert gradient.isfinite().all()
