"""What can be said of devices without one: precision under autocast, tensors elsewhere, how much is read back."""

import random

import pytest
import torch
from device_settings import READ_BACK, VIEWS, Operations, setting

from tokenspec_reference.aligners import AlignmentInputError, devices
from tokenspec_reference.aligners.loss_utils import (
    LossOptions,
    Teacher,
    blocks,
    cross_tokenizer_loss,
    distillation_loss,
    get_sparse_projection_matrix,
    select_teacher_topk_indices,
    uld_loss,
)
from tokenspec_reference.aligners.nw_rows import fill_rows, intern_sequences
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, rules_of


@pytest.mark.parametrize("in_blocks", [True, False])
@pytest.mark.parametrize("mode", ["p-kl", "gold", "xtoken"])
def test_autocast_changes_nothing(tmp_path, mode, in_blocks):
    student, teacher, alignment, told = setting(tmp_path)
    found = []
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            options = LossOptions(in_blocks=in_blocks)
            loss = cross_tokenizer_loss(student, teacher, alignment, mode=mode, options=options, **told).loss
            (gradient,) = torch.autograd.grad(loss, student)
        found.append((loss.detach(), gradient))
    assert all(torch.equal(*both) for both in zip(*found, strict=True))


@pytest.mark.parametrize("mode", ["p-kl", "gold"])
def test_logits_in_bfloat16_have_a_gradient_in_bfloat16(tmp_path, mode):
    student, teacher, alignment, told = setting(tmp_path)
    narrow = student.detach().bfloat16().requires_grad_()
    loss = cross_tokenizer_loss(narrow, teacher.bfloat16(), alignment, mode=mode, **told).loss
    exact = narrow.detach().float().requires_grad_()
    wide = cross_tokenizer_loss(exact, teacher.bfloat16().float(), alignment, mode=mode, **told).loss
    (gradient,), (wanted,) = torch.autograd.grad(loss, narrow), torch.autograd.grad(wide, exact)
    assert (loss.dtype, gradient.dtype) == (torch.float32, torch.bfloat16)
    assert loss == wide
    assert torch.equal(gradient, wanted.bfloat16())


def test_logits_elsewhere_are_refused_by_name(tmp_path):
    student, teacher, alignment, told = setting(tmp_path)
    with pytest.raises(AlignmentInputError, match="is on meta") as refused:
        cross_tokenizer_loss(student, teacher.to("meta"), alignment, mode="gold", **told)
    assert refused.value.field == "teacher_logits"
    ids = torch.zeros(1, 12, dtype=torch.int64)
    with pytest.raises(AlignmentInputError, match="is on meta"):
        uld_loss(student, teacher.to("meta"), ids, ids, alignment)
    with pytest.raises(AlignmentInputError, match="is on meta") as refused:
        distillation_loss(student, ids, torch.ones_like(ids), [Teacher(teacher.to("meta"), 6)])
    assert refused.value.field == "teachers[0]"


def test_a_device_without_its_index_keys_no_cache(monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert devices.exact_device("cuda") == torch.device("cuda:1")
    assert devices.exact_device("cuda:0") == torch.device("cuda:0")
    assert devices.exact_device("cpu") == torch.device("cpu")


def test_more_blocks_read_back_no_more(tmp_path, monkeypatch):
    student, teacher, alignment, told = setting(tmp_path, tokens=48, chunks=24)
    get_sparse_projection_matrix(told["projection_matrix_path"], student_vocab_size=4, teacher_vocab_size=6)
    counted = []
    for at_once in (1 << 20, 1):
        monkeypatch.setattr(blocks, "NUMBERS_AT_ONCE", at_once)
        with Operations() as seen:
            cross_tokenizer_loss(student, teacher, alignment, mode="p-kl", **told).loss.backward()
        counted.append(sum(name in READ_BACK for name in seen.names))
    assert counted[0] == counted[1]
    assert counted[0] <= 6


@pytest.mark.parametrize("size", [50, 5000])
def test_ties_of_the_top_columns(size):
    logits = torch.randint(0, 4, (2, 3, size), generator=torch.Generator().manual_seed(7)).float()
    best = logits.flatten(0, 1).amax(0).tolist()
    smaller_ids_first = sorted(range(size), key=lambda column: -best[column])
    for k in (1, 37, size // 2):
        assert select_teacher_topk_indices(logits, k).tolist() == sorted(smaller_ids_first[:k])


def test_a_row_of_cells_is_a_few_launches():
    rng = random.Random(2)
    student, teacher = ([rng.choice(["a", "b", "ab", "ba"]) for _ in range(64)] for _ in range(2))
    counted = []
    for rows in (32, 64):
        rules = rules_of(DEFAULT_SCORES, rows + len(teacher), 4)
        with Operations() as seen:
            fill_rows(*intern_sequences(student[:rows], teacher, 4), torch.device("cpu"), rules)
        counted.append(sum(name not in VIEWS for name in seen.names))
    assert (counted[1] - counted[0]) / 32 <= 6
