"""The one place where text becomes tokens and every token gets its owner and kind.

Families only declare segments. Here the joined text is encoded once, each token is placed in the text, and the named
straddle rule says which segment a token belongs to when it covers two:

* ``first-char``: the segment that holds the token's first character.
* ``overlap``: a body segment as soon as one of its characters is covered (generated text keeps ``first-char``, so that
  no token of the generation prompt counts as sampled).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tokenspec_reference.renderers.encode import Encoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokenspec_reference.renderers.segments import Span
    from tokenspec_reference.renderers.token_text import CharSpans

Straddle = Literal["first-char", "overlap"]
Encoding = Literal["hf", "isolated"]
IdProfile = Literal["canonical", "sampled-boundary"]


@dataclass(frozen=True)
class Attribution:
    """Per-token facts of a text; the lists but ``token_ids`` are empty when tokens cannot be placed."""

    token_ids: list[int]
    char_spans: list[tuple[int, int]]
    message_indices: list[int]
    is_content: list[bool]
    sampled_mask: list[bool]


def encode_and_attribute(
    encoder: Encoder,
    text: str,
    spans: Sequence[Span],
    *,
    encoding: Encoding = "hf",
    id_profile: IdProfile = "canonical",
    straddle: Straddle = "first-char",
) -> Attribution:
    """Encode ``text`` and attribute every token to one of ``spans`` (contiguous, covering the text).

    ``canonical`` encodes the whole text at once. ``sampled-boundary`` also cuts where sampled text starts and ends,
    which is what a sampler saw: the generation prompt was encoded before the first sampled token existed.
    """
    token_ids: list[int] = []
    placed: CharSpans | None = []
    for start, end, members in _chunks(text, spans, id_profile):
        piece = text[start:end]
        if encoding == "isolated":
            moved = [_shift(span, -start) for span in members]
            piece_ids, piece_spans = encoder.encode_isolated(piece, moved, start)
        else:
            piece_ids, piece_spans = encoder.encode_piece(piece, start)
        token_ids += piece_ids
        if placed is not None and piece_spans is not None:
            placed += [(a + start, b + start) for a, b in piece_spans] if start else piece_spans
        else:
            placed = None
    if placed is None:
        return Attribution(token_ids, [], [], [], [])
    return _attribute(token_ids, placed, spans, straddle)


def token_runs(starts: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, int, Span]]:
    """Each span with the tokens that begin in it, by binary search; those behind the last span are its own."""
    done = 0
    for position, span in enumerate(spans):
        upto = len(starts) if position == len(spans) - 1 else bisect_left(starts, span.end, done)
        yield done, upto, span
        done = upto


def _attribute(token_ids: list[int], placed: CharSpans, spans: Sequence[Span], straddle: Straddle) -> Attribution:
    """Fill the parallel lists by runs."""
    starts = [start for start, _ in placed]
    owners: list[int] = []
    content: list[bool] = []
    sampled: list[bool] = []
    for start, end, span in token_runs(starts, spans):
        owners += [span.owner] * (end - start)
        content += [span.is_content] * (end - start)
        sampled += [span.is_sampled] * (end - start)
    if straddle == "overlap":
        stops = [end for _, end in placed]
        for span in spans:
            if span.is_content and not span.is_sampled:
                for k in range(bisect_right(stops, span.start), bisect_left(starts, span.end)):
                    owners[k], content[k] = span.owner, True
    return Attribution(token_ids, placed, owners, content, sampled)


def _chunks(text: str, spans: Sequence[Span], id_profile: IdProfile) -> Iterable[tuple[int, int, Sequence[Span]]]:
    if id_profile == "canonical":
        yield 0, len(text), spans
        return
    first = 0
    for k in range(1, len(spans) + 1):
        if k == len(spans) or spans[k].is_sampled != spans[k - 1].is_sampled:
            yield spans[first].start, spans[k - 1].end, spans[first:k]
            first = k


def _shift(span: Span, by: int) -> Span:
    from dataclasses import replace

    return replace(span, start=span.start + by, end=span.end + by)


class AttributedTokens(list[tuple[int, bool]]):
    """``(token id, is content)`` pairs; ``has_content_attribution`` is False when tokens could not be placed."""

    has_content_attribution: bool = True


def attribute_text_segments(
    tokenizer: Any, segments: Sequence[tuple[str, bool]], *, overlap_is_content: bool = False
) -> AttributedTokens:
    """Encode the joined texts once and tell for every token whether it is content (seed: same name).

    A token belongs to the segment of its first character; with ``overlap_is_content`` it is content as soon as one of
    its characters is. Without a way to place tokens the ids are the same, all flags are False and
    ``has_content_attribution`` is False.
    """
    from tokenspec_reference.renderers.segments import Span

    text = "".join(part for part, _ in segments)
    if not text:
        return AttributedTokens()
    spans, position = [], 0
    for part, is_content in segments:
        if part:
            spans.append(Span(position, position + len(part), 0, is_content, is_sampled=False, is_supplied=True))
            position += len(part)
    found = encode_and_attribute(
        Encoder(tokenizer), text, spans, straddle="overlap" if overlap_is_content else "first-char"
    )
    flags = found.is_content or [False] * len(found.token_ids)
    pairs = AttributedTokens(zip(found.token_ids, flags, strict=True))
    pairs.has_content_attribution = bool(found.is_content)
    return pairs
