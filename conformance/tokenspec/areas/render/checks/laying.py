"""The oracle's spans laid over what an implementation gave: whose character is it, and whose token.

The oracle owns characters, and a token belongs to the character it begins in. So masks are judged over the
implementation's own tokens: where they spell the expected text directly, and where they spell another one over the
bodies that are found in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject
from tokenspec.areas.difference import first_difference
from tokenspec.models import load
from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from tokenspec.areas.render.records import RenderExpect, SpanKind

LONGEST_TOKEN = 256
FAR_LONGER, MOST_TOKENS = 20, 10_000
BODY: frozenset[str] = frozenset({"content", "sampled"})
Label = tuple["SpanKind", "int | None"]
Span = tuple["SpanKind", "int | None", int, str]


@dataclass(frozen=True)
class CharacterMap:
    """Spans as a lookup from character to (kind, message)."""

    ends: tuple[int, ...]
    labels: tuple[Label, ...]

    def at(self, character: int) -> Label:
        """Kind and message of a character; past the end counts as the last span, an empty text is scaffold."""
        if not self.labels:
            return "scaffold", None
        return self.labels[min(bisect_right(self.ends, character), len(self.labels) - 1)]

    def first_body(self, start: int, end: int) -> Label | None:
        """The first label of caller content among the characters ``start..end``, or None."""
        labels = (self.at(character) for character in range(start, end))
        return next((label for label in labels if label[0] == "content"), None)


@dataclass(frozen=True)
class Laid:
    """Tokens under characters: the text they spell, where each begins and ends in it, and who owns which character."""

    text: str
    starts: tuple[int, ...]
    characters: CharacterMap

    @property
    def ends(self) -> list[int]:
        """The first character after each token; a token is never longer than the longest word of a vocabulary."""
        following = [*self.starts, len(self.text)][1:]
        return [
            min(max(start + 1, end), start + LONGEST_TOKEN) for start, end in zip(self.starts, following, strict=True)
        ]

    @lru_cache(maxsize=8)  # noqa: B019 - every check of a cell asks for the same; the last few answers are kept
    def labels(self, straddle: str) -> tuple[Label, ...]:
        """Per token its kind and message, by the rule a row names (``first-char`` or ``overlap``)."""
        first = tuple(map(self.characters.at, self.starts))
        if straddle == "first-char":
            return first
        return tuple(
            label if label[0] in BODY else self.characters.first_body(start, end) or label
            for label, start, end in zip(first, self.starts, self.ends, strict=True)
        )


@lru_cache(maxsize=8)
def _character_map(spans: tuple[Span, ...]) -> CharacterMap:
    return CharacterMap(tuple(accumulate(len(span[3]) for span in spans)), tuple((span[0], span[1]) for span in spans))


@lru_cache(maxsize=8)
def _starts(row: str, ids: tuple[int, ...], text: str) -> tuple[int, ...] | None:
    starts = token_starts(load(row).vocabulary, list(ids), text)
    return None if starts is None else tuple(starts)


def character_map(question: Question) -> CharacterMap:
    """Who owns which character of the expected text. Raises NotComparable where the oracle could not tell."""
    expect: RenderExpect = question.expect
    if expect.unattributed is not None:
        raise NotComparable(f"the oracle cannot attribute this text: {expect.unattributed}")
    return _character_map(tuple(expect.spans))


def ids_of(subject: Subject) -> list[int]:
    """The ids of the output. Raises NotGiven where it is text alone."""
    ids: list[int] | None = subject.output.token_ids
    if ids is None:
        raise NotGiven("gives text and no ids")
    return ids


def are_far_more(ids: Sequence[int], expected: Sequence[int]) -> bool:
    """Whether there are so many more tokens than expected that comparing texts would take longer than it tells."""
    return len(ids) > MOST_TOKENS + FAR_LONGER * len(expected)


def laid(subject: Subject) -> Laid:
    """The oracle's spans over the tokens of the output.

    Raises:
        NotGiven: there are no tokens.
        NotComparable: the oracle could not tell, the ids spell no text that is known, or a body is not found in it.
    """
    characters, row, ids = character_map(subject), subject.cell.row, tuple(ids_of(subject))
    expected: str = subject.expect.text
    starts = _starts(row, ids, expected)
    if starts is not None:
        return Laid(expected, starts, characters)
    if are_far_more(ids, subject.expect.token_ids):
        raise NotComparable(f"{len(ids):,} tokens, so many more than expected that nothing is laid over them")
    text = subject.output.text if subject.output.text not in {None, expected} else decoded(row, ids)
    starts = _starts(row, ids, text)
    if starts is None:
        raise NotComparable(
            "the ids spell neither the expected text nor a known one, so masks cannot be laid over them"
        )
    return Laid(text, starts, _character_map(found_in(text, tuple(subject.expect.spans))))


def laid_canonically(question: Question) -> Laid | None:
    """The same for the canonical tokens; None where the oracle cannot tell or they do not spell the text."""
    expect: RenderExpect = question.expect
    if expect.unattributed is not None:
        return None
    starts = _starts(question.cell.row, tuple(expect.token_ids), expect.text)
    return None if starts is None else Laid(expect.text, starts, character_map(question))


def decoded(row: str, ids: Sequence[int]) -> str:
    """The text of some ids; one that the tokenizer does not have is no text."""
    text: str = load(row).vocabulary.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    return text


@lru_cache(maxsize=8)
def found_in(text: str, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans of the expected text as they stand in another one.

    What is no body is scaffold, and nobody's (``unattributed``) between two bodies where the texts differ. A body
    that lies before the first difference or after the last one keeps its place; one between them has to stand there
    once, behind the body before it.

    Raises:
        NotComparable: a body does not, so nobody can say which characters are its own; or there is none to find.
    """
    expected = "".join(span[3] for span in spans)
    before = first_difference(expected, text)
    after = first_difference(expected[before:][::-1], text[before:][::-1])
    found: list[Span] = []
    at = start = 0
    for kind, message, tokens, part in spans:
        begin, start = start, start + len(part)
        if not part or kind in {"scaffold", "unattributed"}:
            continue
        if start <= before:
            place = begin
        elif begin >= len(expected) - after:
            place = begin + len(text) - len(expected)
        else:
            place = text.find(part, at)
            if place < 0 or text.find(part, place + 1) >= 0:
                which = "the generation prompt" if message is None else f"the body of message {message}"
                raise NotComparable(f"another text, and {which} is not to be told in it")
        if place < at:
            raise NotComparable("another text, and its bodies stand in another order")
        found += [*_between(text, at, place, before, len(text) - after), (kind, message, tokens, part)]
        at = place + len(part)
    if not found:
        raise NotComparable("another text, and it has no body to be told by")
    return (*found, *_between(text, at, len(text), before, len(text) - after))


def _between(text: str, start: int, end: int, differs: int, agrees: int) -> Iterator[Span]:
    """What stands between two bodies: nobody's where the texts differ in it (from ``differs`` up to ``agrees``).

    All of it, for a difference may end in characters that are alike by chance.
    """
    if start < end:
        yield "unattributed" if start <= agrees and end >= differs else "scaffold", None, 0, text[start:end]
