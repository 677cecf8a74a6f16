"""Read a vocabulary out of the file formats carriers hold: Hugging Face json, tiktoken ranks, tekken json, gguf.

All give the same thing: the BPE vocabulary (token text -> id) and the ordered merges.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec.models.errors import BuildError
from tokenspec.models.gguf import read_metadata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Merges = list[tuple[str, str]]

GGUF_NORMAL, GGUF_CONTROL, GGUF_USER_DEFINED, GGUF_UNUSED, GGUF_BYTE = 1, 3, 4, 5, 6


@dataclass(frozen=True)
class Vocabulary:
    """``tokens``: text -> id; ``merges``: pairs in priority order."""

    tokens: dict[str, int]
    merges: Merges


def byte_alphabet() -> dict[int, str]:
    """The GPT-2 table: each byte as one printable character (byte-level BPE writes its tokens with it)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in table)
    return table | {byte: chr(256 + n) for n, byte in enumerate(others)}


_ALPHABET = byte_alphabet()


def spell(token: bytes) -> str:
    """Token bytes in the byte-level alphabet."""
    return token.decode("latin-1").translate(_ALPHABET)


def read_vocabulary(data: bytes, file_format: str, *, merges: str) -> Vocabulary:
    """Read ``data``; ``merges`` says how ranks become merges (:func:`merges_of_ranks`).

    Raises:
        BuildError: the bytes are not what the format says.
    """
    try:
        if file_format in ("hf", "hf-vocabulary"):
            return _from_hf(json.loads(data))
        if file_format == "gguf":
            return _from_gguf(read_metadata(data))
        first_id, ranks = _tekken_ranks(json.loads(data)) if file_format == "tekken" else (0, _tiktoken_ranks(data))
    except (ValueError, KeyError, TypeError, IndexError, binascii.Error) as error:
        raise BuildError(f"not a readable {file_format} vocabulary: {error!r}") from error
    return Vocabulary(
        {spell(token): rank + first_id for token, rank in ranks.items()},
        merges_of_ranks(ranks, merges),
    )


def _tiktoken_ranks(data: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token, validate=True): int(rank) for token, rank in pairs}


def _tekken_ranks(document: Mapping[str, Any]) -> tuple[int, dict[bytes, int]]:
    """The file holds more ranks than the model uses; its lowest ids are kept for control tokens."""
    config = document["config"]
    reserved = config["default_num_special_tokens"]
    used = document["vocab"][: config["default_vocab_size"] - reserved]
    return reserved, {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in used}


def _from_hf(document: Mapping[str, Any]) -> Vocabulary:
    model = document["model"]
    pairs = (merge.split(" ", 1) if isinstance(merge, str) else merge for merge in model["merges"])
    return Vocabulary(dict(model["vocab"]), [(left, right) for left, right in pairs])


def _from_gguf(metadata: Mapping[str, Any]) -> Vocabulary:
    """Normal, control, user-defined and byte tokens; unused rows and padding placeholders are not vocabulary."""
    texts, kinds = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    tokens = {
        text: token_id
        for token_id, (text, kind) in enumerate(zip(texts, kinds, strict=True))
        if kind != GGUF_UNUSED and not (kind == GGUF_USER_DEFINED and text.startswith("[PAD"))
    }
    if "tokenizer.ggml.merges" not in metadata:
        scores = metadata["tokenizer.ggml.scores"]
        usable = {text: token_id for text, token_id in tokens.items() if kinds[token_id] == GGUF_NORMAL}
        return Vocabulary(tokens, merges_of_scores(usable, scores))
    pairs = (merge.split(" ", 1) for merge in metadata["tokenizer.ggml.merges"])
    return Vocabulary(tokens, [(left, right) for left, right in pairs])


def merges_of_ranks(ranks: Mapping[bytes, int], rule: str) -> Merges:
    """Merges that make a BPE of ranks, in priority order.

    ``all-splits``: every split of a token into two tokens, ordered by token rank, then the ranks of the parts (what
    converters of tiktoken files write). ``one-per-token``: the single merge that forms the token when ranks below its
    own are applied to its bytes (what a vocabulary trained with one merge per token contains).
    """
    spelled = {spell(token): rank for token, rank in ranks.items()}
    ordered = sorted(spelled, key=spelled.__getitem__)
    if rule == "one-per-token":
        return [_last_merge(spelled, token) for token in ordered if len(token) > 1]
    return [
        (left, right)
        for token in ordered
        for _, _, left, right in sorted(
            (spelled[token[:cut]], spelled[token[cut:]], token[:cut], token[cut:])
            for cut in range(1, len(token))
            if token[:cut] in spelled and token[cut:] in spelled
        )
    ]


def merges_of_scores(tokens: Mapping[str, int], scores: Sequence[float]) -> Merges:
    """Merges of a SentencePiece BPE, which keeps scores instead: every split into two tokens, best score first."""
    splits = [
        (-scores[token_id], token_id, tokens[text[:cut]], tokens[text[cut:]], text[:cut], text[cut:])
        for text, token_id in tokens.items()
        for cut in range(1, len(text))
        if text[:cut] in tokens and text[cut:] in tokens
    ]
    return [(left, right) for *_, left, right in sorted(splits)]


def _last_merge(ranks: Mapping[str, int], token: str) -> tuple[str, str]:
    """The two parts left when every merge of lower rank has been applied to the spelled bytes of ``token``."""
    limit, parts = ranks[token], list(token)
    while len(parts) > 2:
        rank, at = min((ranks.get(parts[n] + parts[n + 1], limit), n) for n in range(len(parts) - 1))
        if rank >= limit:
            raise ValueError(f"no merge forms token {token!r} (rank {limit}) out of lower ranks")
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts[0], parts[1]
