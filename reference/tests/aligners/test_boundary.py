"""The batched boundary profile equals the two-pointer walk, and its rules hold on tokenizers made for them."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.aligners import (
    AlignmentInputError,
    IdOutOfVocabulary,
    PieceTable,
    TextMismatch,
    TokenAligner,
    boundary_align,
)
from tokenspec_reference.aligners.boundary import common_prefix_length


def tokenizer(*pieces, roles=None, **rules):
    """Piece table whose ids are positions in ``pieces``; ``roles`` maps an id to its role."""
    spelled = tuple(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    roles = roles or {}
    return PieceTable(
        tuple(b"" if index in roles else piece for index, piece in enumerate(spelled)),
        tuple(roles.get(index, "") for index in range(len(spelled))),
        **rules,
    )


def ids(*rows):
    return torch.tensor(rows, dtype=torch.int64)


def align(student, teacher, s_ids, t_ids, **options):
    masks = {key: options.pop(key) for key in list(options) if key.endswith("mask")}
    return TokenAligner(student, teacher, **options).align(s_ids, t_ids, **masks)


def chunks_of(pairs, length, side):
    chunk = [-1] * length
    for index, pair in enumerate(pairs):
        start, end = getattr(pair, side)
        chunk[start:end] = [index] * (end - start)
    return chunk


@st.composite
def two_cuts(draw):
    """One byte string cut into pieces in two ways."""
    text = draw(st.binary(min_size=0, max_size=60))
    cuts = []
    for _ in range(2):
        marks = sorted(draw(st.sets(st.integers(1, max(1, len(text))), max_size=30)) & set(range(1, len(text))))
        ends = [*marks, len(text)] if text else []
        cuts.append([text[a:b] for a, b in zip([0, *ends], ends, strict=False)])
    return cuts


@given(st.lists(two_cuts(), min_size=1, max_size=4), st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_equals_the_two_pointer_walk_under_any_padding(rows, left, rng):
    tables, tensors, masks = [], [], []
    for side in (0, 1):
        vocabulary = sorted({piece for row in rows for piece in row[side]}) or [b"x"]
        width = max(len(row[side]) for row in rows) + rng.randint(0, 3)
        padded, mask = [], []
        for row in rows:
            real = [vocabulary.index(piece) for piece in row[side]]
            pad = [rng.randrange(len(vocabulary)) for _ in range(width - len(real))]
            padded.append(pad + real if left else real + pad)
            mask.append([0] * len(pad) + [1] * len(real) if left else [1] * len(real) + [0] * len(pad))
        tables.append(tokenizer(*vocabulary))
        tensors.append(torch.tensor(padded, dtype=torch.int64).reshape(len(rows), width))
        masks.append(torch.tensor(mask).reshape(len(rows), width))
    batch = align(*tables, *tensors, student_attention_mask=masks[0], teacher_attention_mask=masks[1])
    for row, (student, teacher) in enumerate(rows):
        pairs = boundary_align(student, teacher)
        for side, pieces, got, mask in (
            ("student", student, batch.student_chunk_id, masks[0]),
            ("teacher", teacher, batch.teacher_chunk_id, masks[1]),
        ):
            assert got[row][mask[row] == 1].tolist() == chunks_of(pairs, len(pieces), side)
            assert (got[row][mask[row] == 0] == -1).all()
        assert int(batch.num_chunks[row]) == len(pairs)
        single = [pair for pair in pairs if pair.one_to_one]
        assert int(batch.student_exact_partition_mask[row].sum()) == len(single)


def test_shapes_and_types():
    batch = align(tokenizer("a", "b"), tokenizer("ab", "a"), ids([0, 1], [0, 0]), ids([0], [1]), on_mismatch="truncate")
    assert batch.pair_valid.shape == batch.pair_is_correct.shape == (2, 1)
    assert batch.student_chunk_id.tolist() == [[0, 0], [0, -1]]
    assert batch.num_chunks.dtype == batch.student_chunk_id.dtype == torch.int64
    assert batch.pair_valid.dtype == batch.student_exact_partition_mask.dtype == torch.bool


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)])
def test_empty_batches_and_empty_rows(shape):
    empty = torch.zeros(shape, dtype=torch.int64)
    batch = align(tokenizer("a"), tokenizer("a"), empty, empty)
    assert batch.student_chunk_id.shape == shape
    assert batch.pair_valid.shape == (shape[0], max(1, shape[1]) if shape[0] else 1)
    assert not batch.pair_valid.any()


def test_inputs_are_not_modified():
    student, teacher = ids([0, 1, -100]), ids([0, -100])
    before = student.clone(), teacher.clone()
    masks = {"student_attention_mask": ids([1, 1, 0]), "teacher_attention_mask": ids([1, 0])}
    align(tokenizer("a", "b"), tokenizer("ab"), student, teacher, **masks)
    assert torch.equal(student, before[0])
    assert torch.equal(teacher, before[1])


class TestSpecialTokens:
    student = tokenizer("<s>", "</s>", "a", "b", "<pad>", roles={0: "begin", 1: "end", 4: "padding"})
    teacher = tokenizer("a", "b", "ab", "<|end|>", "<begin>", "<pad>", roles={3: "end", 4: "begin", 5: "padding"})

    def chunks(self, s_ids, t_ids):
        batch = align(self.student, self.teacher, ids(s_ids), ids(t_ids))
        return batch.student_chunk_id[0].tolist(), batch.teacher_chunk_id[0].tolist()

    def test_pair_by_role_at_one_place(self):
        assert self.chunks([0, 2, 3, 1], [4, 2, 3]) == ([0, 1, 1, 2], [0, 1, 2])

    def test_one_sided_begin_has_no_chunk(self):
        assert self.chunks([0, 2, 3], [0, 1]) == ([-1, 0, 1], [0, 1])

    def test_same_role_elsewhere_does_not_pair(self):
        assert self.chunks([2, 1, 3], [0, 1, 3]) == ([0, -1, 1], [0, 1, -1])

    def test_inside_a_chunk_it_stays_out(self):
        assert self.chunks([2, 1, 3], [2]) == ([0, -1, 0], [0])

    def test_kth_pairs_with_kth(self):
        assert self.chunks([2, 1, 1, 1, 3], [0, 3, 3, 1]) == ([0, 1, 2, -1, 3], [0, 1, 2, 3])

    def test_crossing_candidates_are_all_dropped(self):
        assert self.chunks([0, 1, 2], [3, 4, 0]) == ([-1, -1, 0], [-1, -1, 0])

    def test_padding_never_pairs(self):
        assert self.chunks([2, 4], [0, 5]) == ([0, -1], [0, -1])


class TestAddedSpaces:
    def test_leading_space_of_the_text(self):
        student = tokenizer(" ", " a", "b", prefix_space="first")
        batch = align(student, tokenizer("ab", "a"), ids([1, 2]), ids([0]))
        assert batch.student_chunk_id.tolist() == [[0, 0]]

    def test_a_token_of_only_the_added_space_goes_to_the_chunk_that_follows(self):
        student = tokenizer(" ", "a", "b", prefix_space="first")
        batch = align(student, tokenizer("a", "b"), ids([0, 1, 2]), ids([0, 1]))
        assert batch.student_chunk_id.tolist() == [[0, 0, 1]]
        assert batch.student_exact_partition_mask.tolist() == [[False, False, True]]

    def test_but_never_to_a_special_token(self):
        student = tokenizer(" ", "a", "</s>", prefix_space="first", roles={2: "end"})
        batch = align(student, tokenizer("a", "<e>", roles={1: "end"}), ids([0, 2, 1]), ids([1, 0]))
        assert batch.student_chunk_id.tolist() == [[-1, 0, 1]]

    def test_after_every_special_token(self):
        student = tokenizer(" a", "</s>", prefix_space="every", roles={1: "end"})
        batch = align(student, tokenizer("a", "<e>", roles={1: "end"}), ids([0, 1, 0]), ids([0, 1, 0]))
        assert batch.student_chunk_id.tolist() == [[0, 1, 2]]

    @pytest.mark.parametrize(("teacher_ids", "chunk"), [([0, 1], [0, 1]), ([1, 1], [0, 1])])
    def test_optional_space_is_text_where_the_other_side_has_one(self, teacher_ids, chunk):
        student = tokenizer(" a", "a", prefix_space="first", prefix_optional=True)
        batch = align(student, tokenizer(" a", "a"), ids([0, 1]), ids(teacher_ids))
        assert batch.student_chunk_id.tolist() == [chunk]


class TestNormalForms:
    composed = tokenizer("caf", "é", "!", "\u1e69", unicode_form="NFC")
    raw = tokenizer("caf", "e", "\u0301", "!", "fe", "s", "\u0307", "\u0323")

    def test_a_changed_segment_has_no_inner_boundary(self):
        batch = align(self.composed, self.raw, ids([0, 1, 2]), ids([0, 1, 2, 3]))
        assert batch.student_chunk_id.tolist() == [[0, 1, 2]]
        assert batch.teacher_chunk_id.tolist() == [[0, 1, 1, 2]]

    def test_reordered_marks(self):
        batch = align(self.composed, self.raw, ids([3, 2]), ids([5, 6, 7, 3]))
        assert batch.teacher_chunk_id.tolist() == [[0, 0, 0, 1]]

    def test_cut_before_the_mark(self):
        batch = align(self.composed, self.raw, ids([0, 1]), ids([0, 1]))
        assert batch.student_chunk_id.tolist() == [[0, -1]]
        assert batch.teacher_chunk_id.tolist() == [[0, -1]]

    def test_another_text_is_still_refused(self):
        with pytest.raises(TextMismatch):
            align(self.composed, self.raw, ids([0, 1, 2]), ids([0, 1, 3, 3]))


class TestTexts:
    def test_truncated_side(self):
        batch = align(tokenizer("abc", "d"), tokenizer("ab", "c", "de"), ids([0, 1]), ids([0, 1, 2]))
        assert (batch.student_chunk_id.tolist(), batch.teacher_chunk_id.tolist()) == ([[0, -1]], [[0, 0, -1]])

    def test_different_texts_name_row_and_byte(self):
        with pytest.raises(TextMismatch, match="byte 1 of row 1") as caught:
            align(tokenizer("ab", "ac"), tokenizer("ab"), ids([0], [1]), ids([0], [0]))
        assert (caught.value.row, caught.value.byte) == (1, 1)

    def test_truncate_on_request(self):
        batch = align(
            tokenizer("a", "b", "c"), tokenizer("a", "b", "x"), ids([0, 1, 2]), ids([0, 1, 2]), on_mismatch="truncate"
        )
        assert batch.student_chunk_id.tolist() == [[0, 1, -1]]

    def test_common_prefix_length_equals_counting(self):
        rng = random.Random(7)
        for _ in range(300):
            a = bytes(rng.choice(b"ab") for _ in range(rng.randint(0, 20)))
            b = bytes(rng.choice(b"ab") for _ in range(rng.randint(0, 20)))
            slow = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            assert common_prefix_length(a, b) == slow


class TestBadInput:
    table = tokenizer("a")

    @pytest.mark.parametrize(
        ("student", "teacher", "field"),
        [
            (torch.zeros(3, dtype=torch.int64), ids([0]), "student_ids"),
            (ids([0]), torch.zeros(1, 1), "teacher_ids"),
            (ids([0]), ids([0], [0]), "teacher_ids"),
            ([[0], [0, 0]], ids([0]), "student_ids"),
        ],
    )
    def test_no_batch(self, student, teacher, field):
        with pytest.raises(AlignmentInputError) as caught:
            align(self.table, self.table, student, teacher)
        assert caught.value.field == field

    @pytest.mark.parametrize("prefix_space", ["none", "first", "every"])
    def test_tables_and_rows_without_a_token_have_no_chunks(self, prefix_space):
        empty = tokenizer(prefix_space=prefix_space)
        batch = align(empty, empty, ids([]), ids([]))
        assert batch.num_chunks.tolist() == [0]

    def test_mask_of_another_shape(self):
        with pytest.raises(AlignmentInputError, match="shape"):
            align(self.table, self.table, ids([0]), ids([0]), teacher_attention_mask=ids([1, 1]))

    @pytest.mark.parametrize("bad", [5, -1])
    def test_unknown_id_names_its_place(self, bad):
        with pytest.raises(IdOutOfVocabulary) as caught:
            align(self.table, self.table, ids([0, bad]), ids([0, 0]))
        assert caught.value.field == "student_ids[0][1]"

    def test_masked_ids_may_be_anything(self):
        batch = align(self.table, self.table, ids([0, -100]), ids([0]), student_attention_mask=ids([1, 0]))
        assert batch.student_chunk_id.tolist() == [[0, -1]]

    @pytest.mark.parametrize("option", [{"profile": "fuzzy"}, {"on_mismatch": "guess"}, {"max_comb_len": 0}])
    def test_unknown_options(self, option):
        with pytest.raises(AlignmentInputError):
            TokenAligner(self.table, self.table, **option)
