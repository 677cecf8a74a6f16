"""A text in its context, and the few ways a grammar may have to go on after it: what ``strict.py`` compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenspec_reference.fast_forward.matcher import MARKER, Matcher
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

FEW = 12  # texts that are compared one by one
FEW_BYTES = 256
MANY = 1024  # texts that are not even counted one by one


@dataclass(frozen=True, slots=True)
class Text:
    """Bytes after context tokens that stay as they are.

    Attributes:
        vocabulary: token bytes and encoders.
        context: the tokens before.
        data: the text.
    """

    vocabulary: TokenBytes
    context: tuple[int, ...]
    data: bytes

    @property
    def before(self) -> bytes:
        """The bytes of the context."""
        return self.vocabulary.bytes_of(self.context) or b""

    def encoded(self, more: bytes = b"") -> list[int] | None:
        """Ids of the text and more; None where it is not UTF-8, not spelled, or the context does not come back.

        Such a text has no canonical tokenisation that goes on from the context.
        """
        whole = self.before + self.data + more
        try:
            ids = self.vocabulary.encode_isolated(whole.decode())
        except UnicodeDecodeError:
            return None
        kept = len(self.context)
        if tuple(ids[:kept]) != self.context or self.vocabulary.bytes_of(ids) != whole:
            return None
        return ids[kept:]

    def lossless(self, ids: Sequence[int]) -> list[int]:
        """The ids up to the first that does not spell the text: it goes beyond, or a normalizer changed it."""
        at = 0
        for count, token_id in enumerate(ids):
            piece = self.vocabulary.raw((token_id,))
            if not self.data.startswith(piece, at):
                return list(ids[:count])
            at += len(piece)
        return list(ids)


def few_texts(following: Matcher) -> list[bytes] | None:
    """Every way to go on, up to the first special token, if there are few and none is long; None otherwise."""
    count: Callable[[], int] | None = getattr(following, "texts", None)
    if count is not None and count() >= MANY:
        return None
    texts: list[bytes] = []
    stack: list[tuple[bytes, Matcher]] = [(b"", following)]
    while stack:
        text, state = stack.pop()
        literal: Callable[[], tuple[bytes, Matcher]] | None = getattr(state, "literal", None)
        if literal is not None:
            known, following = literal()
            if known:  # many bytes at once; a text cannot end before them
                if len(text) + len(known) > FEW_BYTES:
                    return None
                stack.append((text + known, following))
                continue
        if state.accepting():
            texts.append(text)
        allowed = state.allowed()
        choices = allowed if isinstance(allowed, bytes) else bytes(allowed)
        if len(texts) + len(stack) + len(choices) > FEW or (choices and len(text) >= FEW_BYTES):
            return None
        for byte in choices:
            next_state = state.step(byte)
            if next_state is not None:
                stack.append((text + bytes((byte,)), next_state))
    return [text.partition(bytes((MARKER,)))[0] for text in texts]
