"""Bounds that come with the request: what each construct builds is counted before it is there."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case
from tokenspec.store.records import Case

CHARACTERS = {"characters": 100_000}
STEPS = {"steps": 1000}
DOUBLED = "{{% set ns = namespace(x={}) %}}{{% for _ in range({}) %}}{{% set ns.x = {} %}}{{% endfor %}}{}"
SHARED = "{% set row = [text] * 20 %}{% set rows = [row] * 100 %}"
THOUSAND = "a" * 1000

BUILT = (
    ("text-times", "{{ ('ab' * SIZE)|length }}", 400_000, 20_000),
    ("times-text", "{{ (SIZE * 'ab')|length }}", 400_000, 20_000),
    ("list-times", "{{ ([0] * SIZE)|length }}", 100_000, 5000),
    ("times-list", "{{ (SIZE * [0])|length }}", 100_000, 5000),
    ("tuple-times", "{{ ((0,) * SIZE)|length }}", 100_000, 5000),
    ("bytes-times", "{{ ('ab'.encode() * SIZE)|length }}", 400_000, 20_000),
    ("number-power", "{{ 2 ** SIZE > 1 }}", 8_000_000, 500),
    ("center-method", "{{ 'a'.center(SIZE)|length }}", 900_000, 40_000),
    ("ljust", "{{ 'a'.ljust(SIZE, '.')|length }}", 900_000, 40_000),
    ("rjust", "{{ 'a'.rjust(SIZE)|length }}", 900_000, 40_000),
    ("zfill", "{{ '1'.zfill(SIZE)|length }}", 900_000, 40_000),
    ("expandtabs", "{{ ('\\t' * 1000).expandtabs(SIZE)|length }}", 1000, 20),
    ("expandtabs-default", "{{ ('\\t' * SIZE).expandtabs()|length }}", 60_000, 4000),
    ("expandtabs-of-bytes", "{{ ('\\t' * 1000).encode().expandtabs(SIZE)|length }}", 1000, 20),
    ("expandtabs-wide", "{{ '\\t'.expandtabs(tabsize=SIZE)|length }}", 900_000, 20_000),
    ("center", "{{ ('a'|center(SIZE))|length }}", 900_000, 40_000),
    ("indent", "{{ (('a\\n' * 1000)|indent(SIZE))|length }}", 1000, 20),
    ("indent-text", "{{ (('a\\n' * 1000)|indent('.' * SIZE))|length }}", 1000, 20),
    ("indent-wide", "{{ ('a\\nb'|indent(width=SIZE))|length }}", 900_000, 20_000),
    ("batch", "{{ ([1]|batch(SIZE, 0)|list)[0]|length }}", 200_000, 1000),
    ("slice", "{{ ([1]|slice(SIZE)|list)|length }}", 200_000, 500),
    ("sum", "{{ ([[0] * SIZE] * SIZE)|sum(start=[])|length }}", 400, 10),
    ("sum-of-tuples", "{{ ([(0,) * SIZE] * SIZE)|sum(start=())|length }}", 400, 10),
    ("sum-in-a-tuple", "{{ (([0] * SIZE,) * SIZE)|sum(start=[])|length }}", 400, 10),
    ("round-up", "{{ 7|round(SIZE, 'ceil') > 1 }}", 1_000_000, 500),
    ("round-away", "{{ 7|round(-SIZE) }}", 1_000_000, 500),
    ("tojson-indent", "{{ ({'a': 1}|tojson(indent=SIZE))|length }}", 900_000, 20_000),
    ("percent-width", "{{ ('%' ~ SIZE ~ 'd') % 1 }}", 900_000, 9000),
    ("percent-zeros", "{{ ('%' ~ '0' * 25 ~ SIZE ~ 'd') % 1 }}", 900_000, 9000),
    ("percent-of-safe", "{{ ('%' ~ SIZE ~ 'd')|safe % 1 }}", 900_000, 9000),
    ("percent-precision", "{{ ('%.' ~ SIZE ~ 'd') % 1 }}", 900_000, 9000),
    ("percent-star", "{{ '%*d' % (SIZE, 1) }}", 900_000, 9000),
    ("percent-star-precision", "{{ '%.*d' % (SIZE, 1) }}", 900_000, 9000),
    ("percent-fields", "{{ (('%s' * SIZE) % ((text,) * SIZE))|length }}", 1000, 10),
    ("percent-named", "{{ (('%(t)s' * SIZE) % {'t': text})|length }}", 1000, 10),
    ("percent-named-and-empty", "{{ (('%(t)s%(u)s' * SIZE) % {'t': text, 'u': ''})|length }}", 1000, 10),
    ("format-width", "{{ ('{:' ~ SIZE ~ '}').format(1) }}", 900_000, 9000),
    ("format-zeros", "{{ ('{:' ~ '0' * 25 ~ SIZE ~ '}').format(1) }}", 900_000, 9000),
    ("format-of-safe", "{{ (('{:' ~ SIZE ~ '}')|safe).format(1) }}", 900_000, 9000),
    ("format-nested-width", "{{ '{:{w}}'.format('a', w=SIZE) }}", 900_000, 9000),
    ("format-fields", "{{ ('{0}' * SIZE).format(text)|length }}", 1000, 10),
    ("format-named", "{{ ('{t}' * SIZE).format(t=text)|length }}", 1000, 10),
    ("format-fields-of-safe", "{{ (('{0}' * SIZE)|safe).format(text)|length }}", 1000, 10),
    ("format-map", "{{ ('{t}' * SIZE).format_map({'t': text})|length }}", 1000, 10),
    ("replace", "{{ (text|replace('a', 'b' * SIZE))|length }}", 1000, 10),
    ("replace-method", "{{ text.replace('a', 'b' * SIZE)|length }}", 1000, 10),
    ("replace-of-bytes", "{{ text.encode().replace('a'.encode(), ('b' * SIZE).encode())|length }}", 1000, 10),
    ("replace-nothing", "{{ text.replace('', 'b' * SIZE)|length }}", 1000, 10),
    ("translate", "{{ text.translate({97: 'b' * SIZE})|length }}", 1000, 10),
    ("translate-some", "{{ text.translate({97: 'b' * SIZE, 98: 'c'})|length }}", 1000, 10),
    ("join", "{{ ([text] * SIZE)|join|length }}", 1000, 10),
    ("join-with", "{{ ([''] * SIZE)|join(text)|length }}", 1000, 10),
    ("join-method", "{{ text.join('b' * SIZE)|length }}", 1000, 10),
    ("join-method-of-list", "{{ ','.join([text] * SIZE)|length }}", 1000, 10),
    ("join-method-of-tuple", "{{ ','.join((text,) * SIZE)|length }}", 1000, 10),
    ("join-method-of-tuple-with", "{{ text.join(('b',) * SIZE)|length }}", 1000, 10),
    ("join-method-of-bytes", "{{ ''.encode().join([text.encode()] * SIZE)|length }}", 1000, 10),
    ("wordwrap", "{{ (('a ' * SIZE)|wordwrap(1, wrapstring=text))|length }}", 1000, 10),
    ("urlize", "{{ (('www.a.de ' * SIZE)|urlize(target=text))|length }}", 700, 8),
    ("urlize-related", "{{ (('www.a.de ' * SIZE)|urlize(target='t', rel=text))|length }}", 700, 8),
    ("printed-lists", SHARED + "{{ rows[:SIZE] }}", 100, 1),
    ("printed-blanks", "{% set row = [text[:0]] * 500 %}{{ ([row] * SIZE)|string|length }}", 700, 5),
    ("printed-numbers", "{% set row = [text|length] * 500 %}{{ ([row] * SIZE)|string|length }}", 700, 5),
    ("printed-keys", "{{ ([{text: 1}] * SIZE)|string|length }}", 700, 5),
    ("joined-lists", SHARED + "{{ ('' ~ rows[:SIZE])|length }}", 100, 1),
    ("lists-to-json", SHARED + "{{ rows[:SIZE]|tojson|length }}", 100, 1),
    ("lists-to-text", SHARED + "{{ rows[:SIZE]|string|length }}", 100, 1),
    ("lists-in-percent", SHARED + "{{ ('%s' % rows[:SIZE])|length }}", 100, 1),
    ("lists-in-format", SHARED + "{{ '{}'.format(rows[:SIZE])|length }}", 100, 1),
    ("lists-in-percent-named", SHARED + "{{ ('%(r)s' % {'r': rows[:SIZE]})|length }}", 100, 1),
    ("lists-in-format-named", SHARED + "{{ '{r}'.format(r=rows[:SIZE])|length }}", 100, 1),
    ("lists-in-format-map", SHARED + "{{ '{r}'.format_map({'r': rows[:SIZE]})|length }}", 100, 1),
    ("lists-in-format-of-safe", SHARED + "{{ ('{}'|safe).format(rows[:SIZE])|length }}", 100, 1),
    ("lists-in-percent-of-safe", SHARED + "{{ (('%s'|safe) % rows[:SIZE])|length }}", 100, 1),
    ("lists-between", SHARED + "{{ [1, 2]|join(d=rows[:SIZE])|length }}", 100, 1),
    ("lists-for-reading", SHARED + "{{ rows[:SIZE]|pprint|length }}", 100, 1),
    ("lists-in-mapping", SHARED + "{{ {'k': rows[:SIZE]} }}", 100, 1),
    ("printed", "{% for _ in range(SIZE) %}{{ text }}{% endfor %}", 1000, 20),
    (
        "set-aside",
        "{% set all %}{% for _ in range(SIZE) %}{{ text }}{% endfor %}{% endset %}{{ all|length }}",
        1000,
        20,
    ),
    (
        "macro",
        "{% macro m() %}{% for _ in range(SIZE) %}{{ text }}{% endfor %}{% endmacro %}{{ m()|length }}",
        1000,
        20,
    ),
    ("doubled-text", DOUBLED.format("'a'", "SIZE", "ns.x + ns.x", "{{ ns.x|length }}"), 20, 12),
    ("doubled-list", DOUBLED.format("[0]", "SIZE", "ns.x + ns.x", "{{ ns.x|length }}"), 18, 8),
    ("doubled-tuple", DOUBLED.format("(0,)", "SIZE", "ns.x + ns.x", "{{ ns.x|length }}"), 18, 8),
    ("doubled-by-tilde", DOUBLED.format("'a'", "SIZE", "ns.x ~ ns.x", "{{ ns.x|length }}"), 20, 12),
    ("squared", DOUBLED.format("3", "SIZE", "ns.x * ns.x", "{{ ns.x > 1 }}"), 22, 6),
    (
        "escaped",
        "{% autoescape true %}{{ ('' ~ [text] * SIZE)|length }}{{ [text] * SIZE }}{% endautoescape %}",
        1000,
        10,
    ),
)
"""Name, template, a size far beyond the bound, and one within it."""

RUN = (
    ("loop", "{% for _ in range(SIZE) %}.{% endfor %}", 30_000, 60),
    ("loops", "{% for a in range(SIZE) %}{% for b in range(SIZE) %}.{% endfor %}{% endfor %}", 150, 8),
    ("characters", "{% for c in text * SIZE %}{{ c }}{% endfor %}", 30, 0),
    ("negative-widths", "{% for c in text * SIZE %}{{ c.center(-9000000) }}{% endfor %}", 30, 0),
    ("filtered", "{% for c in text * SIZE if c == 'b' %}.{% endfor %}", 30, 0),
    ("macros", "{% macro m(n) %}{{ m(n - 1) ~ m(n - 1) if n }}{% endmacro %}{{ m(SIZE) }}", 14, 4),
    (
        "recursive",
        "{% for r in [text[:SIZE]] recursive %}{% if r|length > 1 %}{{ loop(r|list) }}{{ loop(r|list) }}{% else %}."
        "{% endif %}{% endfor %}" * 2,
        800,
        5,
    ),
)

ENOUGH = (
    (
        "small-values",
        (
            "{% set rows = [7] * 20 %}{% for _ in range(7) %}{{ text[1:] ~ ('b' in text) ~ rows[1:]|length "
            "~ (rows == rows) ~ rows|join|length ~ rows|tojson|length ~ rows|first ~ rows|list|length "
            "~ (rows is eq rows) ~ text|e|length ~ '%s'|format(rows)|length ~ text|replace('b', 'c')|length }}"
            "{% endfor %}"
        ),
        STEPS,
    ),
    ("length-of-lists", SHARED + "{{ rows|length }}{% for row in rows %}{{ row|length }}{% endfor %}", CHARACTERS),
    ("cut-lists", SHARED + "{{ rows[:50][0]|length }}{{ (rows + rows)|length }}", CHARACTERS),
)
"""Name, template and bound of what costs little: values of a usual size, and a look at large ones."""


def bounded(name: str, template: str, limits: dict[str, int], *, fits: bool) -> Case:
    """One template, beyond the bound or within it."""
    sizes = {"text": THOUSAND} if "text" in template else {}
    return case(
        f"bounded-{'fits-' if fits else ''}{name}",
        "088" if fits else "003 088",
        "TEMPLATE_SANDBOX",
        "A request bounds what a template builds or runs, and this " + ("stays within." if fits else "does not."),
        template,
        limits=limits,
        **sizes,
    )


CASES = (
    *(
        bounded(name, template.replace("SIZE", str(size)), limits, fits=fits)
        for limits, group in ((CHARACTERS, BUILT), (STEPS, RUN))
        for name, template, beyond, within in group
        for size, fits in ((beyond, False), (within, True))
    ),
    *(bounded(name, template, limits, fits=True) for name, template, limits in ENOUGH),
)
