"""Where something is: token 57 of 131, character 214, inside message 3 'tool', scaffold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject
from tokenspec.areas.render.checks.laying import Label, decoded, ids_of, laid, laid_canonically

if TYPE_CHECKING:
    from tokenspec.models import Row


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
    return decoded(question.cell.row, ids)


def encode(question: Question, text: str) -> list[int]:
    """One encode of a whole text, without added special tokens."""
    ids: list[int] = row_of(question).vocabulary.encode(text, add_special_tokens=False)
    return ids


def comes_back(question: Question, text: str) -> bool:
    """Whether the row's tokenizer decodes what it encodes; half of a surrogate pair it cannot encode."""
    is_unicode = text == text.encode(errors="replace").decode()
    return is_unicode and decode(question, encode(question, text)) == text


def labels_of(subject: Subject) -> tuple[Label, ...]:
    """Per token of the output its kind and message, by the rule the row names."""
    return laid(subject).labels(row_of(subject).spec.wire.straddle)


def expected_labels(question: Question) -> tuple[Label, ...] | None:
    """The same of the canonical tokens; None where the oracle cannot tell."""
    canonical = laid_canonically(question)
    return None if canonical is None else canonical.labels(row_of(question).spec.wire.straddle)


def describe(subject: Subject, token: int) -> str:
    """The printed place of one token of the output."""
    place = f"token {token} of {len(ids_of(subject))}"
    try:
        under = laid(subject)
        start = under.starts[token]
    except (NotGiven, NotComparable, IndexError):
        return place
    kind, message = under.characters.at(start)
    owner = f"inside message {message} {role_of(subject, message)!r}, " if message is not None else ""
    return f"{place} (character {start}, {owner}{kind})"


def show(question: Question, ids: list[int]) -> str:
    """A few tokens as ``151658 '</tool_response>'   198 'x'``."""
    return "   ".join(f"{id_} {decode(question, [id_])!r}" for id_ in ids) or "(nothing)"
