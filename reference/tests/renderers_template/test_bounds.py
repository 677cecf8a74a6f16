"""Templates are code from strangers: what runs away is stopped with a typed error that names the template."""

from __future__ import annotations

import pytest
from oracle import Letters, outcome_of_renderer, outcome_of_transformers

from tokenspec_reference.errors import InvalidMessages, TemplateRejects, TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.template import InvalidTemplate, Limits, TemplateLimitExceeded, TemplateRenderer
from tokenspec_reference.renderers.template.limits import printed_size
from tokenspec_reference.renderers.template.values import ValueTable

USER = [{"role": "user", "content": "x\ty"}]
HUGE = 10**10

RUNAWAY = {
    "nested-loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "hidden-loop": "{% for a in range(9999) %}{% set x = range(99999) | list %}{% endfor %}",
    "endless-output": "{% for a in range(9999) %}{% for b in range(9999) %}{{ messages[0].content * 999 }}{% endfor %}{% endfor %}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "mutual-recursion": "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
    "branching-recursion": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(99) }}",
    "doubling-plus": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "doubling-tilde": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
    "doubling-list": "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "doubling-block": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set t %}{{ ns.s }}{{ ns.s }}{% endset %}{% set ns.s = t %}{% endfor %}",
    "doubling-macro": "{% macro d(s) %}{{ s }}{{ s }}{% endmacro %}{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = d(ns.s) %}{% endfor %}",
    "doubling-format": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = '%s%s' % (ns.s, ns.s) %}{% endfor %}",
    "doubling-join": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s.join(['ab', 'cd', 'ef']) %}{% endfor %}",
    "doubling-join-filter": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] | join %}{% endfor %}",
    "doubling-replace": "{% set ns = namespace(s='xx') %}{% for i in range(99) %}{% set ns.s = ns.s.replace('x', 'xxx') %}{% endfor %}",
    "doubling-replace-filter": "{% set ns = namespace(s='xx') %}{% for i in range(99) %}{% set ns.s = ns.s | replace('x', 'xxx') %}{% endfor %}",
    "doubling-str-format": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = '{0}{0}'.format(ns.s) %}{% endfor %}",
    "doubling-translate": "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s.translate({120: 'xxx'}) %}{% endfor %}",
    "doubling-escape": "{% set ns = namespace(s='&') %}{% for i in range(40) %}{% set ns.s = (ns.s ~ ns.s) | forceescape | string %}{% endfor %}",
    "times": f"{{{{ 'x' * {HUGE} }}}}",
    "times-left": f"{{{{ {HUGE} * messages[0].content }}}}",
    "times-list": f"{{{{ [0] * {HUGE} }}}}",
    "power": "{{ 9 ** 99999999 }}",
    "squares": "{% set ns = namespace(n=9) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
    "center": f"{{{{ messages[0].content.center({HUGE}) }}}}",
    "center-filter": f"{{{{ messages[0].content | center({HUGE}) }}}}",
    "center-folded": f"{{{{ 'x' | center({HUGE}) }}}}",
    "ljust": f"{{{{ messages[0].content.ljust({HUGE}) }}}}",
    "rjust-keyword": f"{{{{ 'x'.rjust({HUGE}) }}}}",
    "zfill": f"{{{{ messages[0].content.zfill({HUGE}) }}}}",
    "expandtabs": f"{{{{ messages[0].content.expandtabs({HUGE}) }}}}",
    "expandtabs-many": "{{ ('\\t' * 9999).expandtabs(99999) }}",
    "indent": f"{{{{ messages[0].content | indent({HUGE}) }}}}",
    "indent-lines": "{{ ('\\n' * 9999) | indent(99999, blank=true) }}",
    "tojson-indent": f"{{{{ messages | tojson(indent={HUGE}) }}}}",
    "percent-width": f"{{{{ '%{HUGE}s' % 'x' }}}}",
    "percent-star": f"{{{{ '%*d' % ({HUGE}, 1) }}}}",
    "percent-filter": f"{{{{ '%{HUGE}d' | format(1) }}}}",
    "format-width": f"{{{{ '{{:>{HUGE}}}'.format('x') }}}}",
    "format-nested-width": f"{{{{ '{{:>{{}}}}'.format('x', {HUGE}) }}}}",
    "batch": f"{{{{ [1] | batch({HUGE}, 0) | list | length }}}}",
    "slice": f"{{{{ [1] | slice({HUGE}) | list | length }}}}",
    "round": "{{ 1.5 | round(99999999, 'ceil') }}",
    **{
        f"shared-{name}": "{% set ns = namespace(s=['ab']) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}"
        "{% set twin = namespace(s=['ab']) %}{% for i in range(60) %}{% set twin.s = [twin.s, twin.s] %}{% endfor %}" + use
        for name, use in {
            "print": "{{ ns.s }}", "tojson": "{{ ns.s | tojson }}", "string": "{{ ns.s | string }}", "pprint": "{{ ns.s | pprint }}",
            "percent": "{{ '%s' % (ns.s,) }}", "format": "{{ '{}'.format(ns.s) }}", "tilde": "{{ ns.s ~ 'a' }}",
            "compare": "{{ ns.s == twin.s }}", "in": "{{ ns.s in [twin.s] }}", "test": "{{ ns.s is eq twin.s }}",
            "raise": "{{ raise_exception(ns.s) }}", "unique": "{{ [ns.s, twin.s] | unique | list }}",
            "select": "{{ [ns.s] | select('eq', twin.s) | list }}",
        }.items()
    },
    "wordwrap-string": "{{ ('a ' * 99999) | wordwrap(1, wrapstring='x' * 99999) }}",
    "urlize-target": "{{ ('http://a.b ' * 99999) | urlize(target='x' * 99999) }}",
    "condition": "{% set r = range(99999) %}{% for a in r %}{% for b in r if b < 0 %}{% endfor %}{% endfor %}",
    "searched-list": "{% set r = range(99999) | list %}{% for a in r %}{% if 'z' in r %}{% endif %}{% endfor %}",
    "searched-text": "{% set t = 'ab' * 400000 %}{% for a in range(99999) %}{% if 'zz' in t %}{% endif %}{% endfor %}",
    "joined": "{% set r = range(99999) | list %}{% for a in r %}{% set x = r | join(',') | length %}{% endfor %}",
    "summed": "{% set r = range(99999) %}{% for a in r %}{% set x = r | sum %}{% endfor %}",
    "cut": "{% set r = range(99999) | list %}{% for a in r %}{% set x = r[1:] %}{% endfor %}",
    "spelled": "{% set r = range(99999) | list %}{% for a in r %}{% set x = r | tojson | length %}{% endfor %}",
    "sum-lists": "{{ ([[1] * 60000] * 1000) | sum(start=[]) | length }}",
}  # fmt: skip


@pytest.mark.parametrize("name", RUNAWAY)
def test_runaway_templates_are_stopped(name):
    limits = Limits(characters=1_000_000, steps=200_000)
    renderer = TemplateRenderer(Letters(), RUNAWAY[name], limits=limits)
    with pytest.raises(TemplateLimitExceeded) as caught:
        renderer.render(USER)
    assert caught.value.field == "chat_template"


def test_of_a_short_conversation_fewer_steps_suffice_and_the_line_is_named():
    template = "{# two #}\n{% for a in range(99999) %}\n{% for b in range(99999) %}{{ b }}{% endfor %}\n{% endfor %}"
    with pytest.raises(TemplateLimitExceeded, match=r"line 3: the template takes more than 500016 steps"):
        TemplateRenderer(Letters(), template).provenance(USER)
    assert Limits(steps=70).for_messages(1) == 70
    assert Limits().for_messages(1000) == Limits().steps


def test_bounds_do_not_stop_honest_templates():
    many = [{"role": "user" if k % 2 == 0 else "assistant", "content": f"{k} " * 200} for k in range(1000)]
    quadratic = "{% for m in messages %}{% for n in messages %}{% endfor %}{{ m.content }}{% endfor %}"
    assert len(TemplateRenderer(Letters(), quadratic).provenance(many).text) == sum(len(m["content"]) for m in many)


def test_numbers_in_the_text_are_no_sizes():
    template = "{{ '%s' % messages[0].content }}{{ '{}'.format(messages[0].content) }}{{ '%d' % 99999999999 }}"
    found = TemplateRenderer(Letters(), template).provenance([{"role": "user", "content": "99999999999999"}])
    assert found.text == "99999999999999" * 2 + "99999999999"


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}",
        "{{ messages[ }}",
        "{% unknown %}",
        "{{ x | no_such_filter }}",
        "{% break %}",
        "{% if x %}" * 200 + "{% endif %}" * 200,
    ],
)
def test_what_is_no_template_is_refused_when_the_renderer_is_made(template):
    with pytest.raises(InvalidTemplate) as caught:
        TemplateRenderer(Letters(), template)
    assert caught.value.field == "chat_template"


def test_a_template_that_is_nested_too_deeply_to_be_read_runs_away():
    with pytest.raises(TemplateLimitExceeded) as caught:
        TemplateRenderer(Letters(), "{{ " + "(" * 5000 + ")" * 5000 + " }}")
    assert caught.value.field == "chat_template"


FORBIDDEN = [
    "{{ ''.__class__.__mro__ }}",
    "{{ messages[0].content.__class__.__init__.__globals__ }}",
    "{{ messages.append(1) }}",
    "{{ messages[0].update({}) }}",
    "{{ messages[0].pop('role') }}",
    "{{ (messages[0].content | attr('__class__')) + '!' }}",
    "{{ '{0.__class__.__mro__}'.format(messages[0].content) }}",
    "{{ '{0.__class__}'.format_map({'0': 1}) }}",
    "{{ namespace(_x=1) }}",
    "{% set ns = namespace() %}{% set ns.__class__ = 1 %}",
    "{{ self._TemplateReference__context.parent }}",
    "{{ raise_exception.__globals__ }}",
    "{{ range(100001) }}",
    "{% include 'x' %}",
    "{% import 'x' as y %}",
    "{{ strftime_now.__closure__ }}",
]


@pytest.mark.parametrize("template", FORBIDDEN)
def test_the_sandbox_forbids_what_transformers_forbids(template):
    theirs = outcome_of_transformers(template, USER, None, False)
    assert theirs[0] == "raises" or theirs == ("text", "")
    assert outcome_of_renderer(TemplateRenderer(Letters(), template), USER, None, False) == theirs


@pytest.mark.parametrize(
    "template",
    [
        "{{ _tokenspec_state }}{{ _tokenspec_state is defined }}",
        "{{ messages[0].content._tokenspec_runs }}{{ messages[0].content['_tokenspec_runs'] }}",
        "{{ (1).__int__ is defined }}{{ messages[0].content.mapped is defined }}{{ messages[0].content.of is defined }}",
        "{{ messages[0].content.from_origin is defined }}{{ messages[0].content.lift is defined }}",
        "{{ messages[0].content.unmarked is defined }}{{ messages[0].content.padded_as is defined }}",
        "{{ (messages[0].content | safe).unescape() }}{{ (messages[0].content | safe).striptags() }}",
    ],
)
def test_the_tracking_is_invisible_to_templates(template):
    theirs = outcome_of_transformers(template, USER, None, False)
    assert outcome_of_renderer(TemplateRenderer(Letters(), template), USER, None, False) == theirs


@pytest.mark.parametrize(
    "template", ["{{ lipsum() }}", "{{ [1, 2] | random }}", "{{ messages | map('random') | list }}"]
)
def test_random_text_is_refused(template):
    with pytest.raises(UnsupportedByReference):
        TemplateRenderer(Letters(), template).render(USER)


LONE, CYCLE = "\ud800", {}
CYCLE["self"] = CYCLE


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([], "messages"),
        ("hi", "messages"),
        ([{"role": "user", "content": LONE}], "messages[0].content"),
        ([{"role": "tool", "content": CYCLE}], "messages[0].content.self"),
        ([{"role": "user", "content": {1: "x"}}], "messages[0].content"),
        ([{"role": "user", "content": object()}], "messages[0].content"),
        (["hi"], "messages[0]"),
    ],
)
def test_messages_that_are_no_json_are_refused(messages, field):
    with pytest.raises(InvalidMessages) as caught:
        TemplateRenderer(Letters(), "{{ messages }}").render(messages)
    assert caught.value.field == field


def test_a_tokenizer_without_template_is_refused():
    with pytest.raises(TokenSpecError) as caught:
        TemplateRenderer(Letters())
    assert caught.value.field == "chat_template"


def test_a_refusal_says_what_the_template_said():
    with pytest.raises(TemplateRejects, match="TemplateError: only users"):
        TemplateRenderer(Letters(), "{{ raise_exception('only users') }}").render(USER)


@pytest.mark.parametrize(
    "value",
    [{}, [], ["ab", 1, None, 2.5], {"a": {"b": ["cd", {"e": True}]}, "f": []}, [["x"], ["x"]], {"k": "v" * 40, "n": 7}],
)
def test_what_a_render_is_given_is_measured_as_it_is_tracked(value):
    table = ValueTable()
    tracked = table.track(value, 0, ())
    assert table.sizes[id(tracked)] == printed_size(value)
