"""The tokens a grammar allows next: what a forced first token has to be among."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec_reference.fast_forward.matcher import MARKER, Matcher, mark, viable
from tokenspec_reference.fast_forward.vocabulary import TokenBytes


def allowed_tokens(vocabulary: TokenBytes, matcher: Matcher) -> Iterator[int]:
    """Every id the grammar allows, lazily: text tokens in the order of their bytes, then special tokens.

    All splits of the allowed text are there, not only the canonical one; ids with equal bytes are all there. The end of
    the sequence is not an id of the grammar: it is allowed exactly where ``accepting()`` holds.
    """
    for word in vocabulary.extensions(b"", matcher):
        yield from vocabulary.ids_spelling(word)
    if MARKER in matcher.allowed():
        yield from (
            token_id
            for token_id, data in enumerate(vocabulary.by_id)
            if data is None and viable(matcher, mark(token_id))
        )
