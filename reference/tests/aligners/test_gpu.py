"""CPU and CUDA give equal alignments (ALN-007) and losses. Needs a GPU: run with ``-m gpu`` on a machine that has one."""

import copy
import random
import warnings
from dataclasses import fields

import pytest
import torch
from device_settings import VIEWS, Operations, setting

from tokenspec_reference.aligners import (
    AlignmentBatch,
    AlignmentInputError,
    PieceTable,
    TokenAligner,
    align_rows,
    align_scalar,
)
from tokenspec_reference.aligners.loss_utils import (
    AlmOptions,
    Projections,
    Space,
    alm_loss,
    blocks,
    cross_tokenizer_loss,
    dual_space_loss,
    get_sparse_projection_matrix,
    select_teacher_topk_indices,
    uld_loss,
)
from tokenspec_reference.aligners.nw_rows import fill_rows, intern_sequences
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, rules_of

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
        result.append((PieceTable(tuple(vocabulary), ("",) * len(vocabulary)), ids, mask))
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


def on_cuda(student, teacher):
    return student.detach().cuda().requires_grad_(), teacher.cuda()


def require_close(on_gpu, on_cpu, trained):
    """Losses, and their gradients with respect to what is trained on either device."""
    (ours,), (theirs,) = (
        torch.autograd.grad(loss, [logits]) for loss, logits in zip((on_gpu, on_cpu), trained, strict=True)
    )
    assert torch.allclose(on_gpu.detach().cpu(), on_cpu.detach(), rtol=1e-5)
    assert torch.allclose(ours.cpu(), theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("mode", ["p-kl", "gold", "xtoken"])
def test_losses_are_those_of_the_cpu(tmp_path, mode, autocast):
    """The alignment stays on the CPU; autocast must not reach the sparse product, nor its gradient."""
    student, teacher, alignment, told = setting(tmp_path)
    there = on_cuda(student, teacher)
    with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
        on_gpu = cross_tokenizer_loss(*there, alignment, mode=mode, **told).loss
        on_cpu = cross_tokenizer_loss(student, teacher, alignment, mode=mode, **told).loss
        require_close(on_gpu, on_cpu, (there[0], student))


@pytest.mark.parametrize("merge_above", [None, 0.4])
def test_losses_of_the_literature_are_those_of_the_cpu(tmp_path, merge_above):
    student, teacher, alignment, _ = setting(tmp_path)
    there, ids = on_cuda(student, teacher), torch.arange(12)[None] % 4
    options = AlmOptions(append_boundary=True, merge_above=merge_above)
    words = {f"{side}_boundary": torch.tensor([1, 3]) for side in ("student", "teacher")}
    for loss in (
        lambda *logits: uld_loss(*logits, ids, ids, alignment).loss,
        lambda *logits: alm_loss(*logits, ids, ids, alignment, options=options, **words).loss,
    ):
        require_close(loss(*there), loss(student, teacher), (there[0], student))


def test_two_spaces_are_those_of_the_cpu():
    generator = torch.Generator().manual_seed(6)
    layers = [torch.nn.Linear(*shape) for shape in ((8, 6), (4, 3), (3, 4))]
    numbers = [
        [torch.randn(2, 5, width, generator=generator) for _ in range(3)]
        + [torch.randint(0, columns, (2, 5), generator=generator)]
        + [torch.randn(*shape, generator=generator) for shape in ((2, 5, columns), (columns, width))]
        for width, columns in ((4, 7), (3, 9))
    ]
    found = []
    for device in ("cuda", "cpu"):
        spaces = [Space(*(tensor.to(device) for tensor in side)) for side in numbers]
        hidden = spaces[0].hidden.requires_grad_()
        projections = Projections(*(copy.deepcopy(layer).to(device) for layer in layers))
        found.append((dual_space_loss(*spaces, projections).loss, hidden))
    require_close(found[0][0], found[1][0], (found[0][1], found[1][1]))


def test_a_teacher_elsewhere_is_refused(tmp_path):
    student, teacher, alignment, told = setting(tmp_path)
    with pytest.raises(AlignmentInputError, match="is on cpu"):
        cross_tokenizer_loss(student.detach().cuda(), teacher, alignment, mode="gold", **told)


def test_one_matrix_a_device(tmp_path):
    _, _, _, told = setting(tmp_path)
    sizes = {"student_vocab_size": 4, "teacher_vocab_size": 6}
    first, second = (
        get_sparse_projection_matrix(told["projection_matrix_path"], device, **sizes) for device in ("cuda", "cuda:0")
    )
    assert first is second


@pytest.mark.parametrize("size", [50, 5000, 150_000])
def test_ties_of_the_top_columns(size):
    logits = torch.randint(0, 4, (2, 3, size), generator=torch.Generator().manual_seed(7)).float()
    for k in (1, 37, size // 2):
        assert torch.equal(select_teacher_topk_indices(logits.cuda(), k).cpu(), select_teacher_topk_indices(logits, k))


def test_more_blocks_wait_no_more(tmp_path, monkeypatch):
    student, teacher, alignment, told = setting(tmp_path, tokens=48, chunks=24)
    there, counted = on_cuda(student, teacher), []
    alignment = alignment.to("cuda")
    for at_once in (1 << 20, 1 << 20, 1):  # the first warms up: what is made once waits once
        monkeypatch.setattr(blocks, "NUMBERS_AT_ONCE", at_once)
        torch.cuda.set_sync_debug_mode("warn")
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                cross_tokenizer_loss(*there, alignment, mode="gold", **told).loss.backward()
        finally:
            torch.cuda.set_sync_debug_mode("default")
        counted.append(sum("synchroniz" in str(warning.message) for warning in caught))
    assert counted[1] == counted[2]


def test_a_row_of_cells_is_a_few_launches():
    rng = random.Random(2)
    student, teacher = ([rng.choice(["a", "b", "ab", "ba"]) for _ in range(64)] for _ in range(2))
    rules = rules_of(DEFAULT_SCORES, 128, 4)
    with Operations() as seen:
        fill_rows(*intern_sequences(student, teacher, 4), torch.device("cuda"), rules)
    assert sum(name not in VIEWS for name in seen.names) / 64 <= 8
