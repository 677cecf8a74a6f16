"""The invariants accept what is right and name what is wrong, on alignments written by hand."""

import pytest

from tokenspec.areas.aligners.checks import invariants
from tokenspec.areas.aligners.checks.view import View
from tokenspec.areas.aligners.oracle.golden import positions_of
from tokenspec.areas.aligners.oracle.walk import SideText
from tokenspec.areas.check import Violation


def view(student, teacher, s_ids, t_ids, **changes):
    """``ab|c`` on both sides, with chunk ids."""
    sides = tuple(SideText(positions_of([piece(p) for p in words.split("|")]), "") for words in (student, teacher))
    masks = tuple([int(position.kind != "padding") for position in side.positions] for side in sides)
    chunks = max(*s_ids, *t_ids) + 1
    return View(**{"row": 0, "ids": (s_ids, t_ids), "masks": masks, "chunks": chunks, "sides": sides, **changes})


def piece(word):
    if word == "_":
        return ["padding", ""]
    return ["special", word[1:-1]] if word.startswith("<") else ["text", word]


ALL = (
    invariants.pairs_agree_with_ids,
    invariants.ids_are_ordered,
    lambda found: invariants.ids_are_dense(found, both_sides=True),
    invariants.padding_has_no_chunk,
    invariants.chunks_spell_the_same,
    invariants.chunks_cannot_be_cut,
    invariants.text_is_covered,
    invariants.specials_are_alone,
    invariants.chunks_are_correct,
    lambda found: invariants.sides_end_together(found) and invariants.mass_is_conserved(found),
)
GOOD = [
    ("ab|c", "a|bc", [0, 0], [0, 0]),
    ("ab|c|d", "a|b|cd", [0, 1, 1], [0, 0, 1]),
    ("_|a|b", "a|b|_", [-1, 0, 1], [0, 1, -1]),
    ("<x>|a", "a", [-1, 0], [0]),
    ("<x>|a", "<x>|a", [0, 1], [0, 1]),
    ("ab|cd", "ab|c", [0, -1], [0, -1]),
]
BAD = [
    ("ids_are_ordered", ("a|b", "a|b", [1, 0], [1, 0]), {}),
    ("ids_are_ordered", ("a|b", "a|b", [0, 1], [0, 1]), {"pairs": [(0, 2, 0, 1), (1, 2, 1, 2)]}),
    ("pairs_agree_with_ids", ("a|b", "a|b", [0, 1], [0, 1]), {"pairs": [(0, 2, 0, 2), (1, 2, 1, 2)]}),
    ("pairs_agree_with_ids", ("a|b", "a|b", [0, 1], [0, 1]), {"pairs": [(0, -1, 0, 1), (1, 2, 1, 2)]}),
    ("padding_has_no_chunk", ("a|_", "a", [0, 0], [0]), {}),
    ("padding_has_no_chunk", ("a|_", "a", [0, -1], [0]), {"exact": ([True, True], [True])}),
    ("chunks_spell_the_same", ("ab|c", "a|bc", [0, 1], [0, 1]), {}),
    ("chunks_spell_the_same", ("ab|c|d", "ab|c|d", [0, -1, 1], [0, -1, 1]), {}),
    ("chunks_cannot_be_cut", ("a|b", "a|b", [0, 0], [0, 0]), {}),
    ("text_is_covered", ("a|b", "a|b", [0, -1], [0, -1]), {}),
    ("text_is_covered", ("ab|cd", "ab|c", [0, 1], [0, 1]), {}),
    ("specials_are_alone", ("<x>|a", "a", [0, 0], [0]), {}),
    ("specials_are_alone", ("<x>|a", "<y>|a", [0, 1], [0, 1]), {}),
    ("specials_are_alone", ("<x>|a", "a|<x>", [0, 1], [1, 0]), {}),
    ("chunks_are_correct", ("a|b", "a|b", [0, 1], [0, 1]), {"correct": [True, False]}),
    ("chunks_are_correct", ("ab", "a|b", [0], [0, 0]), {"exact": ([True], [False, False])}),
    ("mass_is_conserved", ("a|b", "a|b", [0, 1], [0, -1]), {}),
    ("mass_is_conserved", ("a|b", "a|b", [0, 1], [0, 1]), {"pairs": [(0, 2, 0, 1), (1, 2, 1, 2)]}),
]


@pytest.mark.parametrize("given", GOOD)
def test_right_alignments_pass_everything(given):
    for invariant in ALL:
        invariant(view(*given))


@pytest.mark.parametrize(("name", "given", "changes"), BAD)
def test_wrong_alignments_are_named(name, given, changes):
    with pytest.raises(Violation):
        getattr(invariants, name)(view(*given, **changes))


def test_dense_ids():
    with pytest.raises(Violation, match="has no student token"):
        invariants.ids_are_dense(view("a", "a|b", [0], [0, 1]), both_sides=True)
    invariants.ids_are_dense(view("a", "a|b", [0], [0, 1]), both_sides=False)
    with pytest.raises(Violation, match="out of range"):
        invariants.ids_are_dense(view("a", "a", [3], [0], chunks=1), both_sides=False)


def test_mass_is_not_judged_where_a_side_ends_early():
    assert not invariants.sides_end_together(view("ab|cd", "ab|c", [0, -1], [0, -1]))
