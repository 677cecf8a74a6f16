"""Where something is: token 57 of 131, character 214, inside message 3 'tool', scaffold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from tokenspec.areas.check import NotGiven, Subject
from tokenspec.models import load
from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from tokenspec.areas.render.records import RenderExpect, SpanKind
    from tokenspec.models import Row

LONGEST_TOKEN = 256
BODY: frozenset[str] = frozenset({"content", "sampled"})


@dataclass(frozen=True)
class CharacterMap:
    """The oracle's spans as a lookup from character to (kind, message)."""

    ends: tuple[int, ...]
    labels: tuple[tuple[SpanKind, int | None], ...]

    def at(self, character: int) -> tuple[SpanKind, int | None]:
        """Kind and message of a character; past the end counts as the last span, an empty text is scaffold."""
        if not self.labels:
            return "scaffold", None
        return self.labels[min(bisect_right(self.ends, character), len(self.labels) - 1)]

    def first_body(self, start: int, end: int) -> tuple[SpanKind, int | None] | None:
        """The first label of caller content among the characters ``start..end``, or None."""
        labels = (self.at(character) for character in range(start, end))
        return next((label for label in labels if label[0] == "content"), None)


@lru_cache(maxsize=8)
def _character_map(spans: tuple[tuple[SpanKind, int | None, int, str], ...]) -> CharacterMap:
    return CharacterMap(tuple(accumulate(len(span[3]) for span in spans)), tuple((span[0], span[1]) for span in spans))


@lru_cache(maxsize=8)
def _starts(row: str, ids: tuple[int, ...], text: str) -> tuple[int, ...] | None:
    starts = token_starts(load(row).tokenizer, list(ids), text)
    return None if starts is None else tuple(starts)


def character_map(subject: Subject) -> CharacterMap:
    """Who owns which character, by the oracle. Raises NotGiven where the oracle could not tell."""
    expect: RenderExpect = subject.expect
    if expect is None:
        raise NotGiven("no golden")
    if expect.unattributed is not None:
        raise NotGiven(f"the oracle cannot attribute this text: {expect.unattributed}")
    return _character_map(tuple(expect.spans))


def row_of(subject: Subject) -> Row:
    """The one row of a render cell."""
    return subject.rows[subject.cell.row]


def starts_of(subject: Subject) -> tuple[int, ...]:
    """The first character of each token of the *output*. Raises NotGiven when the ids spell another text."""
    if subject.expect is None:
        raise NotGiven("no golden")
    starts = _starts(subject.cell.row, tuple(subject.output.token_ids), subject.expect.text)
    if starts is None:
        raise NotGiven("the ids do not spell the expected text, so masks cannot be laid over it (see the IDS verdict)")
    return starts


def labels_of(subject: Subject) -> list[tuple[SpanKind, int | None]]:
    """Per token of the output its kind and message, by the rule the row names (``first-char`` or ``overlap``)."""
    characters, starts = character_map(subject), starts_of(subject)
    first = [characters.at(start) for start in starts]
    if row_of(subject).spec.wire.straddle == "first-char":
        return first
    return [
        label if label[0] in BODY else characters.first_body(start, end) or label
        for label, start, end in zip(first, starts, ends_of(subject, starts), strict=True)
    ]


def ends_of(subject: Subject, starts: Sequence[int]) -> list[int]:
    """The first character after each token; a token is never longer than the longest word of a vocabulary."""
    following = (*starts[1:], len(subject.expect.text))
    return [min(max(start + 1, end), start + LONGEST_TOKEN) for start, end in zip(starts, following, strict=True)]


def describe(subject: Subject, token: int) -> str:
    """The printed place of one token of the output."""
    ids = subject.output.token_ids
    place = f"token {token} of {len(ids)}"
    try:
        start = starts_of(subject)[token]
        kind, message = character_map(subject).at(start)
    except (NotGiven, IndexError):
        return place
    messages = subject.input["messages"]
    owner = f"inside message {message} {messages[message].get('role')!r}, " if message is not None else ""
    return f"{place} (character {start}, {owner}{kind})"


def show(subject: Subject, ids: list[int]) -> str:
    """A few tokens as ``151658 '</tool_response>'   198 'x'``."""
    tokenizer = row_of(subject).tokenizer
    return "   ".join(f"{id_} {tokenizer.decode([id_], skip_special_tokens=False)!r}" for id_ in ids) or "(nothing)"
