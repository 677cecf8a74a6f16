"""The engine alone: plain variables to text, refusals by kind, bounds."""

import copy
from datetime import datetime

import pytest

from tokenspec_reference.errors import TemplateRejects
from tokenspec_reference.renderers.template.engine import TemplateRefuses, render_template, render_text
from tokenspec_reference.renderers.template.limits import InvalidTemplate, Limits, TemplateLimitExceeded

NOW = datetime(2024, 7, 26, 12)  # noqa: DTZ001 - templates format local time


def test_text_is_plain_text():
    text = render_template({"template": "{{ x }}{{ 1 }}", "inputs": {"x": "a"}, "now": NOW.isoformat()})["text"]
    assert text == "a1"
    assert type(text) is str


def test_inputs_are_left_alone():
    inputs = {"messages": [{"role": "user", "content": ["a", {"b": None}]}]}
    before = copy.deepcopy(inputs)
    render_text("{{ messages|tojson }}{% set messages = [] %}", inputs, now=NOW)
    assert inputs == before


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{ raise_exception('no') }}", "template-raises"),
        ("{{ a.b }}", "undefined"),
        ("{{ [].append(1) }}", "security"),
        ("{{ 'a' + 1 }}", "value"),
        ("{% for v in 1 %}{% endfor %}", "value"),
    ],
)
def test_refusals_have_their_kind(template, code):
    with pytest.raises(TemplateRefuses) as caught:
        render_text(template, {}, now=NOW)
    assert caught.value.rejection_code == code
    assert str(caught.value).startswith("template: ")


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{% for v in x %}{% endfor %}", "'int' object is not iterable"),
        ("{{ y.trim() }}", "'str object' has no attribute 'trim'"),
        ("{{ y.__class__.z }}", "attribute '__class__' of 'str' object"),
        ("{{ raise_exception(\"a 'Tracked' object\") }}", "a 'Tracked' object"),
    ],
)
def test_refusals_name_plain_types(template, words):
    with pytest.raises(TemplateRefuses) as caught:
        render_text(template, {"x": 3, "y": "a"}, now=NOW)
    assert words in str(caught.value)


def test_half_of_a_surrogate_pair_is_no_text():
    with pytest.raises(TemplateRejects, match="half of a surrogate pair"):
        render_text('é{{ "\\ud800" }}', {}, now=NOW)
    assert render_text("{{ x }}é", {"x": "😀"}, now=NOW) == "😀é"


def test_a_broken_template_is_told_apart():
    with pytest.raises(InvalidTemplate, match="not a chat template"):
        render_text("{% if %}", {}, now=NOW)


@pytest.mark.parametrize(
    "template",
    [
        "{{ x * 100000 }}",
        "{% for v in range(1000) %}{{ x }}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
    ],
)
def test_runaways_are_stopped(template):
    with pytest.raises(TemplateLimitExceeded):
        render_text(template, {"x": "a" * 100}, now=NOW, limits=Limits(characters=10_000, steps=10_000))
