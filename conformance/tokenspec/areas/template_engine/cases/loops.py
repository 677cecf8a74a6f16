"""``for``: its variables, its forms, leaving it."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

MESSAGES = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "A"},
    {"role": "tool", "content": "B"},
    {"role": "tool", "content": "C"},
]

CASES = [
    case(
        "loop-counters",
        "050",
        "TEMPLATE_LOOPS",
        "A loop counts from one and from zero, forwards and backwards, and knows its length.",
        "{% for v in x %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}"
        "{{ loop.length }} {% endfor %}",
        x=["a", "b", "c"],
    ),
    case(
        "loop-first-last",
        "050",
        "TEMPLATE_LOOPS",
        "A loop knows its first and its last turn.",
        "{% for v in x %}{{ '[' if loop.first }}{{ v }}{{ ']' if loop.last else ',' }}{% endfor %}",
        x=[1, 2, 3],
    ),
    case(
        "loop-previtem-nextitem",
        "050",
        "TEMPLATE_LOOPS",
        "A loop knows the item before and behind; at the ends they are missing.",
        "{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined else '^' }}"
        ">{{ m.role }}>{{ loop.nextitem.role if loop.nextitem is defined else '$' }} {% endfor %}",
        messages=MESSAGES,
    ),
    case(
        "loop-tool-run",
        "050",
        "TEMPLATE_LOOPS",
        "The guard that opens one block for a run of tool results.",
        "{% for m in messages %}{% if m.role == 'tool' %}{% if loop.first or loop.previtem.role != 'tool' %}"
        "<r>{% endif %}"
        "{{ m.content }}{% if loop.last or loop.nextitem.role != 'tool' %}</r>{% endif %}{% endif %}{% endfor %}",
        messages=MESSAGES,
    ),
    case(
        "loop-cycle",
        "050",
        "TEMPLATE_LOOPS",
        "A loop cycles through values.",
        "{% for v in x %}{{ loop.cycle('odd', 'even') }} {% endfor %}",
        x=[1, 1, 2],
    ),
    case(
        "loop-changed",
        "050",
        "TEMPLATE_LOOPS",
        "A loop tells whether a value changed since the turn before.",
        "{% for v in x %}{{ 'T' if loop.changed(v) else 'F' }}{% endfor %}",
        x=[1, 1, 2],
    ),
    case(
        "loop-nested",
        "050",
        "TEMPLATE_LOOPS",
        "The loop variable is that of the innermost loop; the outer one is kept by a name.",
        "{% for a in x %}{% set outer = loop %}{% for b in a %}{{ outer.index }}.{{ loop.index }} {% endfor %}"
        "{{ loop.index }};{% endfor %}",
        x=[[1, 2], [3]],
    ),
    case(
        "loop-else",
        "051",
        "TEMPLATE_LOOPS",
        "The else of a loop runs when there was nothing to walk, or nothing left by its filter.",
        "{% for v in [] %}a{% else %}b{% endfor %}{% for v in [1] %}c{% else %}d{% endfor %}"
        "{% for v in [1] if v > 1 %}e{% else %}f{% endfor %}",
    ),
    case(
        "loop-filter",
        "051",
        "TEMPLATE_LOOPS",
        "A loop with a condition counts only what passes it.",
        "{% for m in messages if m.role == 'tool' %}{{ loop.index }}/{{ loop.length }}{{ m.content }}"
        "{{ '.' if loop.last else ',' }}{% endfor %}",
        messages=MESSAGES,
    ),
    case(
        "loop-unpacking",
        "051",
        "TEMPLATE_LOOPS",
        "A loop takes pairs apart.",
        "{% for k, v in x|items %}{{ k }}={{ v }};{% endfor %}{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }}"
        " {% endfor %}",
        x={"z": 1, "a": 2},
    ),
    case(
        "loop-unpacking-refused",
        "051",
        "TEMPLATE_LOOPS",
        "Taking apart what has another number of parts is refused.",
        "{% for a, b in [[1, 2, 3]] %}{{ a }}{% endfor %}",
    ),
    case(
        "loop-over-mapping",
        "051",
        "TEMPLATE_LOOPS",
        "Walking a mapping walks its keys in the order they came.",
        "{% for k in x %}{{ k }}{{ x[k] }} {% endfor %}",
        x={"z": 1, "a": 2, "m": 3},
    ),
    case(
        "loop-over-number-like-keys",
        "051",
        "TEMPLATE_LOOPS",
        "Keys that look like numbers keep their place.",
        "{% for k in x %}{{ k }} {% endfor %}",
        x={"z": 1, "10": 3, "9": 4},
    ),
    case(
        "loop-over-text",
        "051",
        "TEMPLATE_LOOPS",
        "Walking text walks its characters.",
        "{% for c in x %}{{ c }}.{% endfor %}",
        x="a\u00e9\U0001f600",
    ),
    case(
        "loop-over-none",
        "051",
        "TEMPLATE_LOOPS",
        "Walking none is refused: null tool calls fail in a template without a guard.",
        "{% for call in message.tool_calls %}{{ call }}{% endfor %}",
        message={"tool_calls": None},
    ),
    case(
        "loop-over-number",
        "051",
        "TEMPLATE_LOOPS",
        "Walking a number is refused.",
        "{% for v in x %}{{ v }}{% endfor %}",
        x=3,
    ),
    case(
        "loop-recursive",
        "051",
        "TEMPLATE_LOOPS",
        "A recursive loop calls itself on the children.",
        "{% for n in x recursive %}{{ n.name }}{% if n.kids %}({{ loop(n.kids) }}){% endif %}{% endfor %}",
        x=[{"name": "a", "kids": [{"name": "b"}, {"name": "c", "kids": [{"name": "d"}]}]}, {"name": "e"}],
    ),
    case(
        "loop-depth",
        "050",
        "TEMPLATE_LOOPS",
        "A recursive loop knows its depth.",
        "{% for n in x recursive %}{{ loop.depth }}{{ loop.depth0 }}{% if n %} {{ loop(n) }}{% endif %}{% endfor %}",
        x=[[[]]],
    ),
    case(
        "loop-over-range",
        "051 076",
        "TEMPLATE_LOOPS",
        "Range counts up to its end, from a start, by a step, also down.",
        "{% for i in range(3) %}{{ i }}{% endfor %} {{ range(2, 5)|join }} {{ range(9, 0, -4)|join }}"
        " [{{ range(0)|join }}]",
    ),
    case(
        "loop-break",
        "052",
        "TEMPLATE_LOOPS",
        "Break leaves the innermost loop at once.",
        "{% for a in [1, 2] %}{% for b in [1, 2, 3] %}{% if b == 2 %}{% break %}{% endif %}{{ a }}{{ b }}"
        " {% endfor %}{% endfor %}",
    ),
    case(
        "loop-continue",
        "052",
        "TEMPLATE_LOOPS",
        "Continue goes on with the next item.",
        "{% for v in x %}{% if v is none %}{% continue %}{% endif %}{{ loop.index }}{{ v }} {% endfor %}",
        x=[1, None, 3],
    ),
    case(
        "loop-break-else",
        "052",
        "TEMPLATE_LOOPS",
        "The else runs when no turn reached its end: a break in the first turn is enough.",
        "{% for v in [1, 2] %}{% break %}{% else %}none{% endfor %}.",
    ),
    case(
        "loop-continue-else",
        "052",
        "TEMPLATE_LOOPS",
        "The else runs when every turn was cut short by continue.",
        "{% for v in [1, 2] %}{% continue %}{% else %}none{% endfor %}.",
    ),
]
