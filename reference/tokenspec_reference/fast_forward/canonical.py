"""From forced bytes to forced tokens, without leaving the tokenisation the model was trained on.

``mode="llguidance"`` returns token for token what llguidance 1.9.1 returns: tokenise, then give back the last tokens
if a token of the vocabulary that the grammar allows could span the end. ``mode="strict"`` (``strict.py``) compares
whole tokenisations instead, and is right where that test is fooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tokenspec_reference.fast_forward.errors import InvalidQuery
from tokenspec_reference.fast_forward.matcher import Matcher, forced_bytes
from tokenspec_reference.fast_forward.strict import strict_tokens
from tokenspec_reference.fast_forward.tokenize import tokenize_marked
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

Mode = Literal["llguidance", "strict"]
WINDOW_TOKENS = 4


def canonical_ff_tokens(
    vocabulary: TokenBytes,
    matcher: Matcher,
    recent_tokens: Sequence[int] = (),
    *,
    max_tokens: int | None = WINDOW_TOKENS,
    max_length: int | None = None,
    grammar_check: bool = True,
    mode: Mode = "llguidance",
) -> tuple[list[int], bytes]:
    """The tokens forced by the grammar, and the forced bytes left for the next sampled token to begin with.

    Args:
        vocabulary: token bytes and encoder.
        matcher: the grammar after the tokens so far.
        recent_tokens: tokens just before; only the last one is context, as upstream.
        max_tokens: length in tokens of the window in which a spanning token is looked for; None has no limit, 0 looks
            nowhere. Strict mode looks at the whole forced text whatever the window.
        max_length: length of the window in bytes; None is the longest token of the vocabulary.
        grammar_check: whether the spanning token must be allowed by the grammar. Without it more is held back, and the
            answer no longer depends on what follows.
        mode: "llguidance" or "strict".

    Returns:
        Token ids and leftover bytes. In strict mode their bytes together are the forced bytes.

    Raises:
        TokenSpecError: an id outside the vocabulary, a negative window, an unknown mode, or more forced bytes than the
            limit of ``forced_bytes``.
    """
    if mode not in ("llguidance", "strict"):
        raise InvalidQuery('expected "llguidance" or "strict"', field="mode")
    for name, value in (("max_tokens", max_tokens), ("max_length", max_length)):
        if value is not None and (not isinstance(value, int) or value < 0):
            raise InvalidQuery("expected None or an integer of at least 0", field=name)
    recent = vocabulary.checked(recent_tokens, "recent_tokens")
    forced, following = forced_bytes(matcher)
    if not forced:
        return [], b""
    if mode == "strict":
        return strict_tokens(vocabulary, forced, following, recent, grammar_check=grammar_check)
    return windowed_tokens(
        vocabulary,
        forced,
        recent,
        following if grammar_check else None,
        max_tokens=max_tokens,
        max_length=max_length,
    )


def tokenize_partial(
    vocabulary: TokenBytes, new_bytes: bytes, recent_tokens: Sequence[int] = ()
) -> tuple[list[int], bytes]:
    """The tokens of a text that goes on in an unknown way, and the bytes that further text could still claim.

    The same as ``LLTokenizer.tokenize_partial``: the window test with a grammar that allows everything.
    """
    recent = vocabulary.checked(recent_tokens, "recent_tokens")
    if not new_bytes:
        return [], b""
    return windowed_tokens(vocabulary, new_bytes, recent, None, max_tokens=WINDOW_TOKENS, max_length=None)


def windowed_tokens(
    vocabulary: TokenBytes,
    forced: bytes,
    recent: Sequence[int],
    following: Matcher | None,
    *,
    max_tokens: int | None,
    max_length: int | None,
) -> tuple[list[int], bytes]:
    """Tokenise after one token of context, and give back what a spanning token could claim.

    Where the context does not come back as the same token it was not canonical, and the bytes are tokenised alone.
    """
    context = list(recent[-1:])
    ids, settled = tokenize_marked(vocabulary, vocabulary.raw(context) + forced)
    if ids[: len(context)] == context:
        settled = max(settled, len(context))
    else:
        context = []
        ids, settled = tokenize_marked(vocabulary, forced)
    open_ids = ids[settled:]
    tokens_back, bytes_back = claimed_by_spanning_token(vocabulary, open_ids, following, max_tokens, max_length)
    leftover = forced[-bytes_back:] if bytes_back else b""
    return ids[len(context) : len(ids) - tokens_back], leftover


def claimed_by_spanning_token(
    vocabulary: TokenBytes,
    open_ids: Sequence[int],
    following: Matcher | None,
    max_tokens: int | None,
    max_length: int | None,
) -> tuple[int, int]:
    """How many tokens, and bytes, the earliest spanning token takes from the end of ``open_ids``."""
    first = 0 if max_tokens is None else max(len(open_ids) - max_tokens, 0)
    window = vocabulary.raw(open_ids[first:])
    limit = vocabulary.longest if max_length is None else min(max_length, vocabulary.longest)
    window = window[max(len(window) - limit, 0) :]
    claimed = vocabulary.spanning(window, following)
    count = length = 0
    while length < claimed:
        count += 1
        length += len(vocabulary.raw((open_ids[-count],)))
    return count, length
