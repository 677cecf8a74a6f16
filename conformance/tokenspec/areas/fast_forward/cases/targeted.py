"""Grammars that show one failure each: windows, re-splits, normalizers, special text, broken characters, digits."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.fast_forward.cases.build import case, closed, either, schema
from tokenspec.store.records import Case

WINDOW = {
    "qvboxlayout": (" QVBoxLayout", " QVBoxLayouZ"),
    "do-in-background": (" doInBackground", " doInBackgrounZ"),
    "no-args-constructor": ("@NoArgsConstructor", "@NoArgsConstruZ"),
    "request-mapping": ("@RequestMapping", "@RequestMappinZ"),
    "autoresizing": (".translatesAutoresizingMaskIntoConstraints", ".translatesAutoresizingMaskIntoConstraiZ"),
    "dots-and-colons": (".:" * 16, ".:" * 15 + ".Z"),
    "cybersecurity": (" cybersecurity", " cybersecuritZ"),
    "cardiovascular": (" cardiovascular", " cardiovasculaZ"),
    "cryptocurrencies": (" cryptocurrencies", " cryptocurrencieZ"),
    "solid-gold": (" SolidGoldMagikarp", " SolidGoldMagikarZ"),
    "many-m": ("M" * 64, "M" * 63 + "Z"),
    "many-spaces": (" " * 32, " " * 31 + "Z"),
    "many-equals": ("=" * 40, "=" * 39 + "-"),
}
RESPLIT = {
    "newline-park": ('"\\npark"', '"\\npart"'),
    "newline-messenger": ('"\\nmessenger"', '"\\nmetric"'),
    "newline-schedule": ('"\\nschedule"', '"\\nschool"'),
    "tab-here": ("tab\\there", "tab\\theX"),
    "today": ("\\today", "\\tomorrow"),
    "ize": (" ize", " izers"),
    "igt": (" igt", " igte"),
    "dwin": ("DWIN", "DWIP"),
    "slash": ("/network", "/newsletter"),
    "paren": ("(internal", "(interval"),
    "angle": ("<section", "<select"),
    "minus": ("-version", "-verify"),
    "spaces-before-word": ("a   b", "a    "),
    "contraction": ("don't", "don'"),
}
NORMAL = {
    "cafe": "cafe\u0301",
    "resume": "re\u0301sume\u0301 here",
    "angstrom": "10 \u212b wide",
    "composed": "café",
    "hangul": "\u1112\u1161\u11ab",
    "visible-space": "a\u2581b",
}
RESUME = "re\u0301sume\u0301"
SPECIAL = [
    "<tool_call>",
    "<think>",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "</s>",
    "<｜User｜>",
    "<|start_header_id|>",
]


def cases() -> Iterator[Case]:
    """Cases by family."""
    for name, texts in WINDOW.items():
        why = "One token spans more of the forced text than four tokens do."
        yield case(
            f"window-{name}", why, "WINDOW_TOO_SHORT", either(*texts), sweep=name in {"qvboxlayout", "cybersecurity"}
        )
    yield case(
        "window-enum",
        "The same inside a JSON enum.",
        "WINDOW_TOO_SHORT",
        schema({"enum": [" QVBoxLayout", " QVBoxLayouZ"]}),
    )
    for name, texts in RESPLIT.items():
        why = "The end of the text decides how its beginning is split; no token spans the end."
        yield case(f"resplit-{name}", why, "NONLOCAL_RESPLIT", either(*texts), sweep=name in {"newline-park", "dwin"})
    yield case(
        "resplit-schema",
        "A real schema whose names make DeepSeek re-split.",
        "NONLOCAL_RESPLIT",
        schema(closed((), {"DWIN": {"type": "integer"}, "DWIP": {"type": "integer"}})),
        ['{"'],
    )
    for name, text in NORMAL.items():
        why = "A normalizer may spell other bytes than the grammar forces."
        yield case(f"normal-{name}", why, "LOSSY_NORMALIZER", either(text))
    yield case(
        "normal-property",
        "A decomposed letter in a property name.",
        "LOSSY_NORMALIZER",
        schema(closed((RESUME,), {RESUME: {"type": "null"}})),
        ['{"'],
    )
    for index, text in enumerate(SPECIAL):
        why = f"Text that names a special token stays text: {text}"
        yield case(f"special-text-{index}", why, "LITERAL_SPECIAL_TEXT", schema({"const": f"use {text} here"}))
    yield case(
        "special-text-property",
        "A property name that looks like a control token.",
        "LITERAL_SPECIAL_TEXT",
        schema(closed(("<think>",), {"<think>": {"type": "boolean"}})),
        ["{"],
    )
    yield case(
        "special-text-choice",
        "A choice inside such a name.",
        "LITERAL_SPECIAL_TEXT",
        either("a<think>b", "a<think>c"),
        sweep=True,
    )
    yield from characters()
    yield from digits()
    yield from nothing()


def characters() -> Iterator[Case]:
    """Cases ``char-*``: forced bytes that end inside a character, and characters few vocabularies know."""
    flag = "BROKEN_CHARACTER"
    texts = {
        "accents": ("é1", "è2"),
        "accents-quoted": ('"é1"', '"è2"'),
        "japanese": ("日本語", "日本誥"),
        "emoji": ("🙂 yes", "🙃 no"),
        "rare": ("\U00010380x", "\U00010381y"),
        "greek": ("αβγδε", "αβγδζ"),
        "whole": ("naïve – «café»",),
    }
    for name, alternatives in texts.items():
        why = "Forced bytes may end inside a character."
        yield case(f"char-{name}", why, flag, either(*alternatives), sweep=name == "japanese")
    yield case("char-any", "Any character may follow.", flag, {"regex": "日本.*"})
    yield case("char-class", "Two characters that share their first byte.", flag, {"regex": "x[àá]y"})


def digits() -> Iterator[Case]:
    """Cases ``digit-*``: groups of digits depend on what stands before."""
    flag = "DIGIT_GROUPS"
    for name, grammar, prefix in (
        ("literal", {"literal": "1234567"}, []),
        ("open", {"regex": "12345[0-9]*"}, []),
        ("choice", either("2024-01", "2025-01"), []),
        ("after-two", {"regex": "12345(6|7)8"}, ["12"]),
        ("after-three", {"regex": "123456(7|8)"}, ["123"]),
        ("after-split", {"regex": "123456(7|8)"}, ["1", "23"]),
        ("after-letter", {"regex": "v123456(7|8)"}, ["v"]),
        ("decimal", {"regex": "3\\.14159[0-9]?"}, []),
    ):
        why = "Digits are grouped from the left, so the context decides."
        yield case(
            f"digit-{name}", why, flag + (" CONTEXT_TOKEN" if prefix else ""), grammar, prefix, sweep=name == "open"
        )


def nothing() -> Iterator[Case]:
    """Cases ``none-*``: little or nothing is forced; and spaces, whose split looks ahead."""
    flag = "NOTHING_FORCED"
    yield case("none-empty", "The empty text is complete.", flag, {"regex": ""})
    yield case("none-optional", "The text may end where more could follow.", flag, {"regex": "abc(def)?"}, ["abc"])
    yield case(
        "none-optional-before",
        "What stands before an optional tail is forced.",
        flag,
        {"regex": "abc(def)?"},
        sweep=True,
    )
    yield case("none-choice", "Two bytes are possible at once.", flag, either("yes", "no"))
    yield case("none-any", "Anything may follow.", flag, {"regex": ".*"}, ["Hello"])
    yield case("none-one-byte", "One byte is forced before a choice.", flag, {"regex": "x[a-z]+"})
    spaces = "SPACES_LOOK_AHEAD"
    yield case(
        "space-run", "The last of several spaces belongs to the word after them.", spaces, {"regex": "a    [b ].*"}
    )
    yield case(
        "space-newlines", "Line ends join the spaces before them.", spaces, {"regex": "a  \\n\\n( b|\\nc)"}, sweep=True
    )
    yield case(
        "space-ideographic", "Other spaces are spaces, too.", spaces, either("@ \u3000\u3000's", "@ \u3000\u3000\n")
    )
    yield case(
        "space-indent",
        "Indentation before either of two words.",
        spaces,
        either("{\n    return", "{\n    raise"),
        sweep=True,
    )
    context = "CONTEXT_TOKEN"
    yield case(
        "context-space",
        "A space that was sampled alone is not canonical before a word.",
        context,
        {"regex": " the(re| )"},
        [" "],
    )
    yield case("context-quote", "Punctuation joins what follows it.", context, {"regex": 'a":"b(c|d)'}, ["a", '"'])
    yield case("context-word", "A word that goes on.", context, {"regex": "understand(ing|able)"}, ["under"])
    yield case(
        "context-newline",
        "A line end before more line ends.",
        context,
        {"regex": "x\\n\\n\\ny(z|w)"},
        ["x\n"],
        sweep=True,
    )
    for name, mark in (("quote", "'"), ("period", ".")):
        why = "A mark takes the line end after it into its own word, so the spaces stand alone."
        yield case(f"context-line-end-{name}", why, context, {"regex": f"\\{mark}\\n \\nx(y|z)"}, [mark])
    yield case("context-broken", "A sampled half of a character.", context, {"regex": "日本(語|人)"}, ["日"])


CASES = tuple(cases())
