"""Text that is marked as safe, and blocks that escape: what is joined to safe text is escaped for it."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.template_engine.cases.build import case
from tokenspec.store.records import Case

VALUES: dict[str, Any] = {
    "x": "<b> & 'c'",
    "t": "x < y",
    "n": 3,
    "nothing": None,
    "l": ["a", "<b>"],
    "m": {"a": "<", "b": 1},
    "lines": "one\n\ntwo",
}


def safe(slug: str, requires: str, why: str, template: str) -> Case:
    """A template over the same few values."""
    read = {name: value for name, value in VALUES.items() if name in template}
    return case(f"safe-{slug}", requires, "TEMPLATE_STRINGS", why, template, **read)


def escaping(slug: str, requires: str, why: str, *printed: str, when: str = "true") -> Case:
    """What is printed inside a block that escapes."""
    body = f"{{% autoescape {when} %}}{'|'.join(printed)}{{% endautoescape %}}|{{{{ t }}}}"
    return safe(f"block-{slug}", requires, why, body)


CASES = [
    safe(
        "indented",
        "070",
        "Safe text that is indented stays safe, and the margin is as safe.",
        "{{ (lines|safe)|indent('> ') + '<' }}|{{ (lines|safe)|indent + '<' }}|{{ (lines|safe)|indent('> ', true, "
        "true) }}"
        "|{{ lines|indent('> ', true) + '<' }}",
    ),
    safe(
        "replaced",
        "064",
        "What takes the place of a part of safe text, or of nothing in it, is escaped.",
        "{{ (x|safe).replace('b', '<') + '<' }}|{{ (x|safe).replace('b', '<', 0) }}|{{ (t|safe).replace('', '<') + '<' "
        "}}|"
        "{{ (t|safe).replace('', '<', 2) }}|{{ ('a'|safe).replace('', '&', 9) }}",
    ),
    safe(
        "filled",
        "064",
        "Safe text is filled up with signs that need no escape.",
        "{{ (t|safe).center(9, '.') + '<' }}|{{ (t|safe).ljust(9, '.') + '<' }}|{{ (t|safe).rjust(9) + '<' }}|"
        "{{ (t|safe).zfill(9) + '<' }}|{{ ('\\t<'|safe).expandtabs(3) + '<' }}",
    ),
    *(
        safe(
            f"{method}-refused",
            "003 064",
            "Safe text is not filled up with a sign that is escaped: that is more than one character.",
            f"{{{{ (t|safe).{method}(9, '<') }}}}",
        )
        for method in ("center", "ljust", "rjust")
    ),
    safe(
        "parts",
        "064 031",
        "Parts of safe text are safe.",
        "{{ (x|safe)[0] + '<' }}{{ (x|safe)[1:] + '<' }}{{ (x|safe)[::-1] + '<' }}{{ (x|safe).split()[0] + '<' }}"
        "{{ (x|safe).rsplit(' ', 1)[1] + '<' }}{{ (x|safe).partition('&')[2] + '<' }}{{ (x|safe).rpartition('&')[0] + "
        "'<' }}"
        "{{ (lines|safe).splitlines()[0] + '<' }}{{ (x|safe).removeprefix('<') + '<' }}{{ (x|safe).removesuffix('c') + "
        "'<' }}"
        "{{ (x|safe).strip('<') + '<' }}{{ (x|safe).lstrip('<') + '<' }}{{ (x|safe).rstrip('<') + '<' }}",
    ),
    safe(
        "characters",
        "064 051",
        "Characters that a loop, or a list, takes from safe text are plain.",
        "{% for c in x|safe %}{{ c + '<' }}{% endfor %}|{{ (x|safe)|list }}|{{ (x|safe)|first + '<' }}|{{ "
        "(x|safe)|last + '<' }}"
        "|{{ (x|safe)|reverse + '<' }}",
    ),
    safe(
        "joined",
        "033 064",
        "What is joined to safe text is escaped, on either side; what joins is escaped, too, where it joins safe text.",
        "{{ '<' + (x|safe) }}{{ (x|safe) + '<' + x }}{{ '<' ~ (x|safe) }}{{ ('<'|safe) * 2 + '<' }}{{ 2 * ('<'|safe) + "
        "'<' }}"
        "{{ ('<'|safe).join([x, 'a']) + '<' }}{{ '<'.join([x|safe, 'a']) + '<' }}{{ ('<'|safe).join(t) }}"
        "{{ [x|safe, '<']|join }}{{ ['<', '>']|join('&'|safe) }}",
    ),
    safe(
        "changed",
        "063 064",
        "Methods that change case or characters leave text safe.",
        "{{ (x|safe).upper() + '<' }}{{ (x|safe).lower() + '<' }}{{ (x|safe).title() + '<' }}{{ (x|safe).capitalize() "
        "+ '<' }}"
        "{{ (x|safe).swapcase() + '<' }}{{ (x|safe).casefold() + '<' }}{{ (x|safe).translate({98: '<'}) + '<' }}",
    ),
    safe(
        "formatted",
        "069",
        "A safe format escapes what it is given, and what it gives is safe.",
        "{{ ('{0.a}{0[b]} {1!r:>9} {k:*^9}<'|safe).format(m, t, k='<') + '<' }}{{ ('{}'|safe).format(t|safe) }}"
        "{{ ('{a}<'|safe).format_map(m) + '<' }}{{ ('{:5}'|safe).format(n) }}{{ ('%s %d %5s'|safe) % (t, n, '<') + '<' "
        "}}"
        "{{ ('%(a)s'|safe) % m }}{{ ('%s<'|safe)|format(t) + '<' }}{{ ('%s'|safe) % l }}{{ ('%r'|safe) % t }}",
    ),
    safe(
        "format-refused",
        "081",
        "A safe format opens no way to the interpreter.",
        "{{ ('{0.__class__.__mro__}'|safe).format(n) }}",
    ),
    safe(
        "format-map-refused",
        "003 069",
        "format_map of safe text takes one value.",
        "{{ ('{a}'|safe).format_map(m, n) }}",
    ),
    safe(
        "filtered",
        "070",
        "Filters that compute text of safe text, and whether it is safe then.",
        "{{ (x|safe)|string + '<' }}{{ (x|safe)|default('a') + '<' }}{{ (x|safe)|truncate(5, true) + '<' }}"
        "{{ (x|safe)|wordwrap(4) + '<' }}{{ (x|safe)|tojson + '<' }}{{ (x|safe)|lower + '<' }}{{ (x|safe)|urlize + '<' "
        "}}"
        "{{ (x|safe)|striptags + '<' }}{{ x|urlize + '<' }}{{ m|xmlattr + '<' }}{{ x|e + '<' }}{{ x|safe|forceescape + "
        "'<' }}",
    ),
    safe(
        "others",
        "070",
        "What is no text is printed before it is safe, or escaped.",
        "{{ n|safe + '<' }}{{ l|safe + '<' }}{{ m|safe ~ '<' }}{{ nothing|safe + '<' }}{{ missing|safe ~ '<' }}|"
        "{{ n|e + '<' }}{{ l|e + '<' }}{{ m|e ~ '<' }}{{ nothing|e + '<' }}{{ missing|e ~ '<' }}|"
        "{{ n|forceescape + '<' }}{{ l|forceescape + '<' }}{{ m|forceescape ~ '<' }}{{ nothing|forceescape + '<' }}",
    ),
    safe(
        "equal",
        "034 036",
        "Safe text is equal to the same text, and found as it is.",
        "{{ (x|safe) == x }}{{ (x|safe) in [x] }}{{ x in {(x|safe): 1} }}{{ {x: 1}[x|safe] }}{{ (x|safe) is string }}"
        "{{ (x|safe) is escaped }}{{ x is escaped }}{{ (x|safe)|length }}",
    ),
    safe(
        "printed",
        "023",
        "Printed containers say what is safe in them.",
        "{{ [x|safe, x] }}{{ {'a': t|e} }}{{ (t|safe,) }}{{ [x|safe]|string }}{{ [[t|e]] ~ '' }}{{ '%s' % [t|e] }}",
    ),
    escaping(
        "printing",
        "020",
        "What is printed or joined inside the block is escaped, once.",
        "{{ t }}{{ '<' ~ t }}{{ t|safe }}{{ (t|safe) ~ '<' }}{{ t|e }}{{ n }}{{ nothing }}{{ m }}{{ '<' ~ 1 }}{{ t + "
        "'<' }}",
        "{{ '<' ~ (t|e) ~ l }}{{ n ~ 1 }}{{ (n ~ 1) is escaped }}",
    ),
    escaping(
        "filters",
        "020 070",
        "Filters inside the block are Jinja's own.",
        "{{ t|upper }}{{ [t, '<']|join(',') }}{{ [t, '<'|safe]|join(',') }}{{ t|replace('x', '<') }}{{ t|tojson }}{{ "
        "t|trim }}",
        "{{ t|safe }}{{ t|e }}{{ t|string }}{{ t|indent }}{{ '%s'|format(t) }}{{ t|title }}{{ t|center(9) }}{{ t|lower "
        "}}",
    ),
    escaping(
        "computed",
        "020 070",
        "Text that filters compute inside the block is escaped, where they do not say that it is safe.",
        "{{ 'www.a.de <b>'|urlize }}{{ {'a': t}|xmlattr }}{{ t|pprint }}{{ t|striptags }}{{ t|truncate(3, true) }}",
        "{{ t|wordwrap(2) }}{{ t|urlencode }}{{ [t]|first }}{{ nothing|default(t, true) }}{{ {'a': t}|items|list }}",
    ),
    escaping(
        "texts",
        "020 054 055",
        "What a block keeps, a macro gives or a filter block changes is safe already.",
        "{% set y %}<{{ t }}>{% endset %}{{ y }}{{ y + '<' }}{{ '<' ~ y }}{{ y|e }}",
        "{% macro k(a) %}<{{ a }}>{% endmacro %}{{ k(t) }}{{ k(t) + '<' }}{{ k(t) ~ t }}{% filter upper %}<{{ t }}>{% "
        "endfilter %}",
        "{% macro c() %}<{{ caller() }}>{% endmacro %}{% call c() %}{{ t }}{% endcall %}",
    ),
    *(
        escaping(
            f"decided-{when}",
            "020",
            "Whether the block escapes is a value's matter.",
            "{{ t }}{{ '<' ~ t }}{{ (t|safe) ~ '<' }}{{ t|upper }}{{ (t|e) ~ '<' }}{{ [t]|join }}",
            "{% set y %}<{{ t }}>{% endset %}{{ y }}",
            when=when,
        )
        for when in ("n", "nothing")
    ),
    escaping(
        "in-a-block",
        "020",
        "A block inside the block may say otherwise.",
        "{% autoescape false %}{{ t }}{{ t|upper }}{{ '<' ~ t }}{% endautoescape %}{{ t }}{{ t|upper }}",
    ),
]
