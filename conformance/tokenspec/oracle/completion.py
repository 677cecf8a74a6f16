"""What a sampler emitted, written independently of any model and turned into the ids of one row.

A case lists pieces: a turn (the text the row's own template writes for it), plain text, stop tokens, bytes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from tokenspec.models import Row
from tokenspec.oracle.token_bytes import has_byte_fallback, piece_bytes
from tokenspec.oracle.turns import THOUGHT, Conversation, Message, NotApplicable, Turn, encode


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One piece of a completion; exactly one of ``turn``, ``text``, ``plain``, ``special`` and ``bytes`` is given.

    Attributes:
        turn: an assistant message; the piece is what the template writes for it, through its stop token.
        until: cut the turn right after the first occurrence of this string.
        drop_bytes: then drop this many bytes, which may end inside a character.
        stop: whether an uncut turn keeps its stop token.
        text: characters, encoded as the tokenizer does it.
        plain: characters, encoded in ordinary tokens even where they spell a control token.
        special: ``stop`` (``index`` into the row's stop tokens), ``eos``, or ``thought``: a short thought and its end
            where the prompt opened one, else nothing.
        bytes: hexadecimal bytes, one byte token each.
        resplit: seed of a byte-equal, non-canonical split of the piece.
    """

    turn: Message | None = None
    until: str | None = None
    drop_bytes: int = 0
    stop: bool = True
    text: str | None = None
    plain: str | None = None
    special: str | None = None
    index: int = 0
    bytes: str | None = None
    resplit: int | None = None

    def __post_init__(self) -> None:
        """Refuse a piece that is two things or nothing."""
        kinds = [name for name in ("turn", "text", "plain", "special", "bytes") if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError(f"a piece is one of turn, text, plain, special, bytes; this one is {kinds or 'none'}")
        if self.special not in (None, "stop", "eos", "thought"):
            raise ValueError(f"special is 'stop', 'eos' or 'thought', not {self.special!r}")


def encode_after_control(row: Row, text: str) -> list[int]:
    """The ids of a text that stands after a control token: no prepended blank, no merge across the seam."""
    anchor = row.spec.wire.stop[0]
    ids = encode(row, anchor + text)
    if ids[:1] != encode(row, anchor):
        raise NotApplicable(f"the row's stop token {anchor!r} is not one token before {text[:20]!r}")
    return ids[1:]


def encode_plain(row: Row, text: str) -> list[int]:
    """The ids of a text in ordinary tokens: a control token it spells is cut after its first character."""
    added = sorted(row.tokenizer.get_added_vocab(), key=len, reverse=True)
    cuts: set[int] = set()
    for token in added:
        at = text.find(token)
        while at >= 0:
            cuts.add(at + 1)
            at = text.find(token, at + 1)
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    return [token for start, end in pairwise(edges) for token in encode_after_control(row, text[start:end])]


@lru_cache(maxsize=4)
def ordinary_tokens(row_id: str, tokenizer: Any) -> dict[bytes, int]:
    """Bytes -> id of every token that is not an added one; the smallest id wins."""
    del row_id
    added, fallback = set(tokenizer.get_added_vocab()), has_byte_fallback(tokenizer)
    table: dict[bytes, int] = {}
    for piece, token in sorted(tokenizer.get_vocab().items(), key=lambda item: -item[1]):
        if piece not in added:
            table[piece_bytes(piece, added=False, byte_fallback=fallback)] = token
    return table


def byte_tokens(row: Row, data: bytes) -> list[int]:
    """One token per byte. Raises NotApplicable where the vocabulary lacks one."""
    table = ordinary_tokens(row.id, row.tokenizer)
    missing = [byte for byte in data if bytes([byte]) not in table]
    if missing:
        raise NotApplicable(f"the vocabulary has no token for the byte {missing[0]:02x}")
    return [table[bytes([byte])] for byte in data]


def resplit(row: Row, ids: list[int], seed: int) -> list[int]:
    """Byte-equal ids that the tokenizer would not choose: about half of the ordinary tokens are cut in two."""
    table = ordinary_tokens(row.id, row.tokenizer)
    spelled = {token: data for data, token in table.items()}
    draw = random.Random(seed)
    out: list[int] = []
    for token in ids:
        data = spelled.get(token, b"")
        cuts = [at for at in range(1, len(data)) if data[:at] in table and data[at:] in table]
        if cuts and draw.random() < 0.5:
            at = draw.choice(cuts)
            out += [table[data[:at]], table[data[at:]]]
        else:
            out.append(token)
    return out


@dataclass(frozen=True)
class Resolved:
    """One piece on one row: its ids, the turn behind it, and how many characters of the turn it holds."""

    piece: Piece
    ids: list[int]
    turn: Turn | None = None
    characters: int = 0

    @property
    def closed(self) -> bool:
        """Whether the piece is a whole turn with its stop token, or a stop token."""
        if self.piece.special is not None:
            return self.piece.special != "thought"
        return self.turn is not None and self.piece.stop and self.piece.until is None


def resolve(conversation: Conversation, piece: Piece) -> Resolved:
    """The ids of one piece after the conversation's prompt. Raises NotApplicable."""
    row = conversation.row
    turn: Turn | None = None
    characters = 0
    if piece.turn is not None:
        turn = conversation.turn(piece.turn)
        characters = _cut(turn, piece)
        text = turn.text[:characters]
        data = text.encode("utf-8")
        kept = data[: len(data) - piece.drop_bytes]
        whole = kept.decode("utf-8", errors="ignore")
        ids = encode_after_control(row, whole) + byte_tokens(row, kept[len(whole.encode("utf-8")) :])
        characters = len(whole)
    elif piece.text is not None:
        ids = encode_after_control(row, piece.text)
    elif piece.plain is not None:
        ids = encode_plain(row, piece.plain)
    elif piece.special == "thought":
        ids = encode_after_control(row, THOUGHT + thought.close) if (thought := conversation.opened_thought()) else []
    elif piece.special is not None:
        ids = [_special(row, piece)]
    else:
        ids = byte_tokens(row, bytes.fromhex(piece.bytes or ""))
    if piece.resplit is not None:
        ids = resplit(row, ids, piece.resplit)
    return Resolved(piece, ids, turn, characters)


def _cut(turn: Turn, piece: Piece) -> int:
    if piece.until is not None:
        at = turn.body.find(piece.until)
        if at < 0:
            raise NotApplicable(f"the template does not write {piece.until!r} in this turn")
        return at + len(piece.until)
    return len(turn.text) if piece.stop else len(turn.body)


def _special(row: Row, piece: Piece) -> int:
    if piece.special == "eos":
        if row.tokenizer.eos_token_id is None:
            raise NotApplicable("the tokenizer names no end-of-text token")
        return int(row.tokenizer.eos_token_id)
    return encode(row, row.spec.wire.stop[piece.index])[0]
