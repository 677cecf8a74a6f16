"""One side of a chat: where the caller's strings stand in it, and what each token spells of them.

The two sides of a transfer write the same messages in two wire formats. Headers, end tags and the notation of calls
differ; what the caller wrote is the same text, and only that is aligned.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

from tokenspec_reference.aligners.boundary_text import RowText
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.renderers.protocol import ChatRenderer

Messages = Sequence[Mapping[str, Any]]
Range = tuple[int, int]


class Rollout(Protocol):
    """Ids as they were sampled, with what is known of each; ``RenderedTokens`` and what a bridge gives are ones."""

    @property
    def token_ids(self) -> list[int]:
        """The ids."""
        ...

    @property
    def sampled_mask(self) -> list[bool]:
        """Which of them the model emitted; one entry an id."""
        ...


@dataclass(frozen=True)
class Body:
    """A string of the caller as a side writes it: characters ``[start, end)`` of that side's text."""

    message: int
    start: int
    end: int
    text: str

    @property
    def stripped(self) -> Body:
        """Without outer white space, which some templates take away."""
        text = self.text.strip()
        start = self.start + len(self.text) - len(self.text.lstrip())
        return replace(self, start=start, end=start + len(text), text=text)

    @property
    def comparable(self) -> str:
        """What has to agree on both sides."""
        return unicodedata.normalize("NFC", self.text.strip())


@dataclass(frozen=True)
class Side:
    """One side of a transfer: ``n`` ids, the bytes each spells, and the bodies in the text they spell together.

    ``places``: the half-open range of each token in ``text``, in bytes where ``in_bytes``, else in characters (the ids
    of a tokenizer that normalises, or adds spaces of its own, do not spell the text to the byte).
    """

    token_ids: list[int]
    sampled_mask: list[bool]
    text: str
    bodies: tuple[Body, ...]
    pieces: tuple[bytes, ...]
    places: tuple[Range, ...]
    in_bytes: bool
    normalises: bool

    def positions_of(self, body: Body) -> range:
        """The tokens that spell something of ``body``."""
        start, end = self._edges(body)
        first = bisect_right(self._ends, start)
        return range(first, bisect_left(self._starts, end, first))

    def row_of(self, body: Body) -> tuple[int, RowText] | None:
        """The first token that spells something of ``body``, and what it and the next ones spell of it.

        None where a token at its edge spells something else, too, and cannot be cut.
        """
        positions, edges = self.positions_of(body), self._edges(body)
        pieces = [piece for position in positions if (piece := self._within(position, *edges)) is not None]
        if len(pieces) != len(positions):
            return None
        added = frozenset(place for place, position in enumerate(positions) if self._added_space(position))
        return positions.start, RowText.of_pieces(pieces, added, normalises=self.normalises)

    def _edges(self, body: Body) -> Range:
        """Where a body begins and ends, as ``places`` count."""
        return (
            (self._bytes_before[body.start], self._bytes_before[body.end]) if self.in_bytes else (body.start, body.end)
        )

    def _within(self, position: int, start: int, end: int) -> bytes | None:
        """What a token spells of a range of places."""
        (a, b), piece = self.places[position], self.pieces[position]
        if start <= a and b <= end:
            return piece
        if self.in_bytes:
            return piece[max(start - a, 0) : len(piece) - max(b - end, 0)]
        if piece.removeprefix(b" ") != self.text[a:b].removeprefix(" ").encode():
            return None
        return self.text[max(a, start) : min(b, end)].encode()

    def _added_space(self, position: int) -> bool:
        """Whether a token spells a space that the text does not have there."""
        if self.in_bytes:
            return False
        return self.pieces[position].startswith(b" ") and not self.text.startswith(" ", self.places[position][0])

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self.places]

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, end in self.places]

    @cached_property
    def _bytes_before(self) -> list[int]:
        return [0, *accumulate(len(character.encode("utf-8", "surrogateescape")) for character in self.text)]


class Spelling:
    """What the ids of a tokenizer spell, special tokens included."""

    def __init__(self, tokenizer: Any) -> None:
        """Read the vocabulary once.

        Raises:
            UnsupportedTokenizer: its ids do not determine the text.
        """
        self._table = PieceTable.from_tokenizer(tokenizer)
        self._special = {
            i: token.content.encode() for i, token in tokenizer.added_tokens_decoder.items() if token.special
        }

    @property
    def normalises(self) -> bool:
        """Whether the tokenizer brings text into a Unicode normal form."""
        return self._table.unicode_form is not None

    def pieces(self, token_ids: Sequence[int], field: str) -> tuple[bytes, ...]:
        """The bytes of each id.

        Raises:
            AlignmentInputError: an id that the vocabulary lacks.
        """
        found = []
        for position, token_id in enumerate(token_ids):
            piece = self._special.get(token_id)
            if piece is None:
                piece = self._table.pieces[token_id] if 0 <= token_id < len(self._table.pieces) else None
            if piece is None:
                raise AlignmentInputError(f"{token_id} is not in the vocabulary", field=f"{field}[{position}]")
            found.append(piece)
        return tuple(found)


def side_of_render(renderer: ChatRenderer, spelling: Spelling, messages: Messages, tools: Any) -> Side:
    """The whole conversation as this renderer writes it."""
    made = renderer.render(messages, tools=tools)
    if len(made.char_spans) != len(made.token_ids):
        raise AlignmentInputError("its tokenizer gives no way to place tokens in the text", field="renderer")
    text, spans, _ = renderer.render_parts(messages, tools=tools, add_generation_prompt=False)
    pieces = spelling.pieces(made.token_ids, "token_ids")
    in_bytes = b"".join(pieces) == text.encode()
    return Side(
        token_ids=made.token_ids,
        sampled_mask=made.sampled_mask,
        text=text,
        bodies=tuple(bodies_of(text, spans)),
        pieces=pieces,
        places=_byte_places(pieces) if in_bytes else tuple(made.char_spans),
        in_bytes=in_bytes,
        normalises=spelling.normalises,
    )


def side_of_rollout(
    renderer: ChatRenderer, spelling: Spelling, messages: Messages, tools: Any, rollout: Rollout
) -> tuple[Side, list[int]]:
    """Ids as they were sampled, which nobody encodes again, and the messages that were not found in them.

    A message is looked for, in order, as the whole conversation writes it, and as it was written when it came last.
    """
    if len(rollout.sampled_mask) != len(rollout.token_ids):
        raise AlignmentInputError(
            f"has {len(rollout.sampled_mask)} entries for {len(rollout.token_ids)} ids", field="rollout.sampled_mask"
        )
    pieces = spelling.pieces(rollout.token_ids, "rollout.token_ids")
    text = b"".join(pieces).decode("utf-8", "surrogateescape")
    found: list[Body] = []
    missing: list[int] = []
    position = 0
    whole = _turns(renderer, messages, tools)
    for message in range(len(messages)):
        written = [*whole.get(message, ())]
        if messages[message].get("role") == "assistant" and message + 1 < len(messages):
            written += _turns(renderer, messages[: message + 1], tools).get(message, ())
        for opening, bodies in written:
            stretch, moved = _composed(opening, bodies) if spelling.normalises else (opening, bodies)
            at = text.find(stretch, position)
            if at >= 0:
                found += [replace(body, start=body.start + at, end=body.end + at) for body in moved]
                position = at + len(stretch)
                break
        else:
            if written:
                missing.append(message)
    side = Side(
        token_ids=list(rollout.token_ids),
        sampled_mask=list(rollout.sampled_mask),
        text=text,
        bodies=tuple(found),
        pieces=pieces,
        places=_byte_places(pieces),
        in_bytes=True,
        normalises=spelling.normalises,
    )
    return side, missing


def bodies_of(text: str, spans: Sequence[Any]) -> Iterator[Body]:
    """The strings of the caller's messages: adjacent spans of one message are one body."""
    start = end = 0
    owner = -1
    for span in (*(span for span in spans if span.is_content and span.is_supplied and span.owner >= 0), None):
        if span is not None and (span.start, span.owner) == (end, owner):
            end = span.end
            continue
        if start < end:
            yield Body(owner, start, end, text[start:end])
        if span is not None:
            start, end, owner = span.start, span.end, span.owner


def _turns(renderer: ChatRenderer, messages: Messages, tools: Any) -> dict[int, list[tuple[str, list[Body]]]]:
    """Per message the text from its beginning to the end of its last body, with the bodies in that text."""
    text, spans, _ = renderer.render_parts(messages, tools=tools, add_generation_prompt=False)
    begins: dict[int, int] = {}
    for span in spans:
        begins.setdefault(span.owner, span.start)
    turns: dict[int, list[Body]] = {}
    for body in bodies_of(text, spans):
        turns.setdefault(body.message, []).append(body)
    return {
        message: [
            (
                text[begins[message] : bodies[-1].end],
                [replace(b, start=b.start - begins[message], end=b.end - begins[message]) for b in bodies],
            )
        ]
        for message, bodies in turns.items()
    }


def _composed(text: str, bodies: list[Body]) -> tuple[str, list[Body]]:
    """The same stretch in NFC."""
    if unicodedata.is_normalized("NFC", text):
        return text, bodies
    moved = []
    for body in bodies:
        start, end = (len(unicodedata.normalize("NFC", text[:edge])) for edge in (body.start, body.end))
        moved.append(replace(body, start=start, end=end))
    made = unicodedata.normalize("NFC", text)
    return made, [replace(body, text=made[body.start : body.end]) for body in moved]


def _byte_places(pieces: Sequence[bytes]) -> tuple[Range, ...]:
    ends = list(accumulate(map(len, pieces)))
    return tuple(zip([0, *ends[:-1]], ends, strict=True)) if ends else ()
