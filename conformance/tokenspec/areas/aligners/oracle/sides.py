"""What the positions of one side spell, found without the reference: bytes of tokens, special tokens and their roles.

The piece rules and the table of roles are those of the chapter; the flavour of a tokenizer is read off its decoder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from tokenspec.oracle.token_bytes import byte_level_alphabet

ROLES = {
    "begin": "<s> <bos> <|begin_of_text|> <|startoftext|> <｜begin▁of▁sentence｜>",
    "end": "</s> <eos> <|endoftext|> <|end_of_text|> <｜end▁of▁sentence｜> <|im_end|> <|eot_id|> <|eom_id|> "
    "<end_of_turn> <turn|> <|end|> <|return|>",
    "turn-start": "<|im_start|> <|start_header_id|> <start_of_turn> <|turn> <|start|>",
    "padding": "<pad> [PAD] <|finetune_right_pad_id|> <｜▁pad▁｜>",
    "unknown": "<unk> [UNK]",
}
ATTRIBUTES = (("bos_token", "begin"), ("eos_token", "end"), ("pad_token", "padding"), ("unk_token", "unknown"))


@dataclass(frozen=True)
class Position:
    """One position of a row: ``text`` with its bytes, ``special`` with its role, or ``padding``."""

    kind: Literal["text", "special", "padding"]
    data: bytes = b""
    role: str = ""


def positions(tokenizer: Any, ids: list[int], mask: list[int], declared: Mapping[str, str]) -> list[Position]:
    """What every position is; ``declared`` are the roles that the caller gives to spellings."""
    known = vocabulary(tokenizer, tuple(sorted(declared.items())))
    return [known[token] if real else Position("padding") for token, real in zip(ids, mask, strict=True)]


@lru_cache(maxsize=4)
def vocabulary(tokenizer: Any, declared: tuple[tuple[str, str], ...]) -> dict[int, Position]:
    """What every id is when it is not padding."""
    special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    special |= set(tokenizer.all_special_tokens)
    added = set(tokenizer.get_added_vocab())
    byte_level = any(part["type"] == "ByteLevel" for part in parts(tokenizer.backend_tokenizer.decoder, "decoders"))
    found = {}
    for token, index in tokenizer.get_vocab().items():
        if token in special:
            found[index] = Position("special", role=dict(declared).get(token) or _role(token, tokenizer))
        else:
            found[index] = Position("text", _bytes(token, byte_level=byte_level, added=token in added))
    return found


def _bytes(token: str, *, byte_level: bool, added: bool) -> bytes:
    if byte_level:
        table = byte_level_alphabet()
        if added or not all(character in table for character in token):
            return token.encode()
        return bytes(table[character] for character in token)
    if not added and len(token) == 6 and token[:3] == "<0x":
        return bytes.fromhex(token[3:5])
    return token.replace("▁", " ").encode()


def role_of_spelling(token: str) -> str | None:
    """The role of a well-known spelling."""
    return next((role for role, spellings in ROLES.items() if token in spellings.split(" ")), None)


def _role(token: str, tokenizer: Any) -> str:
    known = role_of_spelling(token)
    if known is not None:
        return known
    for attribute, role in ATTRIBUTES:
        if getattr(tokenizer, attribute) == token:
            return role
    return token


def parts(component: Any, key: str) -> list[dict[str, Any]]:
    """A tokenizer component as a list of its parts."""
    if component is None:
        return []
    state = json.loads(component.__getstate__())
    return list(state[key]) if state["type"] == "Sequence" else [state]


AddedSpace = Literal["never", "always", "if-missing"]


def adds_a_space(tokenizer: Any) -> AddedSpace:
    """Whether the tokenizer puts a space of its own before the text."""
    backend = tokenizer.backend_tokenizer
    if any(part["type"] == "Prepend" for part in parts(backend.normalizer, "normalizers")):
        return "always"
    optional = any(
        (part["type"] == "Metaspace" and part.get("prepend_scheme", "always") != "never")
        or (part["type"] == "ByteLevel" and part["add_prefix_space"])
        for part in parts(backend.pre_tokenizer, "pretokenizers")
    )
    return "if-missing" if optional else "never"


def adds_to_every_stretch(tokenizer: Any) -> bool:
    """Whether every stretch between special tokens may begin with such a space, where the text has none."""
    return any(
        (part["type"] == "Metaspace" and part.get("prepend_scheme", "always") == "always")
        or (part["type"] == "ByteLevel" and part["add_prefix_space"])
        for part in parts(tokenizer.backend_tokenizer.pre_tokenizer, "pretokenizers")
    )


def normalises(tokenizer: Any) -> bool:
    """Whether it brings text into a normal form."""
    return any(part["type"] in ("NFC", "NFD") for part in parts(tokenizer.backend_tokenizer.normalizer, "normalizers"))


def without_special(tokenizer: Any, text: str) -> str:
    """What of a text is text: the names of special tokens in it become those tokens, which spell nothing."""
    for token in tokenizer.added_tokens_decoder.values():
        text = text.replace(token.content, "") if token.special else text
    return text
