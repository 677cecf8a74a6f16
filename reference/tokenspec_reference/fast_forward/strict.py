"""Forced tokens by comparing tokenisations: what every canonical continuation begins with, and nothing else.

Where the grammar can only go on in a handful of ways, all of them are tokenised: the answer is exact.

Otherwise let T be the canonical tokenisation of some continued text. Either T has a boundary where the forced text
ends, or one token of T spans that place: it begins with a suffix of the forced text. *Boundary closure* says that the
tokens of T up to any boundary are the canonical tokenisation of their own text; byte-pair encoding within a word is
closed. So there are few candidates: the tokenisation of the forced text itself, and one for each suffix that a token
of the vocabulary extends as the grammar allows. What all candidates share is canonical whatever follows.

A spanning token counts only if it really appears when the text is tokenised up to its end: most tokens that could span
by their letters never do, because merges inside the text win. The window test looks at letters alone: it gives back
too much there, and too little where the spanning token re-splits the text before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenspec_reference.fast_forward.continuations import Text, completions, few_texts, next_characters
from tokenspec_reference.fast_forward.matcher import Matcher, after
from tokenspec_reference.fast_forward.tokenize import split_markers, valid_utf8_length
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

TRIALS = 256  # spanning tokens tried per suffix before the suffix is taken to be claimed


def strict_tokens(
    vocabulary: TokenBytes, matcher: Matcher, forced: bytes, recent: Sequence[int], *, grammar_check: bool
) -> tuple[list[int], bytes]:
    """Tokens that every canonical continuation begins with, and the rest of the forced bytes.

    Args:
        vocabulary: token bytes and encoders.
        matcher: the grammar before the forced bytes.
        forced: the forced bytes, special tokens as markers.
        recent: the tokens before; the last one is context if it is text.
        grammar_check: whether continuations are limited to those the grammar allows.
    """
    tokens: list[int] = []
    covered = 0
    context = context_of(vocabulary, recent)
    pieces = list(split_markers(forced))
    for index, piece in enumerate(pieces):
        if isinstance(piece, int):
            tokens.append(piece)
            covered = len(vocabulary.raw(tokens))
            context = ()
            continue
        if index + 1 < len(pieces):  # a special token follows, so this text ends here
            closed = Text.after(vocabulary, context, piece).tokens
            if vocabulary.bytes_of(closed) == piece:
                tokens += closed
                covered += len(piece)
                continue
        state = after(matcher, forced[:covered]) if grammar_check else None
        closed = shared_by_all(vocabulary, context, piece, state)
        tokens += closed
        covered += len(vocabulary.bytes_of(closed) or b"")
        break
    return tokens, forced[covered:]


def context_of(vocabulary: TokenBytes, recent: Sequence[int]) -> tuple[int, ...]:
    """The last token, or as many more as it takes to begin with a whole character; none after a special token."""
    for count in range(1, min(len(recent), 4) + 1):
        data = vocabulary.bytes_of(recent[-count:])
        if data is None:
            break
        if not 0x80 <= data[0] < 0xC0:
            return tuple(recent[-count:])
    return ()


def shared_by_all(vocabulary: TokenBytes, context: tuple[int, ...], data: bytes, state: Matcher | None) -> list[int]:
    """What the tokenisations of all continuations of ``data`` begin with.

    ``state`` is the grammar before ``data``; None allows everything after it.
    """
    ending = after(state, data)
    texts = None if ending is None else few_texts(ending)
    before = vocabulary.bytes_of(context) or b""
    for text in (Text(vocabulary, context, before, data), Text(vocabulary, (), b"", data)) if texts is not None else ():
        exact = _shared_by_texts(text, texts or ())
        if exact is not None:
            return exact
    whole = max(valid_utf8_length(before + data) - len(before), 0)
    text = Text.after(vocabulary, context, data[:whole])
    following = after(state, text.data)
    shared = text.tokens
    for start in text.starts():
        if not shared:
            break
        shared = _shared_with_spanning(text, start, shared, following)
    if shared and text.looks_ahead(shared):
        for character in next_characters(following):
            shared = _common(shared, text.cut_at_end(text.encoded(text.data + character)))
    return shared


def _shared_by_texts(text: Text, texts: Sequence[bytes]) -> list[int] | None:
    """Exactly what the given continuations share within the text; None where none of them is canonical here."""
    shared: list[int] | None = None
    for continuation in texts:
        ids = text.encoded(text.data + continuation)
        if ids is None or text.vocabulary.bytes_of(ids) != text.data + continuation:
            continue
        shared = ids if shared is None else _common(shared, ids)
    return None if shared is None else text.lossless(shared)


def _shared_with_spanning(text: Text, start: int, shared: list[int], following: Matcher | None) -> list[int]:
    """``shared``, cut to what it has in common with every tokenisation in which a token spans from ``start``."""
    extensions = text.vocabulary.extensions(text.data[start:], following)
    extension = next(extensions, None)
    if extension is None:
        return shared
    shorter = text.encoded(text.data[:start])
    if shorter is not None and shorter[: len(shared)] == shared:
        return shared
    trials = 0
    while extension is not None:
        trials += 1
        for candidate in _with_spanning_token(text, start, extension, following):
            trials += 1
            shared = _common(shared, candidate)
        if not shared or (shorter is not None and shorter[: len(shared)] == shared):
            break
        if trials > TRIALS:
            return _common(shared, shorter or [])
        extension = next(extensions, None)
    return shared


def _with_spanning_token(text: Text, start: int, extension: bytes, following: Matcher | None) -> Iterator[list[int]]:
    """Tokenisations up to the end of a spanning token, where that token really stands at ``start``."""
    spanning = text.data[start:] + extension
    for rest in completions(extension, following):
        ids = text.encoded(text.data + extension + rest)
        at = 0
        for count, token_id in enumerate(ids or ()):
            piece = text.vocabulary.by_id[token_id]
            if at == start and piece == spanning:
                yield (ids or [])[: count + 1]
            if piece is None or at >= start:
                break
            at += len(piece)


def _common(left: Sequence[int], right: Sequence[int] | None) -> list[int]:
    """The longest common beginning; all of ``left`` where there is nothing to compare with."""
    if right is None:
        return list(left)
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return list(left[:count])
