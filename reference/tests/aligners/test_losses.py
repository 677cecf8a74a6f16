"""Chunk averages and the three losses against sums written out by hand."""

import math

import pytest
import torch

from tokenspec_reference.aligners import AlignmentBatch, AlignmentInputError
from tokenspec_reference.aligners.alignment import AlignmentPair, pairs_to_batch
from tokenspec_reference.aligners.loss_utils import (
    ExactTokenMap,
    LossOptions,
    alignment_from_flat_batch,
    blocks,
    chunk_average_finalize,
    chunk_average_log_probs,
    chunk_log_prob_sums,
    cross_tokenizer_loss,
    gold_loss,
    shift_next,
    valid_chunk_mask,
)

IDS = torch.tensor([[0, 0, -1, 2]])
ROWS = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [100.0, 100.0], [5.0, 6.0]]])


def test_averages_leave_out_minus_one_and_empty_chunks_are_zero():
    means, sizes = chunk_average_log_probs(ROWS, IDS, 3)
    assert torch.allclose(means, torch.tensor([[[2.0, 3.0], [0.0, 0.0], [5.0, 6.0]]]))
    assert sizes.tolist() == [[2.0, 0.0, 1.0]]


def test_shards_add_up_before_the_mean():
    whole = chunk_average_log_probs(ROWS, IDS, 3)[0]
    left, right = chunk_log_prob_sums(ROWS[:, :1], IDS[:, :1], 3), chunk_log_prob_sums(ROWS[:, 1:], IDS[:, 1:], 3)
    assert torch.allclose(chunk_average_finalize(left[0] + right[0], left[1] + right[1])[0], whole)


def test_valid_needs_both_sides_and_the_pair():
    s, t = torch.tensor([[1.0, 0.0, 2.0]]), torch.tensor([[1.0, 1.0, 1.0]])
    assert valid_chunk_mask(s, t, torch.tensor([[True, True, False]])).tolist() == [[True, False, False]]


def test_shift_next():
    assert shift_next(IDS).tolist() == [[0, -1, 2, -1]]


@pytest.mark.parametrize(
    "chunk_id", [torch.zeros(1, 3, dtype=torch.int64), torch.full((1, 4), 3), torch.full((1, 4), -2)]
)
def test_wrong_chunk_ids_are_refused(chunk_id):
    with pytest.raises(AlignmentInputError):
        chunk_log_prob_sums(ROWS, chunk_id, 3)


def test_flat_batch_round_trip():
    batch = pairs_to_batch([[AlignmentPair(["a"], ["a"], 0, 1, 0, 1, True)]], student_length=1, teacher_length=2)
    flat = {f"alignment_{name}": value for name, value in vars(batch).items()}
    again = alignment_from_flat_batch(flat)
    assert all(getattr(again, name) is value for name, value in vars(batch).items())
    with pytest.raises(AlignmentInputError, match="missing"):
        alignment_from_flat_batch({})


@pytest.fixture
def setting(tmp_path):
    """Two student tokens against three: chunks {0: s0 | t0}, {1: s1 | t1 t2}; vocabularies of 3 and 4."""
    path = tmp_path / "p.pt"
    indices = torch.tensor([[0, -1], [1, -1], [2, 3]])
    torch.save({"indices": indices, "likelihoods": torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.7, 0.3]])}, path)
    pairs = [AlignmentPair(["x"], ["x"], 0, 1, 0, 1, True), AlignmentPair(["y"], ["y", "z"], 1, 2, 1, 3, False)]
    alignment = pairs_to_batch([pairs], student_length=2, teacher_length=3)
    generator = torch.Generator().manual_seed(1)
    student = torch.randn(1, 2, 3, generator=generator, dtype=torch.float64).requires_grad_()
    teacher = torch.randn(1, 3, 6, generator=generator, dtype=torch.float64)
    return path, alignment, student, teacher


def softmax(values):
    top = max(values)
    total = sum(math.exp(value - top) for value in values)
    return [math.exp(value - top) / total for value in values]


def test_p_kl_by_hand(setting):
    path, alignment, student, teacher = setting
    options = LossOptions(temperature=2.0)
    found = cross_tokenizer_loss(
        student, teacher, alignment, mode="p-kl", projection_matrix_path=path, teacher_vocab_size=4, options=options
    )
    p = softmax([value / 2 for value in student[0, 0].tolist()])
    projected = [p[0], p[1], 0.7 * p[2], 0.3 * p[2]]
    # chunk 1 is charged to student position 0 and teacher positions 0 and 1
    logs = [[math.log(q) for q in softmax([value / 2 for value in teacher[0, t, :4].tolist()])] for t in (0, 1)]
    target = [(a + b) / 2 for a, b in zip(*logs, strict=False)]
    kl = sum(math.exp(t) * (t - math.log(q)) for t, q in zip(target, projected, strict=False))
    assert found.loss.item() == pytest.approx(kl * 4, rel=1e-5)
    assert found.valid_chunks.item() == 1
    found.loss.backward()
    assert student.grad is not None


def test_p_kl_reads_only_the_top_columns_and_correct_pairs(setting):
    path, alignment, student, teacher = setting
    common = {"mode": "p-kl", "projection_matrix_path": path, "teacher_vocab_size": 4}
    narrow = cross_tokenizer_loss(student, teacher, alignment, options=LossOptions(vocab_topk=2), **common)
    full = cross_tokenizer_loss(student, teacher, alignment, **common)
    assert narrow.loss != full.loss
    strict = cross_tokenizer_loss(
        student, teacher, alignment, options=LossOptions(exact_token_match_only=True), **common
    )
    assert (strict.loss.item(), strict.valid_chunks.item()) == (0.0, 0)


@pytest.mark.parametrize(("mode", "common"), [("gold", [0, 1]), ("xtoken", [0, 1, 2])])
def test_gold_by_hand(setting, mode, common):
    path, alignment, student, teacher = setting
    found = cross_tokenizer_loss(
        student, teacher, alignment, mode=mode, projection_matrix_path=path, teacher_vocab_size=4
    )
    s = [math.log(p) for p in softmax(student[0, 0].tolist())]
    logs = [[math.log(p) for p in softmax(teacher[0, t, :4].tolist())] for t in (0, 1)]
    t = [(a + b) / 2 for a, b in zip(*logs, strict=False)]
    kl = sum(math.exp(t[v]) * (t[v] - s[v]) for v in common)
    rest = [sorted((math.exp(side[v]) for v in range(len(side)) if v not in common), reverse=True) for side in (s, t)]
    l1 = sum(abs(a - b) for a, b in zip(*rest, strict=False))
    assert found.kl.item() == pytest.approx(kl, rel=1e-5)
    assert found.l1.item() == pytest.approx(l1, rel=1e-5, abs=1e-7)
    assert found.loss.item() == pytest.approx(kl + l1, rel=1e-5)


def test_a_masked_sample_counts_nowhere(setting):
    path, alignment, student, teacher = setting
    found = cross_tokenizer_loss(
        student,
        teacher,
        alignment,
        mode="gold",
        projection_matrix_path=path,
        teacher_vocab_size=4,
        sample_mask=torch.zeros(1),
    )
    assert found.loss.item() == 0.0


@pytest.mark.parametrize(("mode", "weight"), [("p-kl", 0.25), ("gold", 1.0), ("xtoken", 1.0)])
@pytest.mark.parametrize("in_blocks", [True, False])
def test_a_fraction_in_the_sample_mask_weights_p_kl_and_its_gradient(setting, mode, weight, in_blocks):
    path, alignment, student, teacher = setting

    def run(value):
        logits = student.detach().clone().requires_grad_()
        found = cross_tokenizer_loss(
            logits,
            teacher,
            alignment,
            mode=mode,
            projection_matrix_path=path,
            teacher_vocab_size=4,
            options=LossOptions(in_blocks=in_blocks),
            sample_mask=torch.tensor([value]),
        )
        found.loss.backward()
        return found, logits.grad

    (whole, whole_gradient), (part, gradient) = run(1.0), run(0.25)
    assert part.loss.item() == pytest.approx(weight * whole.loss.item(), rel=1e-6)
    assert part.valid_chunks.item() == whole.valid_chunks.item()
    assert torch.allclose(gradient, weight * whole_gradient)


@pytest.mark.parametrize("mode", ["p-kl", "gold", "xtoken"])
@pytest.mark.parametrize("reverse", [False, True])
def test_what_stands_at_a_position_in_no_chunk_changes_nothing(setting, mode, reverse):
    path, alignment, student, teacher = setting
    common = {"mode": mode, "projection_matrix_path": path, "teacher_vocab_size": 4}
    common["options"] = LossOptions(reverse_kl=reverse)
    plain = cross_tokenizer_loss(student, teacher, alignment, **common)
    plain.loss.backward()
    broken = student.detach().clone()
    broken[0, 1] = math.nan  # the last position predicts no token
    broken.requires_grad_()
    theirs = teacher.clone()
    theirs[0, 2] = math.nan
    found = cross_tokenizer_loss(broken, theirs, alignment, **common)
    found.loss.backward()
    assert found.loss.item() == plain.loss.item()
    assert broken.grad.tolist() == student.grad.tolist()


@pytest.mark.parametrize("mode", ["p-kl", "gold", "xtoken"])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_token_that_the_teacher_never_gives_leaves_loss_and_gradient_finite(setting, mode, reverse):
    path, alignment, student, teacher = setting
    teacher[0, 0, 1] = -math.inf
    found = cross_tokenizer_loss(
        student,
        teacher,
        alignment,
        mode=mode,
        projection_matrix_path=path,
        teacher_vocab_size=4,
        options=LossOptions(reverse_kl=reverse),
    )
    found.loss.backward()
    assert found.loss.isfinite()
    assert found.loss.item() != 0.0
    assert student.grad.isfinite().all()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mode": "mse"}, "mode"),
        ({"options": LossOptions(temperature=0.0)}, "temperature"),
        ({"options": LossOptions(temperature=math.nan)}, "temperature"),
        ({"options": LossOptions(temperature=math.inf)}, "temperature"),
        ({"options": LossOptions(vocab_topk=-1)}, "vocab_topk"),
        ({"options": LossOptions(uncommon_topk=0)}, "uncommon_topk"),
        ({"sample_mask": torch.ones(2)}, "sample_mask"),
        ({"sample_mask": torch.ones(1, 2)}, "sample_mask"),
    ],
)
def test_an_option_out_of_range_is_refused_by_its_name(setting, change, field):
    path, alignment, student, teacher = setting
    with pytest.raises(AlignmentInputError) as refused:
        cross_tokenizer_loss(
            student,
            teacher,
            alignment,
            **{"mode": "gold", "projection_matrix_path": path, "teacher_vocab_size": 4, **change},
        )
    assert refused.value.field == field


@pytest.mark.parametrize("mode", ["p-kl", "gold"])
def test_logits_narrower_than_the_projection_are_refused(setting, mode):
    path, alignment, student, teacher = setting
    with pytest.raises(AlignmentInputError, match="student_logits: has 2 columns; the projection file knows 3"):
        cross_tokenizer_loss(
            student[..., :2], teacher, alignment, mode=mode, projection_matrix_path=path, teacher_vocab_size=4
        )


def test_nothing_to_compare_is_refused(setting):
    path = setting[0]
    empty = pairs_to_batch([[]], student_length=0, teacher_length=0)
    with pytest.raises(AlignmentInputError, match="student_logits: has shape"):
        cross_tokenizer_loss(
            torch.zeros(1, 0, 3),
            torch.zeros(1, 0, 4),
            empty,
            mode="p-kl",
            projection_matrix_path=path,
            teacher_vocab_size=4,
        )


def test_logits_of_another_length_are_refused(setting):
    path, alignment, student, teacher = setting
    assert isinstance(alignment, AlignmentBatch)
    with pytest.raises(AlignmentInputError, match="alignment was made for"):
        cross_tokenizer_loss(
            student[:, :1], teacher, alignment, mode="gold", projection_matrix_path=path, teacher_vocab_size=4
        )


@pytest.mark.parametrize("mode", ["p-kl", "gold", "xtoken"])
@pytest.mark.parametrize("at_once", [1, 6, 1 << 22])
def test_blocks_of_chunks_are_the_plain_twin(setting, monkeypatch, mode, at_once):
    """Six chunks of two rows, some invalid, in blocks of one position or all in one."""
    monkeypatch.setattr(blocks, "NUMBERS_AT_ONCE", at_once)
    path = setting[0]
    generator = torch.Generator().manual_seed(5)
    ids = torch.tensor([[-1, 0, 0, 1, 2, 2, -1], [0, 0, 1, -1, 2, 2, 2]])
    marks = torch.tensor([[True, True, False], [True, True, True]])
    alignment = AlignmentBatch(marks, marks, ids >= 0, ids >= 0, ids, ids.flip(0), torch.tensor([3, 3]))
    student, teacher = (torch.randn(2, 7, size, generator=generator, dtype=torch.float64) for size in (3, 6))
    found = []
    for in_blocks in (True, False):
        leaf = student.clone().requires_grad_()
        terms = cross_tokenizer_loss(
            leaf,
            teacher,
            alignment,
            mode=mode,
            projection_matrix_path=path,
            teacher_vocab_size=4,
            options=LossOptions(temperature=1.5, in_blocks=in_blocks),
        )
        (3 * terms.loss).backward()
        found.append((torch.stack([terms.loss.detach(), terms.kl, terms.l1, terms.top1]), leaf.grad))
    assert torch.allclose(found[0][0], found[1][0], rtol=1e-6)
    assert torch.allclose(found[0][1], found[1][1], rtol=1e-5, atol=1e-8)


def test_how_often_the_best_common_tokens_agree():
    ids, marks = torch.tensor([[-1, 0, 1, 2]]), torch.ones(1, 3, dtype=torch.bool)
    alignment = AlignmentBatch(marks, marks, ids >= 0, ids >= 0, ids, ids, torch.tensor([3]))
    best = {"student": [0, 1, 1, 0], "teacher": [0, 1, 0, 0]}
    student, teacher = (torch.nn.functional.one_hot(torch.tensor([best[side]]), 3).float() for side in best)
    common, other = torch.tensor([0, 1]), torch.tensor([2])
    token_map = ExactTokenMap(
        common_student=common, common_teacher=common, uncommon_student=other, uncommon_teacher=other
    )
    terms = gold_loss(student, teacher, alignment, token_map, LossOptions(), torch.ones(1))
    assert terms.top1.item() == pytest.approx(2 / 3)
