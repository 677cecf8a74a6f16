"""Templates that come with the conversation: bodies that are formatted, cut, put together and escaped."""

from __future__ import annotations

from tokenspec.areas.render.cases.build_given import forms

FORMATTED = (
    forms(
        "percent",
        "Bodies that a format pads, cuts, quotes and takes from a mapping.",
        (
            ("mild winters", "{{ 'It says %s, twice %s.' % (C, C) }}"),
            ("padded", "{{ '[%-12s|%12s]' % (C, message.role) }}"),
            ("pad left", "{{ '[%12s|%-12s]' % (C, message.role) }}"),
            ("much too long", "{{ '%.4s%%' % C }}"),
            ("by name", "{{ '%(c)s of %(r)s' % {'r': message.role, 'c': C} }}"),
            ("stars", "{{ '[%*s][%.*s]' % (9, C, 3, C) }}"),
            ("it's o'clock", "{{ '%r' % C }}"),
            ("in a list", "{{ '%s' % [C, 7, none, true] }}"),
            ("100 %s of it", "{{ C % 'all' }}"),
            ("beside a number", "{{ '%05d|%s|%.2f' % (loop.index, C, 0.5) }}"),
            ("of a filter", "{{ '%s, %-11s|'|format(message.role, C) }}"),
            ("of a name", "{{ '%(c)16s'|format(c=C) }}"),
            ("in a mapping", "{{ '%r' % {'k': {'n': C}} }}"),
        ),
    ),
    forms(
        "format",
        "Bodies in the fields of the method format: numbered, named, looked up, aligned and converted.",
        (
            ("mild winters", "{{ 'It says {}, by {}.'.format(C, message.role) }}"),
            ("in turn", "{{ '{1}{0}{1}'.format(C, '-') }}"),
            ("named", "{{ '{c:>12}|{c:*^12}|{c:.3}'.format(c=C) }}"),
            ("looked up", "{{ '{m.role}: {m[content]}'.format(m=message) }}"),
            ("it's o'clock", "{{ '{0!r} {0!s:<20}|'.format(C) }}"),
            ("braces", "{{ '{{{}}}'.format(C) }}"),
            ("of a mapping", "{{ '{c}; {r}'.format_map({'c': C, 'r': message.role}) }}"),
            ("{} of it", "{{ C.format('all') }}"),
            ("of an attribute", "{{ '{0.content!s:>20}'.format(message) }}"),
            ("a list", "{{ '{} {}'.format([C], (C,)) }}"),
        ),
    ),
    forms(
        "conversions",
        "Bodies that a conversion writes as Python does, with escapes and the quotes it chooses.",
        (
            ("both '' and \"\"\t", "{{ '%r|%-40r|%40r' % (C, C, C) }}"),
            ("both '' and \"\"\n\\", "{{ '{0!r}|{0!r:>40}|{c!r:<40}'.format(C, c=C) }}"),
            ("cut\tshort", "{{ '%.3s|%.6r|%6.2s|' % (C, C, C) }}{{ '{!r:.6}'.format(C) }}"),
            ("in a\tlist", "{{ '%s|%r' % ([C], {'k': C}) }}|{{ '{} {!r}'.format([C], (C,)) }}"),
        ),
        "JSON_TEXT",
    ),
    forms(
        "conversions-in-ascii",
        "Bodies that a conversion writes in ASCII, as Python does: other letters become escapes.",
        (
            ("Être l\u00e0-bas", "{{ '{!a}'.format(C) }}"),
            ("it-is-\U0001f600", "{{ '{c!a:>30}|{c!a:.5}'.format(c=C) }}"),
            ("naïve-coöperation", "{{ '%a|%-30a|%.7a' % (C, C, C) }}"),
            ("plain-words", "{{ '{!a}|{!a:*^20}'.format(C, [C]) }}"),
        ),
        "JSON_TEXT",
    ),
    forms(
        "cut-and-filled",
        "Bodies that a format cuts and fills up with other signs than blanks.",
        (
            ("cut and filled", "{{ '{c:*^9.3}|{c:-<6.2}|{c:x>5.0}'.format(c=C) }}"),
            ("cut and padded", "{{ '{c:^9.3}|{c:<6.2}|{c:>5.0}'.format(c=C) }}"),
            ("between equals", "{{ '-{}-{}-{}-'.format(C, message.role, C) }}"),
        ),
    ),
    forms(
        "case",
        "Bodies whose case is changed, some of which grow by it.",
        (
            ("Große Straße", "{{ C|upper }}"),
            ("GROẞE Straẞe", "{{ C|lower }}"),
            ("straße und weg-weiser (alt)", "{{ C|title }}"),
            ("ßtraße ŉ", "{{ C|capitalize }}"),
            ("it's straße", "{{ C.title() }}"),
            ("Straße ŉ", "{{ C.swapcase() }}"),
            ("Straße", "{{ C.casefold() }}|{{ C.capitalize() }}|{{ C.upper() }}|{{ C.lower() }}"),
            ("mixed with", "{{ (C ~ ' ß of the template ' ~ C)|upper }}"),
            ("tab stop", "{{ ('a\t' ~ C ~ '\tb').expandtabs(4) }}"),
            ("translated", "{{ C.translate({97: 'A', 120: none, 113: 'qu'}) }}"),
        ),
        "UNICODE",
    ),
)

CUT = (
    forms(
        "slices",
        "Bodies of which parts are printed: slices, elements, characters.",
        (
            ("from the second", "{{ C[1:] }}|{{ C[:-3] }}|{{ C[2:5] }}"),
            ("backwards", "{{ C[::-1] }}|{{ C[::3] }}|{{ ('ab' ~ C ~ 'cd')[1:-1] }}"),
            ("one by one", "{{ C[0] }}{{ C[-1] }}{{ C|first }}{{ C|last }}"),
            ("characters", "{% for c in C %}{{ c }}.{% endfor %}"),
            ("reversed", "{{ C|reverse }}|{{ C|list|join('-') }}"),
            ("sliced", "{{ (C ~ ' by template')[3:9] }}|{{ ('to ' ~ C)[:5] }}|{{ ('to ' ~ C)[::2] }}"),
            ("batches", "{% for row in C|batch(3, '.') %}{{ row|join }} {% endfor %}"),
            ("columns", "{% for row in C|slice(2) %}{{ row|join }} {% endfor %}"),
        ),
    ),
    forms(
        "splits",
        "Bodies that are split, and the parts printed apart.",
        (
            ("one two  three", "{{ C.split()[1] }}"),
            ("one two  three four", "{{ C.split(' ') | join('_') }}"),
            ("a,b,c,d", "{{ C.split(',', 1)[1] }}"),
            ("a,b,c,d", "{{ C.rsplit(',', 1)[0] }}"),
            ("a,b,c,d", "{{ C.rsplit(',')[2] }}"),
            (" three  words here ", "{{ C.split(none, 1)[1] }}"),
            (" three  words here ", "{{ C.rsplit(none, 1)[0] }}"),
            ("one\ntwo\r\nthree", "{{ C.splitlines()[1] }}"),
            ("one\ntwo\r\nthree", "{{ C.splitlines(true)[1] }}"),
            ("key: value: more", "{{ C.partition(': ')[2] }}"),
            ("one#two", "{{ C.partition('#')[0] }}|{{ C.rpartition('#')[2] }}"),
            ("key: value: more", "{{ C.rpartition(': ')[0] }}"),
            ("nothing there", "{{ C.partition('#') | join('/') }}|{{ C.rpartition('#')[2] }}"),
            ("one two", "{{ (C ~ ' of it').split()[2] }}|{{ C.split()|last }}"),
        ),
    ),
    forms(
        "strips",
        "Bodies that lose what stands at their ends.",
        (
            ("  both sides \n", "{{ C|trim }}"),
            ("  both sides  ", "{{ (' x ' ~ C).strip() }}"),
            ("  one side  ", "[{{ C.lstrip() }}]"),
            ("  one side  ", "[{{ C.rstrip() }}]"),
            ("xxchosenyx", "{{ C.strip('xy') }}"),
            ("xxchosenyx", "{{ C.lstrip('x') }}"),
            ("xxchosenyxx", "{{ C.rstrip('x') }}"),
            ("xxchosenyxx", "{{ C|trim('x') }}"),
            ("prefix and suffix", "{{ C.removeprefix('prefix') }}"),
            ("prefix and suffix", "{{ C.removesuffix('suffix') }}"),
            ("no such ends", "{{ C.removeprefix('x') }}|{{ C.removesuffix('x') }}"),
            ("   ", "[{{ C.strip() }}]"),
        ),
        "WHITESPACE",
    ),
)

PUT_TOGETHER = (
    forms(
        "joined",
        "Bodies that are joined, repeated and replaced in.",
        (
            ("between", "{{ '<' ~ C ~ '>' }}{{ '(' + C + ')' }}{{ 1 ~ C ~ none }}"),
            ("twice", "{{ C * 2 }}|{{ 2 * C }}|{{ (C ~ '-') * 2 }}"),
            ("one two", "{{ ['a', C, 'b']|join('+') }}|{{ C.split()|join }}"),
            ("glue", "{{ C.join(['(', ')', '.']) }}|{{ ['(', ')', '.']|join(C) }}"),
            ("banana", "{{ C|replace('a', 'o') }}"),
            ("banana", "{{ C|replace('an', '', 1) }}"),
            ("bandana", "{{ C.replace('d', '--') }}"),
            ("abc", "{{ C.replace('', '-') }}|{{ C.replace('', '-', 2) }}|{{ C.replace('', '-', 9) }}"),
            ("needle", "{{ 'a needle, a Needle'.replace('Needle', C) }}|{{ 'x y'|replace('x', C, 1) }}"),
            ("roles", "{{ messages|map(attribute='role')|join(' ') }} {{ C }}"),
        ),
    ),
    forms(
        "filled",
        "Bodies that are filled up, centred and indented.",
        (
            ("centre", "[{{ C|center(17) }}][{{ C.center(10, '.') }}][{{ C|center(3) }}]"),
            ("left", "[{{ C.ljust(12) }}][{{ C.ljust(9, '_') }}][{{ C.rjust(12) }}][{{ C.rjust(9, '_') }}]"),
            ("-42", "[{{ C.zfill(7) }}][{{ C.zfill(2) }}]"),
            ("one\ntwo\nthree", "{{ C|indent }}"),
            ("one\ntwo\nthree", "{{ C|indent(2, true) }}"),
            ("four\n\nfive\n", "{{ C|indent('> ', first=true, blank=true) }}"),
            ("four\nfive", "{{ C|indent(width=1) }}"),
            ("aligned", "[{{ '{:>12}'.format(C) }}][{{ '%12s' % C }}]"),
        ),
    ),
    forms(
        "sorted",
        "Bodies whose words are sorted, chosen, grouped and counted.",
        (
            ("winter,autumn,Spring", "{{ C.split(',')|sort|join(' ') }}"),
            ("bun,an,cub", "{{ C.split(',')|sort(reverse=true)|join }}"),
            ("one,two,one", "{{ C.split(',')|reverse|join('&') }}"),
            ("one,two", "{{ C.split(',')|unique|join('&') }}|{{ C.split(',')|min }}"),
            ("one,two,six", "{{ C.split(',')|max }}"),
            ("up,and,down", "{{ C.split(',')|map('upper')|join(' ') }}|{{ C.split(',')|map('center', 6)|list }}"),
            ("some,words", "{{ C.split(',')|select('ne', 'X')|join }}|{{ C.split(',')|reject('in', ['X'])|first }}"),
            ("value", "{% for k, v in {'b': C, 'a': 1}|dictsort %}{{ k }}={{ v }};{% endfor %}"),
            ("grouped", "{% for g in [message]|groupby('content') %}{{ g.grouper }}: {{ g.list|length }}{% endfor %}"),
            ("of items", "{% for k, v in message|items %}{{ v }}/{% endfor %}"),
            ("a default", "{{ message.name|default(C) }}|{{ (C or 'no') }}|{{ C if C else 'no' }}"),
        ),
    ),
)

WRITTEN = (
    forms(
        "json",
        "Bodies inside JSON: escaped, indented, beside numbers and constants, keys sorted.",
        (
            ('say "hi"\n\\ ü', "{{ C|tojson }}"),
            ("whole", "{{ message|tojson }}"),
            ("ünder", "{{ [C, true, none, 1.5]|tojson(ensure_ascii=true, indent=1) }}"),
            ("sorted", "{{ {'b': C, 'a': {'d': false, 'c': [C, []]}}|tojson(sort_keys=true) }}"),
            ("apart", "{{ {'k': C, 'n': 2}|tojson(separators=(',', ':')) }}|{{ [C, {}]|tojson(indent='\t') }}"),
            ("nested", "{{ {'k': {C: [C]}, 'n': 2, none: 1, true: 3, 4: 5}|tojson(indent=2) }}"),
            ("tuple", "{{ (C, (1,), 'x\"')|tojson }}"),
        ),
    ),
    forms(
        "repr",
        "Bodies inside printed lists, mappings and tuples, with the quotes that Python chooses.",
        (
            ("it's o'clock", "{{ [C, 'b', 1, 2.0, true, none] }}"),
            ("both '' and \"\"\t", "{{ {'k': C, 1: [C]} }}"),
            ("tuple", "{{ (C,) }}{{ (C, 'b') }}{{ [] }}{{ {} }}{{ () }}"),
            ("ünder '' quotes", "{{ [C ~ ' and \\'', C] }}"),
            ("mixed '' quotes", "{{ ['\"' ~ C ~ '\\u0001\"' ~ C] }}"),
            ("printed", "{{ [C]|string }}{{ {'k': [none, C]}|string }}"),
            ("joined", "{{ [C] ~ {'k': C} }}"),
        ),
    ),
    forms(
        "safe",
        "Bodies that are escaped, or marked as safe beside text that is escaped for it.",
        (
            ("<b> & 'c' \"d\"", "{{ C|e }}|{{ C|escape|length }}"),
            ("<i>", "{{ C|safe }}{{ C|safe ~ '<' }}{{ (C|safe) + '&' }}{{ '<' ~ (C|safe) }}"),
            ("<u>", "{{ ('<p>'|safe) + C }}|{{ ('%s<'|safe) % 'x' }}{{ C }}"),
            ("<k> & l", "{% autoescape true %}{{ C }}{{ '<' ~ C }}{% endautoescape %}"),
            ("x < y", "{{ (C|e)[2:6] }}|{{ (C|e).upper() }}|{{ (C|e)|replace('y', '<') }}"),
            ("<joined>", "{{ ('&'|safe).join([C, '<']) }}|{{ [C|safe, C]|join }}"),
            ("<again>", "{{ (C|e)|e }}|{{ (C|safe)|string }}"),
        ),
    ),
)

REPEATED = forms(
    "repeated",
    "Bodies whose words stand in the separator, too, or in what the template puts beside them.",
    (
        ("q<b>", "{{ (C ~ 'b').split('<b>')[1] }}|{{ (C ~ 'b').rsplit('<b>', 1)[1] }}|{{ ('b' ~ C).split('<b>')[0] }}"),
        ("q b", "{{ (C ~ ' b ').split()[1] }}|{{ ('b ' ~ C).split()[1] }}"),
        ("def", "{{ C.replace('', '-', 3) }}|{{ C.replace('', '-', 4) }}|{{ 'abc'.replace('', C, 3) }}"),
    ),
)

REPEATED_WORDS = forms(
    "repeated-words",
    "Words that stand in what the template puts before a body, and again in the body.",
    (("q b", "{{ ('b ' ~ C).split()[2] }}|{{ ('b ' ~ C ~ ' b').split()[2] }}"),),
)

LOOKED_UP = forms(
    "looked-up",
    "Bodies that a format looks up in what it is given, in turn and by number.",
    (
        ("in turn", "{{ '{}|{!r}|{:>9}|{!s:<9}'.format(C, C, C, C) }}"),
        ("of a pair", "{{ '{0[0]}{0[1].content}{1.role}'.format([C, message], message) }}"),
        ("of a name", "{{ '{m[content]:>14}|{m.content!r:<14}|'.format(m=message) }}"),
    ),
)

BESIDE_ESCAPES = forms(
    "beside-escapes",
    "Bodies in a format whose other field is written in ASCII.",
    (("mild winters", "{{ '{!a} {}'.format('é', C) }}|{{ '%a %s' % ('é', C) }}"),),
)

SAFE_TEXT = forms(
    "safe-text",
    "Bodies that are marked as safe, and cut, filled up, moved and put together then.",
    (
        ("one\ntwo\n\nthree", "{{ (C|safe)|indent('> ') }}|{{ (C|safe)|indent(2, true, true) }}"),
        ("ab", "{{ (C|safe).replace('', '<') }}|{{ (C|safe).replace('', '-', 2) }}"),
        ("centre", "{{ (C|safe).center(12, '.') }}|{{ (C|safe).ljust(9, '.') }}|{{ (C|safe).rjust(9) }}"),
        ("<two> words", "{{ (C|safe).split()[1] ~ '<' }}|{{ (C|safe)[2:-2] + '<' }}|{{ (C|safe)[::-1] + '<' }}"),
        ("loop", "{% for c in C|safe %}{{ c + '<' }}{% endfor %}|{{ (C|safe)|first }}|{{ (C|safe) * 2 }}"),
        ("case", "{{ (C|safe).upper() ~ '<' }}|{{ (C|safe)|title ~ '<' }}|{{ (C|safe)|trim ~ '<' }}"),
        ("list", "{{ [C|safe, C] }}|{{ {'k': C|e} }}|{{ (C|safe)|tojson }}"),
    ),
)

CUT_TO_NOTHING = forms(
    "cut-to-nothing",
    "Bodies of which slices leave nothing, beside other text, and parts of what is put together.",
    (
        ("nothing", "{{ C[5:2] }}{{ C[20:] }}|{{ C[5:2] ~ '' }}{{ C[:0] }}." + "{{ C }}"),
        ("nothing", "{{ C[5:2] ~ 'of it' ~ C[::-1][5:2] ~ C }}"),
        ("nothing", "{{ ('of ' ~ C)[9:2] ~ ('of ' ~ C)[2:4] ~ C[3:3] ~ '.' }}"),
        ("a,b,,c", "{{ C.rsplit(',', -3)|join('/') }}|{{ C.split(',', -3)|join('/') }}|{{ C.split(',', 0)[0] }}"),
    ),
)

CASES = (
    CUT_TO_NOTHING,
    *FORMATTED,
    *CUT,
    *PUT_TOGETHER,
    *WRITTEN,
    REPEATED,
    REPEATED_WORDS,
    LOOKED_UP,
    BESIDE_ESCAPES,
    SAFE_TEXT,
)
