"""Options, normalisations, the clock, and what a template reads."""

from __future__ import annotations

import copy
from datetime import datetime

import pytest
from oracle import SPECIAL, Letters, chat_template_utils
from scenarios import SCENARIOS

from tokenspec_reference.errors import TemplateRejects, TokenSpecError
from tokenspec_reference.renderers.template import TemplateRenderer, reads

KEYS = "{% for m in messages %}{{ m.keys() | list }}{{ m.reasoning_content }}|{{ m.thinking }}\n{% endfor %}"
USER = {"role": "user", "content": "q"}


def text(template, messages, normalisation="hf5", **options):
    return TemplateRenderer(Letters(), template, normalisation=normalisation, **options).provenance(messages).text


def test_hf5_drops_none_and_aliases_reasoning():
    message = {"role": "assistant", "content": None, "thinking": "hm"}
    assert text(KEYS, [message]) == "['thinking', 'role', 'reasoning_content']hm|hm\n"
    assert message == {"role": "assistant", "content": None, "thinking": "hm"}


def test_hf4_passes_messages_through():
    message = {"role": "assistant", "content": None, "thinking": "hm"}
    assert text(KEYS, [message], "hf4") == "['role', 'content', 'thinking']|hm\n"


def test_hf4_namespaces_take_underscores():
    template = "{% set ns = namespace(_a=1) %}{{ ns._a is defined }}"
    with pytest.raises(TemplateRejects):
        text(template, [USER])
    assert text(template, [USER], "hf4") == "False"  # stored, but the sandbox does not read it back


def test_options_reach_the_template_and_belong_to_no_message():
    renderer = TemplateRenderer(Letters(), "{{ greeting }}{{ bos_token }}{{ n }}{{ documents }}", greeting="Hello")
    found = renderer.provenance([USER], n=3)
    assert found.text == "Hello<s>3None"
    assert [(o.path, s.owner, s.is_content) for s, o in zip(found.spans, found.origins, strict=True) if o] == [
        (("greeting",), -1, False),
        (("n",), -1, False),
    ]


def test_the_clock_is_an_argument():
    template = "{{ strftime_now('%Y-%m-%d') }}"
    assert text(template, [USER]) == "2024-07-26"
    assert text(template, [USER], now=datetime(1999, 12, 31)) == "1999-12-31"  # noqa: DTZ001


CONTINUED = {
    "kept": "{% for m in messages %}<{{ m.content }}>{% endfor %}",
    "trimmed": "{% for m in messages %}<{{ m.content | trim }}>{% endfor %}",
    "parts": "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}",
    "dropped": "{% for m in messages %}{{ m.role }}{% endfor %}{# content #}",
}


@pytest.mark.parametrize("name", CONTINUED)
@pytest.mark.parametrize("content", ["hello", "hello ", "hello\n", "", [{"type": "text", "text": "part "}]])
def test_continue_final_message_as_in_transformers(name, content):
    messages = [USER, {"role": "assistant", "content": content}]
    try:
        rendered, _ = chat_template_utils.render_jinja_template(
            [copy.deepcopy(messages)], chat_template=CONTINUED[name], continue_final_message=True, **SPECIAL
        )
        theirs = rendered[0]
    except Exception:  # noqa: BLE001 - whatever it is, it is a refusal
        theirs = None
    try:
        found = TemplateRenderer(Letters(), CONTINUED[name]).provenance(messages, continue_final_message=True)
        ours = found.text
        assert (found.spans[-1].end if found.spans else 0) == len(ours)
        assert len(found.origins) == len(found.spans)
    except TokenSpecError:
        ours = None
    assert ours == theirs


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("{% for m in messages %}{{ m.content }}{% endfor %}", {"messages"}),
        ("{{ enable_thinking }}{% if tools %}x{% endif %}", {"enable_thinking", "tools"}),
        ("{% set date = date or 'today' %}{{ date }}", {"date"}),
        ("{% if not date is defined %}{% set date = 'today' %}{% endif %}{{ date }}", {"date"}),
        ("{% if x %}{% set c = 1 %}{% else %}{% set c = 2 %}{% endif %}{{ c }}", {"x"}),
        ("{{ namespace() }}{{ raise_exception }}{{ strftime_now('') }}{{ range(3) }}", set()),
        ("{% macro f(a) %}{{ a }}{{ b }}{% endmacro %}{{ f(c) }}", {"b", "c"}),
    ],
)
def test_reads(template, names):
    assert reads(template) == names


@pytest.mark.parametrize("constant", ["3 ** (10**9) % 7", "('x' * 10**10)|length", "'x'|center(10**10)"])
def test_nothing_is_worked_out_where_names_are_read(constant):
    assert reads(f"{{% autoescape {constant} %}}{{{{ {constant} }}}}{{{{ a }}}}{{% endautoescape %}}") == {"a"}


def test_inputs_are_not_changed_and_a_second_render_is_equal():
    template = "{% for m in messages %}{{ m }}{{ tools | tojson }}{% endfor %}"
    renderer = TemplateRenderer(Letters(), template)
    for messages, tools in SCENARIOS.values():
        before = copy.deepcopy((messages, tools))
        first = renderer.render(messages, tools=tools)
        assert (messages, tools) == before
        assert renderer.render(messages, tools=tools) == first
