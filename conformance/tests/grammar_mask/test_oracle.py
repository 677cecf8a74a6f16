"""The automaton of the goldens against Python's own matching, and masks against every id tried for itself."""

import itertools
import random
import re

import pytest

from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.areas.grammar_mask.area import AREA
from tokenspec.areas.grammar_mask.oracle.automaton import Automaton
from tokenspec.areas.grammar_mask.oracle.golden import mask_of, runs, written
from tokenspec.areas.oracle_version import same_answer
from tokenspec.areas.selection import Selection, load_cases, select_cells
from tokenspec.curation.blessing import ask_oracle
from tokenspec.requirements import requirements

CASES = load_cases(AREA)
ALPHABET = ["a", "b", "\n", "é", "ê", "日", "\U0001f600"]


def some_pattern(rng, depth=3):
    if depth == 0:
        return rng.choice(["a", "b", "é", "[aé]", "[^a]", ".", r"\w", r"\S", "[é-日]", "[^é-ê]", "\U0001f600", ""])
    inner = some_pattern(rng, depth - 1)
    match rng.randrange(4):
        case 0:
            return inner + some_pattern(rng, depth - 1)
        case 1:
            return f"(?:{inner}|{some_pattern(rng, depth - 1)})"
        case _:
            return f"(?:{inner}){rng.choice(['*', '+', '?', '{2}', '{1,2}', '{0,1}', '{1,}'])}"


@pytest.mark.parametrize("seed", range(40))
def test_the_automaton_has_the_texts_of_the_pattern(seed):
    rng = random.Random(seed)
    pattern = some_pattern(rng)
    automaton = Automaton({"regex": pattern}, {})
    texts = ["".join(one) for length in range(4) for one in itertools.product(ALPHABET, repeat=length)]
    belonging = [text for text in texts if re.fullmatch(pattern, text, re.ASCII)]
    for text in texts:
        states = automaton.after(automaton.start, text.encode())
        assert automaton.accepting(states) == (re.fullmatch(pattern, text, re.ASCII) is not None), (pattern, text)
    for text in belonging:
        for end in range(len(text.encode())):
            assert automaton.after(automaton.start, text.encode()[:end])


def test_characters_are_whole():
    automaton = Automaton({"regex": "(?:.|\n)"}, {})
    for codepoint in [*range(0, 0xD800, 97), *range(0xE000, 0x110000, 1013), 0xD7FF, 0xE000, 0x10FFFF, 0x7F, 0x80]:
        assert automaton.accepting(automaton.after(automaton.start, chr(codepoint).encode()))
    for broken in (b"\xed\xa0\x80", b"\xc0\x80", b"\xe0\x80\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xff"):
        assert not automaton.after(automaton.start, broken)


def test_masks_of_both_ways_are_the_same():
    vocabulary = vocabulary_of({"vocabulary": {"merged": ["ab", "abc", "ba", "é", {"hex": "a962"}]}}, "-")
    for pattern in ("(ab|c)*", "[aé]+b?", ".{2}", "(é|b)c"):
        automaton = Automaton({"regex": pattern}, {})
        tried = mask_of(vocabulary, automaton, automaton.start, small=True)
        assert tried == mask_of(vocabulary, automaton, automaton.start, small=False)


def test_long_masks_are_hashed():
    assert runs([1, 2, 3, 7]) == [(1, 3), (7, 7)]
    assert written([1, 2, 3, 7]) == {"ranges": [[1, 3], [7, 7]]}
    assert set(written(list(range(0, 100, 2)))) == {"count", "sha256"}


def test_every_must_of_the_chapter_has_a_case():
    cited = {id_ for case in CASES for id_ in case.requires}
    assert {id_ for id_ in requirements() if id_.startswith("MSK")} == cited


@pytest.mark.parametrize(
    "cell", select_cells(Selection(areas=("grammar-mask",), rows=("-",))), ids=lambda cell: cell.case.slug
)
def test_expectations_are_the_oracle_s(cell):
    assert same_answer(cell.golden, ask_oracle(cell))
