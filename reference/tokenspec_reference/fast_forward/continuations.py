"""A text in its context, and the ways a grammar can go on after it: what ``strict.py`` compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokenspec_reference.fast_forward.matcher import MARKER, Matcher, after
from tokenspec_reference.fast_forward.tokenize import valid_utf8_length
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

FEW = 12  # texts that are compared one by one
FEW_BYTES = 256
COMPLETIONS = 64  # ways to finish a broken character


@dataclass(frozen=True, slots=True)
class Text:
    """Bytes after context tokens that stay as they are.

    Attributes:
        vocabulary: token bytes and encoders.
        context: the tokens before.
        before: their bytes.
        data: the text; with ``before`` it is UTF-8.
    """

    vocabulary: TokenBytes
    context: tuple[int, ...]
    before: bytes
    data: bytes

    @staticmethod
    def after(vocabulary: TokenBytes, context: tuple[int, ...], data: bytes) -> Text:
        """The text after its context, or alone where the context does not come back as the same tokens.

        Such a context is not canonical before this text, so it can be part of no canonical tokenisation.
        """
        text = Text(vocabulary, context, vocabulary.bytes_of(context) or b"", data)
        return text if not context or text.encoded(data) is not None else Text(vocabulary, (), b"", data)

    def encoded(self, data: bytes) -> list[int] | None:
        """Ids of ``data`` after the context; None where it is not UTF-8 or the context does not stay as it is."""
        try:
            ids = self.vocabulary.encode_isolated((self.before + data).decode())
        except UnicodeDecodeError:
            return None
        kept = len(self.context)
        return ids[kept:] if tuple(ids[:kept]) == self.context else None

    @property
    def tokens(self) -> list[int]:
        """The tokens of the text itself, up to the first that does not spell it."""
        found = self.encoded(self.data) or []
        if found and self.vocabulary.encode_merged is not self.vocabulary.encode_isolated:
            # a whole word taken from the vocabulary although no merge reaches it may fall apart when the word goes on
            merged = self.vocabulary.encode_merged((self.before + self.data).decode())
            if merged[-1] != found[-1]:
                found = found[:-1]
        return self.lossless(found)

    def lossless(self, ids: Sequence[int]) -> list[int]:
        """The ids up to the first that does not spell the text: it goes beyond, or a normalizer changed it."""
        at = 0
        for count, token_id in enumerate(ids):
            piece = self.vocabulary.by_id[token_id]
            if piece is None or not self.data.startswith(piece, at):
                return list(ids[:count])
            at += len(piece)
        return list(ids)

    def starts(self) -> range:
        """Where a token that spans the end of the text can begin."""
        return range(max(len(self.data) - self.vocabulary.longest + 1, 0), len(self.data))

    def looks_ahead(self, tokens: Sequence[int]) -> bool:
        """Whether the boundary at the end may depend on the character after it.

        Pre-tokenizers split off the last of several spaces before a word, and an added token may ask to be a word.
        """
        tail = (self.before + self.data).decode(errors="ignore")[-2:]
        return (len(tail) == 2 and tail.isspace()) or (bool(tokens) and tokens[-1] in self.vocabulary.added)

    def cut_at_end(self, ids: Sequence[int] | None) -> list[int] | None:
        """The ids up to the boundary at the end of the text; None where there is no boundary."""
        at = 0
        for count, token_id in enumerate(ids or ()):
            if at == len(self.data):
                return list((ids or [])[:count])
            at += len(self.vocabulary.by_id[token_id] or b"")
        return None


def few_texts(following: Matcher) -> list[bytes] | None:
    """Every way to go on, up to the first special token, if there are few and none is long; None otherwise."""
    texts: list[bytes] = []
    stack: list[tuple[bytes, Matcher]] = [(b"", following)]
    while stack:
        text, state = stack.pop()
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


def completions(extension: bytes, following: Matcher | None) -> Iterator[bytes]:
    """Bytes that finish the last character of an extension, as the grammar allows; one empty one if it is whole."""
    broken = extension[valid_utf8_length(extension) :]
    if not broken:
        yield b""
        return
    state = after(following, extension)
    if following is not None and state is None:
        return
    yield from _finished(broken, state)


def next_characters(following: Matcher | None) -> Iterator[bytes]:
    """Each single byte that may come next, and a few whole characters for each first byte of a longer one."""
    for byte in range(0xF5) if following is None else following.allowed():
        if byte < 0x80:
            yield bytes((byte,))
        elif 0xC2 <= byte < 0xF5:
            state = None if following is None else following.step(byte)
            if following is None or state is not None:
                yield from (bytes((byte,)) + rest for rest in _finished(bytes((byte,)), state))


def _finished(broken: bytes, state: Matcher | None) -> Iterator[bytes]:
    produced = 0
    stack: list[tuple[bytes, Matcher | None]] = [(b"", state)]
    while stack and produced < COMPLETIONS:
        rest, current = stack.pop()
        if rest and valid_utf8_length(broken + rest) == len(broken + rest):
            produced += 1
            yield rest
            continue
        if len(broken + rest) >= 4:
            continue
        for byte in range(0x80, 0xC0) if current is None else current.allowed():
            if 0x80 <= byte < 0xC0:
                following = None if current is None else current.step(byte)
                if current is None or following is not None:
                    stack.append((rest + bytes((byte,)), following))
