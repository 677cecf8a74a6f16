"""Expressions and regular expressions against Python's own engine, and UTF-8 ranges against enumeration."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import Alternatives, InOrder, Literal, Regex, Special, after, viable
from tokenspec_reference.fast_forward.automaton import both, opposite
from tokenspec_reference.fast_forward.expression import Expressions
from tokenspec_reference.fast_forward.pattern_automaton import automaton_of
from tokenspec_reference.fast_forward.regex_syntax import read_pattern
from tokenspec_reference.fast_forward.utf8 import byte_sequences, complement

atoms = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "é", r"\d", r"\w", r"\S", r"\.", "[b-é]", r"\n"])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,3}"])).map(lambda p: f"({p[0]}){p[1]}"),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=300)
@given(patterns, st.text("abcdé1\n. _", max_size=6))
def test_a_pattern_means_what_it_means_to_python(pattern, text):
    state = after(Regex(pattern), text.encode())
    assert (state is not None and state.accepting()) == bool(re.fullmatch(pattern, text, re.ASCII))


edged = st.one_of(
    patterns,
    st.tuples(st.sampled_from(["", "^", "(?i)", r"\A"]), patterns, st.sampled_from(["", "$", "|^b$", "?", "|c$"])).map(
        "".join
    ),
    st.tuples(st.sampled_from(["^(?=a)", "^(?!ab)", "^(?!.*c)"]), patterns).map("".join),
)


@settings(deadline=None, max_examples=400)
@given(edged, st.text("abcdéAB1\n. _", max_size=6))
def test_a_pattern_is_found_where_python_finds_it(pattern, text):
    try:
        expected = re.search(pattern.replace("$", r"\Z"), text, re.ASCII if "(?i)" not in pattern else 0)
    except re.error:
        return
    assert automaton_of(read_pattern(pattern), anywhere=True).contains(text) == bool(expected)


@settings(deadline=None, max_examples=200)
@given(patterns, patterns, st.text("abcdé1", max_size=5))
def test_automata_are_sets(left, right, text):
    ours, theirs = (automaton_of(read_pattern(pattern), anywhere=False) for pattern in (left, right))
    assert both(ours, theirs).contains(text) == (ours.contains(text) and theirs.contains(text))
    assert opposite(ours).contains(text) is not ours.contains(text)
    shortest, longest = ours.lengths
    assert not ours.contains(text) or (shortest <= len(text) and (longest is None or len(text) <= longest))


def test_the_texts_of_an_automaton_are_counted():
    for pattern, count in (("^(?=a)[ab]{2}", 2), ("^(?!aa)[ab]{2}", 3), ("^(?!a)(a|b)*", 4096), ("^(?=b)a", 0)):
        if count:
            assert Regex(pattern)._start.texts() == count
        else:
            with pytest.raises(TokenSpecError, match="no text"):
                Regex(pattern)


@settings(deadline=None, max_examples=150)
@given(patterns)
def test_every_allowed_byte_leads_to_an_accepted_text(pattern):
    seen, waiting = {}, [Regex(pattern)]
    while waiting and len(seen) < 200:
        state = waiting.pop()
        if id(state) not in seen:
            seen[id(state)] = state
            waiting += [state.step(byte) for byte in state.allowed()]
            assert None not in waiting
    dead_ends = [state for state in seen.values() if not state.allowed() and not state.accepting()]
    assert dead_ends == []


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0x7F), (0x70, 0x90), (0x7FE, 0x802), (0xD7FE, 0xE001), (0xFFFE, 0x10002), (0, 0x10FFFF)]
)
def test_utf8_ranges_cover_exactly_the_code_points(low, high):
    step = max((high - low) // 4000, 1)
    parts = list(byte_sequences(low, high))
    for code in range(max(low - 3, 0), min(high + 3, 0x10FFFF) + 1, step):
        if 0xD800 <= code <= 0xDFFF:
            continue
        data = chr(code).encode()
        hits = sum(
            len(part) == len(data) and all(a <= byte <= b for byte, (a, b) in zip(data, part, strict=True))
            for part in parts
        )
        assert hits == (low <= code <= high)


def test_complement_of_everything_is_nothing():
    assert complement([(0, 0x10FFFF)]) == []
    assert complement([]) == [(0, 0x10FFFF)]


def test_a_long_literal_costs_little_and_keeps_its_length():
    state = Literal(b"ab" * 30_000)
    assert after(state, b"ab" * 30_000).accepting()
    assert not viable(state, b"ab" * 30_000 + b"a")


def test_equal_expressions_are_one_node():
    expressions = Expressions()
    assert expressions.choice([expressions.text(b"a"), expressions.text(b"b")]) is expressions.choice(
        [expressions.text(b"b"), expressions.text(b"a")]
    )


def test_states_are_values():
    start = Alternatives(["abc", "abd"])
    first = start.step(ord("a"))
    first.step(ord("b"))
    assert start.allowed() == b"a"
    assert first.allowed() == b"b"
    assert start.step(ord("x")) is None


def test_grammars_in_sequence():
    grammar = InOrder([Special(7), Literal("x"), Regex("[0-9]+")])
    assert after(grammar, b"\xff[7]x12").accepting()
    assert after(grammar, b"x12") is None


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("a*+", "possessive"),
        ("b(?=a)", "look-ahead"),
        ("(?<=a)b", "look-ahead"),
        ("(?m)b", "flags"),
        ("(" * 70 + ")" * 70, "nested deeper"),
        ("(?:a{0,300}b){0,300}$c", "more than 80000 steps"),
        (r"(a)\1", r"\\1"),
        ("(a", "too early"),
        ("a)", "unmatched"),
        ("[a", "too early"),
        ("[b-a]", "ascending"),
        ("*a", "nothing to repeat"),
        ("a{3,2}", "repeat counts"),
        ("a{99999}", "repeat counts"),
        ("a{x}", "expected"),
        (r"\p{Letter}", "property"),
        ("[[:letter:]]", "POSIX"),
        (r"\x{110000}", "no such character"),
        (r"\u12", "hexadecimal"),
        ("[a&&b]", "class operations"),
    ],
)
def test_what_is_not_supported_is_named(pattern, what):
    with pytest.raises(TokenSpecError, match=what.replace("(", r"\(").replace(")", r"\)")):
        Regex(pattern)


@pytest.mark.parametrize(
    "make",
    [lambda: Literal(b"a\xffb"), lambda: Alternatives([]), lambda: Alternatives("ab"), lambda: Special(-1)],
    ids=["marker", "no-alternative", "text-for-a-list", "negative-id"],
)
def test_malformed_grammars_are_refused(make):
    with pytest.raises(TokenSpecError):
        make()
