"""Every way the tokens of a text can begin when nobody knows yet how it goes on.

Let T be the canonical tokens of a continued text. Words that nothing can change any more are tokenised as they stand.
The rest is cut into words in every way that some continuation can cut it (``pipeline.py``). In each way the last word
ends with the text, or goes on. If it goes on, T has a boundary where the text ends, or a token of T spans that place:
it begins with a suffix of the text. Merges within a word are *closed*: up to any boundary the tokens of a word are
those of its own bytes by merges alone. So T up to the boundary, or up to the spanning token, is one of the candidates,
and what all candidates share every T begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenspec_reference.fast_forward.characters import ALL_ASCII, ANYTHING, OTHER, Next
from tokenspec_reference.fast_forward.continuations import Text
from tokenspec_reference.fast_forward.matcher import MARKER, Matcher, viable
from tokenspec_reference.fast_forward.pipeline import Pipeline, TooManyWays
from tokenspec_reference.fast_forward.tokenize import valid_utf8_length

NAMED = 32  # characters that may stand next and are looked at one by one
TRIALS = 256  # tokens tried at one place before one of them is taken to span


class _Shared:
    """What the candidates met so far have in common; those that do not begin with the context are none."""

    def __init__(self, context: Sequence[int]) -> None:
        self.context = list(context)
        self.tokens: list[int] | None = None

    def take(self, candidate: Sequence[int]) -> None:
        """One more candidate, from the beginning of the context."""
        kept = len(self.context)
        if list(candidate[:kept]) != self.context:
            return
        own = list(candidate[kept:])
        if self.tokens is None:
            self.tokens = own
            return
        count = 0
        for a, b in zip(self.tokens, own, strict=False):
            if a != b:
                break
            count += 1
        del self.tokens[count:]

    def unchanged_by(self, candidate: Sequence[int]) -> bool:
        """Whether this candidate would change nothing."""
        if self.tokens is None:
            return list(candidate[: len(self.context)]) != self.context
        known = self.context + self.tokens
        return list(candidate[: len(known)]) == known


def shared_by_candidates(pipeline: Pipeline, text: Text, ending: Matcher | None) -> list[int] | None:
    """What all candidates share after the context; None where there is no canonical continuation at all.

    Args:
        pipeline: how the vocabulary makes tokens.
        text: the text in its context.
        ending: the grammar after it; None allows everything.
    """
    data = text.before + text.data
    whole = valid_utf8_length(data)
    broken = data[whole:]
    if broken and not _begins_character(broken):
        return None
    known = data[:whole].decode()
    ids = text.vocabulary.encode_isolated(known)
    if text.vocabulary.bytes_of(ids) != data[:whole]:
        return None
    shared = _Shared(text.context)
    cuts = _cuts(pipeline, data, ending)
    at = pipeline.last_settled(known, min(cuts, default=len(data)) - 1)
    settled = _up_to(text, ids, len(known[:at].encode()))
    tail = known[at:]
    if settled is None:
        return []  # the tokenizer does not do what its pipeline says
    following, may_end = _following(ending, broken)
    for cut in cuts:
        shared.take(settled + pipeline.alone(known[at:cut]))
    try:
        for candidate in _Open(pipeline, text, ending, broken, shared).candidates(
            settled, tail, following, may_end=may_end
        ):
            shared.take(candidate)
    except TooManyWays:
        shared.take(settled)
    return shared.tokens


class _Open:
    """The candidates of one text."""

    def __init__(self, pipeline: Pipeline, text: Text, ending: Matcher | None, broken: bytes, shared: _Shared) -> None:
        self.pipeline = pipeline
        self.vocabulary = text.vocabulary
        self.ending = ending
        self.broken = broken
        self.shared = shared

    def candidates(
        self, settled: list[int], tail: str, following: Next | None, *, may_end: bool
    ) -> Iterator[list[int]]:
        """For every way to cut the words of ``tail``; ``settled`` are the tokens before it."""
        if not tail:
            yield from self.in_word(settled, b"")
            return
        for way in self.pipeline.segmentations(tail, following, may_end=may_end):
            tokens = list(settled)
            for piece in way:
                word = tail[piece.start : piece.end].encode()
                if piece.open:
                    yield from self.in_word(tokens, word)
                    break
                tokens += self.pipeline.word(word)
            else:
                yield from self.in_word(tokens, b"") if self.broken else [tokens]

    def in_word(self, before: list[int], word: bytes) -> Iterator[list[int]]:
        """Where the last word goes on: a boundary at its end, or a token that spans it."""
        merged = self.pipeline.merged
        data = word if self.pipeline.characters else word + self.broken
        for start in range(max(len(word + self.broken) - self.vocabulary.longest + 1, 0), len(data)):
            extensions = self.vocabulary.extensions((word + self.broken)[start:], self.ending)
            extension = next(extensions, None)
            if extension is None:
                continue
            shorter = before + merged(data[:start])
            if self.shared.unchanged_by(shorter):
                continue
            for count, more in enumerate(_again(extension, extensions)):
                if count == TRIALS or self.spans(word + self.broken, start, more):
                    yield shorter
                    break
        here = before + merged(data)
        if not self.shared.unchanged_by(here) and self.may_end_token(data):
            yield here

    def may_end_token(self, data: bytes) -> bool:
        """Whether some token may begin right after the bytes of a word that goes on."""
        if self.pipeline.characters:
            return True
        here = self.pipeline.merged(data)
        for count, more in enumerate(self.vocabulary.extensions(b"", self.ending)):
            if count == TRIALS or self.pipeline.merged(data + more)[: len(here)] == here:
                return True
        return False

    def spans(self, word: bytes, start: int, extension: bytes) -> bool:
        """Whether a word that begins with ``word`` and ``extension`` has a token from ``start`` to there."""
        longer = word + extension
        if start or self.pipeline.whole is None:
            last = self.pipeline.merged(longer)[-1:]
            if not last or self.vocabulary.by_id[last[0]] != longer[start:]:
                return False
        return self.one_word(longer)

    def one_word(self, data: bytes) -> bool:
        """Whether some text has a word that begins with these bytes."""
        size = valid_utf8_length(data)
        text = data[:size].decode()
        if not text or not self.pipeline.stages:
            return True
        following = OTHER if size < len(data) else ANYTHING
        try:
            ways = self.pipeline.segmentations(text, following, may_end=size == len(data))
        except TooManyWays:
            return True
        return any(way[0].end == len(text) and (way[0].open or size == len(data)) for way in ways)


def _again(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _begins_character(broken: bytes) -> bool:
    """Whether bytes are the beginning of a character, and no more."""
    try:
        broken.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def _following(ending: Matcher | None, broken: bytes) -> tuple[Next | None, bool]:
    """What may stand next, and whether the text may end here, as before a special token."""
    if ending is None:
        return (OTHER, False) if broken else (ANYTHING, True)
    if broken:
        return Next(0, _characters(broken, ending)), False
    members = 0
    for byte in ending.allowed():
        members |= 1 << byte
    may_end = ending.accepting() or bool(members >> MARKER & 1)
    following = Next(members & ALL_ASCII, _characters(b"", ending))
    return (following if following.ascii or following.others is None or following.others else None), may_end


def _characters(broken: bytes, ending: Matcher) -> frozenset[str] | None:
    """The characters beyond ASCII that may stand next, as the grammar allows; None where they are many."""
    found: set[str] = set()
    stack: list[tuple[bytes, Matcher]] = [(broken, ending)]
    while stack:
        data, state = stack.pop()
        if data and not _begins_character(data):
            if valid_utf8_length(data) == len(data):
                found.add(data.decode())
            continue
        more = [byte for byte in state.allowed() if 0x80 <= byte < MARKER]
        if len(found) + len(stack) + len(more) > NAMED:
            return None
        for byte in more:
            following = state.step(byte)
            if following is not None:
                stack.append((data + bytes((byte,)), following))
    return frozenset(found)


def _cuts(pipeline: Pipeline, data: bytes, ending: Matcher | None) -> set[int]:
    """Where the first added token may begin: one that stands in the text, or one that may still come about.

    In characters. Before it words are made as if the text ended there; after it nothing is claimed. One that takes the
    white space before it along does not spell it, so that such a continuation does not count.
    """
    cuts: set[int] = set()
    for literal in pipeline.literal:
        begun = (n for n in range(len(literal)) if data.endswith(literal[:n]))
        found = [len(data) - n for n in begun if ending is None or viable(ending, literal[n:])]
        found += (met.start() for met in re.finditer(b"(?=%b)" % re.escape(literal), data))
        cuts.update(len(data[:at].decode(errors="ignore")) for at in found)
    return cuts


def _up_to(text: Text, ids: Sequence[int], length: int) -> list[int] | None:
    """The ids of the first ``length`` bytes; None where no token ends there."""
    at = 0
    for count, token_id in enumerate(ids):
        if at == length:
            return list(ids[:count])
        at += len(text.vocabulary.by_id[token_id] or b"")
    return list(ids) if at == length else None
