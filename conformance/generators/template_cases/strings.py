"""Python's string methods and Jinja's text filters."""

from __future__ import annotations

from generators.template_cases.build import case

CASES = [
    case(
        "split",
        "064",
        "TEMPLATE_STRINGS",
        "Split at a separator keeps empty parts; at most so many cuts when asked.",
        "{{ 'a,b,,c'.split(',') }}{{ 'a,b,c'.split(',', 1) }}{{ ''.split(',') }}{{ 'abc'.split('</think>') }}",
    ),
    case(
        "split-white-space",
        "064",
        "TEMPLATE_STRINGS",
        "Split without a separator cuts at runs of white space and drops empty parts.",
        "{{ ' a \\n b\\t c '.split() }}{{ ''.split() }}{{ 'a b c'.split(none, 1) }}",
    ),
    case(
        "split-from-right",
        "064",
        "TEMPLATE_STRINGS",
        "Rsplit, partition and rpartition cut from their side.",
        "{{ 'a.b.c'.rsplit('.', 1) }}{{ 'a=b=c'.partition('=') }}{{ 'a=b=c'.rpartition('=') }}"
        "{{ 'abc'.partition('=') }}",
    ),
    case(
        "splitlines",
        "064",
        "TEMPLATE_STRINGS",
        "Splitlines cuts at every line end and leaves no empty part at the end.",
        "{{ x.splitlines() }}",
        x="a\nb\r\nc\n\nd\n",
    ),
    case(
        "starts-ends-with",
        "064",
        "TEMPLATE_STRINGS",
        "Startswith and endswith take one text or several, and the place to look at.",
        "{{ x.startswith('<t') }}{{ x.endswith('>') }}{{ x.startswith(('a', '<')) }}{{ x.startswith('t', 1) }}"
        "{{ ''.startswith('') }}",
        x="<t>",
    ),
    case(
        "replace",
        "064",
        "TEMPLATE_STRINGS",
        "Replace changes all, or the first so many; empty text is between all characters.",
        "{{ 'aaa'.replace('a', 'b') }}{{ 'aaa'|replace('a', 'b', 2) }}{{ 'aaa'.replace('a', '', 1) }}"
        "{{ 'ab'.replace('', '-') }}{{ 'a.b'|replace('.', '') }}",
    ),
    case(
        "find-count",
        "064",
        "TEMPLATE_STRINGS",
        "Find, rfind, index and count tell places and numbers in characters.",
        "{{ x.find('b') }}{{ x.find('z') }}{{ x.rfind('b') }}{{ x.count('b') }}{{ x.index('b') }}",
        x="\U0001f600abab",
    ),
    case(
        "join-method-and-filter",
        "064",
        "TEMPLATE_STRINGS",
        "The method joins text only; the filter joins anything, and attributes.",
        "{{ ', '.join(['a', 'b']) }}|{{ [1, none, 'a', 2.0]|join('-') }}|{{ x|join(', ', attribute='n') }}"
        "|{{ []|join(',') }}|{{ 'abc'|join('.') }}",
        x=[{"n": 1}, {"n": 2}],
    ),
    case(
        "join-method-refuses",
        "064",
        "TEMPLATE_STRINGS",
        "The method join refuses what is no text.",
        "{{ ', '.join([1]) }}",
    ),
    case(
        "is-methods",
        "064",
        "TEMPLATE_STRINGS",
        "The methods that ask what text is made of.",
        "{{ '12'.isdigit() }}{{ 'ab'.isalpha() }}{{ 'a1'.isalnum() }}{{ ' '.isspace() }}{{ 'AB'.isupper() }}"
        "{{ 'ab'.islower() }}{{ ''.isdigit() }}{{ '\u00b2'.isdigit() }}",
    ),
    case(
        "remove-prefix",
        "064",
        "TEMPLATE_STRINGS",
        "Removeprefix and removesuffix take off a word once.",
        "{{ 'aab'.removeprefix('a') }}{{ 'abb'.removesuffix('b') }}{{ 'ab'.removeprefix('z') }}",
    ),
    case(
        "pad-methods",
        "064",
        "TEMPLATE_STRINGS",
        "Ljust, rjust, center and zfill pad to a width.",
        "[{{ 'a'.ljust(3) }}][{{ 'a'.rjust(3, '.') }}][{{ 'a'.center(4) }}][{{ '-7'.zfill(4) }}][{{ 'a'|center(5) }}]",
    ),
    case(
        "unknown-method",
        "064 025",
        "TEMPLATE_STRINGS",
        "A method text does not have is refused.",
        "{{ 'a'.trim() }}",
    ),
    case(
        "percent-format",
        "069",
        "TEMPLATE_FORMAT",
        "A percent sign formats as Python does.",
        "{{ '%s-%d-%.2f-%5s|%-5s|%05d-%x-%%' % ('a', 3, 1.005, 'b', 'c', 42, 255) }}{{ '%(k)s' % {'k': [1]} }}"
        "{{ '%s' % x }}{{ '%r' % 'q' }}",
        x=None,
    ),
    case(
        "percent-format-refuses",
        "069",
        "TEMPLATE_FORMAT",
        "Too few or wrong values for a format are refused.",
        "{{ '%d' % 'a' }}",
    ),
    case(
        "format-filter",
        "069",
        "TEMPLATE_FORMAT",
        "The filter format is the percent sign.",
        "{{ '%s: %03d'|format('a', 7) }}{{ '%(a)s'|format(a='b') }}",
    ),
    case(
        "format-method",
        "069",
        "TEMPLATE_FORMAT",
        "The method format fills braces by place and by name, with widths and precisions.",
        "{{ '{}:{}'.format(1, 'a') }}{{ '{1}{0}'.format('a', 'b') }}"
        "{{ '{n:>4}|{f:.1f}|{x[k]}'.format(n=7, f=2.25, x={'k': 'v'}) }}{{ '{{}}'.format() }}",
    ),
    case(
        "indent-filter",
        "070",
        "TEMPLATE_FORMAT",
        "Indent moves every line but the first, and leaves blank lines alone.",
        "{{ x|indent }}|{{ x|indent(2, true) }}|{{ x|indent('> ', first=true, blank=true) }}",
        x="a\n\nb\n",
    ),
    case(
        "truncate-filter",
        "070",
        "TEMPLATE_FORMAT",
        "Truncate cuts at words with an ellipsis, and lets a small excess pass.",
        "{{ x|truncate(9) }}|{{ x|truncate(9, true) }}|{{ x|truncate(9, false, '', 0) }}"
        "|{{ 'abcdefghijk'|truncate(9) }}",
        x="one two three four",
    ),
    case(
        "wordwrap-wordcount",
        "070",
        "TEMPLATE_FORMAT",
        "Wordwrap breaks lines at a width, wordcount counts.",
        "{{ x|wordwrap(7) }}|{{ x|wordcount }}",
        x="one two three four",
    ),
    case(
        "escape-filters",
        "070 020",
        "TEMPLATE_FORMAT",
        "Escaping happens only when it is asked for.",
        "{{ x|e }}{{ x|escape }}{{ x|safe }}{{ x|forceescape }}{{ x }}",
        x="<'&\">",
    ),
    case(
        "urlencode-striptags",
        "070",
        "TEMPLATE_FORMAT",
        "Urlencode and striptags are there.",
        "{{ 'a b/\u00e9?'|urlencode }}|{{ '<b>a</b> &amp;  c'|striptags }}",
    ),
]
