"""Where something is: token 57 of 131, character 214, inside message 3 'tool', scaffold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from tokenspec.areas.check import NotGiven, Question, Subject
from tokenspec.models import load
from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from tokenspec.areas.render.records import RenderExpect, SpanKind
    from tokenspec.models import Row

LONGEST_TOKEN = 256
BODY: frozenset[str] = frozenset({"content", "sampled"})
Label = tuple["SpanKind", "int | None"]


@dataclass(frozen=True)
class CharacterMap:
    """The oracle's spans as a lookup from character to (kind, message)."""

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


@lru_cache(maxsize=8)
def _character_map(spans: tuple[tuple[SpanKind, int | None, int, str], ...]) -> CharacterMap:
    return CharacterMap(tuple(accumulate(len(span[3]) for span in spans)), tuple((span[0], span[1]) for span in spans))


@lru_cache(maxsize=8)
def _starts(row: str, ids: tuple[int, ...], text: str) -> tuple[int, ...] | None:
    starts = token_starts(load(row).tokenizer, list(ids), text)
    return None if starts is None else tuple(starts)


def character_map(question: Question) -> CharacterMap:
    """Who owns which character, by the oracle. Raises NotGiven where the oracle could not tell."""
    expect: RenderExpect = question.expect
    if expect.unattributed is not None:
        raise NotGiven(f"the oracle cannot attribute this text: {expect.unattributed}")
    return _character_map(tuple(expect.spans))


def row_of(question: Question) -> Row:
    """The one row of a render cell."""
    return question.rows[question.cell.row]


def count_of(question: Question) -> int:
    """How many messages the caller has; what is no list holds none."""
    messages = question.input["messages"]
    return len(messages) if isinstance(messages, list) else 0


def role_of(question: Question, message: int) -> object:
    """The role of a message of the caller; None where there is no such message, or it is no mapping."""
    found = question.input["messages"][message] if message < count_of(question) else None
    return found.get("role") if isinstance(found, dict) else None


def decode(question: Question, ids: Sequence[int]) -> str:
    """The text of some ids; one that the tokenizer does not have is no text."""
    tokenizer = row_of(question).tokenizer
    known = [id_ for id_ in ids if 0 <= id_ < 2**32]
    decoded: str = tokenizer.decode(known, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    return decoded


def starts_of(subject: Subject) -> tuple[int, ...]:
    """The first character of each token of the *output*. Raises NotGiven when the ids spell another text."""
    starts = _starts(subject.cell.row, tuple(subject.output.token_ids), subject.expect.text)
    if starts is None:
        raise NotGiven("the ids do not spell the expected text, so masks cannot be laid over it (see the IDS verdict)")
    return starts


def expected_starts(question: Question) -> tuple[int, ...] | None:
    """The first character of each canonical token; None where they do not spell the expected text."""
    return _starts(question.cell.row, tuple(question.expect.token_ids), question.expect.text)


def labels_of(subject: Subject) -> list[Label]:
    """Per token of the output its kind and message, by the rule the row names (``first-char`` or ``overlap``)."""
    character_map(subject)
    return _labels(subject, starts_of(subject))


def expected_labels(question: Question) -> list[Label] | None:
    """The same of the canonical tokens; None where the oracle cannot tell."""
    starts = None if question.expect.unattributed is not None else expected_starts(question)
    return None if starts is None else _labels(question, starts)


def _labels(question: Question, starts: Sequence[int]) -> list[Label]:
    characters = character_map(question)
    first = [characters.at(start) for start in starts]
    if row_of(question).spec.wire.straddle == "first-char":
        return first
    return [
        label if label[0] in BODY else characters.first_body(start, end) or label
        for label, start, end in zip(first, starts, ends_of(question, starts), strict=True)
    ]


def ends_of(question: Question, starts: Sequence[int]) -> list[int]:
    """The first character after each token; a token is never longer than the longest word of a vocabulary."""
    following = [*starts, len(question.expect.text)][1:]
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
    owner = f"inside message {message} {role_of(subject, message)!r}, " if message is not None else ""
    return f"{place} (character {start}, {owner}{kind})"


def show(question: Question, ids: list[int]) -> str:
    """A few tokens as ``151658 '</tool_response>'   198 'x'``."""
    return "   ".join(f"{id_} {decode(question, [id_])!r}" for id_ in ids) or "(nothing)"
