"""Answers no mask can be read from: the checks say so, and never write out what is too long."""

import pytest

from tokenspec.adapters import Ok
from tokenspec.areas.check import NotComparable, NotGiven, Subject, Violation
from tokenspec.areas.grammar_mask.checks.answers import ids_of, special_tokens_by_name
from tokenspec.areas.grammar_mask.checks.asked_otherwise import asked_twice, cut_otherwise
from tokenspec.areas.grammar_mask.records import GrammarMaskExpect, GrammarMaskOutput, StepAnswer, StepExpect

MASK = {"op": "mask"}
GOOD = StepAnswer(ranges=[(97, 98)], may_end=False)


def subject(answers, otherwise, expect=()):
    """A script of one mask with these answers; asked otherwise, the implementation gives those."""
    return Subject(
        cell=None,
        request={"steps": [MASK], "prefix": ["ab"], "vocabulary": {"merged": [], "special": ["<s>"]}},
        expect=GrammarMaskExpect(steps=list(expect)),
        rows={},
        output=GrammarMaskOutput(steps=answers),
        outcome=None,
        mutated=False,
        profile=None,
        call=lambda _: Ok(output=GrammarMaskOutput(steps=otherwise)),
    )


@pytest.mark.parametrize("ranges", [[(2, 1)], [(1, 2), (2, 3)], [(5, 6), (1, 2)], [(-1, 3)], [(0, 1 << 60)]])
def test_runs_that_are_none(ranges):
    with pytest.raises(Violation, match="runs of ids"):
        ids_of(StepAnswer(ranges=ranges), "step 0")


def test_runs_are_written_out():
    assert ids_of(StepAnswer(ranges=[(1, 3), (4, 4), (9, 9)]), "step 0") == [1, 2, 3, 4, 9]


@pytest.mark.parametrize("check", [asked_twice, cut_otherwise])
def test_answers_are_counted(check):
    others = [GOOD] * (2 if check is asked_twice else 1)
    check(subject([GOOD], others))
    for answers, otherwise in (([], []), ([GOOD], []), ([], others), ([GOOD], [*others, GOOD])):
        with pytest.raises(Violation, match="one answer per step"):
            check(subject(answers, otherwise))
    with pytest.raises(NotGiven):
        check(subject([StepAnswer(may_end=False)], [StepAnswer(may_end=False)] * len(others)))
    with pytest.raises(Violation, match=r"differently|another answer"):
        check(subject([GOOD], [StepAnswer(ranges=[(97, 97)], may_end=False)] * len(others)))


def test_special_tokens_cannot_be_read_from_a_hash():
    with pytest.raises(NotComparable):
        special_tokens_by_name(subject([GOOD], [GOOD], [StepExpect(count=3, sha256="0")]))
