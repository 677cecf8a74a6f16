"""The vocabulary as bytes: what every id spells, which ids begin with given bytes, and how text becomes ids.

Look-ups go through one sorted tuple of the distinct byte strings. All tokens that begin with some bytes are one run
of it, found by their first bytes and bisection. A trie would answer the same question; in Python it costs a million
small objects and about ten times the memory, while the sorted tuple is built by one ``sorted`` call, stored as it is,
and walked lazily.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward.belief import believed
from tokenspec_reference.fast_forward.hugging_face import read_hugging_face, read_tokenizer_json
from tokenspec_reference.fast_forward.matcher import Matcher, mark
from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.tiktoken_ranks import read_tiktoken
from tokenspec_reference.fast_forward.vocabulary_parts import Encode, UnsupportedVocabulary, VocabularyParts

HEAD = 3  # bytes by which words are looked up at once


@dataclass(frozen=True, eq=False, slots=True)
class TokenBytes:
    """Bytes of every token and the tokenizer that goes with them.

    Attributes:
        by_id: bytes of each id; None for special tokens, holes and unused ids: they are never part of text.
        special_ids: id of each special token by its name.
        words: the distinct byte strings, sorted.
        heads: where in ``words`` those that begin with one, two or three given bytes lie (half open).
        id_of: the lowest id of each byte string.
        twins: all ids, ascending, of the byte strings that the vocabulary spells more than once.
        longest: length in bytes of the longest token of text.
        encode_text: text to ids as the tokenizer does it, where the name of a special token becomes that token.
        encode_isolated: text to ids where text never becomes a special token.
        pipeline: how ``encode_isolated`` makes words and tokens; None where that is not understood. ``strict`` then
            forces only what it sees in all texts of a grammar.
        unproven: why not; None where it is understood.
    """

    by_id: tuple[bytes | None, ...]
    special_ids: Mapping[str, int]
    words: tuple[bytes, ...]
    heads: Mapping[bytes, tuple[int, int]]
    id_of: Mapping[bytes, int]
    twins: Mapping[bytes, tuple[int, ...]]
    longest: int
    encode_text: Encode
    encode_isolated: Encode
    pipeline: Pipeline | None
    unproven: str | None

    @staticmethod
    def from_parts(
        by_id: Sequence[bytes | None],
        encode_text: Encode,
        *,
        special_ids: Mapping[str, int] | None = None,
        encode_isolated: Encode | None = None,
        pipeline: Pipeline | None = None,
    ) -> TokenBytes:
        """A vocabulary from a list of byte strings and an encoder.

        Without a ``pipeline`` nothing is known about the encoder: ``strict`` forces little then.

        Raises:
            UnsupportedVocabulary: no id has bytes.
        """
        return TokenBytes._built(
            VocabularyParts(
                by_id,
                encode_text,
                special_ids or {},
                pipeline or "it came as a function",
                encode_isolated,
            )
        )

    @staticmethod
    def _built(parts: VocabularyParts) -> TokenBytes:
        spelled = [(data, token_id) for token_id, data in enumerate(parts.by_id) if data]
        if not spelled:
            raise UnsupportedVocabulary("no id has bytes", field="vocabulary")
        id_of = dict(reversed(spelled))
        twins: dict[bytes, list[int]] = {}
        if len(id_of) < len(spelled):
            for data, token_id in spelled:
                twins.setdefault(data, []).append(token_id)
        specials = dict(parts.special_ids)
        by_id = tuple(data or None for data in parts.by_id)
        encode = parts.encode_isolated or parts.encode_text
        pipeline, unproven = believed(parts.pipeline, encode, by_id)
        words = tuple(sorted(id_of))
        return TokenBytes(
            by_id=by_id,
            special_ids=specials,
            words=words,
            heads=_heads(words),
            id_of=id_of,
            twins={data: tuple(ids) for data, ids in twins.items() if len(ids) > 1},
            longest=max(map(len, id_of)),
            encode_text=parts.encode_text,
            encode_isolated=encode,
            pipeline=pipeline,
            unproven=unproven,
        )

    @staticmethod
    def from_tokenizer(tokenizer: Any, *, cache_directory: Path | None = None) -> TokenBytes:
        """Read a tokenizer of ``transformers``, ``tokenizers`` or ``tiktoken``.

        Args:
            tokenizer: byte-level BPE, a vocabulary with byte fallback, or a ``tiktoken.Encoding``.
            cache_directory: where to keep the bytes of the tokens, by the hash of the tokenizer; None keeps nothing.

        Raises:
            UnsupportedVocabulary: neither kind; the text says what was found.
        """
        if hasattr(tokenizer, "encode_ordinary"):
            return TokenBytes._built(read_tiktoken(tokenizer))
        return TokenBytes._built(read_hugging_face(tokenizer, cache_directory=cache_directory))

    @staticmethod
    def from_json(source: str, *, cache_directory: Path | None = None) -> TokenBytes:
        """Read the text of a ``tokenizer.json``: the same, without loading the tokenizer first."""
        return TokenBytes._built(read_tokenizer_json(source, cache_directory=cache_directory))

    def ids_spelling(self, data: bytes) -> tuple[int, ...]:
        """Every id with exactly these bytes, lowest first."""
        only = self.id_of.get(data)
        return self.twins.get(data, () if only is None else (only,))

    def bytes_of(self, token_ids: Sequence[int]) -> bytes | None:
        """The text bytes of some ids, or None where one of them is special or unknown."""
        pieces = [self.by_id[i] if 0 <= i < len(self.by_id) else None for i in token_ids]
        return None if None in pieces else b"".join(piece for piece in pieces if piece is not None)

    def raw(self, token_ids: Sequence[int]) -> bytes:
        """As ``bytes_of``, with every id that has no text bytes written as the marker and its number."""
        return b"".join(self.by_id[i] or mark(i) for i in token_ids)

    def checked(self, token_ids: Sequence[int], field: str) -> tuple[int, ...]:
        """The same ids, or an error naming the first that is not in the vocabulary."""
        size = len(self.by_id)
        if set(map(type, token_ids)) <= {int} and (not token_ids or (min(token_ids) >= 0 and max(token_ids) < size)):
            return tuple(token_ids)
        for index, token_id in enumerate(token_ids):
            if not isinstance(token_id, int) or not 0 <= token_id < len(self.by_id):
                raise TokenSpecError(
                    f"{token_id!r} is not an id of this vocabulary (0..{len(self.by_id) - 1})",
                    field=f"{field}[{index}]",
                )
        return tuple(token_ids)

    def run(self, prefix: bytes) -> tuple[int, int]:
        """Where in ``words`` the byte strings that begin with ``prefix`` lie (half open)."""
        if not prefix:
            return 0, len(self.words)
        low, high = self.heads.get(prefix[:HEAD], (0, 0))
        if len(prefix) <= HEAD or low == high:
            return low, high
        low = bisect_left(self.words, prefix, low, high)
        if low == high or not self.words[low].startswith(prefix):
            return low, low
        return low, bisect_left(self.words, prefix + b"\xff" * self.longest, low, high)

    def spanning(self, window: bytes, grammar: Matcher | None) -> int:
        """How many bytes the longest suffix has that begins a longer token which the grammar allows; 0 for none."""
        for start in range(len(window)):
            if window[start : start + HEAD] in self.heads:
                suffix = window[start:]
                if next(self.extensions(suffix, grammar), None) is not None:
                    return len(suffix)
        return 0

    def extensions(self, prefix: bytes, grammar: Matcher | None) -> Iterator[bytes]:
        """What may follow ``prefix`` inside one token: its further bytes, at least one, that the grammar allows.

        Args:
            prefix: the beginning of the token.
            grammar: the state after the prefix; None allows everything.
        """
        low, high = self.run(prefix)
        size = len(prefix)
        low += low < high and len(self.words[low]) == size
        if low == high:
            return iter(())
        if grammar is None:
            return (word[size:] for word in self.words[low:high])
        return self._walk(low, high, size, size, grammar)

    def _walk(self, low: int, high: int, start: int, depth: int, grammar: Matcher) -> Iterator[bytes]:
        """What words of a run, longer than ``depth``, have behind ``start``; ``grammar`` stands at ``depth``."""
        words = self.words
        allowed = grammar.allowed()
        members = allowed if isinstance(allowed, bytes | frozenset | set) else frozenset(allowed)
        head = words[low][:depth]
        only = len(members) == 1
        while low < high:
            byte = next(iter(members)) if only else words[low][depth]
            begin = bisect_left(words, head + bytes((byte,)), low, high) if only else low
            end = high if byte == 0xFF else bisect_left(words, head + bytes((byte + 1,)), begin, high)
            if begin < end and byte in members:
                if len(words[begin]) == depth + 1:  # an allowed byte is always a step, so it need not be taken here
                    yield words[begin][start:]
                    begin += 1
                following = grammar.step(byte) if begin < end else None
                if following is not None:
                    yield from self._walk(begin, end, start, depth + 1, following)
            if only:
                return
            low = end


def _heads(words: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
    found: dict[bytes, tuple[int, int]] = {}
    for size in range(1, HEAD + 1):
        end = 0
        for head, count in Counter(map(itemgetter(slice(size)), words)).items():  # sorted, as words are
            if len(head) == size:
                found[head] = end, end + count
            end += count
    return found
