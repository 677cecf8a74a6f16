"""TRL's grouping and the two-pointer walk agree on texts that both spell; the bench's batches are alignments."""

import random

import pytest

from tokenspec.areas.aligners.bench import batch, boundary, cut, offsets
from tokenspec_reference.aligners import boundary_align


def test_trl_groups_are_the_chunks_of_the_walk():
    pytest.importorskip("trl")
    from tokenspec.columns.trl import group_offsets

    rng = random.Random(11)
    for _ in range(50):
        text = bytes(rng.choice(b"abc") for _ in range(rng.randint(1, 80)))
        student, teacher = cut(text, rng), cut(text, rng)
        groups = group_offsets(offsets(student), offsets(teacher))
        pairs = boundary_align(student, teacher)
        assert groups[0] == [list(range(*pair.student)) for pair in pairs]
        assert groups[1] == [list(range(*pair.teacher)) for pair in pairs]


def test_a_bench_batch_aligns_like_the_walk():
    made = batch(2, 60)
    found = boundary(made)()
    for row, (student, teacher) in enumerate(zip(*made.pieces, strict=True)):
        assert int(found.num_chunks[row]) == len(boundary_align(student, teacher))
