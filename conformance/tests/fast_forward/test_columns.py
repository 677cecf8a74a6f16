"""The peers' columns: what they answer, what they refuse, what they do not claim."""

import pytest

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas import areas
from tokenspec.areas.fast_forward.records import FastForwardOutput
from tokenspec.columns import llguidance as llguidance_column
from tokenspec.columns import xgrammar as xgrammar_column
from tokenspec.columns.llguidance import LlguidanceColumn
from tokenspec.columns.xgrammar import XgrammarColumn
from tokenspec.store.canonical import convert

BOTH = [{"mode": "llguidance"}, {"mode": "strict"}]


def ask(column, grammar, prefix=(), model="toy-bpe", vocabulary=None, queries=BOTH):
    request = {"model": model, "vocabulary": vocabulary, "grammar": grammar, "prefix": list(prefix), "queries": queries}
    result = column.fast_forward(request)
    return convert(result, FastForwardOutput, where="result")


@pytest.mark.parametrize("kind", ["literal", "alternatives", "regex", "json_schema"])
@pytest.mark.parametrize("column", [LlguidanceColumn, XgrammarColumn])
def test_every_kind_of_grammar_reaches_both(column, kind):
    pytest.importorskip(column.__name__.removesuffix("Column").lower())
    grammar = {
        "literal": {"literal": "the order"},
        "alternatives": {"alternatives": ["the order", "the other"]},
        "regex": {"regex": "the o[rt][a-z]+"},
        "json_schema": {"json_schema": {"enum": ["the order", "the other"]}},
    }[kind]
    output = ask(column(), grammar)
    forced = {"literal": "the order", "json_schema": '"the o'}.get(kind, "the o")
    assert output.forced_bytes == forced
    assert output.answers[0].tokens == output.answers[1].tokens
    assert output.accepting is False


@pytest.mark.parametrize("column", [LlguidanceColumn, XgrammarColumn])
def test_settings_they_do_not_have_are_unsupported(column):
    pytest.importorskip(column.__name__.removesuffix("Column").lower())
    output = ask(column(), {"literal": "ab"}, queries=[{"max_tokens": 1}, {"mode": "strict", "max_tokens": 1}])
    assert output.answers[0].unsupported
    assert output.answers[1].tokens is not None


@pytest.mark.parametrize("column", [LlguidanceColumn, XgrammarColumn])
def test_a_prefix_that_is_not_allowed_is_refused(column):
    pytest.importorskip(column.__name__.removesuffix("Column").lower())
    with pytest.raises(Rejected):
        ask(column(), {"literal": "the"}, ["x"])


def test_special_tokens_reach_llguidance_only():
    pytest.importorskip("llguidance")
    grammar = {"sequence": [{"special": "<|im_start|>"}, {"literal": "the"}]}
    tokens = ask(LlguidanceColumn(), grammar).answers[0].tokens
    assert tokens is not None
    assert len(tokens) >= 2
    pytest.importorskip("xgrammar")
    with pytest.raises(Unsupported):
        ask(XgrammarColumn(), grammar)


def test_a_string_cannot_end_inside_a_character():
    pytest.importorskip("xgrammar")
    with pytest.raises(Rejected, match="UnicodeDecodeError"):
        ask(XgrammarColumn(), {"alternatives": ["é1", "è2"]})


@pytest.mark.parametrize("module", [llguidance_column, xgrammar_column], ids=["llguidance", "xgrammar"])
def test_absent_packages_are_said(module, monkeypatch):
    monkeypatch.setattr(module, "installed_version", lambda _: None)
    column = LlguidanceColumn() if module is llguidance_column else XgrammarColumn()
    assert column.info()["version"] == "not installed"
    with pytest.raises(Unsupported, match="not installed"):
        column.load("toy-bpe", {})
    with pytest.raises(Unsupported, match="not installed"):
        ask(column, {"literal": "a"})


def test_small_vocabularies_reach_llguidance():
    pytest.importorskip("llguidance")
    output = ask(LlguidanceColumn(), {"literal": "abab"}, model=None, vocabulary={"merged": ["ab"], "special": []})
    assert output.answers[0].tokens == [256, 256]
    assert areas()["fast-forward"].operation == "fast_forward"
