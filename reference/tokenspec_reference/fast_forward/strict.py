"""Forced tokens that every canonical continuation begins with: what is proven, and nothing else.

Where the grammar can only go on in a handful of ways, all of them are tokenised: the answer is exact, whatever the
tokenizer does. Otherwise the answer is what all *candidates* share (``candidates.py``), and they are all there are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from tokenspec_reference.fast_forward.candidates import shared_by_candidates
from tokenspec_reference.fast_forward.continuations import Text, few_texts
from tokenspec_reference.fast_forward.matcher import Matcher
from tokenspec_reference.fast_forward.tokenize import split_markers, valid_utf8_length
from tokenspec_reference.fast_forward.vocabulary import TokenBytes


class UnprovenTokenizer(UserWarning):
    """Nothing is known about a tokenizer's words: ``strict`` forces only where it has seen every text."""


def strict_tokens(
    vocabulary: TokenBytes,
    forced: bytes,
    following: Matcher,
    recent: Sequence[int],
    *,
    grammar_check: bool,
) -> tuple[list[int], bytes]:
    """Tokens that every canonical continuation begins with, and the rest of the forced bytes.

    Args:
        vocabulary: token bytes, encoders, and what is known about them.
        forced: the forced bytes, special tokens as markers.
        following: the grammar after them.
        recent: the tokens before; those that can matter are context.
        grammar_check: whether continuations are limited to those the grammar allows.
    """
    tokens: list[int] = []
    context = context_of(vocabulary, recent)
    pieces = list(split_markers(forced))
    for index, piece in enumerate(pieces):
        if isinstance(piece, int):
            tokens.append(piece)
            context = ()
            continue
        if index + 1 < len(pieces):  # a special token follows, so this text ends here
            shared = _alone(vocabulary, context, piece)
        else:
            shared = shared_by_all(vocabulary, context, piece, following if grammar_check else None)
        tokens += shared
        if vocabulary.raw(shared) != piece:
            break
    return tokens, forced[len(vocabulary.raw(tokens)) :]


def context_of(vocabulary: TokenBytes, recent: Sequence[int]) -> tuple[int, ...]:
    """The last tokens, as far back as the text before them can have a say; none before a special token.

    Where merges see the whole text one token is enough: a stretch of a canonical tokenisation is the canonical
    tokenisation of its own text. Else it goes back to the last place where a word ends whatever surrounds it.
    """
    pipeline = vocabulary.pipeline
    first = len(recent)
    while first and (data := vocabulary.by_id[recent[first - 1]]) is not None:
        first -= 1
        if pipeline is None or pipeline.literal or not first or 0x80 <= data[0] < 0xC0:
            continue
        if not pipeline.stages:
            break
        left = (vocabulary.by_id[recent[first - 1]] or b"").decode(errors="ignore")
        right = data.decode(errors="ignore")  # begins with a character, so what stands before ends with one
        if left and right and pipeline.settled(left[-1], right[0]):
            break
    return tuple(recent[first:])


def shared_by_all(vocabulary: TokenBytes, context: tuple[int, ...], data: bytes, ending: Matcher | None) -> list[int]:
    """What the tokenisations of all continuations of ``data`` begin with.

    ``ending`` is the grammar after ``data``; None allows everything. Where no continuation is canonical after
    the context, the answer is that without context: nothing it says can be wrong.
    """
    texts = None if ending is None else few_texts(ending)
    for text in dict.fromkeys((Text(vocabulary, context, data), Text(vocabulary, (), data))):
        if texts is not None:
            shared = _shared_by_texts(text, texts)
        elif vocabulary.pipeline is None:
            warnings.warn(
                f"strict forces little with this tokenizer, because {vocabulary.unproven}",
                UnprovenTokenizer,
                stacklevel=5,
            )
            return []
        else:
            shared = shared_by_candidates(vocabulary.pipeline, text, ending)
        if shared is not None:
            return shared
    return _alone(vocabulary, (), data)


def _alone(vocabulary: TokenBytes, context: tuple[int, ...], data: bytes) -> list[int]:
    """The tokens of a text that ends here, up to the first that does not spell it."""
    text = Text(vocabulary, context, data)
    found = text.encoded()
    if found is None:
        whole = data[: valid_utf8_length(data)].decode()
        found = text.lossless(vocabulary.encode_isolated(whole))
    return found


def _shared_by_texts(text: Text, texts: Sequence[bytes]) -> list[int] | None:
    """Exactly what the given continuations share within the text; None where none of them is canonical here."""
    shared: list[int] | None = None
    for continuation in texts:
        ids = text.encoded(continuation)
        if ids is not None:
            shared = ids if shared is None else common(shared, ids)
    return None if shared is None else text.lossless(shared)


def common(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The longest common beginning."""
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return list(left[:count])
