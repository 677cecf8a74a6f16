"""Defaults, and filters of numbers."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

CASES = [
    case(
        "default-filter",
        "067",
        "TEMPLATE_DEFAULTS",
        "Default fills in for what is missing, not for empty text.",
        "{{ missing|default('d') }}[{{ ''|default('d') }}]{{ x.y|default('e') }}[{{ missing|default }}]",
        x={},
    ),
    case(
        "default-of-none",
        "067",
        "TEMPLATE_DEFAULTS",
        "Default leaves none alone.",
        "{{ 'T' if none|default('d') is none else 'F' }}",
    ),
    case(
        "default-short-name",
        "067",
        "TEMPLATE_DEFAULTS",
        "D is default.",
        "{{ missing|d('e') }}",
    ),
    case(
        "default-true",
        "067",
        "TEMPLATE_DEFAULTS",
        "Default with true fills in for everything false.",
        "{{ none|default('d', true) }}{{ ''|default('d', true) }}{{ 0|default('d', true) }}"
        "{{ 'v'|default('d', true) }}",
    ),
    case(
        "default-boolean-name",
        "067",
        "TEMPLATE_DEFAULTS",
        "The second argument of default is called boolean.",
        "{{ ''|default('d', boolean=true) }}",
    ),
    case(
        "default-of-attribute",
        "067",
        "TEMPLATE_DEFAULTS TEMPLATE_UNDEFINED",
        "Default does not rescue an attribute of what is missing.",
        "{{ missing.attribute|default('d') }}",
    ),
    case(
        "int-filter",
        "068",
        "TEMPLATE_NUMBERS",
        "Int reads text and cuts towards zero.",
        "{{ '42'|int }} {{ -3.9|int }} {{ '3.9'|int }}",
    ),
    case(
        "int-fallback",
        "068",
        "TEMPLATE_NUMBERS",
        "Int of what is no number is zero, or what is given.",
        "{{ 'x'|int }} {{ 'x'|int(-1) }} {{ none|int }}",
    ),
    case(
        "int-forms",
        "068",
        "TEMPLATE_NUMBERS",
        "Int reads padded text, other bases, and true.",
        "{{ ' 7 '|int }} {{ '0x1f'|int(base=16) }} {{ true|int }}",
    ),
    case(
        "float-filter",
        "068",
        "TEMPLATE_NUMBERS",
        "Float reads text and falls back to zero.",
        "{{ '1.5'|float }} {{ 'x'|float }} {{ 2|float }}",
    ),
    case(
        "round",
        "068",
        "TEMPLATE_NUMBERS",
        "Round gives floats, halves to even.",
        "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 2.7|round|int }}",
    ),
    case(
        "round-methods",
        "068",
        "TEMPLATE_NUMBERS",
        "Round goes up or down when told; an integer stays one.",
        "{{ 2.1|round(0, 'ceil') }} {{ 2.9|round(method='floor') }} {{ 42|round }}",
    ),
    case(
        "abs",
        "068",
        "TEMPLATE_NUMBERS",
        "Abs drops the sign.",
        "{{ -3|abs }} {{ -1.5|abs }}",
    ),
    case(
        "string-filter",
        "068",
        "TEMPLATE_NUMBERS",
        "String makes text of numbers as printing does.",
        "{{ 1.0|string }}{{ 12|string|length }}{{ 12|string + 'a' }}",
    ),
    case(
        "string-filter-constants",
        "068 021",
        "TEMPLATE_NUMBERS",
        "String makes text of constants as printing does.",
        "{{ none|string }}{{ true|string }}",
    ),
    case(
        "number-literals",
        "068",
        "TEMPLATE_NUMBERS",
        "Number constants may have decimals and a sign.",
        "{{ 10 }} {{ 1.50 }} {{ -1 }} {{ - 2 }}",
    ),
    case(
        "number-literals-rare",
        "068",
        "TEMPLATE_NUMBERS",
        "Number constants may have underscores, exponents and other bases.",
        "{{ 1_000 }} {{ 1e3 }} {{ 0x10 }} {{ 0b11 }} {{ 0o17 }}",
    ),
]
