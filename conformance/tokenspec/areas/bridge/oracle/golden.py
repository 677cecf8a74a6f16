"""One golden of the bridge area: what the template writes after the turn that was sampled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import msgspec

from tokenspec.areas.bridge.records import BridgeExpect, BridgeInput, Must, SpanKind
from tokenspec.areas.render.oracle.golden import placeholders
from tokenspec.models import Row
from tokenspec.oracle.attribution import Path, Undecidable, attribute
from tokenspec.oracle.completion import Piece, Resolved, encode_after_control, resolve
from tokenspec.oracle.token_bytes import token_starts
from tokenspec.oracle.transformers import OracleRefuses, versions
from tokenspec.oracle.turns import Conversation, NotApplicable, Turn, find_close
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.records import Case, Golden

Label = tuple[SpanKind, int | None]
SHORT = {"role": "assistant", "content": "ok"}


def bridge_golden(case: Case, row: Row) -> Golden:
    """Resolve the completion on the row and ask the oracle what comes after it."""
    given = convert(case.input, BridgeInput, where=f"{case.id}: input")
    try:
        expect = _expect(given, row)
    except NotApplicable as reason:
        expect = BridgeExpect(applies=str(reason))
    return golden_of(case, row, expect)


def golden_of(case: Case, row: Row, expect: msgspec.Struct) -> Golden:
    """The golden with its header; what does not apply to a row is said in `expect`, the outcome is never a refusal."""
    return Golden(
        case=case.id,
        row=row.id,
        input_sha256=input_sha256(case.input),
        pins=row.pins,
        oracle=versions(),
        outcome="ok",
        expect=plain(expect),
    )


def plain(expect: msgspec.Struct) -> dict[str, Any]:
    """The fields that hold something, as JSON values; a field left out has its default."""
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(expect))
    blank: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(type(expect)()))
    return {key: value for key, value in built.items() if value != blank[key]}


def _expect(given: BridgeInput, row: Row) -> BridgeExpect:
    conversation = Conversation(row, given.messages, given.tools, given.options)
    pieces = [resolve(conversation, convert(piece, Piece, where="completion")) for piece in given.completion]
    prompt_ids = [] if given.prompt == "empty" else conversation.prompt_ids()
    completion_ids = [token for piece in pieces for token in piece.ids]
    known = BridgeExpect(prompt_ids=prompt_ids, completion_ids=completion_ids)
    if not prompt_ids or not given.new_messages or not all(map(_may_follow, given.new_messages)):
        return msgspec.structs.replace(known, must="refuse")
    try:
        following = _following(conversation, _turn_in_history(pieces, given.new_messages), given.new_messages)
    except (OracleRefuses, WrittenAhead):
        return msgspec.structs.replace(known, must="refuse")
    except Undecidable as undecidable:
        raise NotApplicable(f"the owners of what follows cannot be told: {undecidable}") from undecidable
    suffix_ids = encode_after_control(row, following.text)
    closers, thought_close = _closers(conversation, pieces, following.tag)
    return msgspec.structs.replace(
        known,
        must=_must(conversation, pieces, following, given.new_messages),
        stable=following.stable,
        closers=closers,
        suffix_ids=suffix_ids,
        spans=_spans(row, following.text, suffix_ids, following.labels),
        thought_close=thought_close,
    )


def _may_follow(message: Any) -> bool:
    """Whether it is a message, and none of the model's."""
    return isinstance(message, dict) and message.get("role") != "assistant"


def _must(conversation: Conversation, pieces: list[Resolved], following: Following, new_messages: list[Any]) -> Must:
    """An answer is due where one whole turn ended, a full render has it as its prefix, and no new message vanishes.

    None is due where the text depends on which result answers which call, and the completion does not say.
    """
    written = {message for _, message in following.labels}
    vanished = any(index not in written for index, message in enumerate(new_messages) if message.get("content"))
    whole = len(pieces) == 1 and pieces[0].closed
    if not (following.stable and whole) or vanished or _order_depends_on_ids(conversation, pieces[0], new_messages):
        return "either"
    return "answer"


def _order_depends_on_ids(conversation: Conversation, piece: Resolved, new_messages: list[Any]) -> bool:
    """Whether the template writes other text where the calls of the turn have each other's ids."""
    calls = piece.turn.message.get("tool_calls") if piece.turn is not None else None
    results = [message for message in new_messages if message.get("role") == "tool"]
    if piece.turn is None or not calls or min(len(calls), len(results)) < 2:
        return False
    ids = [call.get("id") for call in calls]
    swapped = [{**call, "id": other} for call, other in zip(calls, reversed(ids), strict=True)]
    end = len(conversation.prompt() + piece.turn.text)
    texts = [
        conversation.render([{**piece.turn.message, "tool_calls": own}, *new_messages], generation_prompt=True)
        for own in (calls, swapped)
    ]
    return texts[0][:end] == texts[1][:end] and texts[0] != texts[1]


def _turn_in_history(pieces: list[Resolved], new_messages: list[Any]) -> Turn | None:
    """The turn a full render puts before the new messages: the sampled one, a cut one only where results need it."""
    piece = next((piece for piece in pieces if piece.turn is not None), None)
    if piece is None:
        return None
    needed = any(message.get("role") == "tool" for message in new_messages)
    return piece.turn if piece.piece.until is None or needed else None


@dataclass(frozen=True)
class Following:
    """The text after the closed turn in a full render, the owner of its characters, the tag that closed the turn."""

    text: str
    labels: list[Label]
    tag: str
    stable: bool


class WrittenAhead(Exception):
    """The template writes a new message, or what comes with it, in front of the end of the turn."""


def _following(conversation: Conversation, turn: Turn | None, new_messages: list[Any]) -> Following:
    """What the template writes after the turn (after a short one where the turn leaves no trace in history).

    Raises:
        OracleRefuses: the template refuses the new messages after this turn.
        WrittenAhead: it writes one of them in front of the end of the turn.
        Undecidable: owners cannot be told by differences.
    """
    message = SHORT if turn is None else turn.message
    full = conversation.render([message, *new_messages], generation_prompt=True)
    stable = turn is not None and full.startswith(conversation.prompt() + turn.text)
    owners = attribute([message, *new_messages], lambda changed: conversation.render(changed, generation_prompt=True))
    if stable and turn is not None:
        end = len(conversation.prompt() + turn.text)
        tag = turn.text[len(turn.body) :]
    else:
        own = [stop for path, spans in owners.strings.items() if _inside_turn(path) for _, stop in spans]
        if not own:
            if turn is None:
                raise Undecidable("the template writes nothing of an assistant turn")
            return replace(_following(conversation, None, new_messages), stable=False)
        begin, end = _close_of_turn(conversation, message, full, max(own), owners.owner)
        tag = full[begin:end]
    if any(index for index in owners.owner[:end]):
        raise WrittenAhead
    without = conversation.render([message, *new_messages], generation_prompt=False)
    prompt_at = len(without) if full.startswith(without) else len(full)
    labels: list[Label] = []
    for at in range(end, len(full)):
        index = owners.owner[at]
        if at >= prompt_at:
            labels.append(("prompt", None))
        elif index is None or index == 0:
            labels.append(("scaffold", None))
        else:
            labels.append(("content", index - 1))
    before = len(conversation.messages) + 1
    for position, index in placeholders(conversation.row, owners, [*conversation.messages, message, *new_messages]):
        if position >= end:
            labels[position - end] = ("content", index - before)
    return Following(full[end:], labels, tag, stable)


def _close_of_turn(
    conversation: Conversation, message: dict[str, Any], full: str, behind: int, owners: list[int | None]
) -> tuple[int, int]:
    """Where the close of the turn begins and ends: in front of the next message's text; empty where there is none."""
    limit = next((at for at in range(behind, len(full)) if owners[at]), len(full))
    begin, end = find_close(conversation.row, full[:limit], behind)
    if begin < end:
        return begin, end
    alone = attribute([message], lambda changed: conversation.render(changed, generation_prompt=False))
    last = max((stop for spans in alone.strings.values() for _, stop in spans), default=len(alone.text))
    if not full.startswith(alone.text[last:], behind):
        raise Undecidable("the turn has no close there, and ends otherwise when it is the last")
    end = behind + len(alone.text) - last
    return end, end


def _inside_turn(path: Path) -> bool:
    """Whether a string is written inside the turn only: names and ids of calls are repeated in the results' headers."""
    return path[0] == 0 and path[-1] not in {"name", "id"}


def _closers(conversation: Conversation, pieces: list[Resolved], tag: str) -> tuple[list[list[int]] | None, str | None]:
    """What may stand between completion and suffix, and inside a thought the text that closes it."""
    row = conversation.row
    if any(piece.turn is not None and piece.turn.borrowed_stop for piece in pieces):
        return _borrowed_closers(conversation, pieces, encode_after_control(row, tag))
    closes = [encode_after_control(row, close) for close in row.spec.wire.assistant_close]
    if _inside_thought(conversation, pieces):
        return None, close_of_thought(conversation)
    if pieces and pieces[-1].closed:
        whole = pieces[-1].turn is not None or pieces[-1].ids[-1:] in closes
        return ([[]] if whole else [[], *closes]), None
    if any(piece.closed for piece in pieces):
        return [[], *closes], None
    return closes, None


def _borrowed_closers(
    conversation: Conversation, pieces: list[Resolved], tag: list[int]
) -> tuple[list[list[int]] | None, str | None]:
    """Where the next message's tag stops a turn, it stands there once: sampled, or written by the bridge."""
    if _inside_thought(conversation, pieces):
        return None, close_of_thought(conversation)
    if pieces[-1].ids[-1:] == tag:
        return [[]], None
    eos = conversation.row.tokenizer.eos_token_id
    ended = any(piece.closed for piece in pieces)
    return [tag] if ended or eos is None else [tag, [int(eos), *tag]], None


def close_of_thought(conversation: Conversation) -> str | None:
    """What closes a thought: the control token that the template writes behind reasoning, else all it writes there."""
    thought = conversation.thought()
    if thought is None:
        return None
    written = thought.close.strip()
    tokens = [token for token in conversation.row.tokenizer.get_added_vocab() if written.startswith(token)]
    return max(tokens, key=len, default=written)


def _inside_thought(conversation: Conversation, pieces: list[Resolved]) -> bool:
    """Whether the completion ends in an open thought; a stop token inside a thought does not close it."""
    piece = next((piece for piece in pieces if piece.turn is not None), None)
    if piece is None or piece.turn is None:
        is_ended = any(piece.piece.special == "thought" for piece in pieces)
        return not is_ended and conversation.prompt_opens_thought()
    reasoning = piece.turn.fields.get(("reasoning_content",), [])
    if not reasoning or piece.piece.until is None:
        return False
    after = piece.turn.text[reasoning[-1][1] : piece.characters].strip()
    return piece.characters <= reasoning[-1][1] or not after.startswith(close_of_thought(conversation) or "")


def _spans(row: Row, text: str, ids: list[int], labels: list[Label]) -> list[tuple[SpanKind, int | None, int, str]]:
    starts = token_starts(row.tokenizer, ids, text)
    if starts is None:
        raise NotApplicable("the tokens of what follows do not spell its text")
    spans: list[tuple[SpanKind, int | None, int, str]] = []
    position = 0
    for (kind, message), run in groupby(labels):
        length = len(list(run))
        tokens = sum(position <= start < position + length for start in starts)
        spans.append((kind, message, tokens, text[position : position + length]))
        position += length
    return spans
