"""Random texts on every pair of toy tokenizers: the reference equals the oracle's walk, whatever is done to the sides."""

import unicodedata

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec.areas.aligners.oracle.sides import adds_a_space, adds_to_every_stretch, normalises, positions
from tokenspec.areas.aligners.oracle.walk import SideText, TextsDiffer, independent_segments, walk
from tokenspec.models import load
from tokenspec_reference.aligners import TextMismatch, TokenAligner
from tokenspec_reference.aligners.unicode_forms import shortest_segments, units

TOYS = ("toy-bpe", "toy-metaspace", "toy-ranks", "toy-added", "toy-nfd")
PIECES = [
    "a",
    "the ",
    " fox",
    "é",
    "e\u0301",
    "n\u0303",
    "\u0323",
    "한",
    "\u1112\u1161\u11ab",
    "中文",
    "😊",
    "👨‍👩‍👧",
    "\n",
    "\t",
    "  ",
    "12",
    "_",
    "Å",
    "\u212b",
    "ø",
    "ह",
    "िं",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.fixture(scope="module")
def aligners():
    made = {}
    for student in TOYS:
        for teacher in TOYS:
            made[student, teacher] = TokenAligner(load(student).tokenizer, load(teacher).tokenizer)
    return made


def side_of(row, text, take, begin, end, left, right):
    """Ids and mask, as the area's requests make them."""
    tokenizer = load(row).tokenizer
    ids = tokenizer.encode(text, add_special_tokens=False)[:take]
    special = [tokenizer.bos_token_id if begin else None, tokenizer.eos_token_id if end else None]
    ids = ([special[0]] if special[0] is not None else []) + ids + ([special[1]] if special[1] is not None else [])
    return [0] * left + ids + [0] * right, [0] * left + [1] * len(ids) + [0] * right


SIDES = st.fixed_dictionaries(
    {
        "take": st.one_of(st.none(), st.integers(0, 8)),
        "begin": st.booleans(),
        "end": st.booleans(),
        "left": st.integers(0, 2),
        "right": st.integers(0, 2),
    }
)


@given(st.sampled_from(TOYS), st.sampled_from(TOYS), TEXTS, SIDES, SIDES)
@settings(max_examples=400, deadline=None)
def test_the_reference_equals_the_walk(aligners, student, teacher, text, s_wish, t_wish):
    made = [side_of(row, text, **wish) for row, wish in ((student, s_wish), (teacher, t_wish))]
    habits = (adds_a_space, adds_to_every_stretch, normalises)
    sides = [
        SideText(positions(tokenizer, *side, {}), text, *(habit(tokenizer) for habit in habits))
        for tokenizer, side in zip((load(student).tokenizer, load(teacher).tokenizer), made, strict=True)
    ]
    tensors = [(torch.tensor([ids], dtype=torch.int64), torch.tensor([mask])) for ids, mask in made]

    def run():
        return aligners[student, teacher].align(
            tensors[0][0],
            tensors[1][0],
            student_attention_mask=tensors[0][1],
            teacher_attention_mask=tensors[1][1],
        )

    try:
        wanted = walk(*sides)
    except TextsDiffer:
        with pytest.raises(TextMismatch):
            run()
        return
    found = run()
    assert found.student_chunk_id[0].tolist() == wanted.student
    assert found.teacher_chunk_id[0].tolist() == wanted.teacher


@given(st.text(alphabet="ae\u0301\u0323\u0307ḍ\u1112\u1161\u11ab한\u09c7\u09be\u212b中", max_size=10))
@settings(max_examples=300, deadline=None)
def test_segments_found_locally_are_those_found_by_trying_every_cut(text):
    local = [segment for unit in units(text) for segment in shortest_segments(unit)]
    assert local == independent_segments(text)
    assert "".join(unicodedata.normalize("NFC", part) for part in local) == unicodedata.normalize("NFC", text)
