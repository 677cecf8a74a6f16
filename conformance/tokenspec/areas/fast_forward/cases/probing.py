"""Texts that tell one language from another: members, what is next to them, and the edges of ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokenspec.areas.fast_forward.cases.build import case
from tokenspec.store.records import Case

SURROGATES = range(0xD800, 0xE000)
EDGES = (0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)
CHARACTERS = [chr(code) for code in (*range(0x80), *EDGES, 0xE9, 0x3A9, 0x65E5, 0x1F642)]
MOST = 160


def probing(
    slug: str,
    why: str,
    flags: str,
    grammar: dict[str, Any],
    probes: Sequence[Any],
    requires: Sequence[str] = (),
    **given: Any,
) -> Case:
    """A case that asks which of some texts belong to a grammar."""
    return case(
        slug,
        why,
        flags,
        grammar,
        requires=("FFT-042", *requires),
        vocabulary={"merged": ["ab"]},
        probes=list(probes),
        **given,
    )


def near(*members: str) -> list[Any]:
    """Texts, and each with one character left out, doubled, or changed to one of its neighbours; cut in a character."""
    found: dict[str, None] = dict.fromkeys(members)
    for text in members:
        found.update(dict.fromkeys(_edited(text)))
    whole: list[Any] = list(found)[:MOST]
    return whole + [{"hex": cut.hex()} for cut in map(_cut, members) if cut is not None]


def _edited(text: str) -> Iterator[str]:
    for at, char in enumerate(text):
        yield text[:at] + text[at + 1 :]
        yield text[:at] + char + text[at:]
        for code in (ord(char) - 1, ord(char) + 1):
            if 0 <= code <= 0x10FFFF and code not in SURROGATES:
                yield text[:at] + chr(code) + text[at + 1 :]
    yield text + "a"


def _cut(text: str) -> bytes | None:
    """The text without its last byte, where that breaks a character."""
    data = text.encode()[:-1]
    try:
        data.decode()
    except UnicodeDecodeError:
        return data
    return None


def around(low: int, high: int) -> list[Any]:
    """Both ends of a range of characters, the ends of the UTF-8 blocks that they lie in, and one further each."""
    codes: set[int] = set()
    for end in (low, high):
        for bits in (0, 6, 12, 18):
            block = (1 << bits) - 1
            codes |= {(end & ~block) - 1, end & ~block, end | block, (end | block) + 1}
    return singles([*codes, *EDGES, 0x7F])


def singles(codes: Iterable[int]) -> list[Any]:
    """Single characters, and the first byte of each that has several."""
    texts = [chr(code) for code in sorted(set(codes)) if 0 <= code <= 0x10FFFF and code not in SURROGATES]
    cuts = {text.encode()[:-1] for text in texts if len(text.encode()) > 1}
    return [*texts, *({"hex": cut.hex()} for cut in sorted(cuts))]
