"""The tokens a grammar allows next: what a forced first token has to be among."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenspec_reference.fast_forward.matcher import MARKER, Matcher, after, mark, viable
from tokenspec_reference.fast_forward.vocabulary import TokenBytes


def allowed_tokens(vocabulary: TokenBytes, matcher: Matcher) -> Iterator[int]:
    """Every id the grammar allows, lazily: text tokens in the order of their bytes, then special tokens.

    All splits of the allowed text are there, not only the canonical one; ids with equal bytes are all there. The end of
    the sequence is not an id of the grammar: it is allowed exactly where ``accepting()`` holds. An id that spells the
    marker byte, which no text has, is not taken for the beginning of a special token.
    """
    for word in vocabulary.extensions(b"", matcher):
        if MARKER not in word:
            yield from vocabulary.ids_spelling(word)
    if MARKER in matcher.allowed():
        yield from (
            token_id
            for token_id, data in enumerate(vocabulary.by_id)
            if data is None and viable(matcher, mark(token_id))
        )


def mask_ranges(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    """The allowed ids as first and last id of each run, ascending."""
    runs: list[tuple[int, int]] = []
    for token_id in sorted(allowed_tokens(vocabulary, matcher)):
        if runs and runs[-1][1] == token_id - 1:
            runs[-1] = (runs[-1][0], token_id)
        else:
            runs.append((token_id, token_id))
    return runs


def accepted(vocabulary: TokenBytes, matcher: Matcher, token_ids: Sequence[int]) -> list[Matcher]:
    """The states behind each of the leading ids that are allowed; an id that does not exist is not."""
    states: list[Matcher] = []
    for token_id in token_ids:
        exists = 0 <= token_id < len(vocabulary.by_id)
        data = vocabulary.by_id[token_id] if exists else b""
        spells = data is None or (data and MARKER not in data)
        following = after(states[-1] if states else matcher, vocabulary.raw((token_id,))) if spells else None
        if following is None:
            break
        states.append(following)
    return states
