"""What ``boundary`` needs to know about a tokenizer: the bytes of every id, and which ids are not text.

Bytes come from the vocabulary piece, never from character offsets, so a character cut into several tokens is measured
exactly (``ALN-010``). Special tokens spell no text: they have a *role* instead (``ALN-013``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tokenspec_reference.aligners.canonical_tables import CHARACTER_TO_BYTE
from tokenspec_reference.aligners.errors import UnsupportedTokenizer
from tokenspec_reference.aligners.roles import role_of

if TYPE_CHECKING:
    from collections.abc import Mapping

SPACE_MARK = "\u2581"
UNICODE_FORMS = ("NFC", "NFD")

PrefixSpace = Literal["none", "first", "every"]
UnicodeForm = Literal["NFC", "NFD"] | None


@dataclass(frozen=True)
class PieceTable:
    """One entry per id. ``pieces[id]`` is None where the vocabulary has no such id; ``roles[id]`` is "" for text.

    ``prefix_space``: where the tokenizer puts a space of its own before the text: nowhere, before the first text
    token, or before the first text token of every stretch between special tokens; ``prefix_optional``: it does so only
    where the text has none, so that ids alone cannot tell (``ALN-014``).
    ``unicode_form``: the normal form the tokenizer brings its text into (``ALN-015``).
    """

    pieces: tuple[bytes | None, ...]
    roles: tuple[str, ...]
    prefix_space: PrefixSpace = "none"
    prefix_optional: bool = False
    unicode_form: UnicodeForm = None

    @classmethod
    def from_tokenizer(cls, tokenizer: Any, *, special_roles: Mapping[str, str] | None = None) -> PieceTable:
        """Read a fast Hugging Face tokenizer. ``special_roles`` maps token spellings to roles and adds to the rules.

        Raises:
            UnsupportedTokenizer: its normalizer or decoder loses text, or it has no fast backend.
        """
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise UnsupportedTokenizer("only fast tokenizers tell how they cut text", field="tokenizer")
        normalizers = _components(backend.normalizer, "normalizers")
        pre_tokenizers = _components(backend.pre_tokenizer, "pretokenizers")
        decoders = _components(backend.decoder, "decoders")
        spell = _spelling_rule(decoders)
        special = _special_tokens(tokenizer)
        declared = dict(special_roles or {})
        vocabulary = tokenizer.get_vocab()
        size = max(vocabulary.values(), default=-1) + 1
        pieces: list[bytes | None] = [None] * size
        roles = [""] * size
        added = set(tokenizer.get_added_vocab())
        for token, index in vocabulary.items():
            if token in special or token in declared:
                pieces[index] = b""
                roles[index] = declared.get(token) or role_of(token, tokenizer)
            else:
                pieces[index] = spell(token, token in added)
        prefix_space, prefix_optional = _prefix_rule(normalizers, pre_tokenizers)
        form = _unicode_form(normalizers)
        return cls(tuple(pieces), tuple(roles), prefix_space, prefix_optional, form)


def _components(component: Any, key: str) -> list[dict[str, Any]]:
    """A tokenizer component as a flat list of its parts."""
    if component is None:
        return []
    state = json.loads(component.__getstate__())
    return list(state[key]) if state["type"] == "Sequence" else [state]


def _special_tokens(tokenizer: Any) -> set[str]:
    flagged = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    return flagged | set(tokenizer.all_special_tokens)


def _spelling_rule(decoders: list[dict[str, Any]]) -> Any:
    kinds = {decoder["type"] for decoder in decoders}
    if "ByteLevel" in kinds:
        return _byte_level_piece
    if kinds & {"ByteFallback", "Metaspace"} or any(_replaces_space_mark(decoder) for decoder in decoders):
        return _sentencepiece_piece
    raise UnsupportedTokenizer(
        f"decoder {sorted(kinds)} does not give the bytes of a token; byte-level and SentencePiece decoders do",
        field="tokenizer.decoder",
    )


def _marks_spaces(normalizer: Mapping[str, Any]) -> bool:
    """``Replace`` of a space by the space mark, the one replacement that bytes undo."""
    return bool(
        normalizer["type"] == "Replace"
        and normalizer["pattern"] == {"String": " "}
        and normalizer["content"] == SPACE_MARK
    )


def _replaces_space_mark(decoder: Mapping[str, Any]) -> bool:
    return bool(decoder["type"] == "Replace" and decoder["pattern"] == {"String": SPACE_MARK})


def _byte_level_piece(token: str, added: bool) -> bytes:
    """Added tokens are literal text; other pieces are in the byte alphabet, or literal if a character is not."""
    if added:
        return token.encode()
    try:
        return token.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError:
        return token.encode()


_NO_BYTE = 0xFFFF
_TO_LATIN_1 = {ord(character): byte for character, byte in CHARACTER_TO_BYTE.items()} | {
    byte: _NO_BYTE for byte in range(256) if chr(byte) not in CHARACTER_TO_BYTE
}


def _sentencepiece_piece(token: str, added: bool) -> bytes:
    """``<0xAB>`` is one byte, the space mark is a space, everything else is literal."""
    if not added and token in _BYTES:
        return _BYTES[token]
    return token.replace(SPACE_MARK, " ").encode()


_BYTES = {f"<0x{byte:02X}>": bytes([byte]) for byte in range(256)}


def _prefix_rule(normalizers: list[dict[str, Any]], pre_tokenizers: list[dict[str, Any]]) -> tuple[PrefixSpace, bool]:
    """A ``Prepend`` normalizer always adds its space; ``Metaspace`` and ``ByteLevel`` only where the text has none."""
    if any(part["type"] == "Prepend" for part in normalizers):
        return "every", False
    for part in pre_tokenizers:
        if part["type"] == "Metaspace":
            return _PREFIX_OF_SCHEME[part["prepend_scheme"]], True
        if part["type"] == "ByteLevel" and part["add_prefix_space"]:
            return "every", True
    return "none", False


_PREFIX_OF_SCHEME: dict[str, PrefixSpace] = {"always": "every", "first": "first", "never": "none"}


def _unicode_form(normalizers: list[dict[str, Any]]) -> UnicodeForm:
    form: UnicodeForm = None
    for part in normalizers:
        if part["type"] in UNICODE_FORMS:
            form = part["type"]
        elif part["type"] != "Prepend" and not _marks_spaces(part):
            raise UnsupportedTokenizer(
                f"normalizer {part['type']} changes the text in a way ids cannot undo",
                field="tokenizer.normalizer",
            )
    return form
