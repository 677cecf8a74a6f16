"""Filters over lists and mappings, defaults, and numbers."""

from __future__ import annotations

from generators.template_cases.build import case

PEOPLE = [
    {"name": "b", "age": 2, "on": True},
    {"name": "A", "age": 1, "on": False},
    {"name": "c", "age": 2},
]

CASES = [
    case(
        "length-first-last",
        "065",
        "TEMPLATE_LISTS",
        "Length, count, first and last; of nothing the first is missing.",
        "{{ x|length }}{{ x|count }}{{ x|first }}{{ x|last }}{{ {'k': 1}|length }}{{ 'ab'|length }}"
        "[{{ []|first }}]{{ ([]|last) is defined }}",
        x=[3, 1, 2],
    ),
    case(
        "length-of-none",
        "065",
        "TEMPLATE_LISTS",
        "None has no length: an unguarded length of null tools is refused.",
        "{{ tools|length }}",
        tools=None,
    ),
    case(
        "reverse",
        "065",
        "TEMPLATE_LISTS",
        "Reverse turns lists and text around.",
        "{{ x|reverse|list }}{{ 'abc'|reverse }}{% for v in x|reverse %}{{ v }}{% endfor %}",
        x=[1, 2, 3],
    ),
    case(
        "sort",
        "065",
        "TEMPLATE_LISTS",
        "Sort ignores the case of text unless told, keeps the order of equals, and sorts by attributes.",
        "{{ ['b', 'A', 'a', 'C']|sort }}{{ ['b', 'A']|sort(case_sensitive=true) }}{{ [3, 1, 2]|sort(reverse=true) }}"
        "{{ x|sort(attribute='age')|map(attribute='name')|join }}"
        "{{ x|sort(attribute='age,name')|map(attribute='name')|join }}",
        x=PEOPLE,
    ),
    case(
        "sort-mixed",
        "065",
        "TEMPLATE_LISTS",
        "Text and numbers have no order among each other.",
        "{{ [1, 'a']|sort }}",
    ),
    case(
        "dictsort",
        "065",
        "TEMPLATE_LISTS",
        "Dictsort sorts pairs by key without regard to case, by value, or backwards.",
        "{{ x|dictsort }}{{ x|dictsort(by='value') }}{{ x|dictsort(reverse=true) }}{{ x|dictsort(true) }}"
        "{% for k, v in x|dictsort %}{{ k }}{{ v }}{% endfor %}",
        x={"b": 1, "A": 3, "c": 2},
        issue="flutter_gemma#367",
    ),
    case(
        "items-filter",
        "065",
        "TEMPLATE_LISTS",
        "Items gives the pairs of a mapping in order, and none of what is missing.",
        "{{ x|items|list }}{{ missing|items|list }}{% for k, v in x|items %}{{ loop.index }}{{ k }}{{ v }}{% endfor %}",
        x={"z": 1, "a": None},
    ),
    case(
        "items-of-text",
        "065",
        "TEMPLATE_LISTS",
        "Items of text is refused: arguments given as JSON text fail here.",
        "{% for k, v in arguments|items %}{{ k }}{% endfor %}",
        arguments='{"a": 1}',
        issue="Qwen3#1894",
    ),
    case(
        "unique-groupby",
        "065",
        "TEMPLATE_LISTS",
        "Unique keeps the first of each; groupby sorts and groups.",
        "{{ ['a', 'A', 'b', 'a']|unique|list }}{% for g in x|groupby('age') %}{{ g.grouper }}"
        "{{ g.list|length }}{{ g[0] }} {% endfor %}",
        x=PEOPLE,
    ),
    case(
        "min-max-sum",
        "065",
        "TEMPLATE_LISTS",
        "Min, max and sum, by attribute as well.",
        "{{ x|min }}{{ x|max }}{{ x|sum }}{{ p|sum(attribute='age') }}{{ (p|max(attribute='age')).name }}"
        "[{{ []|max }}]{{ []|sum }}{{ [0.1, 0.2]|sum }}",
        x=[3, 1, 2],
        p=PEOPLE,
    ),
    case(
        "batch-slice",
        "065",
        "TEMPLATE_LISTS",
        "Batch fills rows, slice fills columns.",
        "{{ x|batch(2)|list }}{{ x|batch(2, 0)|list }}{{ x|slice(2)|list }}",
        x=[1, 2, 3, 4, 5],
    ),
    case(
        "list-of-values",
        "065",
        "TEMPLATE_LISTS",
        "List takes text, mappings and pairs apart.",
        "{{ 'ab'|list }}{{ {'a': 1}|list }}{{ (1, 2)|list }}{{ range(2)|list }}",
    ),
    case(
        "map-attribute",
        "066",
        "TEMPLATE_LISTS",
        "Map takes an attribute, a path of them, an index, or a default for what lacks it.",
        "{{ x|map(attribute='name')|list }}{{ x|map(attribute='on', default='-')|join }}"
        "{{ y|map(attribute='a.b')|list }}{{ [[1, 2], [3, 4]]|map(attribute=1)|list }}",
        x=PEOPLE,
        y=[{"a": {"b": 1}}],
    ),
    case(
        "map-filter",
        "066",
        "TEMPLATE_LISTS",
        "Map applies a filter with its arguments.",
        "{{ ['a', 'b']|map('upper')|join }}{{ [1, 2]|map('string')|list }}"
        "{{ ['a-b']|map('replace', '-', '+')|first }}{{ x|map('tojson')|join('\\n') }}",
        x=[{"a": 1}, {"b": 2}],
    ),
    case(
        "select-reject",
        "066",
        "TEMPLATE_LISTS",
        "Select and reject go by a test, or by truth.",
        "{{ x|select('odd')|list }}{{ x|reject('odd')|list }}{{ [0, 1, none, 'a']|select|list }}"
        "{{ [none, 'a']|reject('none')|list }}{{ x|select('gt', 1)|list }}",
        x=[1, 2, 3],
    ),
    case(
        "selectattr",
        "066",
        "TEMPLATE_LISTS",
        "Selectattr compares an attribute by a named test; without a test it goes by truth.",
        "{{ messages|selectattr('role', 'equalto', 'user')|list|length }}"
        "{{ messages|selectattr('role', '==', 'user')|map(attribute='n')|list }}"
        "{{ messages|selectattr('role', 'in', ['user', 'tool'])|map(attribute='n')|list }}"
        "{{ messages|selectattr('x')|list|length }}",
        messages=[{"role": "user", "n": 1}, {"role": "tool", "n": 2, "x": True}, {"role": "user", "n": 3, "x": 0}],
    ),
    case(
        "selectattr-missing",
        "066",
        "TEMPLATE_LISTS TEMPLATE_UNDEFINED",
        "An attribute that some elements lack is missing there, which is no error.",
        "{{ x|selectattr('on', 'defined')|map(attribute='name')|join }}"
        "{{ x|rejectattr('on')|map(attribute='name')|join }}{{ x|selectattr('on', 'undefined')|list|length }}",
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
        "Filters in a row apply from left to right, and bind before a dot applies to their result in parentheses.",
        "{{ ' a-b '|trim|upper|replace('-', '+')|list|join('.') }}{{ ('a b'|upper).split(' ') }}"
        "{{ x|map('trim')|select|join(',')|default('none', true) }}",
        x=[" ", "a "],
    ),
    case(
        "default-filter",
        "067",
        "TEMPLATE_DEFAULTS",
        "Default fills in for what is missing, not for none or empty text.",
        "{{ missing|default('d') }}[{{ none|default('d') }}][{{ ''|default('d') }}]{{ x.y|d('e') }}"
        "[{{ missing|default }}]",
        x={},
    ),
    case(
        "default-true",
        "067",
        "TEMPLATE_DEFAULTS",
        "Default with true fills in for everything false.",
        "{{ none|default('d', true) }}{{ ''|default('d', true) }}{{ 0|default('d', boolean=true) }}"
        "{{ 'v'|default('d', true) }}",
    ),
    case(
        "default-of-attribute",
        "067",
        "TEMPLATE_DEFAULTS TEMPLATE_UNDEFINED",
        "Default does not rescue an attribute of what is missing.",
        "{{ missing.attribute|default('d') }}",
    ),
    case(
        "int-float-filters",
        "068",
        "TEMPLATE_NUMBERS",
        "Int and float read text, fall back to zero or what is given, and cut towards zero.",
        "{{ '42'|int }} {{ ' 7 '|int }} {{ 'x'|int }} {{ 'x'|int(-1) }} {{ '3.9'|int }} {{ -3.9|int }}"
        " {{ '0x1f'|int(base=16) }} {{ '1.5'|float }} {{ 'x'|float }} {{ 2|float }} {{ none|int }}"
        " {{ true|int }}",
    ),
    case(
        "round-abs",
        "068",
        "TEMPLATE_NUMBERS",
        "Round gives floats and halves to even, up or down when told; abs drops the sign.",
        "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 2.1|round(0, 'ceil') }}"
        " {{ 2.9|round(method='floor') }} {{ 42|round }} {{ 2.7|round|int }} {{ -3|abs }} {{ -1.5|abs }}",
    ),
    case(
        "string-filter",
        "068",
        "TEMPLATE_NUMBERS",
        "String makes text as printing does.",
        "{{ 1.0|string }}{{ none|string }}{{ true|string ~ [1]|string }}{{ 12|string|length }}{{ {'a': 1}|string }}",
    ),
    case(
        "number-literals",
        "068",
        "TEMPLATE_NUMBERS",
        "Numbers may be written with underscores, exponents and other bases.",
        "{{ 1_000 }} {{ 1e3 }} {{ 0x10 }} {{ 0b11 }} {{ 0o17 }} {{ 1.50 }} {{ -1 }}",
    ),
]
