"""Reads a Hugging Face tokenizer: which bytes each id stands for, and encoders without an added prefix space.

Two kinds of vocabulary spell bytes. Byte-level BPE writes each byte as one printable character (the GPT-2 table). A
vocabulary with byte fallback writes text with a visible space character and has ``<0xHH>`` tokens for single bytes.

Special tokens are the added tokens marked special, and those whose name is in angle brackets: Qwen3 marks twelve of
its control tokens (``<think>``, ``<tool_call>``...) as not special, and a model still never spells them as text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from tokenspec_reference.fast_forward.cache import load_bytes, store_bytes
from tokenspec_reference.fast_forward.vocabulary_parts import UnsupportedVocabulary, VocabularyParts

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def read_hugging_face(tokenizer: Any, *, cache_directory: Path | None = None) -> VocabularyParts:
    """The token bytes of a fast tokenizer (``PreTrainedTokenizerFast`` or ``tokenizers.Tokenizer``).

    Raises:
        UnsupportedVocabulary: a slow tokenizer, or a decoder that is neither byte level nor byte fallback.
    """
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "to_str"):
        raise UnsupportedVocabulary(
            f"expected a fast tokenizer or a tiktoken encoding, got {type(tokenizer).__name__}",
            field="tokenizer",
        )
    return read_tokenizer_json(backend.to_str(), cache_directory=cache_directory)


def read_tokenizer_json(source: str, *, cache_directory: Path | None = None) -> VocabularyParts:
    """The token bytes of a ``tokenizer.json``.

    Raises:
        UnsupportedVocabulary: not such a file, an unknown decoder, or an added token that loads under another id.
    """
    try:
        spec = msgspec.json.decode(source)
        added, model = spec["added_tokens"], spec["model"]
    except (msgspec.DecodeError, TypeError, KeyError) as error:
        raise UnsupportedVocabulary(f"not a tokenizer.json: {error}", field="tokenizer") from error
    digest = hashlib.sha256(source.encode()).hexdigest()
    specials = {token["content"]: token["id"] for token in added if _is_special(token)}
    by_id = load_bytes(cache_directory, digest) if cache_directory else None
    if by_id is None:
        by_id = _token_bytes(spec, specials)
        if cache_directory:
            store_bytes(cache_directory, digest, by_id)
    encoders = _Encoders(spec, specials)
    for token in added:
        if encoders.plain.token_to_id(token["content"]) != token["id"]:
            raise UnsupportedVocabulary(
                f"{token['content']!r} loads as {encoders.plain.token_to_id(token['content'])}, not {token['id']}; "
                "enter it into the vocabulary, too",
                field="tokenizer.added_tokens",
            )
    return VocabularyParts(
        by_id,
        encoders.text,
        special_ids=specials,
        added=frozenset(token["id"] for token in added if not _is_special(token)),
        encode_isolated=encoders.isolated,
        encode_merged=encoders.merged if model.get("ignore_merges") else None,
    )


def byte_of_character() -> dict[str, int]:
    """The GPT-2 table: printable Latin-1 characters stand for themselves, the other bytes for U+0100 and up.

    >>> byte_of_character()["Ġ"], byte_of_character()["a"]
    (32, 97)
    """
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(byte): byte for byte in plain}
    table.update({chr(256 + rank): byte for rank, byte in enumerate(b for b in range(256) if b not in set(plain))})
    return table


def _is_special(token: Mapping[str, Any]) -> bool:
    name = token["content"]
    return bool(token["special"]) or (name.startswith("<") and name.endswith(">"))


def _token_bytes(spec: Mapping[str, Any], specials: Mapping[str, int]) -> list[bytes | None]:
    decoders = list(_flat(spec["decoder"], "decoders"))
    kinds = {decoder["type"] for decoder in decoders}
    entries = spec["model"]["vocab"]  # by name, or for a Unigram model a list of (name, score)
    vocabulary = entries if isinstance(entries, dict) else {entry[0]: i for i, entry in enumerate(entries)}
    highest = max([*vocabulary.values(), *(token["id"] for token in spec["added_tokens"])], default=-1)
    by_id: list[bytes | None] = [None] * (highest + 1)
    if "ByteFallback" in kinds:
        space = next((d["pattern"].get("String", "▁") for d in decoders if d["type"] == "Replace"), "▁")
        for name, token_id in vocabulary.items():
            byte = BYTE_TOKEN.fullmatch(name)
            by_id[token_id] = bytes((int(byte[1], 16),)) if byte else name.replace(space, " ").encode()
    elif "ByteLevel" in kinds:
        latin = {ord(char): byte for char, byte in byte_of_character().items()}
        for name, token_id in vocabulary.items():
            try:
                by_id[token_id] = name.translate(latin).encode("latin-1")
            except UnicodeEncodeError:
                by_id[token_id] = None
    else:
        raise UnsupportedVocabulary(
            f"the decoder is {', '.join(sorted(kinds)) or 'missing'}; token bytes need ByteLevel or ByteFallback",
            field="tokenizer.decoder",
        )
    for token in spec["added_tokens"]:
        by_id[token["id"]] = token["content"].encode()
    for token_id in specials.values():
        by_id[token_id] = None
    return by_id


def _flat(part: Mapping[str, Any] | None, key: str) -> list[Mapping[str, Any]]:
    """A component, or the components of a sequence, nested or not."""
    if part is None:
        return []
    return [leaf for item in part[key] for leaf in _flat(item, key)] if part["type"] == "Sequence" else [part]


def _without_prefix(part: Any, key: str) -> Any:
    """A normalizer or pre-tokenizer that adds no space before the text."""
    if part is None or part["type"] == "Prepend":
        return None
    if part["type"] == "Sequence":
        inner = [kept for item in part[key] if (kept := _without_prefix(item, key)) is not None]
        return {**part, key: inner} if inner else None
    if part["type"] == "Metaspace":
        return {**part, "prepend_scheme": "never"}
    return {**part, "add_prefix_space": False} if part["type"] == "ByteLevel" else part


class _Encoders:
    """The encoders of one tokenizer. They are separate copies, so that the caller's tokenizer is never changed."""

    def __init__(self, spec: Mapping[str, Any], specials: Mapping[str, int]) -> None:
        self.spec = {
            **spec,
            "truncation": None,
            "padding": None,
            "normalizer": _without_prefix(spec["normalizer"], "normalizers"),
            "pre_tokenizer": _without_prefix(spec["pre_tokenizer"], "pretokenizers"),
        }
        self.first_characters = {name[0] for name in specials if name}
        self.names = re.compile("|".join(map(re.escape, specials)) if specials else r"(?!)")
        self.plain = self.build(self.spec)

    def build(self, spec: Mapping[str, Any]) -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_str(msgspec.json.encode(spec).decode())

    @cached_property
    def without_specials(self) -> Any:
        """Built when a text first spells the name of a special token: rare, and it costs what loading costs."""
        return self.build_isolated(self.spec)

    @cached_property
    def by_merges(self) -> Any:
        return self.build_isolated({**self.spec, "model": {**self.spec["model"], "ignore_merges": False}})

    def build_isolated(self, spec: Mapping[str, Any]) -> Any:
        # marked special rather than removed: removing an added token can silently renumber the others
        added = [{**token, "special": _is_special(token)} for token in spec["added_tokens"]]
        backend = self.build({**spec, "added_tokens": added})
        backend.encode_special_tokens = True
        return backend

    def text(self, text: str) -> list[int]:
        """As the tokenizer does."""
        ids: list[int] = self.plain.encode(text, add_special_tokens=False).ids
        return ids

    def isolated(self, text: str) -> list[int]:
        """Text stays text."""
        if self.first_characters.isdisjoint(text) or not self.names.search(text):
            return self.text(text)
        ids: list[int] = self.without_specials.encode(text, add_special_tokens=False).ids
        return ids

    def merged(self, text: str) -> list[int]:
        """Text stays text, and only merges make tokens."""
        ids: list[int] = self.by_merges.encode(text, add_special_tokens=False).ids
        return ids
