"""Names: ``set``, ``namespace``, macros, calls, ``with``, ``filter``, and the generation tag."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

CASES = [
    case(
        "set-in-loop-ends",
        "053",
        "TEMPLATE_SCOPE",
        "What a loop sets is gone behind it, and in its next turn.",
        "{% set n = 0 %}{% for v in [1, 2] %}{{ n }}{% set n = n + v %}{{ n }} {% endfor %}{{ n }}",
    ),
    case(
        "set-in-if-stays",
        "053",
        "TEMPLATE_SCOPE",
        "What a condition sets stays.",
        "{% set n = 0 %}{% if true %}{% set n = 1 %}{% set m = 2 %}{% endif %}{{ n }}{{ m }}",
    ),
    case(
        "namespace-stays",
        "053",
        "TEMPLATE_SCOPE",
        "A namespace carries values out of loops.",
        "{% set ns = namespace(n=0) %}{% for v in [1, 2] %}{% set ns.n = ns.n + v %}{% set ns.new = v %}"
        "{% endfor %}{{ ns.n }}{{ ns.new }}[{{ ns.gone }}]",
    ),
    case(
        "namespace-last-query",
        "053",
        "TEMPLATE_SCOPE",
        "The backward search for the last user query, as Qwen templates write it.",
        "{% set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}"
        "{% for message in messages[::-1] %}{% set index = (messages|length - 1) - loop.index0 %}"
        "{% if ns.multi_step_tool and message.role == 'user' and not (message.content.startswith('<tool_response>')"
        " and message.content.endswith('</tool_response>')) %}"
        "{% set ns.multi_step_tool = false %}{% set ns.last_query_index = index %}{% endif %}{% endfor %}"
        "{{ ns.last_query_index }}",
        messages=[
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "<tool_response>r</tool_response>"},
        ],
    ),
    case(
        "set-many",
        "053",
        "TEMPLATE_SCOPE",
        "Set takes a sequence apart.",
        "{% set a, b = x %}{{ b }}{{ a }}{% set c, d = 1, 2 %}{{ c + d }}",
        x=["p", "q"],
    ),
    case(
        "set-shadows-input",
        "053",
        "TEMPLATE_SCOPE",
        "Setting the name of an input hides it from there on.",
        "{{ messages[0] }}{% if messages[0] == 'sys' %}{% set messages = messages[1:] %}{% endif %}"
        "{{ messages[0] }}{{ messages|length }}",
        messages=["sys", "user"],
    ),
    case(
        "set-block",
        "054",
        "TEMPLATE_SCOPE",
        "A set block keeps what it prints, white space included.",
        "{% set text %}a{{ 1 }} {% endset %}[{{ text }}]",
    ),
    case(
        "set-block-filter",
        "054",
        "TEMPLATE_SCOPE",
        "A set block may be filtered.",
        "{% set loud | upper | trim %} b {% endset %}[{{ loud }}]",
    ),
    case(
        "with-block",
        "054",
        "TEMPLATE_SCOPE",
        "What a with block names ends with it.",
        "{% set a = 1 %}{% with a = 2, b = 3 %}{{ a }}{{ b }}{% endwith %}{{ a }}[{{ b }}]",
    ),
    case(
        "with-block-order",
        "054",
        "TEMPLATE_SCOPE",
        "The values of a with block are taken before it begins.",
        "{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}",
    ),
    case(
        "filter-block",
        "054",
        "TEMPLATE_SCOPE",
        "A filter block filters what it prints.",
        "{% filter upper %}a{{ 'b' }}{% endfilter %}{% filter replace('x', 'y') %}xx{% endfilter %}",
    ),
    case(
        "macro-defaults",
        "055",
        "TEMPLATE_MACROS",
        "Arguments of a macro have defaults, come by place or by name.",
        "{% macro m(a, b='B', c='') %}{{ a }}{{ b }}{{ c }} {% endmacro %}{{ m(1) }}{{ m(1, 2) }}"
        "{{ m(b=3, a=4) }}{{ m(5, c=6) }}",
    ),
    case(
        "macro-missing-argument",
        "055",
        "TEMPLATE_MACROS",
        "An argument that is not given is missing.",
        "{% macro m(a) %}[{{ a }}]{{ 'T' if a is defined else 'F' }}{% endmacro %}{{ m() }}{{ m(1) }}",
    ),
    case(
        "macro-extra-arguments",
        "055",
        "TEMPLATE_MACROS",
        "A macro that reads varargs and kwargs takes any argument.",
        "{% macro m(a) %}{{ a }}{{ varargs|join(',') }}{{ kwargs.k }}{% endmacro %}{{ m(1, 2, 3, k=4) }}",
    ),
    case(
        "macro-too-many-arguments",
        "055",
        "TEMPLATE_MACROS",
        "A macro refuses an argument it has no place for.",
        "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    ),
    case(
        "macro-scope",
        "055",
        "TEMPLATE_MACROS",
        "A macro sees what the template set at its top, not what its caller's loop holds; what it sets is its own.",
        "{% set top = 'T' %}{% macro m() %}{{ top }}[{{ v }}]{% set top = 'M' %}{% endmacro %}"
        "{% for v in [1] %}{{ m() }}{% endfor %}{{ top }}",
    ),
    case(
        "macro-gives-text",
        "055",
        "TEMPLATE_MACROS",
        "A macro gives text: it can be filtered, joined and measured.",
        "{% macro m(x) %} {{ x }} {% endmacro %}{{ m(1)|trim|length }}{{ 'a' ~ m(2) ~ 'b' }}"
        "{{ 'T' if m('x') is string else 'F' }}{% set t = m(3) %}{{ t|trim }}",
    ),
    case(
        "macro-recursive",
        "055",
        "TEMPLATE_MACROS",
        "A macro may call itself: schemas are printed so.",
        "{% macro show(x) %}{% if x is mapping %}{{ '{' }}{% for k, v in x|items %}{{ k }}:{{ show(v) }}"
        "{{ ',' if not loop.last }}{% endfor %}{{ '}' }}"
        "{% else %}{{ x }}{% endif %}{% endmacro %}{{ show(schema) }}",
        schema={"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
    ),
    case(
        "call-block",
        "055",
        "TEMPLATE_MACROS",
        "A call block hands its body to a macro, with arguments.",
        "{% macro box(title) %}<{{ title }}>{{ caller('x') }}{{ caller('y') }}</>{% endmacro %}"
        "{% call(v) box('t') %}({{ v }}){% endcall %}",
    ),
    case(
        "generation-tag",
        "056",
        "TEMPLATE_GENERATION",
        "The generation tag prints its body and nothing else.",
        "a{% generation %}b{{ 1 }}{% endgeneration %}c{%- generation -%} d {%- endgeneration -%} e",
        issue="minijinja#815",
    ),
    case(
        "generation-tag-trimmed",
        "056 010",
        "TEMPLATE_GENERATION",
        "The generation tag trims white space as every block does.",
        "<a>\n  {% generation %}\nb\n  {% endgeneration %}\n</a>",
    ),
    case(
        "generation-tag-in-loop",
        "056",
        "TEMPLATE_GENERATION",
        "The body of a generation tag sees the loop around it.",
        "{% for m in messages %}{% generation %}{{ loop.index }}{{ m.content }}{% if loop.last %}.{% endif %}"
        "{% endgeneration %}{% endfor %}",
        messages=[{"content": "a"}, {"content": "b"}],
    ),
    case(
        "generation-tag-scope",
        "056 053",
        "TEMPLATE_GENERATION",
        "What the body of a generation tag sets is gone behind it, a namespace keeps it.",
        "{% set n = 0 %}{% set ns = namespace(n=0) %}{% generation %}{% set n = 1 %}{% set ns.n = 1 %}{{ n }}"
        "{% endgeneration %}{{ n }}{{ ns.n }}",
    ),
]
