"""Functions and tags a template may call, and those nobody defined."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import asked, case

CASES = [
    case(
        "raise-exception",
        "004",
        "TEMPLATE_RAISES",
        "A template refuses a conversation in its own words.",
        "{{ raise_exception('Conversation roles must alternate user/assistant') }}",
    ),
    case(
        "raise-exception-computed",
        "004",
        "TEMPLATE_RAISES",
        "The words of a refusal may be made from the conversation.",
        "{% for m in messages %}{% if m.role not in ['user'] %}"
        "{{ raise_exception('Unknown role: ' ~ m.role ~ ' <x>') }}{% endif %}{% endfor %}",
        messages=[{"role": "user"}, {"role": "critic"}],
    ),
    case(
        "raise-exception-not-reached",
        "004",
        "TEMPLATE_RAISES",
        "A refusal in a branch that is not taken has no effect.",
        "{% if false %}{{ raise_exception('never') }}{% endif %}{{ 'ok' if true else raise_exception('never') }}",
    ),
    case(
        "strftime-now",
        "075",
        "TEMPLATE_DATE",
        "The date is that of the request.",
        "{{ strftime_now('%Y-%m-%d') }} {{ strftime_now('%d %b %Y') }} {{ strftime_now('%B %d, %Y') }}",
    ),
    case(
        "strftime-directives",
        "075",
        "TEMPLATE_DATE",
        "The other directives of Python.",
        "{{ strftime_now('%A %a %H:%M:%S %I %p %j %y %%') }}",
    ),
    case(
        "strftime-guard",
        "075",
        "TEMPLATE_DATE",
        "Templates ask whether the date function exists before they call it.",
        "{% if strftime_now is defined %}{% set date = strftime_now('%d %b %Y') %}{% else %}"
        "{% set date = '26 Jul 2024' %}{% endif %}{{ date }}",
    ),
    case(
        "input-hides-function",
        "075",
        "TEMPLATE_DATE",
        "An input of the name of a function hides it.",
        "{{ range }}{{ date_string|default(strftime_now('%Y')) }}",
        range="text",
        date_string="2020",
    ),
    case(
        "dict-function",
        "076",
        "TEMPLATE_FUNCTIONS",
        "Dict makes a mapping from names and from another one.",
        "{% set x = dict({'a': 1}, b=2) %}{{ x.a }}{{ x.b }}{{ dict(c=3).c }}",
    ),
    case(
        "dict-from-pairs",
        "076",
        "TEMPLATE_FUNCTIONS",
        "Dict takes pairs, and fromkeys makes equal values.",
        "{{ dict([('k', 2)]).k }}{{ dict.fromkeys(['p', 'q'], 0).q }}",
    ),
    case(
        "cycler",
        "076",
        "TEMPLATE_FUNCTIONS",
        "Cycler walks in a circle.",
        "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}",
    ),
    case(
        "joiner",
        "076",
        "TEMPLATE_FUNCTIONS",
        "Joiner gives its text from the second time on.",
        "{% set j = joiner(', ') %}{{ j() }}x{{ j() }}y{{ j() }}z",
    ),
    case(
        "namespace-underscore",
        "081",
        "TEMPLATE_SANDBOX",
        "A namespace takes no name that begins with an underscore.",
        "{% set ns = namespace() %}{% set ns._hidden = 1 %}{{ ns._hidden }}",
    ),
    case(
        "namespace-from-mapping",
        "076",
        "TEMPLATE_FUNCTIONS",
        "A namespace may start from a mapping.",
        "{% set ns = namespace({'a': 1}, b=2) %}{% set ns.a = ns.a + ns.b %}{{ ns.a }}{{ ns['b'] }}",
    ),
    case(
        "unknown-tag",
        "017",
        "TEMPLATE_SYNTAX",
        "A tag nobody defined is refused.",
        "{% frobnicate %}a{% endfrobnicate %}",
    ),
    case(
        "extension-tags-off",
        "017",
        "TEMPLATE_SYNTAX",
        "Tags of Jinja's other extensions are refused: do is not among those in force.",
        "{% do x.get('a') %}a",
        x={},
    ),
    case(
        "unknown-filter",
        "017",
        "TEMPLATE_SYNTAX",
        "A filter nobody defined is refused.",
        "{{ 'a'|frobnicate }}",
    ),
    case(
        "unclosed-block",
        "017",
        "TEMPLATE_SYNTAX",
        "A block that is not closed is refused.",
        "{% if true %}a",
    ),
    case(
        "unknown-filter-not-reached",
        "017",
        "TEMPLATE_SYNTAX",
        "A filter nobody defined does no harm in a branch that is not taken.",
        "{% if false %}{{ 'a'|frobnicate }}{% else %}b{% endif %}",
    ),
    case(
        "is-filter",
        "041",
        "TEMPLATE_TESTS",
        "A template can ask whether a filter or test is there.",
        asked("'frobnicate' is filter", "'upper' is filter", "'odd' is test"),
    ),
]
