"""Vocabularies small enough to see what happens, brought along by the case: no model is needed."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.fast_forward.cases.build import case, either, refused
from tokenspec.store.records import Case

ORDER = ["or", "de", "der", "order", "Id", "orderId", "Na", "me", "Name"]
PARK = ["ar", "ark", "par", "np"]
PREFIX = ("invalid-prefix", "/prefix")
QUERY = ("invalid-query", "/queries/0")
EARLY = ["bc", "cd", "abc", "abcd"]


def cases() -> Iterator[Case]:
    """Cases ``small-*`` and ``refused-*``."""
    flag = "SMALL_VOCABULARY"
    for slug, why, merged, grammar, prefix in (
        ("order", "A token may join what is forced with what follows.", ORDER, either("orderId", "orderName"), []),
        ("order-decided", "Nothing but the name can follow.", ORDER, either("orderName"), []),
        (
            "order-after",
            "The forced rest of a word after its first half.",
            ORDER,
            either("orderId", "orderName"),
            ["or"],
        ),
        ("park", "The end re-splits the beginning, no token spans.", PARK, either("npark", "npart"), []),
        ("early", "The earliest suffix that a token extends decides.", EARLY, either("abcd", "abce"), []),
        ("keep-all", "No token spans, so nothing is given back.", EARLY, either("bcX", "bcY"), []),
        (
            "never-appears",
            "A token spans by its letters, but never appears.",
            ["ab", "bc"],
            {"regex": "ab(c[x-z]*|d)"},
            [],
        ),
        ("half-character", "The forced byte is half of a character.", ["é", "è"], either("é", "è"), []),
        ("whole-character", "A character without a token is its bytes.", ["ab"], either("é1", "é2"), []),
        (
            "deep",
            "Re-splitting reaches back over five tokens.",
            ["ab", "ba", "aba", "bab"],
            either("ababababa", "ababababb"),
            [],
        ),
        ("context", "A token that is not canonical before this text is no context.", ["cY"], either("acYZ"), ["a"]),
        ("context-joins", "The context would join what follows.", ["ab", "abc"], either("abcd", "abce"), ["a"]),
        ("closing", "A text that is forced to its end.", ["xy", "yz"], either("xyz"), []),
        ("endless", "The same letters may go on for ever.", ["aa", "aaaa"], {"regex": "aaaaa+b"}, []),
        ("long", "Forced text much longer than any token.", ["ab", "abab"], either("ab" * 40, "ab" * 39 + "aX"), []),
        ("optional", "The text may end here.", ["ab", "abc"], {"regex": "ab(c)?"}, []),
        ("finished", "The text is complete.", ["ab"], either("ab"), ["ab"]),
        (
            "no-item",
            "No value is an item, so the list can only end.",
            [],
            {"json_schema": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 1}}},
            [],
        ),
        (
            "no-member",
            "A member that no value has is left out.",
            [],
            {
                "json_schema": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "object", "required": ["x", "y"], "maxProperties": 1},
                        "b": {"type": "null"},
                    },
                    "additionalProperties": False,
                }
            },
            ["{", '"'],
        ),
        ("pairs", "Pairs that overlap are joined from the left.", ["aa"], either("aaab", "aaac"), []),
    ):
        yield case(f"small-{slug}", why, flag, grammar, prefix, sweep=True, vocabulary={"merged": merged})
    marked = {"merged": ["ab", "abc"], "special": ["<s>", "<t>"]}
    for slug, why, items in (
        ("special", "Text, special token, text.", [{"literal": "ab"}, {"special": "<s>"}, {"literal": "abc"}]),
        (
            "special-then-choice",
            "A choice after a special token.",
            [{"special": "<t>"}, {"alternatives": ["abc", "abd"]}],
        ),
        ("special-twice", "Two special tokens in a row.", [{"special": "<s>"}, {"special": "<t>"}, {"literal": "a"}]),
    ):
        yield case(
            f"small-{slug}", why, flag + " SPECIAL_ITEM", {"sequence": items}, vocabulary=marked, requires=("FFT-005",)
        )
    yield from refusals()


def refusals() -> Iterator[Case]:
    """Inputs that are refused."""
    whole = {"type": "integer"}
    for slug, why, keyword, schema in (
        (
            "keyword-unique-items",
            "A keyword that would be dropped.",
            "uniqueItems",
            {"type": "array", "items": whole, "uniqueItems": True},
        ),
        (
            "keyword-contains",
            "A keyword that would be dropped.",
            "contains",
            {"type": "array", "items": whole, "contains": whole},
        ),
        (
            "keyword-inside",
            "A keyword inside a property.",
            "uniqueItems",
            {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}},
        ),
    ):
        yield refused(f"refused-{slug}", why, "FFT-040", grammar={"json_schema": schema}, names=keyword)
    yield refused(
        "refused-prefix",
        "The grammar does not allow this prefix.",
        "FFT-041",
        *PREFIX,
        grammar={"literal": "abc"},
        prefix=["x"],
    )
    yield refused(
        "refused-special-name",
        "No such special token.",
        "FFT-041",
        "unknown-special-token",
        "/grammar",
        grammar={"special": "<missing>"},
    )
    yield refused("refused-regex", "A bracket is not closed.", "FFT-041", grammar={"regex": "a[b"})
    yield refused("refused-look-ahead", "A look-ahead has no meaning here.", "FFT-041", grammar={"regex": "a(?=b)b"})
    yield refused("refused-no-alternative", "No text at all.", "FFT-041", grammar={"alternatives": []})
    yield refused("refused-kind", "An unknown kind of grammar.", "FFT-041", grammar={"grammar": "a"})
    for name, grammar in (
        ("alternatives-text", {"alternatives": "abc"}),
        ("alternatives-none", {"alternatives": None}),
        ("alternatives-number", {"alternatives": ["a", 1]}),
        ("literal-number", {"literal": 1}),
        ("literal-hex", {"literal": {"hex": "c"}}),
        ("literal-marker", {"literal": {"hex": "61ff"}}),
        ("alternative-marker", {"alternatives": ["a", {"hex": "ff"}]}),
        ("regex-number", {"regex": 1}),
        ("regex-list", {"regex": ["a"]}),
        ("schema-true", {"json_schema": True}),
        ("schema-text", {"json_schema": "{}"}),
        ("sequence-text", {"sequence": "ab"}),
        ("sequence-inside", {"sequence": [{"literal": "a"}, {"regex": "("}]}),
        ("whitespace", {"json_schema": whole, "whitespace": "some"}),
        ("nothing", {}),
    ):
        yield refused(f"refused-grammar-{name}", "A malformed grammar.", "FFT-041", grammar=grammar)
    for name, query in (
        ("mode", {"mode": "loose"}),
        ("field", {"window": 4}),
        ("max-tokens-text", {"max_tokens": "4"}),
        ("max-length", {"max_length": -1}),
        ("max-length-fraction", {"mode": "strict", "max_length": 1.5}),
    ):
        why = "A setting that does not exist, or makes no sense."
        yield refused(f"refused-query-{name}", why, "FFT-041", *QUERY, grammar={"literal": "abc"}, queries=[query])
    for name, merged in (("short", ["a", "ab"]), ("short-later", ["ab", "b"]), ("twice", ["ab", "bc", "ab"])):
        yield refused(
            f"refused-vocabulary-{name}",
            "A merged token of one byte is a byte token, and none has two priorities.",
            "FFT-041",
            "unsupported-vocabulary",
            "/vocabulary",
            grammar={"literal": "abc"},
            vocabulary={"merged": merged},
        )
    yield refused(
        "refused-prefix-special",
        "No such token.",
        "FFT-041",
        "unknown-special-token",
        "/prefix/0",
        grammar={"literal": "a"},
        prefix=[{"special": "<missing>"}],
    )
    yield refused(
        "refused-prefix-later",
        "The second piece is not allowed.",
        "FFT-041",
        *PREFIX,
        grammar={"literal": "abc"},
        prefix=["a", "c"],
    )
    yield refused(
        "refused-negative-window",
        "A window of less than nothing.",
        "FFT-041",
        *QUERY,
        grammar={"literal": "abc"},
        queries=[{"max_tokens": -1}],
    )
    yield refused(
        "refused-unsatisfiable",
        "A list of at least two of at most one.",
        "FFT-041",
        grammar={"json_schema": {"type": "array", "items": whole, "minItems": 2, "maxItems": 1}},
    )
    yield refused(
        "refused-too-long",
        "A literal of 20 000 bytes.",
        "FFT-006",
        "forced-bytes-too-long",
        "/grammar",
        grammar={"regex": "(?:a{10000}){2}b"},
    )


CASES = tuple(cases())
