"""Canonicality decided by brute force: tokenise every text the grammar can still produce.

Slow and obviously right, for small grammars. It is the judge of ``strict.py`` in the tests, and shares no code with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward.matcher import Matcher, forced_bytes
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

MOST_TEXTS = 20_000


class TooManyTexts(TokenSpecError):
    """The grammar has more texts than can be enumerated."""

    rejection_code = "too-many-texts"


@dataclass(frozen=True, slots=True)
class Continuation:
    """One accepted text after the tokens so far, and its canonical tokens."""

    text: bytes
    tokens: tuple[int, ...]


def accepted_texts(matcher: Matcher, *, longest: int | None = None, most: int = MOST_TEXTS) -> Iterator[bytes]:
    """Every text of the grammar, up to ``longest`` bytes.

    Raises:
        TooManyTexts: there are more than ``most``, or they have no end and ``longest`` is None.
    """
    produced = visited = 0
    stack: list[tuple[bytes, Matcher]] = [(b"", matcher)]
    while stack:
        text, state = stack.pop()
        visited += 1
        if produced > most or visited > 50 * most:
            raise TooManyTexts(f"more than {most} texts; use a smaller grammar or a length limit", field="grammar")
        if state.accepting():
            produced += 1
            yield text
        if longest is None or len(text) < longest:
            for byte in state.allowed():
                following = state.step(byte)
                if following is not None:
                    stack.append((text + bytes((byte,)), following))


def canonical_continuations(
    vocabulary: TokenBytes, matcher: Matcher, prefix_tokens: Sequence[int] = (), *, longest: int | None = None
) -> list[Continuation]:
    """The canonical tokens of every text of the grammar, after tokens that stay as they are.

    Left out are texts before which the prefix would be tokenised differently, texts that are not UTF-8, and texts that
    the tokenizer cannot spell (a normalizer changes them): for those no token of any answer is canonical or not.
    """
    before = vocabulary.bytes_of(prefix_tokens)
    if before is None:
        raise TokenSpecError(
            "special tokens in the prefix are boundaries; pass the tokens after the last one", field="prefix_tokens"
        )
    found = []
    for text in accepted_texts(matcher, longest=longest):
        try:
            ids = vocabulary.encode_isolated((before + text).decode())
        except UnicodeDecodeError:
            continue
        if list(ids[: len(prefix_tokens)]) == list(prefix_tokens) and vocabulary.bytes_of(ids) == before + text:
            found.append(Continuation(text, tuple(ids[len(prefix_tokens) :])))
    return found


def longest_canonical(
    vocabulary: TokenBytes, matcher: Matcher, prefix_tokens: Sequence[int] = (), *, longest: int | None = None
) -> list[int]:
    """The most tokens that may be forced: within the forced bytes, and first in every continuation."""
    forced, _ = forced_bytes(matcher)
    shared: list[int] | None = None
    for continuation in canonical_continuations(vocabulary, matcher, prefix_tokens, longest=longest):
        kept: list[int] = []
        length = 0
        for index, token_id in enumerate(continuation.tokens):
            length += len(vocabulary.by_id[token_id] or b"")
            if length > len(forced) or (shared is not None and shared[index : index + 1] != [token_id]):
                break
            kept.append(token_id)
        shared = kept
    return shared or []


def violations(
    vocabulary: TokenBytes,
    matcher: Matcher,
    tokens: Sequence[int],
    prefix_tokens: Sequence[int] = (),
    *,
    longest: int | None = None,
) -> list[Continuation]:
    """The continuations that do not begin with ``tokens``: forcing those would leave the canonical tokenisation."""
    return [
        continuation
        for continuation in canonical_continuations(vocabulary, matcher, prefix_tokens, longest=longest)
        if list(continuation.tokens[: len(tokens)]) != list(tokens)
    ]
