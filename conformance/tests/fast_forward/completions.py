"""An oracle of FFT-020 that shares nothing with the core: texts made together with their grammar, encoded whole.

A question is a forced text, what may follow it, and texts that follow, drawn while the grammar was written. A forced
token is wrong if the tokenizer itself, given one of those texts whole, does not produce it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.fast_forward import Alternatives, InOrder, Literal, Regex, after, canonical_ff_tokens

Encode = Callable[[str], list[int]]
Spell = Callable[[list[int]], bytes | None]

RANGES = [
    *((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x2F), (0x09, 0x0D), (0xA0, 0xFF), (0x100, 0x17F)),
    *((0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF), (0x900, 0x97F)),
    *((0xE00, 0xE7F), (0x1100, 0x11FF), (0x1700, 0x17FF), (0x2000, 0x206F), (0x2190, 0x21FF), (0x3000, 0x30FF)),
    *((0x3400, 0x34FF), (0x4E00, 0x4FFF), (0x9F00, 0x9FFF), (0xAC00, 0xACFF), (0xFE70, 0xFEFF), (0xFF00, 0xFFEF)),
    *((0x10000, 0x100FF), (0x1D400, 0x1D4FF), (0x1F300, 0x1F64F), (0x20000, 0x200FF), (0xE0100, 0xE01EF)),
]
GLUE = [
    "",
    " ",
    "  ",
    "\n",
    "\n\n",
    " \n",
    "\t",
    "'",
    '"',
    "/",
    "_",
    "-",
    ".",
    "1",
    "12",
    "A",
    "ab",
    "AB",
    "Ab",
    "é",
    "漢",
]


@dataclass(frozen=True)
class Asked:
    """A grammar after some tokens, and texts it has from the very beginning.

    Attributes:
        grammar: from the beginning.
        before: pieces of text, each tokenised for itself: the tokens so far.
        texts: whole texts, beginning with ``before``.
    """

    grammar: Any
    before: tuple[str, ...]
    texts: tuple[str, ...]


def wrong(vocabulary: Any, asked: Asked, encode: Encode, spell: Spell) -> str | None:
    """What is wrong about the strict answer; None where nothing was found."""
    prefix = [token for piece in asked.before for token in encode(piece)]
    state = after(asked.grammar, "".join(asked.before).encode())
    if state is None or spell(prefix) != "".join(asked.before).encode():
        return None
    tokens, _ = canonical_ff_tokens(vocabulary, state, prefix, mode="strict")
    wanted = prefix + tokens
    for text in asked.texts:
        ids = encode(text)
        if ids[: len(prefix)] == prefix and spell(ids) == text.encode() and ids[: len(wanted)] != wanted:
            return f"{asked.before} then {tokens}, but {text!r} is {ids}"
    return None


def questions(words: Sequence[str], rng: random.Random) -> Iterator[Asked]:
    """Without end: ranges of characters, alternatives around tokens, runs of classes."""
    while True:
        yield from rng.choice((by_range, by_token, by_classes))(words, rng)


def by_range(words: Sequence[str], rng: random.Random) -> Iterator[Asked]:
    """One character out of a range between two texts."""
    low, high = rng.choice(RANGES)
    low = rng.randint(low, high)
    high = rng.randint(low, high)
    first, last = some_text(words, rng), some_text(words, rng)
    codes = {low, high, *(rng.randint(low, high) for _ in range(40))} if high - low > 80 else range(low, high + 1)
    grammar = InOrder([Literal(first), Regex(f"[{escaped(low)}-{escaped(high)}]"), Literal(last)])
    yield split(grammar, first, [first + chr(code) + last for code in sorted(codes)], rng)


def by_token(words: Sequence[str], rng: random.Random) -> Iterator[Asked]:
    """Many alternatives; some of them complete a token that begins in what is forced."""
    shared = some_text(words, rng)
    ends = {some_text(words, rng) for _ in range(rng.randint(2, 18))}
    for _ in range(rng.randint(1, 6)):
        word = rng.choice(words)
        cut = rng.randint(0, len(word))
        if shared.endswith(word[:cut]):
            ends.add(word[cut:] + rng.choice(GLUE))
    word = rng.choice(words)
    if len(word) > 1:
        cut = rng.randint(1, len(word) - 1)
        shared += word[:cut]
        ends |= {word[cut:] + glue for glue in rng.sample(GLUE, 3)}
    texts = [shared + end for end in sorted(ends)]
    yield split(Alternatives(texts), shared, texts, rng)


def by_classes(words: Sequence[str], rng: random.Random) -> Iterator[Asked]:
    """A text, then any number of characters out of a few ranges, then perhaps another text."""
    shared = some_text(words, rng)
    chosen = [rng.choice(RANGES) for _ in range(rng.randint(1, 3))]
    inside = "".join(f"{escaped(low)}-{escaped(high)}" for low, high in chosen)
    last = rng.choice(["", "", '"', " ", "\n"])
    grammar = InOrder([Literal(shared), Regex(f"[{inside}]*"), Literal(last)])

    def char() -> str:
        low, high = rng.choice(chosen)
        return chr(rng.randint(low, high))

    def fits(text: str) -> bool:
        return all(any(low <= ord(c) <= high for low, high in chosen) for c in text)

    runs = ["".join(char() for _ in range(rng.randint(0, 4))) for _ in range(24)]
    runs += [word[cut:] for word in rng.sample(words, min(60, len(words))) for cut in range(min(3, len(word)))]
    texts = [shared + run + last for run in runs if fits(run)]
    for word in rng.sample(words, min(200, len(words))):
        cut = next((n for n in range(len(word) - 1, 0, -1) if shared.endswith(word[:n])), 0)
        if cut and fits(word[cut:]):
            texts.append(shared + word[cut:] + last)
    yield split(grammar, shared, texts, rng)


def split(grammar: Any, shared: str, texts: Sequence[str], rng: random.Random) -> Asked:
    """With none, one or two pieces of the shared text as the tokens so far."""
    if rng.random() < 0.5 or not shared:
        return Asked(grammar, (), tuple(texts))
    cut = rng.randint(0, len(shared))
    middle = rng.randint(0, cut)
    pieces = (shared[:middle], shared[middle:cut]) if rng.random() < 0.5 else (shared[:cut],)
    return Asked(grammar, tuple(piece for piece in pieces if piece), tuple(texts))


def some_text(words: Sequence[str], rng: random.Random) -> str:
    """Tokens, letters and white space, one after the other."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        if kind < 0.5:
            word = rng.choice(words)
            parts.append(word if rng.random() < 0.6 else word[: rng.randint(0, len(word))])
        elif kind < 0.8:
            parts.append(rng.choice(GLUE))
        else:
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 3))))
    return "".join(parts)


def escaped(code: int) -> str:
    """A character inside a class."""
    return "\\" + chr(code) if code < 0x80 and not chr(code).isalnum() and code >= 0x20 else chr(code)
