"""What a vocabulary is built from: what every reader of a tokenizer returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward.pipeline import Pipeline

Encode = Callable[[str], list[int]]


class UnsupportedVocabulary(TokenSpecError):
    """The bytes of the tokens cannot be told from this tokenizer."""

    rejection_code = "unsupported-vocabulary"


@dataclass(frozen=True)
class VocabularyParts:
    """Bytes by id and encoders, as they were read.

    Attributes:
        by_id: bytes of each id; None or empty where the id is never part of text.
        encode_text: text to ids as the tokenizer does it.
        special_ids: id of each special token by its name.
        encode_isolated: text to ids where text never becomes a special token; None where ``encode_text`` is that.
        pipeline: how words and tokens come about; a text that says why nothing is known about that.
    """

    by_id: Sequence[bytes | None]
    encode_text: Encode
    special_ids: Mapping[str, int]
    pipeline: Pipeline | str
    encode_isolated: Encode | None = None
