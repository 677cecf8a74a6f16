"""Attributes, elements, slices."""

from __future__ import annotations

from generators.template_cases.build import case

CASES = [
    case(
        "dot-finds-methods",
        "030",
        "TEMPLATE_LOOKUP",
        "With a dot a method of mappings comes before a key of the same name; in brackets the key comes first.",
        "{{ x['items'] }} {{ x.items()|length }} {{ x.values()|list }} {{ x.a }}",
        x={"items": 1, "a": 2},
    ),
    case(
        "dot-finds-keys",
        "030",
        "TEMPLATE_LOOKUP",
        "With a dot or in brackets, with a constant or a variable, a key is a key.",
        "{{ x.role }}{{ x['role'] }}{{ x[k] }}{{ x.inner.deep }}{{ x['inner']['deep'] }}",
        x={"role": "user", "inner": {"deep": 1}},
        k="role",
    ),
    case(
        "mapping-methods",
        "030",
        "TEMPLATE_LOOKUP",
        "Mappings have get, keys, values and items.",
        "{{ x.get('a') }}{{ x.get('z') }}{{ x.get('z', 'd') }}{{ x.keys()|list }}{{ x.values()|list }}"
        "{% for k, v in x.items() %}{{ k }}={{ v }};{% endfor %}",
        x={"b": 1, "a": None},
    ),
    case(
        "mapping-integer-keys",
        "030",
        "TEMPLATE_LOOKUP",
        "A mapping made in the template keeps integer keys apart from text.",
        "{{ {1: 'a', '1': 'b'}[1] }}{{ {1: 'a'}['1'] }}",
    ),
    case(
        "negative-index",
        "031",
        "TEMPLATE_LOOKUP",
        "A negative index counts from the end.",
        "{{ x[-1] }}{{ x[-2] }}{{ 'abc'[-1] }}{{ messages[-1].role }}",
        x=[1, 2, 3],
        messages=[{"role": "user"}],
    ),
    case(
        "index-beyond-end",
        "031",
        "TEMPLATE_LOOKUP",
        "An index beyond either end gives what is missing.",
        "[{{ x[3] }}][{{ x[-4] }}]{{ x[3] is defined }}{{ 'ab'[5] is defined }}",
        x=[1, 2, 3],
    ),
    case(
        "dot-with-number",
        "031",
        "TEMPLATE_LOOKUP",
        "A number behind a dot is an index.",
        "{{ x.0 }}{{ x.1.a }}",
        x=["p", {"a": "q"}],
    ),
    case(
        "slices",
        "031",
        "TEMPLATE_LOOKUP",
        "Slices of lists clip at the ends and count from the end.",
        "{{ x[1:] }}{{ x[:2] }}{{ x[-2:] }}{{ x[:-1] }}{{ x[1:100] }}{{ x[5:] }}{{ x[::2] }}{{ x[3:1] }}",
        x=[0, 1, 2, 3],
    ),
    case(
        "slice-reversed",
        "031",
        "TEMPLATE_LOOKUP",
        "A slice with step minus one reverses lists and text; templates search the last user turn with it.",
        "{{ x[::-1] }}{{ 'abc'[::-1] }}{{ x[2:0:-1] }}{% for m in x[::-1] %}{{ loop.index0 }}{{ m }}{% endfor %}",
        x=[0, 1, 2, 3],
    ),
    case(
        "slice-text",
        "031",
        "TEMPLATE_LOOKUP",
        "Slices of text count characters, not bytes or UTF-16 units.",
        "{{ x[:2] }}|{{ x[2:] }}|{{ x|length }}|{{ x[1] }}",
        x="\u00e9\U0001f600\u4f60a",
    ),
    case(
        "split-then-index",
        "031 064",
        "TEMPLATE_LOOKUP",
        "A list made by a call takes an index at once.",
        "{{ x.split('</think>')[-1].lstrip('\\n') }}|{{ x.split('</think>')[0].split('<think>')[-1] }}",
        x="<think>a</think>\n\nb",
        issue="lmstudio-bug-tracker#479",
    ),
]
