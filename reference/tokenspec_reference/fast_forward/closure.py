"""Looks for what the proof of ``strict`` assumes and a tokenizer does not do (``spec/40-fast-forward.md``, FFT-020).

Two things are assumed: the tokenizer cuts and merges as its pipeline says, and the tokens of a word up to any boundary
are those of their own bytes. The texts that show best where either fails are tokens of the vocabulary side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

STRIDE = 7919  # a prime, so that every word meets another neighbour


@dataclass(frozen=True, slots=True)
class Open:
    """A text whose tokens are not what was assumed.

    Attributes:
        text: the text.
        boundary: where its beginning has other tokens, in bytes; None where the whole text is cut otherwise.
    """

    text: str
    boundary: int | None


def neighbours(vocabulary: TokenBytes, count: int | None = None) -> Iterator[str]:
    """Each token that is text with another behind it; ``count`` of them, evenly, where it is given."""
    words = vocabulary.words
    step = 1 if count is None else max(len(words) // count, 1)
    for index in range(0, len(words), step):
        try:
            yield (words[index] + words[(index * STRIDE + 1) % len(words)]).decode()
        except UnicodeDecodeError:
            continue


def open_boundaries(vocabulary: TokenBytes, texts: Iterable[str]) -> Iterator[Open]:
    """The texts that contradict the proof; none for a vocabulary whose pipeline is not believed."""
    pipeline = vocabulary.pipeline
    for text in texts if pipeline is not None else ():
        assert pipeline is not None
        found = _open(pipeline, vocabulary, text)
        if found is not None:
            yield found


def _open(pipeline: Pipeline, vocabulary: TokenBytes, text: str) -> Open | None:
    data = text.encode()
    ids = vocabulary.encode_isolated(text)
    if vocabulary.bytes_of(ids) != data or any(literal in data for literal in pipeline.literal):
        return None
    (way,) = pipeline.segmentations(text, None, may_end=True)
    words = [text[piece.start : piece.end].encode() for piece in way]
    if [token for word in words for token in pipeline.word(word)] != ids:
        return Open(text, None)
    start = 0
    for word in words:
        merged, end = pipeline.merged(word), 0
        for count, token in enumerate(merged[:-1], start=1):
            end += len(vocabulary.by_id[token] or b"")
            whole = not pipeline.characters or not 0x80 <= word[end] < 0xC0
            if whole and pipeline.merged(word[:end]) != merged[:count]:
                return Open(text, start + end)
        start += len(word)
    return None
