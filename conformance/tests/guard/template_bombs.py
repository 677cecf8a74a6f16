"""Chat templates that never end or take all memory, by what they abuse. Each is a whole template but for the messages."""

from __future__ import annotations

GROW = "{% set n = namespace(v={START}) %}{% for i in range(60) %}{% set n.v = {STEP} %}{% endfor %}"


def grown(start: str, step: str, end: str) -> str:
    """A value that each turn of a loop makes twice as large, and what is done with it."""
    return GROW.replace("{START}", start).replace("{STEP}", step) + end


NESTED = grown("(1, 2)", "(n.v, n.v)", "")
TWICE = grown("'ab'", "n.v ~ n.v", "")
DIGITS = "{% set a = 7 ** 200000 %}{% set b = 3 ** 100000 %}"

BOMBS: dict[str, str] = {
    # loops
    "loops-nested": "{% for i in range(99999) %}" * 3 + "{% set x = 1 %}" + "{% endfor %}" * 3,
    "loops-that-print": "{% for i in range(99999) %}{% for j in range(99999) %}{{ j }}{% endfor %}{% endfor %}",
    "loop-filtered-out": "{% for i in range(99999) %}{% for j in range(99999) if false %}x{% endfor %}{% endfor %}",
    "loop-of-a-product": "{% for i in (range(9999)|list) * 99999 %}{% set x = i %}{% endfor %}",
    "loop-recursive": "{% for i in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
    "range-to-list": "{{ range(99999)|list|length }}" * 9 + "{{ (range(10**9)|list)|length }}",
    "range-summed": "{{ range(10**10)|sum }}",
    "range-searched": "{{ 'x' in range(10**10) }}",
    "range-sorted": "{% for i in range(9999) %}{{ range(99999)|sort|last }}{% endfor %}",
    "range-reversed": "{% for i in range(99999) %}{{ range(99999)|list|reverse|first }}{% endfor %}",
    "range-joined": "{% for i in range(9999) %}{{ range(99999)|join|length }}{% endfor %}",
    "range-mapped": "{% for i in range(9999) %}{{ range(99999)|map('string')|list|length }}{% endfor %}",
    "range-batched": "{% for i in range(9999) %}{{ range(99999)|batch(1)|list|length }}{% endfor %}",
    "range-sliced": "{{ [1]|slice(10**9)|list|length }}",
    "macro-recursive": "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "macro-doubling": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "macro-argument": "{% macro f(n, x) %}{% if n %}{{ f(n - 1, x ~ x) }}{% endif %}{% endmacro %}{{ f(60, 'ab') }}",
    "call-block": "{% macro g() %}{{ caller() }}{{ caller() }}{% endmacro %}"
    "{% macro f(n) %}{% if n %}{% call g() %}{{ f(n - 1) }}{% endcall %}{% endif %}{% endmacro %}{{ f(60) }}",
    # text
    "text-times": "{% set x = 'x' * 4 * 10**9 %}{{ x|length }}",
    "text-times-printed": "{{ 'x' * (2 * 10**9) }}",
    "text-doubled": TWICE + "{{ n.v|length }}",
    "text-added": grown("'ab'", "n.v + n.v", "{{ n.v|length }}"),
    "text-joined": grown("'ab'", "[n.v, n.v]|join", "{{ n.v|length }}"),
    "text-replaced": grown("'ab'", "n.v|replace('a', n.v)", "{{ n.v|length }}"),
    "text-method-replaced": grown("'ab'", "n.v.replace('a', n.v)", "{{ n.v|length }}"),
    "text-formatted": grown("'ab'", "'%s%s' % (n.v, n.v)", "{{ n.v|length }}"),
    "text-format-method": grown("'ab'", "'{0}{0}'.format(n.v)", "{{ n.v|length }}"),
    "text-centred": "{{ 'x'|center(4 * 10**9)|length }}",
    "text-justified": "{{ 'x'.ljust(4 * 10**9)|length }}",
    "text-filled": "{{ 'x'.zfill(4 * 10**9)|length }}",
    "text-tabs": "{{ ('\t' * 9999).expandtabs(10**6)|length }}",
    "text-indented": "{{ ('x\n' * 99999)|indent(99999)|length }}",
    "text-width": "{{ '%9999999999d' % 1 }}",
    "text-precision": "{{ '%.999999999f' % 1.5 }}",
    "text-precision-below": "{% for i in range(999) %}{{ ('%.60000000f' % 1.5)|length }}{% endfor %}",
    "text-format-width": "{{ '{:9999999999}'.format(1) }}",
    "text-format-precision": "{{ '{:.60000000f}'.format(1.5)|length }}",
    "text-wrapped": "{% for i in range(9999) %}{{ ('x ' * 999999)|wordwrap(3)|length }}{% endfor %}",
    "text-titled": "{% for i in range(9999) %}{{ ('x ' * 999999)|title|length }}{% endfor %}",
    "text-urlized": "{% for i in range(9999) %}{{ ('http://a.b ' * 99999)|urlize|length }}{% endfor %}",
    "text-striptags": "{% for i in range(9999) %}{{ ('<a>' * 999999)|striptags|length }}{% endfor %}",
    "text-words-counted": "{% for i in range(9999) %}{{ ('x ' * 999999)|wordcount }}{% endfor %}",
    "text-escaped": "{% for i in range(9999) %}{{ ('<' * 999999)|escape|length }}{% endfor %}",
    "text-as-json": "{% for i in range(9999) %}{{ ('é' * 999999)|tojson(ensure_ascii=true)|length }}{% endfor %}",
    "text-json-indented": grown("[1]", "[n.v]", "{{ n.v|tojson(indent=99999999)|length }}"),
    "text-split": "{% for i in range(9999) %}{{ ('x ' * 999999).split()|length }}{% endfor %}",
    "text-listed": "{% for i in range(9999) %}{{ ('x' * 999999)|list|length }}{% endfor %}",
    "text-searched": "{% set a = 'a' * 999999 %}{% set b = 'a' * 499999 ~ 'b' %}"
    "{% for i in range(99999) %}{{ a.find(b) }}{% endfor %}",
    "text-counted": "{% set a = 'ab' * 999999 %}{% for i in range(99999) %}{{ a.count('abb') }}{% endfor %}",
    "text-translated": "{{ ('a' * 99999).translate({97: 'x' * 99999})|length }}",
    "text-encoded": "{% for i in range(9999) %}{{ ('é' * 9999999).encode()|length }}{% endfor %}",
    # numbers
    "power-huge": "{{ (9 ** (9 ** 9)) % 7 }}",
    "power-of-powers": grown("3", "n.v ** 3", "{{ n.v % 7 }}"),
    "product-doubled": grown("3", "n.v * n.v", "{{ n.v % 7 }}"),
    "division": DIGITS + "{% for i in range(99999) %}{% set x = a // b %}{% endfor %}",
    "remainder": DIGITS + "{% for i in range(99999) %}{% set x = a % b %}{% endfor %}",
    "difference": DIGITS + "{% for i in range(9999999) %}{% set x = a - b %}{% endfor %}",
    "number-from-text": "{% set x = ('1' * 60000000)|int(base=2) %}{% for i in range(9999) %}{% set y = x // 3 %}{% endfor %}",
    "number-to-hex": DIGITS + "{% for i in range(99999) %}{{ ('%x' % a)|length }}{% endfor %}",
    "number-rounded": "{{ 7|round(-(10**9)) }}",
    "number-to-bytes": "{{ (1).to_bytes(4 * 10**9, 'big')|length }}",
    # shared parts
    "tuple-hashed": NESTED + "{{ {n.v: 1}|length }}",
    "tuple-looked-up": NESTED + "{{ {1: 2}[n.v] }}",
    "tuple-got": NESTED + "{{ {1: 2}.get(n.v) }}",
    "tuple-compared": NESTED + "{% set a = n.v %}" + NESTED + "{{ a == n.v }}",
    "tuple-in": NESTED + "{{ n.v in {1: 2} }}",
    "tuple-unique": NESTED + "{{ [n.v, n.v]|unique|list|length }}",
    "tuple-grouped": NESTED + "{{ [{'k': n.v}, {'k': n.v}]|groupby('k')|length }}",
    "tuple-counted": NESTED + "{% set a = n.v %}" + NESTED + "{{ [a].count(n.v) }}",
    "tuple-dict": NESTED + "{{ dict([(n.v, 1)])|length }}",
    "tuple-printed": NESTED + "{{ n.v }}",
    "tuple-as-json": NESTED + "{{ n.v|tojson }}",
    "list-printed": grown("[1]", "[n.v, n.v]", "{{ n.v|string|length }}"),
    "list-sorted": grown("[1]", "[n.v, n.v]", "{{ [n.v, n.v]|sort|length }}"),
    "list-least": grown("[1]", "[n.v, n.v]", "{{ [n.v, n.v]|min|length }}"),
    "list-doubled": grown("[1]", "n.v + n.v", "{{ n.v|length }}"),
    "list-times": "{{ ([1] * 10**9)|length }}",
    "list-summed": "{{ ([[1]] * 99999)|sum(start=[])|length }}",
    "list-pretty": grown("[1]", "[n.v, n.v]", "{{ n.v|pprint|length }}"),
    # while the template is compiled
    "folded-power": "{% if false %}{{ (3 ** (10**9)) % 7 }}{% endif %}",
    "folded-text": "{% if false %}{{ ('x' * 4 * 10**9)|length }}{% endif %}",
    "folded-filter": "{% if false %}{{ 'x'|center(4 * 10**9)|length }}{% endif %}",
    "folded-difference": "{% if false %}{{ (1 - 3 ** (10**9)) % 7 }}{% endif %}",
    "folded-repeated": "{% if false %}{{ ('x ' * 9999999)|wordwrap(3)|title|urlize|length }}{% endif %}",
    "folded-test": "{% if false %}{{ ('x' * 4 * 10**9) is upper }}{% endif %}",
    "folded-default": "{% macro f(x=('x' * 4 * 10**9)|length) %}{{ x }}{% endmacro %}{{ f() }}",
    "folded-escape": "{% autoescape 9 ** (9 ** 9) %}x{% endautoescape %}",
    "brackets": "{{ " + "[" * 5000 + "]" * 5000 + " }}",
    "parentheses": "{{ " + "(" * 50000 + "1" + ")" * 50000 + " }}",
    "ifs": "{% if true %}" * 3000 + "{% endif %}" * 3000,
    "filters": "{{ 'x'" + "|upper" * 50000 + " }}",
    "sums": "{{ 1" + " + 1" * 99999 + " }}",
}
