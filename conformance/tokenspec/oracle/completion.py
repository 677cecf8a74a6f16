"""What a sampler emitted, written independently of any model and turned into the ids of one row.

A case lists pieces: a turn (the text the row's own template writes for it), plain text, stop tokens, bytes.
Resolving them needs the oracle, because only the template knows where a turn begins after the generation prompt.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from tokenspec.models import Row

from .attribution import Path, Undecidable, attribute
from .token_bytes import piece_bytes
from .transformers_oracle import OracleRefuses, TransformersOracle, effective_options

Message = dict[str, Any]
THOUGHT = "Let me see."


class NotApplicable(Exception):
    """The row cannot express the completion; the message says why."""


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One piece of a completion; exactly one of ``turn``, ``text``, ``plain``, ``special`` and ``bytes`` is given.

    Attributes:
        turn: an assistant message; the piece is what the template writes for it, through its stop token.
        until: cut the turn right after the first occurrence of this string.
        drop_bytes: then drop this many bytes, which may end inside a character.
        stop: whether an uncut turn keeps its stop token.
        text: characters, encoded as the tokenizer does it.
        plain: characters, encoded in ordinary tokens even where they spell a control token.
        special: ``stop`` (``index`` into the row's stop tokens) or ``eos``.
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
        if self.special not in (None, "stop", "eos"):
            raise ValueError(f"special is 'stop' or 'eos', not {self.special!r}")


@dataclass(frozen=True)
class Turn:
    """What the template writes for one assistant turn after the generation prompt.

    ``text`` runs through the stop token, ``body`` to just before it. ``fields`` are the ranges in ``text`` of each
    caller string of the turn, by its path inside the message. ``borrowed_stop`` says that the stop token is the tag
    of the next message, which the template does not write as part of this turn.
    """

    message: Message
    text: str
    body: str
    fields: dict[Path, list[tuple[int, int]]]
    borrowed_stop: bool = False

    def reach(self, *keys: str) -> int:
        """Where the last character of these fields ends in ``text``, or 0 when the template writes none of them."""
        return max((end for path, ranges in self.fields.items() if path[0] in keys for _, end in ranges), default=0)


@dataclass(frozen=True)
class Thought:
    """What the template writes before reasoning (after the prompt), and between reasoning and content."""

    open: str
    close: str


@dataclass(frozen=True)
class Conversation:
    """The history of a completion on one row, with the oracle that renders it."""

    row: Row
    messages: list[Any]
    tools: list[Any] | None
    options: dict[str, Any]
    oracle: TransformersOracle = field(init=False)

    def __post_init__(self) -> None:
        """Bind the oracle of the row."""
        object.__setattr__(self, "oracle", TransformersOracle(self.row))

    def render(self, more: list[Any], *, generation_prompt: bool) -> str:
        """The text of the history followed by ``more``. Raises OracleRefuses."""
        options = {**effective_options(self.row, self.options), "add_generation_prompt": generation_prompt}
        return self.oracle.text([*self.messages, *more], self.tools, options)

    def prompt(self) -> str:
        """The text that was sampled from. Raises NotApplicable where the template refuses the history."""
        try:
            return self.render([], generation_prompt=True)
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses the history: {refusal.kind}") from refusal

    def prompt_ids(self) -> list[int]:
        """The canonical ids of the prompt."""
        return encode(self.row, self.prompt())

    def turn(self, message: Message) -> Turn:
        """The text of a turn after the prompt.

        Where the prompt opens a thought, a turn without reasoning gets one: a model cannot but think there.

        Raises:
            NotApplicable: the template refuses the turn, or writes one that does not continue its own prompt.
        """
        try:
            return self._turn(message)
        except NotApplicable:
            if message.get("reasoning_content"):
                raise
        return self._turn({**message, "reasoning_content": THOUGHT})

    def _turn(self, message: Message) -> Turn:
        prompt = self.prompt()
        try:
            text = self.render([message], generation_prompt=False)
            owners = attribute([message], lambda changed: self.render(changed, generation_prompt=False))
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses the turn: {refusal.kind}") from refusal
        except Undecidable as undecidable:
            raise NotApplicable(f"the owners of the turn's text cannot be told: {undecidable}") from undecidable
        if not text.startswith(prompt):
            raise NotApplicable("what the template writes for this turn does not continue its own generation prompt")
        fields = {
            path[1:]: [(start - len(prompt), end - len(prompt)) for start, end in ranges if start >= len(prompt)]
            for path, ranges in owners.strings.items()
        }
        written = text[len(prompt) :]
        last = max((end for ranges in fields.values() for _, end in ranges), default=0)
        start, end = find_close(self.row, written, last)
        if start == end:
            tag = self._next_tag(message, prompt + written)
            return Turn(message, written + tag, written, fields, borrowed_stop=bool(tag))
        return Turn(message, written[:end], written[:start], fields)

    def _next_tag(self, message: Message, so_far: str) -> str:
        """The tag of the message after the turn, where that is what stops it: a result's after calls, else a user's.

        Empty where the template writes no turn close there at all (results that are written inside the turn).
        """
        following: list[Message] = [
            {"role": "tool", "tool_call_id": call.get("id", ""), "content": "qzqz"}
            for call in message.get("tool_calls") or []
        ]
        try:
            text = self.render(
                [message, *(following or [{"role": "user", "content": "qzqz"}])], generation_prompt=False
            )
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses a message after the turn: {refusal.kind}") from refusal
        between = text[_common(text, so_far) : text.find("qzqz")]
        found = [(between.rfind(tag), tag) for tag in self.row.spec.wire.assistant_close if tag in between]
        return max(found)[1] if found else ""

    def thought(self) -> Thought | None:
        """How the template writes a thought after this prompt, or None where it writes none."""
        try:
            probe = self.turn({"role": "assistant", "reasoning_content": "reasons", "content": "answer"})
        except NotApplicable:
            return None
        reasoning, content = probe.fields.get(("reasoning_content",)), probe.fields.get(("content",))
        if not reasoning or not content or reasoning[-1][1] > content[0][0]:
            return None
        return Thought(probe.text[: reasoning[0][0]], probe.text[reasoning[-1][1] : content[0][0]])

    def prompt_opens_thought(self) -> bool:
        """Whether the generation prompt leaves a thought open: reasoning is written right after it."""
        thought = self.thought()
        return thought is not None and thought.open.strip() == ""


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def find_close(row: Row, text: str, start: int) -> tuple[int, int]:
    """Where the first turn close at or after ``start`` begins and ends; the end of the text when there is none."""
    wanted = (*row.spec.wire.assistant_close, *row.spec.wire.stop)
    found = [(at, -len(close), at + len(close)) for close in wanted if (at := text.find(close, start)) >= 0]
    if not found:
        return len(text), len(text)
    first = min(found)
    return first[0], first[2]


def encode(row: Row, text: str) -> list[int]:
    """One encode of a whole text, without added special tokens."""
    return list(row.tokenizer(text, add_special_tokens=False)["input_ids"])


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
    added = set(tokenizer.get_added_vocab())
    table: dict[bytes, int] = {}
    for piece, token in sorted(tokenizer.get_vocab().items(), key=lambda item: -item[1]):
        if piece not in added:
            table[piece_bytes(piece, added=False)] = token
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
            return True
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
