"""One golden of the parse area: the fields of a turn, read off the text its template writes."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from tokenspec.areas.bridge.oracle.golden import golden_of
from tokenspec.areas.parse.records import CallExpect, ParseExpect, ParseInput, Says, Status
from tokenspec.models import Row
from tokenspec.oracle.attribution import Path
from tokenspec.oracle.completion import Piece, Resolved, resolve
from tokenspec.oracle.token_bytes import token_starts
from tokenspec.oracle.turns import Conversation, NotApplicable, Turn
from tokenspec.store.canonical import convert
from tokenspec.store.records import Case, Golden

THOUGHT = {"special": "thought"}
"""The piece that ends a thought the prompt opened."""

BROKEN: tuple[Status, ...] = ("invalid_json", "unclosed_block", "malformed_structure", "missing_name")


def parse_golden(case: Case, row: Row) -> Golden:
    """Resolve the completion on the row and say what it holds."""
    given = convert(case.input, ParseInput, where=f"{case.id}: input")
    try:
        expect = _expect(given, row)
    except NotApplicable as reason:
        expect = ParseExpect(applies=str(reason))
    return golden_of(case, row, expect)


def _expect(given: ParseInput, row: Row) -> ParseExpect:
    conversation = Conversation(row, given.messages, given.tools, given.options)
    pieces = [resolve(conversation, convert(piece, Piece, where="completion")) for piece in given.completion]
    known = ParseExpect(
        prompt_ids=conversation.prompt_ids(),
        token_ids=[token for piece in pieces for token in piece.ids],
        prompt_opens_thought=conversation.prompt_opens_thought(),
    )
    if given.prompt == "withheld" and known.prompt_opens_thought:
        raise NotApplicable("the prompt opens a thought, and the case withholds the prompt")
    if given.says is not None:
        if known.prompt_opens_thought and given.completion[:1] != [THOUGHT]:
            raise NotApplicable("the prompt opens a thought, so text written by hand would be reasoning")
        return _said(known, given.says)
    if len([piece for piece in pieces if piece.turn is not None]) != 1:
        raise NotApplicable("the completion holds no turn, and the case does not say what it says")
    number, piece = next((number, piece) for number, piece in enumerate(pieces) if piece.turn is not None)
    if piece.turn is not None and content_is_written_as_thought(conversation, piece.turn):
        raise NotApplicable("the template writes this turn's content as a thought")
    if _names_are_not_written(piece):
        raise NotApplicable("the row does not write the names of calls, and these ids do not hold them")
    if _cut_call_has_no_marker(row, piece):
        raise NotApplicable("the row's calls have no marker token, so a cut call is only text")
    return _placed(_read(known, piece), row, piece, sum(len(before.ids) for before in pieces[:number]))


def _names_are_not_written(piece: Resolved) -> bool:
    """Whether the template writes neither the names of the calls nor ids that hold them."""
    turn = piece.turn
    calls = (turn.message.get("tool_calls") or []) if turn is not None else []
    names = [str((call.get("function") or call).get("name")) for call in calls]
    return turn is not None and not all(name in turn.text for name in names)


def _cut_call_has_no_marker(row: Row, piece: Resolved) -> bool:
    """Whether the piece is cut inside a call that no control token announces."""
    if piece.turn is None or not piece.turn.reach("tool_calls") or piece.characters >= len(piece.turn.body):
        return False
    begin = max((end for end in [piece.turn.reach("content"), 0] if end <= piece.characters), default=0)
    markers = row.tokenizer.get_added_vocab()
    return not any(marker in piece.turn.text[begin : piece.characters] for marker in markers)


def content_is_written_as_thought(conversation: Conversation, turn: Turn) -> bool:
    """Some templates put text that stands beside a call where reasoning goes; then no parser can tell them apart."""
    thought = conversation.thought()
    if thought is None or not thought.open.strip():
        return False
    starts = [start for path, spans in turn.fields.items() if path[0] == "content" for start, _ in spans]
    return bool(starts) and turn.text[: min(starts)].rstrip().endswith(thought.open.rstrip())


def _said(known: ParseExpect, says: Says) -> ParseExpect:
    fields = {
        name: getattr(says, name)
        for name in ("content", "reasoning_content", "reasoning_complete", "tool_calls")
        if getattr(says, name) is not msgspec.UNSET
    }
    return msgspec.structs.replace(known, judged=list(fields), **fields)


def _read(known: ParseExpect, piece: Resolved) -> ParseExpect:
    """Content, reasoning and calls of the turn, up to where the piece was cut."""
    turn, cut = piece.turn, piece.characters
    if turn is None:
        raise NotApplicable("the piece is no turn")
    content = "".join(_written(turn, cut, "content"))
    reasoning = "".join(_written(turn, cut, "reasoning_content"))
    thought_ends = turn.reach("reasoning_content")
    fields: dict[str, Any] = {"reasoning_content": reasoning or None}
    fields["content_prefix" if piece.piece.drop_bytes and cut > thought_ends else "content"] = content
    if thought_ends:
        fields["reasoning_complete"] = cut > thought_ends
    fields["tool_calls"] = _calls(turn, cut)
    return msgspec.structs.replace(known, judged=sorted(fields), **fields)


def _written(turn: Turn, cut: int, key: str) -> list[str]:
    ranges = sorted(span for path, spans in turn.fields.items() if path[0] == key for span in spans)
    return [turn.text[start : min(end, cut)] for start, end in ranges if start < cut]


def _calls(turn: Turn, cut: int) -> list[CallExpect]:
    """The calls the template wrote; the one that was cut is an attempt that did not succeed."""
    calls = turn.message.get("tool_calls") or []
    begins: list[int | None] = []
    for number in range(len(calls)):
        spans = [span for path, spans in turn.fields.items() if path[:2] == ("tool_calls", number) for span in spans]
        begins.append(min((start for start, _ in spans), default=None))
    expected: list[CallExpect] = []
    for number, call in enumerate(calls):
        begin = begins[number]
        if begin is None or begin >= cut:
            continue
        later = [start for start in begins[number + 1 :] if start is not None]
        whole = cut >= len(turn.body) or any(start < cut for start in later)
        function = call.get("function") or call
        if whole:
            identifier = call["id"] if turn.fields.get(("tool_calls", number, "id")) else msgspec.UNSET
            arguments = _value(turn, function["arguments"])
            expected.append(CallExpect(name=function["name"], arguments=arguments, id=identifier))
        else:
            expected.append(CallExpect(name=_name(turn, number, cut), status=list(BROKEN)))
    return expected


def _name(turn: Turn, number: int, cut: int) -> str | None:
    """The name of a call that was cut, where the template had written it, and more."""
    ends = [end for path, spans in _of_calls(turn) if path[1] == number and path[-1] == "name" for _, end in spans]
    call = turn.message["tool_calls"][number]
    name: str = call.get("function", call)["name"]
    return name if ends and max(ends) < cut else None


def _placed(known: ParseExpect, row: Row, piece: Resolved, offset: int) -> ParseExpect:
    """With the tokens of each call and of content and reasoning, where the ids spell what the template wrote."""
    turn, cut = piece.turn, piece.characters
    if turn is None or not known.tool_calls:
        return known
    starts = token_starts(row.tokenizer, piece.ids, turn.text[:cut])
    if starts is None:
        return known
    numbers = sorted({number for path, spans in _of_calls(turn) for number in [path[1]] if min(spans)[0] < cut})
    calls = [
        msgspec.structs.replace(
            call, tokens=_tokens(starts, _spans(turn, "tool_calls", number), offset) or msgspec.UNSET
        )
        for call, number in zip(known.tool_calls, numbers, strict=True)
    ]
    texts = [span for key in ("content", "reasoning_content") for span in _spans(turn, key)]
    runs = sorted(run for span in texts if (run := _tokens(starts, [span], offset)) is not None)
    return msgspec.structs.replace(known, tool_calls=calls, text_tokens=runs)


def _of_calls(turn: Turn) -> list[tuple[Path, list[tuple[int, int]]]]:
    """The paths below the calls of a turn, with the ranges the template wrote for each."""
    return [(path, spans) for path, spans in turn.fields.items() if path[0] == "tool_calls" and spans]


def _spans(turn: Turn, *begin: str | int) -> list[tuple[int, int]]:
    """The ranges of all strings whose path begins so."""
    return [span for path, spans in turn.fields.items() if path[: len(begin)] == begin for span in spans]


def _tokens(starts: list[int], ranges: list[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """From the first to behind the last token that begins in these characters, or None where none does."""
    inside = [at for at, start in enumerate(starts) if any(begin <= start < end for begin, end in ranges)]
    return (offset + inside[0], offset + inside[-1] + 1) if inside else None


def _value(turn: Turn, arguments: Any) -> Any:
    """Arguments as a value: JSON text stands for its value, unless the template writes it as a JSON string."""
    if not isinstance(arguments, str):
        return arguments
    quoted = {json.dumps(arguments, ensure_ascii=is_escaped)[1:-1] for is_escaped in (False, True)}
    if arguments not in turn.text and any(form in turn.text for form in quoted):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
