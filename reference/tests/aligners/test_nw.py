"""nw-compat: its twins agree on everything, and the published examples come out as published."""

import random

import pytest
import torch

from tokenspec_reference.aligners import TokenAligner, align_rows, align_scalar, align_tokens
from tokenspec_reference.aligners.alignment import AlignmentPair
from tokenspec_reference.aligners.errors import IdOutOfVocabulary
from tokenspec_reference.aligners.nw_anchors import find_anchors
from tokenspec_reference.aligners.nw_postprocess import combine_consecutive_misaligned

PIECES = [
    "a",
    "b",
    "ab",
    "aa",
    "aab",
    "c",
    "Ġa",
    "Ġ",
    "<pad>",
    "<bos>",
    "_x",
    "▁",
    "▁▁",
    "Ã",
    "©",
    "Ã©",
    "中",
    "<0xE4>",
    "<0xB8>",
    "<0xAD>",
    "ä¸",
    "Ń",
    "ĉ",
    "Ċ",
    "\\n",
    "Ġ,",
    ",",
    "âĪ",
    "ĳ",
    "x",
    "y",
    "z",
    "xy",
    "yz",
    "xyz",
    "",
]


def spans(pairs):
    return [(*pair.student, *pair.teacher) for pair in pairs]


def random_case(rng):
    pieces = rng.sample(PIECES, rng.randint(1, len(PIECES))) if rng.random() < 0.7 else ["a", "aa", "aaa", "b", "", ""]
    student = [rng.choice(pieces) for _ in range(rng.randint(0, rng.choice([3, 10, 40])))]
    if rng.random() < 0.4:
        return student, [rng.choice(pieces) for _ in range(rng.randint(0, rng.choice([3, 10, 40])))]
    teacher = list(student)
    for _ in range(rng.randint(0, 6)):
        if teacher and rng.random() < 0.5:
            at = rng.randrange(len(teacher))
            teacher[at : at + 2] = ["".join(teacher[at : at + 2])]
        else:
            teacher.insert(rng.randint(0, len(teacher)), rng.choice(pieces))
    return student, teacher


def assert_tiles(pairs, student, teacher):
    """What both twins leave to one function: the pairs hold all tokens of both sides, each where it says."""
    sides = [(p.s_tokens, p.s_start, p.s_end) for p in pairs], [(p.t_tokens, p.t_start, p.t_end) for p in pairs]
    for own, held in zip((student, teacher), sides, strict=True):
        assert [token for tokens, _, _ in held for token in tokens] == list(own)
        for tokens, start, end in held:
            assert tokens == list(own[start:end]) if tokens else (start, end) == (-1, -1)


def test_twins_agree_on_three_thousand_random_cases():
    rng = random.Random(20261120)
    for _ in range(3000):
        student, teacher = random_case(rng)
        k = rng.choice([4, 4, 4, 1, 2, 6])
        pairs, score = align_rows(student, teacher, max_comb_len=k)
        assert (pairs, score) == align_scalar(student, teacher, max_comb_len=k)
        assert_tiles(pairs, student, teacher)


def test_pipelines_agree_on_random_cases():
    rng = random.Random(5)
    for _ in range(300):
        student, teacher = random_case(rng)
        lengths = rng.choice([(3,), (3, 2, 1), (1,), ()])
        assert align_tokens(student, teacher, anchor_lengths=lengths) == align_tokens(
            student, teacher, anchor_lengths=lengths, scalar=True
        )


def test_wide_scores_use_wide_integers():
    tokens = ["a"] * 8100
    pairs, score = align_rows(tokens, ["a"] * 3)
    assert score == 3 * 3.0 - 8097 * 1.5
    assert len(pairs) == 8100


@pytest.mark.parametrize(
    ("student", "teacher", "expected"),
    [
        ([], [], []),
        (["a"], [], [(0, 1, -1, -1)]),
        (["abc", "defg"], ["ab", "cde", "fg"], [(0, 2, 0, 3)]),
        (["abcde"], list("abcde"), [(0, 1, 0, 5)]),
        (["a"] * 6, ["a"] * 4, [(0, 2, -1, -1), (2, 3, 0, 1), (3, 4, 1, 2), (4, 5, 2, 3), (5, 6, 3, 4)]),
        (["aa", "a"], ["a", "aa"], [(0, 2, 0, 2)]),
        (["ĉ", "Ċ"], ["Ċ", "ĉ"], [(0, 1, 0, 1), (1, 2, 1, 2)]),
    ],
)
def test_published_examples(student, teacher, expected):
    assert spans(align_tokens(student, teacher)) == expected


def test_anchors_out_of_order_lose_what_follows():
    student, teacher = list("abcxdef"), list("defyabc")
    assert find_anchors(student, teacher, (3,)) == [(0, 4, 3)]
    pairs = align_tokens(student, teacher)
    assert [span for span in spans(pairs) if -1 not in span] == [(0, 1, 4, 5), (1, 2, 5, 6), (2, 3, 6, 7)]


def test_the_last_fifth_is_never_lumped():
    pairs = [AlignmentPair(["x"], ["y"], n, n + 1, n, n + 1) for n in range(10)]
    assert spans(combine_consecutive_misaligned(pairs, 0.2)) == [(0, 8, 0, 8), (8, 9, 8, 9), (9, 10, 9, 10)]


class Vocabulary(list):
    """A tokenizer as far as nw-compat looks at it."""

    def convert_ids_to_tokens(self, ids):
        return self[ids] if isinstance(ids, int) else [self[index] for index in ids]


def test_padding_is_aligned_and_then_cleared():
    aligner = TokenAligner(Vocabulary(["a", "b", "<pad>"]), Vocabulary(["ab", "<pad>"]), profile="nw-compat")
    student, teacher = torch.tensor([[0, 1, 2, 2]]), torch.tensor([[0, 1]])
    bare = aligner.align(student, teacher)
    masked = aligner.align(
        student,
        teacher,
        student_attention_mask=torch.tensor([[1, 1, 0, 0]]),
        teacher_attention_mask=torch.tensor([[1, 0]]),
    )
    assert (bare.student_chunk_id[0, 2:] >= 0).any()
    assert masked.student_chunk_id[0, 2:].tolist() == [-1, -1]
    assert torch.equal(masked.pair_valid, bare.pair_valid)
    assert torch.equal(masked.num_chunks, bare.num_chunks)


class Holes(dict):
    """A tokenizer whose largest id is beyond its number of tokens; ``convert_ids_to_tokens`` is that of fast ones."""

    def get_vocab(self):
        return {piece: index for index, piece in self.items()}

    def convert_ids_to_tokens(self, index):
        return self.get(index)


def test_a_vocabulary_is_as_large_as_its_largest_id():
    aligner = TokenAligner(Holes({0: "a", 9: "b"}), Vocabulary(["a", "b"]), profile="nw-compat")
    batch = aligner.align(torch.tensor([[0, 9]]), torch.tensor([[0, 1]]))
    assert batch.student_chunk_id.tolist() == [[0, 1]]
    for hole in (5, 10):
        with pytest.raises(IdOutOfVocabulary, match=f" {hole} is none of the vocabulary"):
            aligner.align(torch.tensor([[0, hole]]), torch.tensor([[0, 1]]))


def test_nw_compat_reads_every_position():
    aligner = TokenAligner(Vocabulary(["a"]), Vocabulary(["a"]), profile="nw-compat")
    with pytest.raises(IdOutOfVocabulary, match="padding"):
        aligner.align(torch.tensor([[0, -100]]), torch.tensor([[0]]))
