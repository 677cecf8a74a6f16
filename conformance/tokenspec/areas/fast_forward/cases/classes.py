"""Characters by category and whatever their case, formats to the letter, and amounts up to what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import case, refused, schema
from tokenspec.areas.fast_forward.cases.probing import probing
from tokenspec.store.records import Case

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
MORE = [
    *"éΩ日ÀßǅʰªⅧ½٣²€\u0301\u0903\u200d\u00ad\u2028\u2029\u3000\u00a0«»‿–“\ue000",
    "\ufdd0",
    "\U000e0001",
    "\U000f0000",
]
CATEGORIES: tuple[str, ...] = (
    "L",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "M",
    "Mn",
    "Mc",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
)
CATEGORIES += ("Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn")
ANY_CASE = {
    "letter": "(?i)k",
    "letters": "(?i)[a-c]",
    "no-letters": "(?i)[^a-c]",
    "range-of-many": "(?i)[!-~]",
    "range-of-capitals": "(?i)[Z-a]",
    "everything-but": "(?i)[\u0132-\uffff]",
    "category": "(?i)\\p{Lu}",
    "accents": "(?i)[à-ö]",
    "greek": "(?i)[α-ω]",
    "sharp-s": "(?i)ß",
    "kept-apart": "(?i)(?-i:k)",
}
CASED = [*"kKſsS\u212aéÉàÀöÖ×÷αΑωΩςΣßẞiIǅǆǄ", *map(chr, range(0x5A, 0x62))]
DAY = "(?:0[1-9]|[12][0-9]|{})"
LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
DATE = f"^(?:[0-9]{{4}}-(?:(?:0[13578]|1[02])-{DAY.format('3[01]')}|(?:0[469]|11)-{DAY.format('30')}"
DATE += f"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{LEAP}-02-29)$"
"""Others take 29 February of every hundredth year."""
SPACES = [
    *range(0x09, 0x0E),
    0x20,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
    0xFEFF,
]
"""White space and line ends of ECMA 262."""
FORMATS = {
    "date": "1900-02-29 2000-02-29 2100-02-29 2004-02-29 2096-02-29 2010-02-29 2024-02-30 1904-02-29 1600-02-29 "
    "2023-04-30 2023-06-31 2023-09-30 2023-11-31 2023-01-31 2023-03-31 2023-05-32 2023-07-31 2023-08-31 2023-10-31 "
    "2023-12-31 2023-12-00 2023-02-28 2023-02-19 2023-02-09 2023-1-01 12023-01-01 2023-01-01T",
    "time": "00:00:00Z 19:59:59z 23:59:60Z 23:59:61Z 10:20:30+23:59 10:20:30-00:00 10:20:30+24:00 "
    "10:20:30. 10:20:30.123456Z 10:20:3Z 1:20:30Z 10:20:30+0130 20:00:00Z 29:00:00Z",
    "ipv4": "0.0.0.0 9.10.99.100 199.200.249.250 255.255.255.255 256.0.0.0 1.2.3.4.5 1..2.3 1.2.3.04 1.2.3.260 1.2.3. ",
    "ipv6": "1:2:3:4:5:6:7:8 "
    "::2:3:4:5:6:7:8 1::3:4:5:6:7:8 1:2::4:5:6:7:8 1:2:3::5:6:7:8 1:2:3:4::6:7:8 1:2:3:4:5::7:8 "
    "1:2:3:4:5:6::8 1:2:3:4:5:6:7:: "
    "1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:8:: ::1::2 fFfF::09aA g:: 12345:: ::8 "
    "1::8 "
    "1:2:3::8 1:2:3:4:: : ::: 1:: 1:2:3:4:5:6:7",
    "uuid": "00000000-0000-0000-0000-000000000000 0000000-0000-0000-0000-000000000000 "
    "00000000-000-0000-0000-000000000000 00000000-0000-0000-0000-00000000000 g0000000-0000-0000-0000-000000000000 "
    "00000000000000000000000000000000 00000000-0000-0000-000000000000",
    "hostname": f"a.b.c a. .a a_b {'a' * 63} {'a' * 64} a{'-' * 61}b a{'-' * 62}b {'a' * 63}.{'b' * 63} 1 a--b -",
    "email": "a@b a.b@c a@b. a@-b a!#$%&'*+/=?^_`{|}~-z@b.c a@b-c.d a@b_c a(@b",
    "duration": "P1Y "
    "P1M P1D P1W P1Y1M P1M1D P1Y1M1D PT1H PT1M PT1S PT1H1M PT1M1S PT1H1M1S P1DT1H P1MT1S P1YT1M P12WT1H "
    "P1W1D P1D1M P1M1Y PT1S1M PT1H1S P1S PT1D 1Y p1Y P10Y20M30D P1YT PT10H20M30S",
}


def cases() -> Iterator[Case]:
    """Cases ``regex-property-*``, ``regex-any-case-*``, ``json-format-*-more`` and some of amounts."""
    flag = "REGULAR_EXPRESSION"
    for name in CATEGORIES:
        why = f"The characters of the category {name}."
        given = {"regex": f"\\p{{{name}}}"}
        yield probing(f"regex-property-{name.lower()}-is", why, flag, given, [*map(chr, range(0x80)), *MORE])
    for name, pattern in ANY_CASE.items():
        why = "Characters that differ by case only are alike."
        yield probing(f"regex-any-case-{name}", why, flag, {"regex": pattern}, CASED)
    why = "Most small letters fold to themselves, these to their capitals."
    yield probing("regex-any-case-folded-upwards", why, flag, {"regex": "(?i)[Ꭰꭱ]"}, [*"ᎠꭰᎡꭱᎢꭲ"])
    for name, texts in FORMATS.items():
        why = "A format is what its standard says."
        given = schema({**TEXT, "format": name})
        same: dict[str, Any] = {"alike": schema({**TEXT, "pattern": DATE})} if name == "date" else {}
        probes = [f'"{text}"' for text in texts.split()]
        yield probing(f"json-format-{name}-more", why, "JSON_SCHEMA", given, probes, **same)
    beside = sorted({code + step for code in SPACES for step in (-1, 0, 1)})
    spaces, probes = "".join(map(chr, SPACES)), [json.dumps(chr(code), ensure_ascii=False) for code in beside]
    for name, pattern, named in (
        ("spaces", r"^\s$", f"^[{spaces}]$"),
        ("no-spaces", r"^\S$", f"^[^{spaces}]$"),
        ("dot", "^.$", "^[^\n\r\u2028\u2029]$"),
    ):
        why = "Each white space and line end of ECMA 262, and the characters beside it."
        given, alike = (schema({**TEXT, "pattern": each}) for each in (pattern, named))
        yield probing(f"json-pattern-edges-of-{name}", why, flag, given, probes, alike=alike)
    yield from amounts()
    yield from malformed_bytes()


def amounts() -> Iterator[Case]:
    """As much as is understood, and one more."""
    pairs = {**TEXT, "allOf": [{"anyOf": [{"minLength": at}, {"minLength": 0}]} for at in range(9)]}
    texts = ['""', '"a"', "1"]
    why = "As many combinations of alternatives as are understood."
    yield probing("json-combinations-of-512", why, "JSON_SCHEMA", schema(pairs), texts, alike=schema(TEXT))
    many = {"allOf": [{"anyOf": [{"minLength": 30 * part + at} for at in range(part)]} for part in (27, 19)]}
    where = "/grammar/json_schema"
    code = "unsupported-schema"
    yield refused("refused-json-combinations-of-513", why, "FFT-041", code, where, grammar=schema(many))
    same = {"allOf": [{"$ref": "#/$defs/a"}] * 2, "$defs": {"a": {"anyOf": [{"const": at} for at in range(320)]}}}
    why = "Few combinations are left of far too many pairs."
    yield refused("refused-json-pairs-of-alternatives", why, "FFT-041", code, where, grammar=schema(same))
    why = "As many remainders as are understood."
    multiple = schema({**WHOLE, "multipleOf": 5000})
    texts = ["5000", "5001", "-10000", "0", "500", "50000"]
    yield probing("json-remainders-of-5000", why, "JSON_SCHEMA", multiple, texts)
    more = schema({**WHOLE, "multipleOf": 5001})
    yield refused("refused-json-remainders-of-5001", why, "FFT-041", code, f"{where}/multipleOf", grammar=more)
    sized, kept = schema({**TEXT, "minLength": 1.0, "maxLength": 2.0}), schema({**TEXT, "minLength": 1, "maxLength": 2})
    texts = ['""', '"a"', '"ab"', '"abc"']
    yield probing("json-length-with-a-point", "1.0 is a whole number.", "JSON_SCHEMA", sized, texts, alike=kept)
    short = schema({**TEXT, "pattern": "^a?b?c?$", "minLength": 2})
    texts = [f'"{text}"' for text in ("", "a", "b", "ab", "ac", "bc", "abc", "abcd")]
    yield probing("json-length-of-a-pattern", "Some texts of a pattern are too short.", "JSON_SCHEMA", short, texts)
    short = schema({**TEXT, "pattern": "^(a|bc|def)$", "minLength": 2})
    texts = [f'"{text}"' for text in ("", "a", "b", "bc", "de", "def", "abc")]
    why = "Where the shortest text ends, others go on."
    yield probing("json-length-of-a-pattern-ends-apart", why, "JSON_SCHEMA", short, texts)
    lists: dict[str, Any] = {"type": "array", "items": WHOLE, "maxItems": 1}
    unique, texts = schema({**lists, "uniqueItems": True}), ["[]", "[1]", "[1,1]", "[1,2]"]
    yield probing("json-unique-of-one", "One is unlike itself.", "JSON_SCHEMA", unique, texts, alike=schema(lists))
    wide = [f"ab{letter}" for letter in "cdefghijklmnopqrstuv"]
    for count in (13, 14, 15, 16):
        why = "So many ids begin the leftover: as many as an answer names, or one more or less."
        grammar, known = {"regex": f"ab[c-{wide[count][-1]}]x*"}, {"merged": ["ab", *wide[:count]]}
        yield case(f"ways-ids-{count}", why, "CONTINUATIONS", grammar, vocabulary=known, requires=("FFT-012",))


def malformed_bytes() -> Iterator[Case]:
    """Bytes in a form that is none."""
    for name, value in (("none", {}), ("number", {"hex": 5}), ("list", ["61"]), ("text", {"text": "a"})):
        given = {"literal": value}
        yield refused(f"refused-grammar-literal-hex-{name}", "A malformed grammar.", "FFT-041", grammar=given)


CASES = tuple(cases())
