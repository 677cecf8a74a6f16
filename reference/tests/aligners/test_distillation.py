"""Steps with several teachers: ranks that share the work, the collator's batch, and NeMo-RL's entry point."""

import threading
from dataclasses import replace

import pytest
import torch
from small_tokenizers import LARGE, SMALL

from tokenspec_reference.aligners import AlignmentInputError, CrossTokenizerCollator, Scores, TokenAligner, align_tokens
from tokenspec_reference.aligners.collate import padded
from tokenspec_reference.aligners.loss_utils import (
    DistillationOptions,
    LossOptions,
    Ranks,
    Teacher,
    alignment_from_flat_batch,
    build_projection,
    distillation_loss,
)

TEXTS = ["hi hi thi", "[hi] é", "th", "hi\nhi ä"]


class Together:
    """Ranks as threads of one process: what one says to all waits until all have said it."""

    def __init__(self, count):
        self.barrier, self.said = threading.Barrier(count), [None] * count

    def exchange(self, rank, join):
        def tell(values):
            self.said[rank] = values
            self.barrier.wait()
            joined = join(list(self.said))
            self.barrier.wait()
            return joined

        return tell

    def run(self, call):
        found = [None] * len(self.said)

        def one(rank):
            try:
                found[rank] = call(rank)
            except BaseException:
                self.barrier.abort()
                raise

        threads = [threading.Thread(target=one, args=(rank,)) for rank in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Student SMALL, a teacher LARGE and one of the student's tokenizer: arguments of a step."""
    path = tmp_path_factory.mktemp("projection") / "p.pt"
    build_projection.exact(SMALL, LARGE).over(build_projection.retokenised(SMALL, LARGE)).save(path)
    collator = CrossTokenizerCollator(
        student_tokenizer=SMALL,
        teacher_tokenizers=[LARGE, None],
        aligners=[TokenAligner(SMALL, LARGE, path, 4), None],
        ctx_length_student=12,
        ctx_length_teachers=[10, 12],
        make_seq_div_by_student=2,
    )
    rows = [{"message_log": [{"content": text}], "loss_multiplier": 1.0, "idx": i} for i, text in enumerate(TEXTS)]
    return path, collator(rows)


def arguments(path, flat, keep=slice(None), columns=slice(None)):
    generator = torch.Generator().manual_seed(19)
    sizes = len(SMALL), len(LARGE)
    student = torch.randn(4, 12, sizes[0], generator=generator)
    logits = [torch.randn(4, 10, sizes[1], generator=generator), torch.randn(4, 12, sizes[0], generator=generator)]
    aligned = alignment_from_flat_batch(flat, prefix="alignment_0_")
    aligned = replace(aligned, **{name: value[keep] for name, value in vars(aligned).items()})
    aligned = replace(aligned, student_chunk_id=aligned.student_chunk_id[:, columns])
    own = {name: flat[f"teacher_0_{name}"][keep] for name in ("input_ids", "token_mask")}
    teachers = [
        Teacher(logits[0][keep], sizes[1], path, aligned, **own, weight=0.5, mode="gold"),
        Teacher(logits[1][keep][:, columns], sizes[0], weight=2.0),
    ]
    given = [flat[name][keep][:, columns] for name in ("input_ids", "token_mask")]
    return (student[keep][:, columns].clone().requires_grad_(), *given, teachers)


def test_the_collator_says_what_the_losses_read(batch):
    flat = batch[1]
    assert flat["input_ids"].shape == (4, 12)
    assert flat["teacher_0_input_ids"].shape == (4, 10)
    assert flat["input_lengths"].tolist() == flat["token_mask"].sum(-1).tolist()
    assert not any(name.startswith("teacher_1") for name in flat)
    aligned = alignment_from_flat_batch(flat, prefix="alignment_0_")
    assert ((aligned.student_chunk_id >= 0) == flat["token_mask"].bool()).all()


@pytest.mark.parametrize("change", [{"ctx_length_teachers": []}, {"ctx_length_student": 0}, {"teacher_tokenizers": []}])
def test_a_collator_of_lists_that_do_not_fit_is_refused(change):
    given = {
        "student_tokenizer": SMALL,
        "teacher_tokenizers": [None],
        "aligners": [None],
        "ctx_length_student": 4,
        "ctx_length_teachers": [4],
    }
    with pytest.raises(AlignmentInputError):
        CrossTokenizerCollator(**{**given, **change})


class Strict:
    """A tokenizer of characters that is called with all options of upstream's collator, or not at all."""

    pad_token_id, eos_token_id = 0, 1

    def __init__(self, side):
        self.side = side

    def __call__(self, texts, padding, truncation, max_length, return_tensors):
        assert (padding, truncation, return_tensors) == ("max_length", True, "pt")
        rows = [[ord(character) for character in text][:max_length] for text in texts]
        return {
            "input_ids": torch.tensor([self.fill(row, [0] * (max_length - len(row))) for row in rows]),
            "attention_mask": torch.tensor([self.fill([1] * len(row), [0] * (max_length - len(row))) for row in rows]),
        }

    def fill(self, row, padding):
        return row + padding if self.side == "right" else padding + row


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_tokenizer_is_called_as_upstream_calls_it(side):
    ids, mask = padded(["ab", "abcdef"], Strict(side), 4, 3)
    assert ids.tolist() == [[97, 98, 0, 0, 0, 0], [97, 98, 99, 100, 0, 0]]
    assert mask.tolist() == [[1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]]


@pytest.mark.parametrize("metric", [None, "ce", "entropy"])
def test_rows_on_two_ranks_add_up_to_the_whole(batch, metric):
    options = DistillationOptions(sum_weights_metric=metric, loss=LossOptions(temperature=2.0))
    whole_arguments = arguments(*batch)
    whole = distillation_loss(*whole_arguments, options=options)
    whole.loss.backward()
    both = Together(2)
    parts = [arguments(*batch, keep=slice(2 * rank, 2 * rank + 2)) for rank in range(2)]
    found = both.run(
        lambda rank: distillation_loss(*parts[rank], options=options, ranks=Ranks(data_sum=both.exchange(rank, sum)))
    )
    assert sum(term.loss for term in found).item() == pytest.approx(whole.loss.item(), rel=1e-5)
    assert found[0].weights == pytest.approx(whole.weights)
    sum(term.loss for term in found).backward()
    assert torch.allclose(torch.cat([part[0].grad for part in parts]), whole_arguments[0].grad, atol=1e-7)


def test_positions_and_columns_on_two_ranks_are_the_whole(batch):
    """P-KL and gold with the student's positions in two halves, and its columns in two halves."""
    path, flat = batch
    whole = distillation_loss(*arguments(path, flat))
    positions, columns = Together(2), Together(2)
    parts = [arguments(path, flat, columns=slice(6 * rank, 6 * rank + 6)) for rank in range(2)]
    halves = [alike_for_the_teacher(part, rank) for rank, part in enumerate(parts)]

    def hooks(rank):
        return Ranks(
            sequence_sum=positions.exchange(rank, lambda said: said[rank] + said[1 - rank].detach()),
            sequence_max=positions.exchange(rank, lambda said: torch.maximum(*said)),
            sequence_next=positions.exchange(rank, lambda said: said[1] if rank == 0 else torch.full_like(said[1], -1)),
        )

    found = positions.run(lambda rank: distillation_loss(*halves[rank], ranks=hooks(rank)))
    assert [term.loss.item() for term in found] == pytest.approx([whole.loss.item()] * 2, rel=1e-5)
    student, *others = arguments(path, flat)
    shards = student.detach().chunk(2, -1)
    gathered = columns.run(
        lambda rank: distillation_loss(
            shards[rank],
            *others,
            ranks=Ranks(vocabulary_gather=columns.exchange(rank, lambda said: torch.cat(said, -1))),
        )
    )
    assert [term.loss.item() for term in gathered] == [whole.loss.item()] * 2


def alike_for_the_teacher(part, rank):
    """The teacher's positions in halves, too."""
    student, ids, mask, (other, same) = part
    half = slice(5 * rank, 5 * rank + 5)
    aligned = replace(other.alignment, teacher_chunk_id=other.alignment.teacher_chunk_id[:, half])
    return student, ids, mask, [replace(other, logits=other.logits[:, half], alignment=aligned), same]


def test_a_teacher_of_another_length_and_half_a_teacher_are_refused(batch):
    student, ids, mask, (other, same) = arguments(*batch)
    with pytest.raises(AlignmentInputError, match="reads the student's"):
        distillation_loss(student, ids, mask, [replace(same, logits=same.logits[:, :3])])
    with pytest.raises(AlignmentInputError, match="needs both"):
        Teacher(same.logits, 3, projection_matrix_path="p.pt")
    with pytest.raises(AlignmentInputError, match="to be scored"):
        distillation_loss(
            student,
            ids,
            mask,
            [replace(other, input_ids=None)],
            options=DistillationOptions(teacher_mode="select_teacher"),
        )


def test_scores_and_anchors_reach_the_programme():
    cheap = Scores(exact_match_score=1.0, gap_penalty=-0.1)
    assert align_tokens(["x", "y"], ["p", "q"], scores=cheap) != align_tokens(["x", "y"], ["p", "q"])
    aligner = TokenAligner(SMALL, LARGE, "p.pt", 4, profile="nw-compat", scores=cheap)
    ids = [torch.tensor([tokenizer("hi hi thi")["input_ids"]]) for tokenizer in (SMALL, LARGE)]
    pieces = [one.convert_ids_to_tokens(side[0].tolist()) for one, side in zip((SMALL, LARGE), ids, strict=True)]
    assert aligner.compat_pairs(*ids)[0] == align_tokens(*pieces, scores=cheap)
    with pytest.raises(AlignmentInputError, match="gap_penalty"):
        Scores(gap_penalty=float("nan"))
    with pytest.raises(AlignmentInputError, match="anchor_lengths"):
        TokenAligner(None, None, anchor_lengths=(0,))
