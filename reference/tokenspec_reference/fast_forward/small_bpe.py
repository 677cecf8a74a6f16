"""A byte-pair vocabulary small enough to reason about: 256 bytes and a few merges. For examples and enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.vocabulary import TokenBytes
from tokenspec_reference.fast_forward.vocabulary_parts import UnsupportedVocabulary


def small_vocabulary(*tokens: bytes | str, special: Sequence[str] = ()) -> TokenBytes:
    """Ids 0 to 255 are the bytes, then the tokens in order of merge priority, then special tokens.

    Encoding joins, again and again, the adjacent pair whose joined token comes first, the leftmost of equals; the whole
    text is one word.

    >>> vocabulary = small_vocabulary("or", "de", "der", "order")
    >>> vocabulary.encode_text("order order")
    [259, 32, 259]

    Raises:
        UnsupportedVocabulary: a token is shorter than two bytes or listed twice.
    """
    pieces = [token.encode() if isinstance(token, str) else token for token in tokens]
    for index, piece in enumerate(pieces):
        if len(piece) < 2 or piece in pieces[:index]:
            raise UnsupportedVocabulary("expected distinct tokens of two bytes or more", field=f"tokens[{index}]")
    rank = {piece: 256 + index for index, piece in enumerate(pieces)}
    singles = [bytes((byte,)) for byte in range(256)]

    def merged(data: bytes) -> list[int]:
        parts = [bytes((byte,)) for byte in data]
        while len(parts) > 1:
            pairs = [(rank[a + b], index) for index, (a, b) in enumerate(pairwise(parts)) if a + b in rank]
            if not pairs:
                break
            at = min(pairs)[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [rank.get(part, part[0]) for part in parts]

    first_special = 256 + len(pieces)
    return TokenBytes.from_parts(
        [*singles, *pieces, *(None for _ in special)],
        lambda text: merged(text.encode()),
        special_ids={name: first_special + index for index, name in enumerate(special)},
        pipeline=Pipeline((), merged),
    )
