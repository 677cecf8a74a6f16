"""Reads a Hugging Face tokenizer: which bytes each id stands for, and encoders without an added prefix space.

Two kinds of vocabulary spell bytes. Byte-level BPE writes each byte as one printable character (the GPT-2 table). A
vocabulary with byte fallback writes text with a visible space character and has ``<0xHH>`` tokens for single bytes.

Special tokens are the added tokens marked special, and those whose name is in angle brackets: Qwen3 marks twelve of
its control tokens (``<think>``, ``<tool_call>``...) as not special, and a model still never spells them as text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from tokenspec_reference.fast_forward.cache import load_bytes, store_bytes
from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.read_pipeline import Unproven, flat, read_stages
from tokenspec_reference.fast_forward.vocabulary_parts import UnsupportedVocabulary, VocabularyParts

NEVER_TEXT = b"\xf5"  # a byte of no UTF-8 text, so that no token is longer than it
UNDERSTOOD = {"type", "vocab", "merges", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"}
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
        added, _ = spec["added_tokens"], spec["model"]
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
        encode_isolated=encoders.isolated,
        pipeline=_pipeline(encoders, added),
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
    kinds = {decoder["type"] for decoder in flat(spec["decoder"])}
    entries = spec["model"]["vocab"]  # by name, or for a Unigram model a list of (name, score)
    vocabulary = entries if isinstance(entries, dict) else {entry[0]: i for i, entry in enumerate(entries)}
    highest = max([*vocabulary.values(), *(token["id"] for token in spec["added_tokens"])], default=-1)
    by_id: list[bytes | None] = [None] * (highest + 1)
    space = _space(spec)
    if space is not None:
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
        by_id[token["id"]] = token["content"].replace(space or " ", " ").encode()
    for token_id in specials.values():
        by_id[token_id] = None
    return by_id


def _space(spec: Mapping[str, Any]) -> str | None:
    """The character that spells a space in a vocabulary with byte fallback; None for a byte-level one."""
    decoders = flat(spec["decoder"])
    if all(decoder["type"] != "ByteFallback" for decoder in decoders):
        return None
    return next((d["pattern"].get("String", "▁") for d in decoders if d["type"] == "Replace"), "▁")


def _without_prefix(part: Any) -> Any:
    """A normalizer or pre-tokenizer that adds no space before the text."""
    if part is None or part["type"] == "Prepend":
        return None
    if part["type"] == "Sequence":
        return {
            key: [kept for item in value if (kept := _without_prefix(item)) is not None]
            if isinstance(value, list)
            else value
            for key, value in part.items()
        }
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
            "normalizer": _without_prefix(spec["normalizer"]),
            "pre_tokenizer": _without_prefix(spec["pre_tokenizer"]),
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


def _pipeline(encoders: _Encoders, added: Sequence[Mapping[str, Any]]) -> Pipeline | str:
    """What is understood of a tokenizer, or what is not."""
    spec, space = encoders.spec, _space(encoders.spec)
    try:
        _check_merges(spec["model"], space)
        stages = read_stages(spec, space)
    except Unproven as error:
        return str(error)
    merged, whole = _merges(encoders.plain.model, space, whole_words=bool(spec["model"].get("ignore_merges")))
    return Pipeline(
        stages,
        merged,
        whole,
        characters=space is not None,
        literal=frozenset(token["content"].encode() for token in added if not _is_special(token)),
    )


def _check_merges(model: Mapping[str, Any], space: str | None) -> None:
    """Raise ``Unproven`` unless tokens are made by merging, from pieces that every text has."""
    if model.get("type") != "BPE":
        raise Unproven(f"the model {model.get('type')}")
    unknown = [setting for setting, value in model.items() if value and setting not in UNDERSTOOD]
    if unknown:
        raise Unproven(f"the model's {unknown[0]}")
    singles = byte_of_character() if space is None else [f"<0x{byte:02X}>" for byte in range(256)]
    if any(single not in model["vocab"] for single in singles) or (space is not None and not model["byte_fallback"]):
        raise Unproven("the vocabulary lacks some bytes")
    if model.get("ignore_merges") and (space is not None or _within_longer(model["vocab"], NEVER_TEXT)):
        raise Unproven("whole words that no merge reaches cannot be told from others")


def _within_longer(vocab: Mapping[str, int], byte: bytes) -> bool:
    """Whether a byte is part of an entry that is longer than it."""
    char = next(char for char, value in byte_of_character().items() if value == byte[0])
    return any(char in name for name in vocab if name != char)


def _merges(
    model: Any, space: str | None, *, whole_words: bool
) -> tuple[Callable[[bytes], list[int]], Callable[[bytes], int | None] | None]:
    """The ids of bytes by merges alone, and the id of a word taken whole.

    A model that takes whole words does so where the word is an entry. With a byte behind it that is part of no other
    entry it is none: merges decide, and the byte stays a token of its own.
    """
    if space is not None:
        mark = space

        def spelled(data: bytes) -> str:
            return data.decode().replace(" ", mark)
    else:
        table = {byte: char for char, byte in byte_of_character().items()}

        def spelled(data: bytes) -> str:
            return "".join(map(table.__getitem__, data))

    def merged(data: bytes) -> list[int]:
        return [token.id for token in model.tokenize(spelled(data))]

    if not whole_words:
        return merged, None
    apart = spelled(NEVER_TEXT)

    def whole(data: bytes) -> int | None:
        found: int | None = model.token_to_id(spelled(data))
        return found

    def merged_only(data: bytes) -> list[int]:
        return [token.id for token in model.tokenize(spelled(data) + apart)][:-1]

    return merged_only, whole
