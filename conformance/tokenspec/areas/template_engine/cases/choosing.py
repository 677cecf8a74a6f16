"""Choosing elements and mapping them."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case
from tokenspec.areas.template_engine.cases.lists import PEOPLE

CASES = [
    case(
        "map-attribute",
        "066",
        "TEMPLATE_LISTS",
        "Map takes an attribute.",
        "{{ x|map(attribute='name')|join }}",
        x=PEOPLE,
    ),
    case(
        "map-attribute-path",
        "066",
        "TEMPLATE_LISTS",
        "Map takes a path of attributes and an index.",
        "{{ y|map(attribute='a.b')|join }}{{ [[1, 2], [3, 4]]|map(attribute=1)|join }}",
        y=[{"a": {"b": 1}}],
    ),
    case(
        "map-attribute-default",
        "066",
        "TEMPLATE_LISTS",
        "Map takes a default for what lacks the attribute.",
        "{{ x|map(attribute='nick', default='-')|join }}",
        x=PEOPLE,
    ),
    case(
        "map-filter",
        "066",
        "TEMPLATE_LISTS",
        "Map applies a filter.",
        "{{ ['a', 'b']|map('upper')|join }}",
    ),
    case(
        "map-filter-arguments",
        "066",
        "TEMPLATE_LISTS",
        "Map hands on the arguments of a filter.",
        "{{ ['a-b']|map('replace', '-', '+')|first }}",
    ),
    case(
        "map-tojson",
        "066 060",
        "TEMPLATE_LISTS TEMPLATE_JSON",
        "Map makes JSON of every tool.",
        "{{ x|map('tojson')|join('\\n') }}",
        x=[{"a": 1}, {"b": "<"}],
    ),
    case(
        "select-reject",
        "066",
        "TEMPLATE_LISTS",
        "Select and reject go by a test.",
        "{{ x|select('odd')|join }} {{ x|reject('odd')|join }} {{ ['', 'a', 1]|select('string')|list|length }}",
        x=[1, 2, 3],
    ),
    case(
        "select-by-truth",
        "066",
        "TEMPLATE_LISTS",
        "Select without a test goes by truth.",
        "{{ [0, 1, none, 'a']|select|join }}",
    ),
    case(
        "select-with-argument",
        "066",
        "TEMPLATE_LISTS",
        "Select hands on the argument of a test.",
        "{{ x|select('gt', 1)|join }}",
        x=[1, 2, 3],
    ),
    case(
        "selectattr",
        "066",
        "TEMPLATE_LISTS",
        "Selectattr compares an attribute by a named test.",
        "{{ messages|selectattr('role', 'equalto', 'user')|list|length }}"
        "{{ messages|rejectattr('role', 'equalto', 'user')|map(attribute='n')|join }}",
        messages=[{"role": "user", "n": 1}, {"role": "tool", "n": 2, "x": True}, {"role": "user", "n": 3, "x": 0}],
    ),
    case(
        "selectattr-operator",
        "066",
        "TEMPLATE_LISTS",
        "A test may be named by its operator.",
        "{{ messages|selectattr('role', '==', 'user')|map(attribute='n')|join }}",
        messages=[{"role": "user", "n": 1}, {"role": "tool", "n": 2, "x": True}, {"role": "user", "n": 3, "x": 0}],
    ),
    case(
        "selectattr-in",
        "066",
        "TEMPLATE_LISTS",
        "Selectattr asks whether an attribute is in a list.",
        "{{ messages|selectattr('role', 'in', ['user'])|map(attribute='n')|join }}",
        messages=[{"role": "user", "n": 1}, {"role": "tool", "n": 2, "x": True}, {"role": "user", "n": 3, "x": 0}],
    ),
    case(
        "selectattr-truth",
        "066",
        "TEMPLATE_LISTS",
        "Selectattr without a test goes by truth.",
        "{{ messages|selectattr('x')|map(attribute='n')|join }}",
        messages=[{"role": "user", "n": 1}, {"role": "tool", "n": 2, "x": True}, {"role": "user", "n": 3, "x": 0}],
    ),
    case(
        "selectattr-missing",
        "066",
        "TEMPLATE_LISTS TEMPLATE_UNDEFINED",
        "An attribute that some elements lack is missing there, which is no error.",
        "{{ x|selectattr('on', 'defined')|map(attribute='name')|join }}"
        "{{ x|rejectattr('on')|map(attribute='name')|join }}",
        x=PEOPLE,
    ),
    case(
        "selectattr-undefined",
        "066",
        "TEMPLATE_LISTS TEMPLATE_UNDEFINED",
        "Selectattr finds the elements that lack an attribute.",
        "{{ x|selectattr('on', 'undefined')|map(attribute='name')|join }}",
        x=PEOPLE,
    ),
    case(
        "select-is-lazy-no-list",
        "066",
        "TEMPLATE_LISTS",
        "What select gives has no length until it is made a list.",
        "{{ x|select('odd')|length }}",
        x=[1, 2],
    ),
    case(
        "filter-chain",
        "066",
        "TEMPLATE_LISTS",
        "Filters in a row apply from left to right; a dot applies to their result in parentheses.",
        "{{ ' a-b '|trim|upper|replace('-', '+') }}{{ ('a b'|upper).split(' ')|join('.') }}",
    ),
]
