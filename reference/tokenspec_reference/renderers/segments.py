"""The shape of a wire format: an ordered list of declared pieces of text.

A family yields :class:`Block` values in the order of the wire. A block belongs to one caller message (or to none, -1)
and consists of segments. Three constructors say what a piece of text is, and nothing else in the package decides it:

======================  ==============  =================
constructor             counts as body  typed by the caller
======================  ==============  =================
``scaffold("<|im_end|>")``  no          no
``body(content)``           yes         yes
``quoted(tool_json)``       no          yes
======================  ==============  =================

``quoted`` is caller text outside a message body (tool schemas, role names, dates). The difference to ``scaffold``
matters for ``encoding="isolated"`` only: control-token text in it stays plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OUTSIDE = -1
"""Owner of text that belongs to no caller message (BOS, tools block, generation prompt)."""


class Segment(NamedTuple):
    """One piece of text with what is known about all of its characters."""

    text: str
    is_body: bool
    is_supplied: bool


class Block(NamedTuple):
    """Consecutive text of one owner; ``sampled`` is the part of an assistant turn that the model emits.

    ``prompt`` is the generation prompt this turn continued, where it is not the one of the whole conversation.
    """

    owner: int
    opener: tuple[Segment, ...]
    sampled: tuple[Segment, ...] = ()
    closer: tuple[Segment, ...] = ()
    prompt: str | None = None


def scaffold(text: str) -> Segment:
    """Text the template writes by itself."""
    return Segment(text, is_body=False, is_supplied=False)


def body(text: str) -> Segment:
    """Text of a message body: content, reasoning, tool call names and arguments."""
    return Segment(text, is_body=True, is_supplied=True)


def quoted(text: str) -> Segment:
    """Caller text that is no message body: tool schemas, role names, dates."""
    return Segment(text, is_body=False, is_supplied=True)


def block(owner: int, *segments: Segment) -> Block:
    """Text of one owner with nothing sampled in it."""
    return Block(owner, segments)


def assistant(owner: int, opener: str, sampled: Iterable[Segment], closer: str = "") -> Block:
    """An assistant turn: the opener the prompt ends with, what the model emits, and what follows its stop token."""
    return Block(owner, (scaffold(opener),), tuple(sampled), (scaffold(closer),) if closer else ())


def joined(segments: Iterable[Segment]) -> str:
    """The text of segments."""
    return "".join(segment.text for segment in segments)


def strip_segments(segments: Iterable[Segment]) -> list[Segment]:
    """``text.strip()`` over segments: outer whitespace goes, also when it spans several of them."""
    kept = [segment for segment in segments if segment.text]
    while kept and not (head := kept[0].text.lstrip()):
        del kept[0]
    while kept and not kept[-1].text.rstrip():
        del kept[-1]
    if kept:
        kept[0] = kept[0]._replace(text=head)
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip())
    return kept


@dataclass(frozen=True)
class Span:
    """A segment placed in the text. ``start`` and ``end`` are character offsets; ``is_sampled`` implies content."""

    start: int
    end: int
    owner: int
    is_content: bool
    is_sampled: bool
    is_supplied: bool


def place(blocks: Iterable[Block], generation_prompt: str) -> tuple[str, list[Span]]:
    """Join the blocks to one text and return it with its spans (contiguous, in order, empty ones left out).

    Sampled text starts after the whole generation prompt where the assistant turn begins with it, else after the
    opener: a character of the generation prompt is never sampled, whatever the turn's history form looks like.
    """
    texts: list[str] = []
    spans: list[Span] = []
    position = 0
    for owner, opener, sampled, closer, prompt in blocks:
        turn_start = position
        for segment in opener:
            if segment.text:
                end = position + len(segment.text)
                texts.append(segment.text)
                spans.append(Span(position, end, owner, segment.is_body, False, segment.is_supplied))
                position = end
        if sampled:
            expected = generation_prompt if prompt is None else prompt
            prompted = _prompted(opener, sampled, expected, position - turn_start)
            for piece, is_prompted in _cut(sampled, prompted):
                end = position + len(piece.text)
                texts.append(piece.text)
                spans.append(Span(position, end, owner, not is_prompted, not is_prompted, piece.is_supplied))
                position = end
        for segment in closer:
            end = position + len(segment.text)
            texts.append(segment.text)
            spans.append(Span(position, end, owner, segment.is_body, False, segment.is_supplied))
            position = end
    return "".join(texts), spans


def _prompted(
    opener: tuple[Segment, ...], sampled: tuple[Segment, ...], generation_prompt: str, opener_length: int
) -> int:
    """How many leading characters of the sampled part the generation prompt already holds."""
    surplus = len(generation_prompt) - opener_length
    if surplus <= 0:
        return 0
    text = "".join(segment.text for segment in (*opener, *sampled))
    return surplus if text.startswith(generation_prompt) else 0


def _cut(segments: tuple[Segment, ...], length: int) -> Iterator[tuple[Segment, bool]]:
    """Yield the non-empty segments, cut at ``length`` characters; True marks the pieces before the cut."""
    for segment in segments:
        head, tail = segment.text[:length], segment.text[length:]
        length -= len(head)
        if head:
            yield segment._replace(text=head), True
        if tail:
            yield segment._replace(text=tail), False
