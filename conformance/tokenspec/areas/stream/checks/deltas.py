"""DELTAS: what is told when, and how calls grow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokenspec.areas.check import NotComparable, Question, Subject, Violation, check
from tokenspec.areas.parse.checks.texts import ends_with_a_stop, knows
from tokenspec.areas.stream.checks.ending import has_tokens, require_words

if TYPE_CHECKING:
    from tokenspec.areas.stream.records import Delta

LONG = 5
"""Words from which on a text is not told with its last one."""


@check("stream.causal", area="stream", level="DELTAS", requires=("RND-087",), kind="metamorphic", applies=has_tokens)
def no_delta_knows_what_follows(subject: Subject) -> None:
    """A delta a chunk and one for the end; those of the first chunks are the same without the others."""
    chunks, deltas = subject.request["chunks"], subject.output.deltas
    if len(deltas) != len(chunks) + 1:
        raise Violation("not a delta for each chunk and one for the end", expected=len(chunks) + 1, got=len(deltas))
    require_words(subject)
    half = len(chunks) // 2
    alone: list[Delta] = subject.output_of({**subject.request, "chunks": chunks[:half]}).deltas
    if len(alone) != half + 1:
        raise Violation("not a delta for each chunk and one for the end", expected=half + 1, got=len(alone))
    for place, (one, other) in enumerate(zip(alone[:half], deltas, strict=False)):
        if one != other:
            raise Violation(
                "a delta is another one where more follows", where=f"chunk {place}", expected=repr(one), got=repr(other)
            )


@check("stream.calls", area="stream", level="DELTAS", requires=("RND-088",), applies=has_tokens)
def calls_grow_in_order(subject: Subject) -> None:
    """Calls are told one after the other, name first, name and id once."""
    parts = [(place, part) for place, delta in enumerate(subject.output.deltas) for part in delta.tool_calls]
    last = -1
    named = identified = False
    for place, part in parts:
        where = f"chunk {place}, call {part.index}"
        if part.index == last + 1:
            last, named, identified = part.index, False, False
        elif part.index != last:
            raise Violation("another call than the last one or the next", where=where, expected=last, got=part.index)
        elif part.name is not None:
            told = "a name is told twice" if named else "arguments stand before the name"
            raise Violation(told, where=where, got=part.name)
        if identified and part.id is not None:
            raise Violation("an id is told twice", where=where, got=part.id)
        named, identified = named or part.name is not None, identified or part.id is not None
    if not parts:
        raise NotComparable("tells no call")


def closes_a_thought(question: Question) -> bool:
    """Whether the prompt, where it is given, ends with a thought that it closed itself."""
    prompt = question.rows[question.cell.row].vocabulary.decode(question.expect.prompt_ids)
    return question.request["prompt_ids"] is not None and bool(re.search(r"</think[^<>]*>\s*\Z", prompt))


def long_texts(question: Question) -> list[str]:
    """The texts of some length that came to their end, and that nothing behind them could have made another text of."""
    expect, features = question.expect, question.rows[question.cell.row].spec.features
    if expect.reasoning_complete is False:
        return []
    found = ["reasoning_content"]
    begins_as_json = (expect.content or "").lstrip().startswith(("{", "["))  # so do calls
    thinks = "thinking" in features and not expect.reasoning_content and not closes_a_thought(question)
    if not thinks and not begins_as_json:
        found.append("content")
    return [name for name in found if knows(question, name) and len((getattr(expect, name) or "").split()) >= LONG]


@check(
    "stream.live",
    area="stream",
    level="DELTAS",
    requires=("RND-089",),
    kind="golden",
    applies=lambda question: bool(long_texts(question)),
)
def what_is_known_is_told(subject: Subject) -> None:
    """The first half of a thought, or of an answer, is told before its last word came."""
    chunks, deltas = subject.request["chunks"], subject.output.deltas
    for name in long_texts(subject):
        text = getattr(subject.expect, name).strip()
        came = told = ""
        for chunk, delta in zip(chunks, deltas, strict=False):
            came += chunk["text"]
            told += getattr(delta, name) or ""
            if text[: -len(text.split()[-1])] in came:
                break
        if len(told.strip()) < len(text) // 2:
            raise Violation(f"{name} is held back until it ends", expected=repr(text[: len(text) // 2]), got=repr(told))


@check("stream.stop", area="stream", level="DELTAS", requires=("RND-089",), applies=ends_with_a_stop)
def the_stop_token_leaves_nothing(subject: Subject) -> None:
    """Behind the token that ends the turn nothing is left to be told."""
    require_words(subject)
    last = subject.output.deltas[-1]
    if last.content or last.reasoning_content or last.tool_calls:
        raise Violation("something is told only behind the chunk with the stop token", got=repr(last))
