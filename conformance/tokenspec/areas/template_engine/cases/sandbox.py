"""What a template must not do: templates come from model repositories, they are somebody else's code."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

CASES = [
    case(
        "append-refused",
        "080",
        "TEMPLATE_SANDBOX",
        "A template cannot append to a list, not even to its own: two circulating Kimi templates fail here.",
        "{% set x = [] %}{{ x.append(1) }}{{ x }}",
    ),
    case(
        "append-to-input-refused",
        "080 005",
        "TEMPLATE_SANDBOX",
        "A template cannot change the conversation.",
        "{% set _ = messages.append(messages[0]) %}{{ messages|length }}",
        messages=[{"role": "user"}],
    ),
    case(
        "pop-refused",
        "080",
        "TEMPLATE_SANDBOX",
        "A template cannot take an element out of the conversation.",
        "{{ messages.pop() }}{{ messages|length }}",
        messages=[{"role": "user"}],
    ),
    case(
        "update-refused",
        "080",
        "TEMPLATE_SANDBOX",
        "A template cannot change a mapping.",
        "{% set _ = tool.update({'name': 'other'}) %}{{ tool.name }}",
        tool={"name": "f"},
    ),
    case(
        "setdefault-refused",
        "080",
        "TEMPLATE_SANDBOX",
        "Methods that change a mapping only sometimes are refused always.",
        "{{ x.setdefault('a', 1) }}",
        x={"a": 0},
    ),
    case(
        "class-refused",
        "081",
        "TEMPLATE_SANDBOX",
        "The way from a value to its class, and on to the interpreter, is closed.",
        "{{ ''.__class__.__mro__ }}",
    ),
    case(
        "own-names-hidden",
        "081",
        "TEMPLATE_SANDBOX",
        "Attributes and names that an engine adds for itself are not there for a template.",
        "{{ x.mapped }}{{ x.lift }}{{ x.unmarked }}{{ x.padded_as }}{{ x['mapped'] }}{{ x|attr('mapped') }}{{ x.runs }}"
        "{{ ('a'|safe).marked }}{{ x._tokenspec_runs }}{{ x['_tokenspec_runs'] }}{{ _tokenspec_state }}{{ 'a'.of }}"
        "{% if _tokenspec_state or not x._tokenspec_runs is undefined %}!{% endif %}"
        "{% set y = _tokenspec_state %}{{ y }}{{ _tokenspec_state == 1 }}"
        "{% for _tokenspec_state in [1] %}{{ _tokenspec_state }}{% endfor %}"
        "{% macro m(_tokenspec_state) %}{{ _tokenspec_state }}{% endmacro %}{{ m('n') }}",
        x="text",
    ),
    case(
        "class-printed",
        "081",
        "TEMPLATE_SANDBOX",
        "A forbidden attribute prints as nothing.",
        "{{ ''.__class__ }}",
    ),
    case(
        "class-by-filter",
        "081",
        "TEMPLATE_SANDBOX",
        "The filter attr opens no other way: there is nothing behind it.",
        "{{ ''|attr('__class__') }}",
    ),
    case(
        "class-by-item",
        "081",
        "TEMPLATE_SANDBOX",
        "Brackets open no other way: there is nothing in them.",
        "{{ ''['__class__'] }}",
    ),
    case(
        "class-by-format",
        "081",
        "TEMPLATE_SANDBOX",
        "The method format opens no other way: it finds nothing.",
        "{{ '{0.__class__}'.format(x) }}",
        x=1,
    ),
    case(
        "class-by-format-refused",
        "081",
        "TEMPLATE_SANDBOX",
        "A path through a forbidden attribute inside a format is refused.",
        "{{ '{0.__class__.__mro__}'.format(x) }}",
        x=1,
    ),
    case(
        "function-globals",
        "081",
        "TEMPLATE_SANDBOX",
        "What a function knows prints as nothing.",
        "{{ raise_exception.__globals__ }}",
    ),
    case(
        "underscore-key",
        "081",
        "TEMPLATE_SANDBOX",
        "A key of the caller's that begins with an underscore is data and can be read in brackets.",
        "{{ x['_id'] }}{{ x._id }}",
        x={"_id": 7},
    ),
    case(
        "range-too-long",
        "082",
        "TEMPLATE_SANDBOX",
        "A range of more than a hundred thousand numbers is refused.",
        "{% for i in range(100001) %}{% endfor %}a",
    ),
    case(
        "range-long-enough",
        "082",
        "TEMPLATE_SANDBOX",
        "A range of a hundred thousand numbers is within bounds.",
        "{{ range(100000)|length }}",
    ),
    case(
        "endless-macro",
        "083",
        "TEMPLATE_SANDBOX",
        "A macro that calls itself without end is refused, and the engine lives on.",
        "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    ),
    case(
        "include-refused",
        "084",
        "TEMPLATE_SANDBOX",
        "A template loads no other template.",
        "{% include 'other.jinja' %}a",
    ),
    case(
        "import-refused",
        "084",
        "TEMPLATE_SANDBOX",
        "A template imports no macros from elsewhere.",
        "{% from '/etc/passwd' import x %}a",
    ),
    case(
        "extends-refused",
        "084",
        "TEMPLATE_SANDBOX",
        "A template extends no other template.",
        "{% extends 'base.html' %}{% block a %}{% endblock %}",
    ),
    case(
        "jinja-in-content",
        "085",
        "TEMPLATE_SANDBOX",
        "Template syntax inside a value is the value's text and is never run.",
        "{{ content }}{{ content|upper }}{% set x %}{{ content }}{% endset %}{{ x }}",
        content="{{ 7 * 7 }}{% raw %}{# c #}",
    ),
]
