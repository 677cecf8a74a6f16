"""Vocabularies as the fast-forward oracle sees them: bytes of ids, canonical ids of a text, llguidance's own copy.

Read from the tokenizer's files with none of the reference's code, because it judges the reference.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokenspec.areas.fast_forward.records import InlineVocabulary, data_of

if TYPE_CHECKING:
    from tokenspec.models import Row

SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"
BYTE_PIECE = re.compile("<0x([0-9A-F]{2})>")


@dataclass(frozen=True, eq=False)
class OracleVocabulary:
    """``bytes_of`` has None for special tokens and holes; ``encode`` never reads text as a special token."""

    bytes_of: list[bytes | None]
    special_ids: Mapping[str, int]
    encode: Callable[[str], list[int]]
    llguidance: Callable[[], Any]

    @cached_property
    def pieces(self) -> list[bytes]:
        """The distinct byte strings, sorted."""
        return sorted({piece for piece in self.bytes_of if piece})

    def further(self, beginning: bytes) -> list[bytes]:
        """What may follow ``beginning`` inside one token, at least a byte."""
        found = []
        for at in range(bisect_left(self.pieces, beginning), len(self.pieces)):
            if not self.pieces[at].startswith(beginning):
                break
            found.append(self.pieces[at][len(beginning) :])
        return [extra for extra in found if extra]

    @cached_property
    def ids_of(self) -> Mapping[bytes, list[int]]:
        """All ids of each byte string."""
        found: dict[bytes, list[int]] = {}
        for token, piece in enumerate(self.bytes_of):
            if piece:
                found.setdefault(piece, []).append(token)
        return found

    def beginning(self, text: bytes) -> list[int]:
        """Every id whose bytes are the first of ``text``."""
        return [token for end in range(1, len(text) + 1) for token in self.ids_of.get(text[:end], ())]

    def spell(self, ids: list[int]) -> bytes | None:
        """The bytes of some ids; None where one has none."""
        found = [self.bytes_of[token] if 0 <= token < len(self.bytes_of) else None for token in ids]
        return None if None in found else b"".join(piece or b"" for piece in found)


def inline_vocabulary(inline: InlineVocabulary) -> OracleVocabulary:
    """256 bytes and a few merges: the earliest merged token that two neighbours form is joined first, from the left."""
    merged = [data_of(token) for token in inline.merged]
    spelled: list[bytes | None] = [bytes([byte]) for byte in range(256)] + [*merged] + [None] * len(inline.special)
    special = {name: 256 + len(merged) + index for index, name in enumerate(inline.special)}

    def encode(text: str) -> list[int]:
        word = [bytes([byte]) for byte in text.encode()]
        joined = True
        while joined:
            joined = False
            for token in merged:
                at = next((i for i in range(len(word) - 1) if word[i] + word[i + 1] == token), None)
                if at is not None:
                    word[at : at + 2] = [token]
                    joined = True
                    break
        return [256 + merged.index(part) if len(part) > 1 else part[0] for part in word]

    return OracleVocabulary(spelled, special, encode, lambda: _wrapped(spelled, special, encode))


def _wrapped(spelled: list[bytes | None], special: Mapping[str, int], encode: Callable[[str], list[int]]) -> Any:
    import llguidance
    from llguidance import TokenizerWrapper

    names = {token_id: name for name, token_id in special.items()}

    return llguidance.LLTokenizer(TokenizerWrapper(_Small(spelled, names, encode)))


class _Small:
    """What llguidance asks of a tokenizer in Python."""

    bos_token_id = None

    def __init__(
        self, spelled: list[bytes | None], names: Mapping[int, str], encode: Callable[[str], list[int]]
    ) -> None:
        self.eos_token_id = len(spelled)
        self.tokens = [*(piece or names[token].encode() for token, piece in enumerate(spelled)), b"<end>"]
        self.special_token_ids = [*names, self.eos_token_id]
        self.encode = encode

    def __call__(self, text: Any) -> list[int]:
        """Encode text. Bytes are refused, so that broken characters take the library's own way."""
        if not isinstance(text, str):
            raise TypeError("expected text")
        return self.encode(text)


def row_vocabulary(row: Row) -> OracleVocabulary:
    """A row's vocabulary: bytes by its decoder's kind, text encoded without prefix space and special tokens."""
    spec = json.loads(row.vocabulary.backend_tokenizer.to_str())
    control = {
        token["content"]: token["id"]
        for token in spec["added_tokens"]
        if token["special"] or re.fullmatch("<.*>", token["content"], re.DOTALL)
    }
    bytes_of = _bytes_of(spec)
    for token in spec["added_tokens"]:
        bytes_of[token["id"]] = None if token["content"] in control else token["content"].encode()

    def load() -> Any:
        import llguidance.hf

        return llguidance.hf.from_tokenizer(row.tokenizer)

    return OracleVocabulary(bytes_of, control, _encoder(spec, control), load)


def _bytes_of(spec: Mapping[str, Any]) -> list[bytes | None]:
    pieces = spec["model"]["vocab"]
    ids = [*pieces.values(), *(token["id"] for token in spec["added_tokens"])]
    bytes_of: list[bytes | None] = [None] * (max(ids) + 1)
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(rest)}
    fallback = "ByteFallback" in json.dumps(spec["decoder"])
    for piece, token_id in pieces.items():
        if fallback:
            single = BYTE_PIECE.fullmatch(piece)
            bytes_of[token_id] = bytes.fromhex(single[1]) if single else piece.replace(SPACE_MARK, " ").encode()
        elif all(char in table for char in piece):
            bytes_of[token_id] = bytes(table[char] for char in piece)
    return bytes_of


def _encoder(spec: Mapping[str, Any], control: Mapping[str, int]) -> Callable[[str], list[int]]:
    from tokenizers import Tokenizer

    def bare(part: Any) -> Any:
        if part is None:
            return None
        for key in ("normalizers", "pretokenizers"):
            if key in part:
                return {**part, key: [bare(item) for item in part[key] if item["type"] != "Prepend"]}
        changed: dict[str, dict[str, Any]] = {
            "Metaspace": {"prepend_scheme": "never"},
            "ByteLevel": {"add_prefix_space": False},
        }
        return None if part["type"] == "Prepend" else {**part, **changed.get(part["type"], {})}

    added = [{**token, "special": token["content"] in control} for token in spec["added_tokens"]]
    parts = {key: bare(spec[key]) for key in ("normalizer", "pre_tokenizer")}
    backend = Tokenizer.from_str(json.dumps({**spec, **parts, "added_tokens": added}))
    backend.encode_special_tokens = True
    return lambda text: list(backend.encode(text, add_special_tokens=False).ids)
