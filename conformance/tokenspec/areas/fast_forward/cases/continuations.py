"""What strict answers look at beyond the forced bytes: the last of many ways, long and rare tokens, contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import BOTH, case, closed, either, schema
from tokenspec.store.records import Case

DIGITS = "0123456789"
DOUBLED = ["ab", "ab" * 2, "ab" * 4, "ab" * 8, "ab" * 16]
NEVER = ["abcc", "abdd", "abee", "abff"]
HALF: Any = {"hex": "78c3"}
BYTE_LEVEL = ["toy-bpe", "toy-ranks", "toy-metaspace"]
LONG_NAME = "a_property_with_a_very_long_name_indeed"


def small() -> Iterator[tuple[str, str, list[Any], dict[str, Any]]]:
    for count in (2, 5, 8, 11):
        for place in sorted({0, count // 2, count - 1}):
            texts = [f"ab{digit}" for digit in (DIGITS + "x")[:count]]
            merged = ["b" + texts[place][-1], "ab"]
            why = "Only one of many ways to go on splits the forced bytes."
            yield f"many-{count}-{place}", why, merged, either(*texts)
    texts = [LONG_NAME + end for end in ("", "A", "B", "C", "CD", "E")]
    yield "many-long", "Names with a long common beginning.", ["de", "ed", "edC", "me", "name"], either(*texts)
    for name, merged, grammar in compared():
        why = "A token that spans the end splits again where the text goes on, as texts show that are compared."
        yield f"compared-{name}", why, merged, grammar
    for count in (3, 7, 8, 9, 15, 16):
        grammar = {"regex": f"(ab){{{count}}}[abc]+d"}
        yield f"doubled-{count}", "A token longer than sixteen bytes may span.", DOUBLED, grammar
    for count in (5, 9, 17, 33):
        grammar = {"regex": f"a{{{count}}}[ab]+c"}
        yield f"runs-{count}", "Runs of one letter, joined in twos.", ["aa", "aaaa", "aaaaaaaa"], grammar
    for name, merged in (
        ("last", ["bg", "abg", "ab", *NEVER]),
        ("first", ["bc", "abc", "ab", *NEVER[1:]]),
        ("none", ["ab", *NEVER]),
        ("inside", ["bcg", "cg", "abcg", "ab", *NEVER]),
    ):
        why = "Of many tokens that could span by their letters, few appear."
        yield f"spanning-{name}", why, merged, {"regex": "ab[c-g]+z"}
    merged = [f"b{first}{last}" for first in "cdefghijklmnopqstu" for last in "cdefghijklmnopqrst"]
    why = "Behind hundreds of tokens that never appear comes one that spans."
    yield "spanning-of-hundreds", why, [*merged, "br"], {"regex": "ab[c-u]+;"}
    why = "A token that begins with all that is forced, and that no merge reaches."
    yield "spanning-never", why, ["ab", "abcdcd"], {"regex": "ab(cd)+e"}
    why = "A token that begins with what is forced, and tokens whose beginning only looks alike."
    yield "spanning-blank", why, ["abc y", "abczd"], {"regex": "abc [a-d]+;"}
    for name, merged, letters in (
        ("low", ["é", HALF], "éè"),
        ("high", ["è", HALF], "éè"),
        ("both", ["é", "è", HALF], "éè"),
        ("four", ["é", "è", "ê", HALF], "éèêë"),
    ):
        why = "A token ends inside a character: how the character ends decides whether it appears."
        yield f"broken-{name}", why, merged, {"regex": f"x[{letters}]+w"}
        yield f"broken-few-{name}", why, merged, either(*(f"x{letter}" for letter in letters))
    wide: list[Any] = [{"hex": "f09f"}, {"hex": "f09f99"}, "🙂", {"hex": "78f09f99"}]
    yield "broken-wide", "The same of four bytes.", wide, {"regex": "x[🙂🙃]+w"}
    yield "broken-many", "The same where many characters may follow.", ["é", HALF, "xy"], {"regex": "x[à-ÿ]+w"}
    for name, pattern in (
        ("star", "ab(cd)*e"),
        ("plus", "ab(cd)+e"),
        ("optional", "ab(c?d)*f"),
        ("late", "abcabc(abc)*d"),
        ("class", "ab[ab]*c"),
        ("two", "a(ba)+(b|c)"),
        ("choice", "ab(cd|ce)+f"),
        ("nested", "a((bc)+d)+e"),
    ):
        why = "Texts without end, all of them tokenised to a depth."
        for vocabulary, merged in (
            ("pairs", ["ab", "bc", "cd", "de", "ba"]),
            ("long", ["bc", "abc", "cda", "abcab", "ba", "aba", "bab"]),
            ("late", ["cd", "bcd", "abcd", "ce", "bce", "ab"]),
        ):
            yield f"endless-{name}-{vocabulary}", why, merged, {"regex": pattern}


def compared() -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Grammars of every kind with few texts: ``bc`` begins within what is forced, and ``cd`` behind it comes first."""
    two, merged = ["abcd", "abe"], ["cd", "bc"]
    members = closed([], {name: {"type": "null"} for name in two})
    text = {"type": "string"}
    for name, grammar in (
        ("literals", either(*two)),
        ("expression", {"regex": "ab(cd|e)"}),
        ("repeats", {"regex": "ab(cd{1,2}|e{0,2}f)"}),
        ("class", {"regex": "ab(cd|[e-g])"}),
        ("sequence", {"sequence": [{"literal": "ab"}, either("cd", "e")]}),
        ("constants", schema({"enum": two})),
        ("pattern", schema({**text, "pattern": "^ab(cd|e)$"})),
        ("pattern-with-classes", schema({**text, "pattern": "^ab(cd|[e-g])$"})),
        ("pattern-with-counts", schema({**text, "pattern": "^ab(cd|e{1,3})$"})),
        ("pattern-of-length", schema({**text, "pattern": "^ab(cd|e+)$", "maxLength": 4})),
        ("items", schema({"type": "array", "items": {"enum": two}, "minItems": 1, "maxItems": 1})),
        ("first-items", schema({"type": "array", "prefixItems": [{"enum": two}], "items": False, "minItems": 1})),
        ("members", schema({**members, "minProperties": 1})),
        ("one-member", schema({**members, "minProperties": 1, "maxProperties": 1})),
        ("values", schema(closed(["a"], {"a": {"enum": two}, "b": {"type": "null"}}))),
    ):
        yield name, merged, grammar
    whole = {"type": "integer"}
    yield "bounds", ["40", "24"], schema({**whole, "minimum": 1239, "maximum": 1240})
    yield "multiples", ["24", "22"], schema({**whole, "minimum": 1200, "maximum": 1299, "multipleOf": 34})


def cases() -> Iterator[Case]:
    """Cases ``ways-*``, ``after-special-*`` and ``looks-*``."""
    for name, why, merged, grammar in small():
        yield case(f"ways-{name}", why, "CONTINUATIONS", grammar, vocabulary={"merged": merged}, requires=("FFT-012",))
    for name, codes in (
        ("ascii", range(0x21, 0x7F)),
        ("two", (0x80 + 0x41 * lead + 0x15 for lead in range(29))),
        ("two-more", (0xFF + 0x3E * lead for lead in range(29))),
        ("three", (0x820 + 0x1041 * lead for lead in range(13))),
        ("four", (0x10020 + 0x11041 * lead for lead in range(15))),
    ):
        text = "".join(map(chr, codes))
        why = "Every byte that UTF-8 knows, so that each has its place in a vocabulary."
        yield case(f"ways-bytes-{name}", why, "CONTINUATIONS", either(f"{text}.", f"{text}!"), rows=BYTE_LEVEL)
    yield from marks()
    yield from unchecked()
    yield from after_special()
    yield from looks_ahead()
    yield from real()
    why = "Two ids spell the same byte, and a token spans."
    for name, first, second in (("brace", '{"a', "{1"), ("letter", "re1", "r1"), ("space", " a", " 1")):
        grammar = either(first, second)
        yield case(f"ways-twins-{name}", why, "CONTINUATIONS", grammar, requires=("FFT-012",), rows=["toy-metaspace"])


def marks() -> Iterator[Case]:
    """Contexts of several tokens: a sampled mark that joins the line end after it, and digits, which are counted."""
    for name, mark in (("three", "\U0001f8b0"), ("four", "\U0001cf00"), ("behind", "a\U0001cf00")):
        for kind, pattern in (("many", "\\n \\nx[yz]+!"), ("few", "\\n \\nx(y|z)")):
            why = "A character of several tokens stands before; as many of them as begin it are context."
            grammar, rows = {"regex": mark + pattern}, ["llama-3.2"]
            yield case(f"context-mark-{name}-{kind}", why, "CONTINUATIONS", grammar, [mark], rows=rows)
    why = "Digits are counted in threes from the first, which is not the last token."
    for name, text in (("end", "39621"), ("start", "41421")):
        grammar = {"regex": f"{text}[a-z]+;"}
        yield case(f"context-digits-{name}", why, "CONTINUATIONS", grammar, [text[:2]], rows=["toy-ranks"])


def unchecked() -> Iterator[Case]:
    """Strict answers that do not depend on what the grammar allows next."""
    half: list[Any] = ["é", "è", HALF]
    for name, merged, grammar in (
        ("letters", ["bc", "abc", "ab", *NEVER], {"regex": "ab[x-z]+"}),
        ("doubled", DOUBLED, {"regex": "(ab){8}[xy]"}),
        ("spaces", ["  ", "a ", " b"], {"regex": "a  [xy]"}),
        ("few", ["bx", "ab"], either("aby", "abz")),
        ("whole", ["bx", "ab"], either("abc")),
        ("broken", half, {"regex": "x[éè]+w"}),
        ("broken-few", half, either("xé", "xè")),
        ("broken-wide", [{"hex": "f09f"}, {"hex": "f09f99"}, "🙂", {"hex": "78f09f99"}], {"regex": "x[🙂🙃]+w"}),
    ):
        yield case(
            f"unchecked-{name}",
            "Without grammar check every token may span, in either mode.",
            "CONTINUATIONS",
            grammar,
            vocabulary={"merged": merged},
            requires=("FFT-033",),
            queries=[*BOTH, {"grammar_check": False}, {"mode": "strict", "grammar_check": False}],
        )


def after_special() -> Iterator[Case]:
    """A special token inside: what stood before it is no context any more."""
    names = {"toy-bpe": "<think>", "toy-ranks": "<think>", "toy-added": "[END]", "toy-metaspace": "<turn>"}
    for row, special in names.items():
        for name, before, rest in (
            ("mark", "'", "\\n \\nx[yz]+!"),
            ("mark-few", "'", "\\n \\nx(y|z)"),
            ("word", "a", "ssistant[a-z]+!"),
            ("space", " ", " the[a-z]+!"),
            ("digit", "1", "23[0-9]+!"),
        ):
            items = [{"literal": before}, {"special": special}, {"regex": rest}]
            places: dict[str, list[Any]] = {"": [before], "-inside": [before, {"special": special}]}
            for place, prefix in places.items():
                yield case(
                    f"after-special-{name}-{row}{place}",
                    "The text after a special token is tokenised alone.",
                    "CONTINUATIONS SPECIAL_ITEM",
                    {"sequence": items},
                    prefix,
                    requires=("FFT-005",),
                    rows=[row],
                )
    for name, rest, row in (
        ("spaces", "a  b*", "toy-bpe"),
        ("words", "toy[a-z ]*", "toy-bpe"),
        ("whole", " weather[!]*", "toy-ranks"),
        ("few", " t(h|o)", "toy-bpe"),
        ("some", "a  (b|[!])?", "toy-ranks"),
    ):
        yield case(
            f"before-special-{name}",
            "A text that may end before a special token, or go on.",
            "CONTINUATIONS SPECIAL_ITEM",
            {"sequence": [{"regex": rest}, {"special": "<think>"}, {"literal": "x"}]},
            requires=("FFT-005",),
            rows=[row],
        )
    yield case(
        "before-special-not-spelled",
        "Text that a normalizer changes, before a special token.",
        "CONTINUATIONS SPECIAL_ITEM",
        {"sequence": [{"literal": "the cafe\u0301s"}, {"special": "[END]"}, {"literal": "x"}]},
        rows=["toy-added"],
        queries=[{"mode": "strict"}],
    )


def looks_ahead() -> Iterator[Case]:
    """Boundaries that the next character moves."""
    for name, pattern in (
        ("spaces", "a  [XZ]+"),
        ("spaces-many", "a     [XZ]+"),
        ("spaces-start", "  [XZ]+"),
        ("tab-and-space", "a\\t [XZ]+"),
        ("line-and-spaces", "a\\n  [XZ]+"),
        ("spaces-or-end", "a  ([XZ]+)?b"),
        ("mark-and-space", "a' [XZ]+"),
        ("spaces-then-end", "a  ([XZ]+)?"),
        ("spaces-then-delete", "a  (\u007f[a-z]*)?"),
        ("spaces-then-accents", "a  (é{1,9}|x{1,9});"),
        ("spaces-then-tabs", "a  (é{1,9}|\\t{1,9});"),
        ("spaces-then-marks", "a   ([!]{1,9}x|[?]{1,9}y)"),
        ("spaces-then-named", "a  (é|\u3000)[XZ]+"),
        ("spaces-then-many", "a  [\u00a0à-ž][XZ]+"),
        *((f"spaces-of-{count}", f"a {{{count}}}[ X]Z*;") for count in (3, 4, 7)),
    ):
        why = "The last of several spaces goes to a word that follows."
        yield case(f"looks-{name}", why, "SPACES_LOOK_AHEAD", {"regex": pattern}, rows=["toy-bpe", "toy-ranks"])
        prefix = [pattern[0]]
        yield case(f"looks-{name}-in-context", why, "SPACES_LOOK_AHEAD", {"regex": pattern}, prefix, rows=["toy-bpe"])
    for name, pattern in (
        ("word", "toy[a-z ]+;"),
        ("after-space", "a toy[a-z ]+;"),
        ("end", "toy( [a-z]+)*;"),
        ("named", "Ångström[a-z]+;"),
        ("half", "<call [a-z]+;"),
        ("begun", "a to(y|[a-r]) [a-z]+;"),
        ("begun-half", "x <ca(ll |[m-z])[a-z]+;"),
    ):
        why = "An added token that asks to be a word may fall apart when the word goes on."
        yield case(f"looks-added-{name}", why, "CONTINUATIONS", {"regex": pattern}, rows=["toy-added"])
    for name, word in (("space", " weather"), ("plain", "required"), ("accents", "Grüße"), ("one-more", " answers")):
        why = "A whole word that no merge reaches falls apart when it goes on."
        yield case(f"looks-whole-{name}", why, "CONTINUATIONS", {"regex": f"{word}[q-z]+!"}, rows=["toy-ranks"])
        yield case(f"looks-whole-{name}-ends", why, "CONTINUATIONS", {"regex": f"{word}(!|[q-z]+)"}, rows=["toy-ranks"])
        yield case(f"looks-whole-{name}-stands", why, "CONTINUATIONS", {"regex": f"{word}[!]+x"}, rows=["toy-ranks"])
        begun = {"regex": f"{word[:4]}({word[4:]}|[a-h]+)!x*"}
        yield case(f"looks-whole-{name}-begun", why, "CONTINUATIONS", begun, rows=["toy-ranks"])
        apart = {"regex": f"{word}([!]{{1,9}}x|[?]{{1,9}}y)"}
        yield case(f"looks-whole-{name}-apart", why, "CONTINUATIONS", apart, rows=["toy-ranks"])


def real() -> Iterator[Case]:
    """What real vocabularies do and the toys do not."""
    for name, forced in (
        ("names", "漢字AB"),
        ("three", "日本語ABC"),
        ("one", "中A"),
        ("kana", "カタIDE"),
        ("hangul", "한AB"),
    ):
        why = "Capitals after letters without case: a lower-case letter begins the word anew."
        for end, rest in (("lower", "[a-z]*;"), ("either", "([a-z]+|[0-9]+);"), ("capitals", "[A-Za-z]+;")):
            rows = ["gpt-oss", "mistral-nemo", "kimi-k2"]
            yield case(f"word-{name}-{end}", why, "CONTINUATIONS", {"regex": forced + rest}, rows=rows)
    why = "An apostrophe belongs to the letter after it, or to none."
    yield case("word-contraction", why, "CONTINUATIONS", {"regex": "I'[a-z]+;"}, rows=["gpt-2", "qwen3"])
    why = "The ending of a contraction belongs to the word before it."
    yield case("word-contraction-inside", why, "CONTINUATIONS", {"regex": " don'[a-z]+;"}, rows=["gpt-oss"])
    for name, pattern in (("ends", "ű乐[a-z]+;"), ("goes-on", "Ź果[一-龥]+;"), ("after-one", "ɱ乐(y|果)[a-z]*;")):
        why = "A Han character begins a word, though a token has it behind the last byte of the letter before."
        yield case(f"word-han-behind-a-letter-{name}", why, "CONTINUATIONS", {"regex": pattern}, rows=["deepseek-v3"])
    for name, low, high in (
        ("tagalog", 0x1700, 0x17FF),
        ("greek", 0x370, 0x3FF),
        ("thai", 0xE00, 0xE7F),
        ("han", 0x4E00, 0x4EFF),
        ("emoji", 0x1F600, 0x1F64F),
        ("full-width", 0xFF00, 0xFFEF),
    ):
        inside = f"[{chr(low)}-{chr(high)}]"
        for around, pattern in (("letters", f"x{inside}a"), ("space", f" {inside} "), ("many", f"\\{{{inside}+\\}}")):
            why = "All characters of a block may follow: what is forced ends inside a character."
            rows = ["qwen3", "llama-3.2", "gemma-4"]
            yield case(f"block-{name}-{around}", why, "CONTINUATIONS", {"regex": pattern}, rows=rows)


CASES = tuple(cases())
