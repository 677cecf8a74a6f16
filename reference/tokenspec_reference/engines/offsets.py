"""Where a trace may be cut: token starts that are also character boundaries, and the partition they make.

Positions are counted in Unicode code points of the trace, never in decoded token lengths: decoding tokens one by one
loses characters that are split over tokens, that a normaliser composed, or whose leading space the decoder strips.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from tokenspec_reference.engines.errors import InvalidParameter, InvalidSegmentation

Offsets = list[tuple[int, int]]


class Tokenizer(Protocol):
    """The part of a ``transformers`` tokenizer that engines use."""

    def __call__(self, text: str, **options: Any) -> Mapping[str, Any]: ...
    def encode(self, text: str, *, add_special_tokens: bool = ...) -> list[int]: ...
    def decode(self, token_ids: Sequence[int], **options: Any) -> str: ...
    def get_vocab(self) -> dict[str, int]: ...
    def apply_chat_template(self, conversation: list[dict[str, str]], **options: Any) -> Any: ...


@dataclass(frozen=True)
class TokenizedTrace:
    """A trace as the engines read it.

    ``token_ids``, ``starts`` and ``cuttable`` have one entry per token. ``starts`` are code point offsets;
    ``cuttable[i]`` says that a segment may begin at token ``i``: the token begins after all text of the tokens before
    it, so no character is shared between the two sides.
    """

    text: str
    token_ids: tuple[int, ...]
    starts: tuple[int, ...]
    cuttable: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.token_ids)

    def previous_character(self, index: int) -> str:
        """The character before token ``index``; empty at the start and inside a character (no prior applies there)."""
        start = self.starts[index]
        return self.text[start - 1] if self.cuttable[index] and start > 0 else ""


def tokenize_trace(tokenizer: Tokenizer, trace: str) -> TokenizedTrace:
    """Encode ``trace`` alone, without special tokens added, and find where each token starts.

    Raises:
        InvalidParameter: ``trace`` is not a string.
    """
    if not isinstance(trace, str):
        raise InvalidParameter(f"expected a string, got {type(trace).__name__}", field="trace")
    if getattr(tokenizer, "is_fast", False):
        encoding = tokenizer(trace, add_special_tokens=False, return_offsets_mapping=True)
        token_ids = [int(token) for token in encoding["input_ids"]]
        spans = [(int(start), int(end)) for start, end in encoding["offset_mapping"]]
    else:
        token_ids = tokenizer.encode(trace, add_special_tokens=False)
        spans = _spans_by_decoding(tokenizer, trace, token_ids)
    starts, cuttable = _starts(trace, spans)
    return TokenizedTrace(trace, tuple(token_ids), tuple(starts), tuple(cuttable))


def _starts(trace: str, spans: Sequence[tuple[int, int]]) -> tuple[list[int], list[bool]]:
    """Token starts, and which of them are boundaries between characters.

    Byte-level tokenizers that trim offsets report ``" D"`` at the letter; the space belongs to that token, so a start
    moves left over whitespace that no earlier token covers. A normaliser may leave a combining mark uncovered; that
    one belongs to the token before it, so nothing but whitespace is claimed.
    """
    starts: list[int] = []
    cuttable: list[bool] = []
    covered = 0
    for start, end in spans:
        position = start
        while position > covered and trace[position - 1].isspace():
            position -= 1
        cuttable.append(position >= covered and (not starts or position > starts[-1]))
        starts.append(max(position, starts[-1]) if starts else position)
        covered = max(covered, end)
    return starts, cuttable


def _spans_by_decoding(tokenizer: Tokenizer, trace: str, token_ids: Sequence[int]) -> list[tuple[int, int]]:
    """Spans for tokenizers without an offset mapping: decode small groups until they match the trace.

    Tokens of a group that only matches as a whole (a character split over tokens) share one span.
    """
    spans: list[tuple[int, int]] = []
    cursor = 0
    pending = 0
    for index in range(len(token_ids)):
        piece = tokenizer.decode(token_ids[index - pending : index + 1], skip_special_tokens=False)
        start = cursor
        while start < len(trace) and trace[start].isspace() and not trace.startswith(piece, start):
            start += 1
        if piece and trace.startswith(piece, start):
            spans += [(start, start + len(piece))] * (pending + 1)
            cursor = start + len(piece)
            pending = 0
        else:
            pending += 1
    return spans + [(cursor, len(trace))] * pending


def token_spans(starts: Sequence[int], offsets: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Per segment its first token and the one after its last; a token belongs to the segment in which it starts."""
    edges = [bisect_left(starts, start) for start, _ in offsets]
    return tuple(pairwise([0, *edges[1:], len(starts)])) if offsets else ()


def partition(cuts: Iterable[int], length: int) -> Offsets:
    """The segments between ``cuts`` (code point offsets, any order, duplicates allowed) of a text of ``length``."""
    edges = sorted({0, length, *(cut for cut in cuts if 0 < cut < length)})
    return list(pairwise(edges))


def require_segmentation(offsets: Sequence[tuple[int, int]], *, field: str) -> None:
    """Refuse offsets that are not ordered, non-overlapping, non-empty ``(start, end)`` pairs of integers.

    Raises:
        InvalidSegmentation: names the offending entry.
    """
    previous = 0
    for index, pair in enumerate(offsets):
        where = f"{field}[{index}]"
        if len(pair) != 2 or not all(isinstance(edge, int) and not isinstance(edge, bool) for edge in pair):
            raise InvalidSegmentation("expected a pair of integers (start, end)", field=where)
        start, end = pair
        if start < previous or end <= start:
            raise InvalidSegmentation(
                f"({start}, {end}) is empty, reversed, or begins before {previous}; give ordered segments", field=where
            )
        previous = end
