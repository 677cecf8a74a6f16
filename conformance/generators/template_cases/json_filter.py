"""``tojson``: what tools and arguments look like to a model."""

from __future__ import annotations

from generators.template_cases.build import case

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Wetter in Z\u00fcrich <b>&'",
        "parameters": {
            "type": "object",
            "properties": {"unit": {"enum": ["c", "f"]}, "city": {"type": "string"}},
            "required": [],
        },
    },
}

CASES = [
    case(
        "tojson-default",
        "060",
        "TEMPLATE_JSON",
        "JSON has a blank behind comma and colon, keys in the order they came, characters as they are.",
        "{{ tool|tojson }}",
        tool=TOOL,
    ),
    case(
        "tojson-no-html-escape",
        "060",
        "TEMPLATE_JSON",
        "JSON in a prompt escapes no markup.",
        "{{ x|tojson }}",
        x={"<a>": "<b> & 'c' \"d\" </script>"},
        issue="mistral-common#311",
    ),
    case(
        "tojson-unicode",
        "060",
        "TEMPLATE_JSON",
        "Characters beyond ASCII stay; control characters and quotes are escaped.",
        "{{ x|tojson }}",
        x='\u00e9\u4f60\U0001f600\u2028\x00\x1f\x7f\n\t\\"/',
        issue="tabbyAPI#459",
    ),
    case(
        "tojson-key-order",
        "060",
        "TEMPLATE_JSON",
        "Keys keep their order, those that look like numbers too.",
        "{{ x|tojson }}",
        x={"z": 1, "a": 2, "10": 3, "9": 4, "M": 5},
        issue="sglang#39616",
    ),
    case(
        "tojson-integers",
        "060",
        "TEMPLATE_JSON TEMPLATE_NUMBERS",
        "Integers in JSON keep every digit.",
        "{{ x|tojson }}",
        x=[12345678901234567890, -1, 0, 9007199254740993],
    ),
    case(
        "tojson-floats",
        "060",
        "TEMPLATE_JSON TEMPLATE_NUMBERS",
        "Floats in JSON are spelled as Python spells them: 1.0 is no integer, exponents have a sign and two digits.",
        "{{ x|tojson }}",
        x=[1.0, -0.0, 0.1, 1e-7, 1e22, 1e16, 1.5e300],
    ),
    case(
        "tojson-scalars",
        "060",
        "TEMPLATE_JSON",
        "Constants and text alone are JSON too.",
        "{{ true|tojson }}{{ none|tojson }}{{ 'a'|tojson }}{{ 1|tojson }}{{ []|tojson }}{{ {}|tojson }}"
        "{{ (1, 2)|tojson }}",
    ),
    case(
        "tojson-text-twice",
        "060",
        "TEMPLATE_JSON",
        "Arguments that are JSON text already are quoted again.",
        "{{ arguments|tojson }}",
        arguments='{"city": "Z\u00fcrich"}',
        issue="Qwen3-Coder#444",
    ),
    case(
        "tojson-constant-keys",
        "060",
        "TEMPLATE_JSON",
        "Keys that are numbers or constants become text.",
        "{{ {1: 'a', true: 'b', none: 'c', 1.5: 'd'}|tojson }}",
    ),
    case(
        "tojson-is-text",
        "060",
        "TEMPLATE_JSON",
        "JSON is ordinary text: it joins, and filters apply to it.",
        "{{ x|tojson ~ '!' }}{{ (x|tojson)|length }}{{ x|tojson|replace('\"', \"'\") }}{{ '<a>' + x|tojson }}",
        x={"a": "<"},
    ),
    case(
        "tojson-indent",
        "061",
        "TEMPLATE_JSON",
        "With an indentation every element has its line, and no blank ends one.",
        "{{ x|tojson(indent=4) }}|{{ x|tojson(indent=0) }}|{{ []|tojson(indent=2) }}",
        x={"a": [1, {"b": []}], "c": {}},
    ),
    case(
        "tojson-indent-positional",
        "061",
        "TEMPLATE_JSON",
        "The first argument by place is ensure_ascii, the second the indentation: not Jinja's order.",
        "{{ x|tojson(true) }}|{{ x|tojson(false, 2) }}",
        x=["\u00e9"],
    ),
    case(
        "tojson-separators",
        "061",
        "TEMPLATE_JSON",
        "Separators are taken as given.",
        "{{ x|tojson(separators=(',', ':')) }}{{ x|tojson(separators=[' , ', ' = ']) }}",
        x={"a": 1, "b": [1, 2]},
    ),
    case(
        "tojson-ensure-ascii",
        "061",
        "TEMPLATE_JSON",
        "Escaping beyond ASCII happens when it is asked for, astral characters as two escapes.",
        "{{ x|tojson(ensure_ascii=true) }}{{ x|tojson(ensure_ascii=False) }}",
        x="\u00e9\U0001f600",
    ),
    case(
        "tojson-sort-keys",
        "061",
        "TEMPLATE_JSON",
        "Keys are sorted when it is asked for, inside as well.",
        "{{ x|tojson(sort_keys=true) }}",
        x={"b": {"z": 1, "y": 2}, "a": 1, "B": 2},
    ),
    case(
        "tojson-unknown-option",
        "061",
        "TEMPLATE_JSON",
        "An option JSON does not have is refused.",
        "{{ 1|tojson(pretty=true) }}",
    ),
]
