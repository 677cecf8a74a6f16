"""All that strict may force: texts that are too many to compare one by one, and few enough for the oracle to.

An endless grammar tells when too much is forced; what all texts share is known only where all texts are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import case, closed, schema
from tokenspec.store.records import Case

NOTHING, TEXT, WHOLE = ({"type": kind} for kind in ("null", "string", "integer"))
BYTES = ["toy-bpe", "toy-ranks"]
ALL = [*BYTES, "toy-metaspace"]
SPACES = {
    "letters": "a  [XZ]{1,6}",
    "many-letters": "a     [XZ]{1,6}",
    "at-the-start": "  [XZ]{1,6}",
    "after-a-tab": "a\\t [XZ]{1,6}",
    "after-a-line": "a\\n  [XZ]{1,6}",
    "after-a-mark": "a' [XZ]{1,6}",
    "letters-or-end": "a  ([XZ]{1,6})?",
    "letters-or-another": "a  ([XZ]{1,6})?b",
    "letters-or-tabs": "a  (é{1,9}|\\t{1,9});",
    "letters-of-two-scripts": "a  (é{1,9}|x{1,9});",
    "marks": "a   ([!]{1,9}x|[?]{1,9}y)",
    "named": "a  (é|\u3000)[XZ]{1,5}",
    "many-named": "a  [\u00a0à-ð][XZ]{1,2}",
    "or-a-letter": "a {3}[ X]Z{0,20};",
    "or-a-letter-later": "a {7}[ X]Z{0,20};",
    "lines": "a\\n[\\n ]{1,5}b",
    "and-lines": "a [\\n ]{1,5}b",
    "lines-or-spaces": "a[\\n ]{1,6}b",
    "indented": "    return [a-c]{1,3}",
    "wide": "\u3000[à-ÿ]y",
}
WORDS = {
    "word": "weather[q-z]{1,2}!",
    "word-that-ends": " weather[!]{1,20}x",
    "word-that-may-end": " weather( [a-e]{1,2})?",
    "two-words": "hello [a-c]{1,3}",
    "two-lines": "hello\\n[a-c\\n]{1,3}",
    "contraction": "I'[a-z];",
    "contraction-later": "don't[a-z];",
    "capitals": "HTTP[A-Z][a-e]?",
    "capital-then-letters": "httpR[a-e]{1,3}",
    "capital-after-a-word": "the [A-Z][a-e]?",
    "code": "if x == [a-c]{1,3}:",
    "quoted": '\\{"[a-c]{1,3}":',
}
MERGED = {
    "word-after-a-space": " weather[q-z]{1,2}!",
    "word-of-the-vocabulary": "required[q-z]{1,2}!",
    "word-with-accents": "Grüße[q-z]{1,2}!",
    "word-one-more": " answers[q-z]{1,2}!",
}
"""Words that toy-ranks takes whole: what they share when they go on is more than is proven there."""
OTHERS = {
    "digits": "12345[0-9]{1,2}",
    "digits-after-a-letter": "v123456[0-9]{1,2}x",
    "digits-after-a-mark": "\\$[0-9]{1,2}\\.",
    "decimals": "3\\.14[0-9]{1,2}",
    "half-character": "x[à-ÿ]y",
    "half-character-after-a-space": " [à-ÿ]y",
    "half-character-after-an-accent": "aé[à-ÿ]b",
    "half-character-of-three": "日[本語人々文字学生先日月火水木金土]x",
    "combining": "é[\u0301\u0302a-e]{1,2}x",
}
FOUR_BYTES = {"half-character-of-four": "x[🙀-🙏]y", "half-character-of-four-and-space": "x[🙀-🙏] y"}


def few() -> Iterator[tuple[str, dict[str, Any]]]:
    """Grammars of few texts, on a row where only texts that are compared one by one are forced."""
    yield "class-of-twelve", {"regex": "a  [a-l]"}
    yield "counted", {"regex": "a  (?:X{1,3}|Z{2,4})"}
    yield "optional-parts", {"regex": "a  X?Y?Z?"}
    yield "pattern", schema({**TEXT, "pattern": "^a  [XZ]{1,2}$"})
    yield "pattern-with-length", schema({**TEXT, "pattern": "^a  [XZ]+$", "maxLength": 5})
    yield "numbers", schema({**WHOLE, "minimum": 10, "maximum": 12})
    yield "numbers-of-many-digits", schema({**WHOLE, "minimum": 12340, "maximum": 12349})
    yield "words", schema({"enum": ["a  X", "a  Y", "a  Z", "a  "]})
    yield "words-one-in-another", {"alternatives": ["a  ", "a  X", "a  XX", "a  Y"]}
    names = {f"a  {name}": NOTHING for name in "XYZ"}
    yield "members", schema(closed([], names))
    yield "members-one-required", schema(closed(["a  Z"], names))
    yield "members-of-values", schema(closed(["a  X"], {"a  X": {"enum": ["a  1", "a  2"]}, "b": {"enum": [1, 2]}}))
    yield "items", schema({"type": "array", "items": {"enum": ["a  X", "a  Y"]}, "minItems": 1, "maxItems": 2})
    yield "first-items", schema({"type": "array", "prefixItems": [{"const": "a  "}, {"enum": [1, 2]}], "items": False})


def cases() -> Iterator[Case]:
    """Cases ``shares-*`` and ``few-*``."""
    why = "Too many texts to compare one by one: all that they share is forced."
    for patterns, rows in (
        (SPACES, ALL),
        (WORDS, ALL),
        (MERGED, ["toy-bpe", "toy-metaspace"]),
        (OTHERS, ALL),
        (FOUR_BYTES, BYTES),
    ):
        for name, pattern in patterns.items():
            yield case(f"shares-{name}", why, "CONTINUATIONS", {"regex": pattern}, rows=rows)
    for name, pattern in {**SPACES, **OTHERS}.items():
        if pattern[0] not in "\\ \u3000":
            slug = f"shares-{name}-in-context"
            yield case(slug, why, "CONTINUATIONS", {"regex": pattern}, [pattern[0]], rows=BYTES)
    why = "Few texts are compared one by one, whatever the tokenizer does."
    for name, grammar in few():
        yield case(f"few-{name}", why, "CONTINUATIONS", grammar, rows=["toy-added", "toy-bpe"])
    for name, inside in (("two", "[XZ]"), ("twelve", "[a-l]")):
        given, alike = {"regex": f"(?=a)a  {inside}"}, {"regex": f"a  {inside}"}
        yield case(f"few-looks-ahead-{name}", why, "CONTINUATIONS", given, rows=["toy-added", "toy-bpe"], alike=alike)


CASES = tuple(cases())
