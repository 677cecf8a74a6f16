"""Regular expressions: every construct of the chapter with texts next to its own, and everything else refused."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.fast_forward.cases.build import refused
from tokenspec.areas.fast_forward.cases.probing import CHARACTERS, around, near, probing
from tokenspec.store.records import Case

POSIX = [
    "alnum",
    "alpha",
    "ascii",
    "blank",
    "cntrl",
    "digit",
    "graph",
    "lower",
    "print",
    "punct",
    "space",
    "upper",
    "word",
    "xdigit",
]
ONE_CHARACTER = {
    "dot": ".",
    "digit": r"\d",
    "not-digit": r"\D",
    "word": r"\w",
    "not-word": r"\W",
    "space": r"\s",
    "not-space": r"\S",
    "class": "[a-cx0-2]",
    "class-negated": r"[^a-z\n]",
    "class-negated-twice": r"[^\D5]",
    "class-of-classes": r"[\d_\s]",
    "class-not-space": r"[\Sa ]",
    "class-not-word": r"[\W7]",
    "class-bracket-first": "[]a]",
    "class-negated-bracket-first": "[^]a]",
    "class-hyphen-last": "[a-]",
    "class-hyphen-after-range": "[+-9-]",
    "class-hyphen-first": "[-a]",
    "class-caret-later": "[a^]",
    "class-escapes": r"[\]\\\-\^\n\t\x41\u00e9]",
    "class-escaped-range": r"[\x20-\x2F\u0041-\u0043]",
    "class-marks": r"[.*+?(){}|$/&~]",
    "class-overlapping": "[a-mh-zk]",
    "class-touching": "[a-fg-k]",
    **{f"class-posix-{name}": f"[[:{name}:]]" for name in POSIX},
    **{f"class-posix-not-{name}": f"[[:^{name}:]é]" for name in POSIX},
}
ESCAPES = {
    "line-feed": (r"\n", "\n"),
    "return": (r"\r", "\r"),
    "tab": (r"\t", "\t"),
    "form-feed": (r"\f", "\f"),
    "vertical-tab": (r"\v", "\v"),
    "hex": (r"\x41\x7a\x09", "Az\t"),
    "hex-latin": (r"\xe9\xFF", "éÿ"),
    "unicode": (r"\u0041\u00e9\u65E5", "Aé日"),
    "marks": (r"\.\*\+\?\(\)\[\]\{\}\|\^\$\\\/\-", r".*+?()[]{}|^$\/-"),
    "quotes": (r"\"\'\ \#\&\~\@\%", "\"' #&~@%"),
    "closing": ("a]b}", "a]b}"),
    "slash": ("a/b//c", "a/b//c"),
}
RANGES = {
    "ascii": (0x21, 0x7E),
    "across-one-and-two": (0x7A, 0x101),
    "latin": (0xC0, 0xFF),
    "two-bytes": (0x80, 0x7FF),
    "two-bytes-inside": (0x85, 0x13B),
    "across-two-and-three": (0x7FE, 0x801),
    "three-bytes": (0x800, 0xFFFF),
    "three-bytes-inside": (0x835, 0x3C7B),
    "three-bytes-one-block": (0x65C1, 0x65C4),
    "before-surrogates": (0xD7A4, 0xD7FF),
    "over-surrogates": (0xD7FB, 0xE004),
    "after-surrogates": (0xE000, 0xE041),
    "across-three-and-four": (0xFFFE, 0x10001),
    "four-bytes": (0x10000, 0x10FFFF),
    "four-bytes-inside": (0x10345, 0x2ABCD),
    "emoji": (0x1F600, 0x1F64F),
    "everything": (0x00, 0x10FFFF),
    "one": (0x65E5, 0x65E5),
}
COUNTED = {
    "star": ("xa*b", ["xb", "xab", "xaaaaab"]),
    "plus": ("xa+b", ["xab", "xaaab"]),
    "question": ("xa?b", ["xb", "xab"]),
    "exactly": ("xa{3}b", ["xaaab"]),
    "exactly-none": ("xa{0}b", ["xb"]),
    "exactly-once": ("xa{1}b", ["xab"]),
    "at-least": ("xa{2,}b", ["xaab", "xaaaaab"]),
    "at-least-none": ("xa{0,}b", ["xb", "xaab"]),
    "between": ("xa{2,4}b", ["xaab", "xaaab", "xaaaab"]),
    "between-none": ("xa{0,2}b", ["xb", "xab", "xaab"]),
    "between-none-and-none": ("xa{0,0}b", ["xb"]),
    "many": ("a{117}", ["a" * 117]),
    "two-digits": ("a{10,12}b", ["a" * 10 + "b", "a" * 12 + "b"]),
    "of-a-group": ("(ab){2}c", ["ababc"]),
    "of-a-quiet-group": ("(?:ab|c){1,2}d", ["abd", "cd", "abcd", "ccd"]),
    "of-a-class": ("[ab]{2}c", ["abc", "bbc"]),
    "of-a-character": ("é{2}🙂?z", ["ééz", "éé🙂z"]),
    "of-an-escape": (r"\d{2}\.{1,2}\s+", ["12. ", "98..\t\n"]),
    "of-what-may-be-empty": ("(a?){3}b", ["b", "aab", "aaab"]),
    "of-what-may-be-empty-at-least": ("(a*){2,}b", ["b", "aaab"]),
    "of-a-star": ("(a*b)*c", ["c", "bc", "aabbabc"]),
    "of-a-plus": ("((ab)+c?)+", ["ab", "abcab", "ababc"]),
    "of-a-count": ("(a{2}){2,3}b", ["aaaab", "aaaaaab"]),
    "of-an-optional-count": ("(a{2,3})?b", ["b", "aab", "aaab"]),
    "of-a-choice": ("(a|bc?){2}d", ["aad", "abcd", "bcbd"]),
    "at-the-end": ("ab+", ["ab", "abbb"]),
    "long-literal": ("(" + "0123456789" * 7 + ")?x{2}", ["0123456789" * 7 + "xx", "xx"]),
}
GROUPED = {
    "choice": ("ab|cd", ["ab", "cd"]),
    "choice-of-nothing": ("ab|", ["ab", ""]),
    "choice-of-nothing-first": ("(|a)b", ["b", "ab"]),
    "choice-with-common-start": ("order|orderId|other", ["order", "orderId", "other"]),
    "choice-many": ("a1|b2|c3|d4|e5|f6|g7", ["a1", "d4", "g7"]),
    "nested": ("(a(b(c)?)?)?d", ["d", "ad", "abd", "abcd"]),
    "quiet": ("(?:a|b)(?:c)", ["ac", "bc"]),
    "empty-group": ("a()b", ["ab"]),
    "empty": ("", [""]),
    "deep": ("(" * 30 + "a" + ")" * 30 + "b", ["ab"]),
    "precedence": ("ab|cd*|e", ["ab", "c", "cddd", "e"]),
    "optional-tail": (r"-?\d+(\.\d+)?([eE][+\-]?\d+)?", ["-1", "2.5", "3e+10", "4.0E-7"]),
    "mail": (r"[\w.+-]+@[\w-]+\.[a-z]{2,3}", ["a.b+c@d-e.org"]),
    "class-of-what-ends-it": (r"[^\]]*\]", ["]", "a[b]"]),
}
FURTHER = {
    "lazy": ("a+?b", ["ab", "aab"]),
    "lazy-star": ("x(?:ab)*?c", ["xc", "xabc"]),
    "lazy-count": ("a{2}?b??c", ["aac", "aabc"]),
    "lazy-between": ("a{1,2}?b", ["ab", "aab"]),
    "edges": ("^ab$", ["ab"]),
    "edges-of-the-text": (r"\Aab\z", ["ab"]),
    "edges-in-a-choice": ("^a|^b$|c$", ["a", "b", "c"]),
    "edges-in-a-group": ("(^a|b)(c|d$)", ["ac", "bd"]),
    "named": ("(?P<name>a|b)c", ["ac", "bc"]),
    "named-short": ("(?<name>a|b)c", ["ac", "bc"]),
    "named-inside-a-quiet-group": ("(?:a|(?<name>b))c", ["ac", "bc"]),
    "any-case": ("(?i)ab[x-z]é", ["abxé", "ABXÉ", "aBzÉ"]),
    "any-case-of-a-group": ("a(?i:b)c", ["abc", "aBc"]),
    "any-case-to-the-end-of-a-group": ("(a(?i)b)c", ["abc", "aBc"]),
    "any-case-with-other-sizes": ("(?i)[ks]", ["k", "K", "\u212a", "s", "\u017f"]),
    "dot-takes-lines": ("(?s)a.b", ["a\nb", "axb"]),
    "dot-takes-lines-in-a-group": ("(?s:.)(?-s:.)", ["\nx", "xx"]),
    "property": (r"\p{Lu}\p{L}+", ["Äb", "ÉÀa"]),
    "property-negated": (r"\P{L}[^\p{Nd}]", ["1a", "-x"]),
    "property-short": (r"\pN+", ["1", "\u0663"]),
    "hex-braces": (r"\x{41}[\x{1F600}-\x{1F602}]", ["A\U0001f600", "A\U0001f602"]),
    "posix": ("[[:alpha:]_][[:alnum:]]*", ["a1", "_Z9"]),
    "posix-negated": ("[[:^digit:]x]", ["a", "x", "é"]),
    "posix-punctuation": ("[[:punct:]][[:space:]][[:xdigit:]]", ["! F", "~\tf"]),
}
REFUSED = {
    "property-unknown": r"\p{Letters}",
    "property-open": r"\p{L",
    "posix-unknown": "[[:letters:]]",
    "hex-braces-open": r"\x{41",
    "hex-beyond": r"\x{110000}",
    "edge-repeated": "a^*",
    "flag-lines": "(?m)a",
    "edge-in-the-middle": "a^b",
    "class-open": "a[b",
    "class-empty": "[]",
    "class-negated-empty": "[^]",
    "class-bracket": "[[a]]",
    "class-and": "[a&&b]",
    "class-minus": "[a--b]",
    "class-tilde": "[a~~b]",
    "class-descending": "[b-a]",
    "class-descending-wide": "[日-a]",
    "class-range-from-class": r"[\d-z]",
    "class-range-to-class": r"[a-\d]",
    "group-open": "(a",
    "group-open-inside": "a(b|(c)",
    "group-closed-twice": "a)",
    "group-closed-only": ")",
    "star-only": "*a",
    "plus-after-bar": "a|+",
    "question-in-group": "(?",
    "question-first": "?a",
    "count-only": "{2}a",
    "star-twice": "a**",
    "possessive": "a*+b",
    "count-twice": "a{2}{3}",
    "count-after-star": "a*{3}",
    "count-descending": "a{3,2}",
    "count-without-least": "a{,2}",
    "count-empty": "a{}b",
    "count-comma-only": "a{,}b",
    "count-letter": "a{x}b",
    "count-letter-above": "a{2,x}b",
    "count-negative": "a{-1}b",
    "count-space": "a{1, 2}b",
    "count-open": "a{2",
    "count-large": "a{10001}",
    "count-large-above": "a{1,10001}",
    "look-ahead": "a(?=b)b",
    "look-ahead-not": "a(?!b)c",
    "look-behind": "(?<=a)b",
    "look-behind-not": "(?<!a)b",
    "comment": "(?#note)a",
    "atomic": "(?>a)",
    "back-reference": r"(a)\1",
    "word-boundary": r"\ba",
    "not-word-boundary": r"a\B",
    "octal": r"\07",
    "unknown-escape": r"\q",
    "unknown-escape-in-class": r"[\q]",
    "escape-at-the-end": "a\\",
    "hex-short": r"\x4",
    "hex-letter": r"\xg0",
    "unicode-short": r"\u12",
    "unicode-letter": r"\u12g4",
    "surrogate-only": r"\ud800",
}


def cases() -> Iterator[Case]:
    """Cases ``regex-*`` and ``refused-regex-*``."""
    flag = "REGULAR_EXPRESSION"
    for name, pattern in ONE_CHARACTER.items():
        why = f"Which characters this one stands for: {pattern}"
        yield probing(f"regex-{name}", why, flag, {"regex": pattern}, ["", *CHARACTERS])
    for name, (pattern, text) in ESCAPES.items():
        yield probing(f"regex-escape-{name}", "What an escape stands for.", flag, {"regex": pattern}, near(text))
    for name, (low, high) in RANGES.items():
        why, bounds = f"A range from U+{low:04X} to U+{high:04X}, as bytes.", f"{_bound(low)}-{_bound(high)}"
        yield probing(f"regex-range-{name}", why, flag, {"regex": f"[{bounds}A]"}, around(low, high))
        if name != "everything":
            negated = {"regex": f"[^{bounds}]"}
            yield probing(f"regex-range-{name}-negated", why + " Negated.", flag, negated, around(low, high))
    for name, (pattern, texts) in COUNTED.items():
        why = f"How often: {pattern}"[:100]
        yield probing(f"regex-count-{name}", why, flag, {"regex": pattern}, near(*texts))
    for name, (pattern, texts) in GROUPED.items():
        why = f"Groups and choices: {pattern}"[:100]
        yield probing(f"regex-group-{name}", why, flag, {"regex": pattern}, near(*texts))
    for name, (pattern, texts) in FURTHER.items():
        why = f"Further constructs: {pattern}"[:100]
        yield probing(f"regex-further-{name}", why, flag, {"regex": pattern}, near(*texts))
    for name, pattern in REFUSED.items():
        yield refused(f"refused-regex-{name}", "Outside the syntax.", "FFT-041", grammar={"regex": pattern})


def _bound(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else chr(code)


CASES = tuple(cases())
