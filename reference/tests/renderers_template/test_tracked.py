"""A tracked string is its plain string in everything, and its runs say where each character came from.

The twin is one origin per character, the slow and obvious way: every character of the input is given its own origin, so
an output character is right exactly if the input character at its origin is the one it was made of.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.renderers.template.provenance import DERIVED, SCAFFOLD, Tracked, concat, cut, merged, runs_of

ALPHABET = "aB \n\t.<é ßİﬁ\x1c\u2028ς"
texts = st.text(ALPHABET, max_size=12)
FIRST = 10


def by_character(text):
    """Every character with an origin of its own."""
    return Tracked.of(text, tuple((1, FIRST + k) for k in range(len(text))))


def by_halves(text):
    middle = len(text) // 2
    return Tracked.of(text, merged(((middle, FIRST), (len(text) - middle, FIRST + 1))))


def check(result, plain, source, change=lambda c: {c}):
    """``result`` says ``plain``, is tiled, and each character comes from a source character that can make it."""
    assert str.__eq__(result, plain)
    assert sum(length for length, _ in runs_of(result)) == len(plain)
    position = 0
    for length, origin in runs_of(result):
        for character in plain[position : position + length]:
            if origin not in (SCAFFOLD, DERIVED):
                assert character in change(source[origin - FIRST]), (character, source, origin)
        position += length


TAKING = {
    "strip": lambda s: s.strip(),
    "strip-chars": lambda s: s.strip("a ."),
    "lstrip": lambda s: s.lstrip(),
    "rstrip": lambda s: s.rstrip("\n"),
    "slice": lambda s: s[2:5],
    "slice-negative": lambda s: s[-4:-1],
    "slice-step": lambda s: s[::2],
    "slice-reversed": lambda s: s[::-1],
    "slice-empty": lambda s: s[5:2],
    "removeprefix": lambda s: s.removeprefix("a"),
    "removesuffix": lambda s: s.removesuffix("."),
    "plus": lambda s: s + "<" + s,
    "radd": lambda s: "<" + s,
    "times": lambda s: s * 3,
    "rmul": lambda s: 2 * s,
    "times-zero": lambda s: s * 0,
    "replace": lambda s: s.replace("a", "--"),
    "replace-once": lambda s: s.replace(" ", "", 1),
    "replace-empty": lambda s: s.replace("", "-"),
    "replace-empty-some": lambda s: s.replace("", "-", 3),
    "join": lambda s: s.join(["x", "y", "z"]),
    "join-characters": lambda s: "".join(["<", *s]) if type(s) is str else Tracked.lift("").join(["<", *s]),
    "ljust": lambda s: s.ljust(15, "-"),
    "rjust": lambda s: s.rjust(15),
    "center": lambda s: s.center(16, "*"),
    "center-odd": lambda s: s.center(9, "*"),
    "zfill": lambda s: s.zfill(20),
    "str": str,
}  # fmt: skip


@pytest.mark.parametrize("name", TAKING)
@given(text=texts)
def test_methods_that_take_and_join_parts(name, text):
    change = TAKING[name]
    check(change(by_character(text)), change(text), text)


SPLITTING = {
    "split": lambda s: s.split(),
    "split-sep": lambda s: s.split("a"),
    "split-long-sep": lambda s: s.split(" ."),
    "split-max": lambda s: s.split(None, 1),
    "split-sep-max": lambda s: s.split(" ", 2),
    "rsplit": lambda s: s.rsplit(),
    "rsplit-max": lambda s: s.rsplit(None, 1),
    "rsplit-sep-max": lambda s: s.rsplit("a", 1),
    "splitlines": lambda s: s.splitlines(),
    "splitlines-keep": lambda s: s.splitlines(True),
    "partition": lambda s: list(s.partition("a")),
    "rpartition": lambda s: list(s.rpartition(" ")),
    "iterate": list,
}


@pytest.mark.parametrize("name", SPLITTING)
@given(text=texts)
def test_methods_that_split(name, text):
    parts = SPLITTING[name](text)
    tracked = SPLITTING[name](by_character(text))
    assert [type(part) for part in tracked] == [Tracked] * len(parts)
    for part, plain in zip(tracked, parts, strict=True):
        check(part, plain, text)
    assert [o for part in tracked for _, o in runs_of(part)] == sorted(o for part in tracked for _, o in runs_of(part))


CASES = {
    name: getattr(str, name) for name in ("upper", "lower", "title", "capitalize", "swapcase", "casefold", "expandtabs")
}


@pytest.mark.parametrize("name", CASES)
@given(text=texts)
def test_methods_that_change_characters(name, text):
    def images(character):
        if character == "\t":
            return " \t"
        return {c for make in CASES.values() for c in make(character)} | set("ςσ" if character in "Σςσ" else "")

    check(getattr(by_character(text), name)(), CASES[name](text), text, images)


@given(text=texts)
def test_runs_may_be_longer_than_one_character(text):
    tracked = by_halves(text)
    border = len(text) // 2
    for change in (str.upper, str.title, lambda s: str.translate(s, {97: "xyz", 32: None})):
        method = {str.upper: Tracked.upper, str.title: Tracked.title}.get(
            change, lambda s: s.translate({97: "xyz", 32: None})
        )
        result = method(tracked)
        assert str.__eq__(result, change(text))
        of_first = sum(length for length, origin in runs_of(result) if origin == FIRST)
        assert of_first == len(change(text[:border]))


@given(text=texts, start=st.integers(-15, 15), stop=st.integers(-15, 15))
def test_cutting_runs_is_cutting_characters(text, start, stop):
    low, high, _ = slice(start, stop).indices(len(text))
    if len(text) > 1:
        one_each = tuple((1, FIRST + k) for k in range(len(text)))
        assert cut(one_each, low, max(low, high)) == one_each[low : max(low, high)]
    assert runs_of(by_halves(text)[start:stop]) == merged(cut(runs_of(by_halves(text)), low, max(low, high)))


@given(pieces=st.lists(texts, max_size=5))
def test_concat_keeps_every_origin(pieces):
    joined = concat([by_character(piece) if k % 2 else piece for k, piece in enumerate(pieces)])
    assert joined == "".join(pieces)
    assert sum(length for length, _ in runs_of(joined)) == len(joined)


@given(text=texts)
def test_a_tracked_string_is_a_string(text):
    tracked = by_character(text)
    assert tracked == text
    assert hash(tracked) == hash(text)
    assert {text: 1}[tracked] == 1
    assert isinstance(tracked, str)
    assert repr(tracked) == repr(text)
    assert tracked < text + "x"
    assert len(tracked) == len(text)


def test_every_method_of_str_that_returns_text_is_covered():
    text = by_character("aB .x")
    lost = []
    for name in dir(str):
        if name.startswith("__") or name in {"maketrans", "encode", "format", "format_map"}:
            continue
        arguments = {
            "join": (["a"],), "replace": ("a", "b"), "center": (9,), "ljust": (9,), "rjust": (9,), "zfill": (9,),
            "partition": (" ",), "rpartition": (" ",), "removeprefix": ("a",), "removesuffix": ("x",), "translate": ({},),
        }.get(name, ())  # fmt: skip
        try:
            result = getattr(text, name)(*arguments)
        except TypeError:
            continue
        values = result if isinstance(result, (list, tuple)) else [result]
        lost += [name for value in values if isinstance(value, str) and not isinstance(value, Tracked)]
    assert lost == []
