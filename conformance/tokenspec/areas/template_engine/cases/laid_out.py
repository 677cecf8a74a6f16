"""Values that go through formats, safe text and case mapping on their way into the text."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

TOOL = {"name": "größe", "b": [1, "x", None], "a": {"k": True}}

CASES = [
    case(
        "percent-of-containers",
        "069 023",
        "TEMPLATE_FORMAT",
        "A mapping and a list written by a format print as Python's.",
        "{{ '%s|%r|%s' % (tool, tool.b, tool.a) }}",
        tool=TOOL,
    ),
    case(
        "percent-pads-containers",
        "069 023",
        "TEMPLATE_FORMAT",
        "A container is padded and cut as its text is.",
        "{{ '[%-40r][%.4s][%12s]' % (tool.a, tool.b, tool.b) }}",
        tool=TOOL,
    ),
    case(
        "percent-several-fields",
        "069",
        "TEMPLATE_FORMAT",
        "Several fields of one format, a percent sign between them.",
        "{{ '%5s%%%-5s|%05d|%+.1f' % (tool.name, 'é', 42, 0.25) }}",
        tool=TOOL,
    ),
    case(
        "percent-of-keys",
        "069",
        "TEMPLATE_FORMAT",
        "Fields that are named take values of a mapping, twice where they stand twice.",
        "{{ '%(name)s %(b)r %(name)9s' % tool }}",
        tool=TOOL,
    ),
    case(
        "format-conversions",
        "069 023",
        "TEMPLATE_FORMAT",
        "Fields of the method format: numbered, named, with attributes, elements and conversions.",
        "{{ '{1}{0!r}{t[name]!a:>12}{0[b]}{t[a]!s:^16}'.format(tool, 7, t=tool) }}",
        tool=TOOL,
    ),
    case(
        "format-several-widths",
        "069",
        "TEMPLATE_FORMAT",
        "Each field has its own width and filling.",
        "{{ '{:*<7}{:_^7}{:>7}{:07.2f}'.format('a', tool.name, 'b', 1.5) }}",
        tool=TOOL,
    ),
    case(
        "format-filter-of-keywords",
        "069",
        "TEMPLATE_FORMAT",
        "The filter format takes named values, and refuses them beside others.",
        "{{ '%(a)s-%(b)d'|format(a=tool.name, b=3) }}",
        tool=TOOL,
    ),
    case(
        "format-filter-of-both-refused",
        "069",
        "TEMPLATE_FORMAT",
        "The filter format does not take named values beside others.",
        "{{ '%s %(b)d'|format(tool.name, b=3) }}",
        tool=TOOL,
    ),
    case(
        "safe-text-methods",
        "064",
        "TEMPLATE_STRINGS",
        "Safe text can be stripped of its tags and unescaped.",
        "{{ (text|safe).striptags() }}|{{ (text|safe).unescape() }}|{{ text|striptags }}|{{ text|safe|upper }}",
        text="<b>a &amp; b</b>  &lt;c&gt;",
    ),
    case(
        "safe-text-loses-its-mark",
        "064 023",
        "TEMPLATE_STRINGS",
        "Replacing, titles and joining by the filter give plain text; a printed list shows what is safe.",
        "{{ (t|e)|replace('y', '<') }}|{{ ((t|e)|title) + '<' }}|{{ ([t|safe]|join) + '<' }}|{{ [t|safe, {'k': t|e}] }}"
        "|{{ (t|e)|trim + '<' }}|{{ (t|e)|upper + '<' }}|{{ ('%s'|safe)|format(t) }}|{{ (t|e)|center(9) + '<' }}",
        t="x < y",
    ),
    case(
        "translate",
        "064",
        "TEMPLATE_STRINGS",
        "Text is translated character by character: to text, to nothing, to itself.",
        "{{ text.translate({97: 'xy', 98: none, 233: 'e'}) }}",
        text="abcé",
    ),
    case(
        "translate-nothing",
        "064",
        "TEMPLATE_STRINGS",
        "Text is translated by a table without entries, and by one of what is left out.",
        "{{ text.translate({}) }}{{ text.translate({98: none}) }}",
        text="abcé",
    ),
    case(
        "sorted-and-mapped",
        "065 066 063",
        "TEMPLATE_LISTS",
        "Texts are sorted with and without case, capitalised and joined.",
        "{{ names|sort|join(',') }}|{{ names|sort(case_sensitive=true)|map('upper')|join(',') }}"
        "|{{ names|map('capitalize')|sort(reverse=true)|join(',') }}|{{ names|unique|list }}",
        names=["b", "A", "Ä", "a", "ß", "B"],
    ),
    case(
        "dictsort-by-value",
        "065",
        "TEMPLATE_LISTS",
        "A mapping is sorted by key or value, with and without case, either way.",
        "{{ m|dictsort }}{{ m|dictsort(true) }}{{ m|dictsort(false, 'value') }}{{ m|dictsort(reverse=true) }}",
        m={"b": "Z", "A": "y", "c": "x", "B": "a"},
    ),
]
