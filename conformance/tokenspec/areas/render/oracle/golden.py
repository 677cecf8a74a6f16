"""One golden of the render area: text and ids from the oracle, spans from differences and the row's wire facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tokenspec.areas.render.records import RenderExpect, RenderInput, SpanKind
from tokenspec.models import Row
from tokenspec.oracle.attribution import Owners, Undecidable, attribute
from tokenspec.oracle.characters import attribute_by_character
from tokenspec.oracle.clock import OTHER
from tokenspec.oracle.token_bytes import token_starts
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options, versions
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.masks import encode_mask
from tokenspec.store.records import Case, Golden

Label = tuple[SpanKind, int | None]


class OracleUnstable(Exception):
    """The oracle gave two answers to one input; no golden is made of it."""


def render_golden(case: Case, row: Row) -> Golden:
    """Ask the oracle twice, attribute, and write down what it said.

    Raises:
        OracleUnstable: text differs between two calls, or with the date on a row that does not declare ``date``.
    """
    given = convert(case.input, RenderInput, where=f"{case.id}: input")
    oracle = TransformersOracle(row)
    options = effective_options(row, given.options)
    header: dict[str, Any] = {
        "case": case.id,
        "row": row.id,
        "input_sha256": input_sha256(case.input),
        "pins": row.pins,
        "oracle": versions(),
    }
    try:
        text = oracle.text(given.messages, given.tools, options)
        ids = oracle.token_ids(given.messages, given.tools, options)
    except OracleRefuses as refusal:
        return Golden(**header, outcome="raises", error=refusal.kind)
    if text != oracle.text(given.messages, given.tools, options):
        raise OracleUnstable(f"{case.id} on {row.id}: two renders differ")
    if text != TransformersOracle(row, OTHER).text(given.messages, given.tools, options) and "date" not in row.features:
        raise OracleUnstable(
            f"{case.id} on {row.id}: the text depends on today's date; declare the feature 'date' on the row"
        )
    expect = _spans(row, oracle, given, options, text, ids)
    return Golden(**header, outcome="ok", expect=_plain(expect))


def _plain(expect: RenderExpect) -> dict[str, Any]:
    import msgspec

    built: dict[str, Any] = msgspec.to_builtins(expect)
    return {key: value for key, value in built.items() if value is not None}


def _spans(
    row: Row,
    oracle: TransformersOracle,
    given: RenderInput,
    options: dict[str, Any],
    text: str,
    ids: list[int],
) -> RenderExpect:
    starts = token_starts(row.tokenizer, ids, text)
    if starts is None:
        reason = "the tokens do not spell the text, and re-encoding gives other ids"
        return RenderExpect(token_ids=ids, spans=[("unattributed", None, len(ids), text)], unattributed=reason)
    try:
        labels = label_characters(row, oracle, given, options, text)
    except Undecidable as undecidable:
        return RenderExpect(
            token_ids=ids, spans=[("unattributed", None, len(ids), text)], unattributed=str(undecidable)
        )
    return RenderExpect(
        token_ids=ids,
        spans=_runs(text, labels, starts),
        is_content=encode_mask(token_mask(row, labels, starts, {"content", "sampled"})),
        sampled=encode_mask(token_mask(row, labels, starts, {"sampled"})),
    )


def token_mask(row: Row, labels: list[Label], starts: list[int], kinds: set[str]) -> list[bool]:
    """Characters of these kinds as a mask over tokens, by the rule the row names; what is sampled begins its token."""
    mask = [start < len(labels) and labels[start][0] in kinds for start in starts]
    if row.spec.wire.straddle == "overlap" and "content" in kinds:
        for token, (start, end) in enumerate(zip(starts, [*starts[1:], len(labels)], strict=True)):
            mask[token] = mask[token] or any(label[0] == "content" for label in labels[start:end])
    return mask


def _runs(text: str, labels: list[Label], starts: list[int]) -> list[tuple[SpanKind, int | None, int, str]]:
    spans: list[tuple[SpanKind, int | None, int, str]] = []
    position = 0
    for (kind, message), run in groupby(labels):
        length = len(list(run))
        tokens = sum(position <= start < position + length for start in starts)
        spans.append((kind, message, tokens, text[position : position + length]))
        position += length
    beyond = sum(start >= len(text) for start in starts)
    if beyond and spans:
        kind, message, tokens, part = spans[-1]
        spans[-1] = (kind, message, tokens + beyond, part)
    return spans


def label_characters(
    row: Row, oracle: TransformersOracle, given: RenderInput, options: dict[str, Any], text: str
) -> list[Label]:
    """Kind and message of every character.

    Raises:
        Undecidable: content that is not text, or turns that cannot be told apart.
    """
    messages = given.messages
    for index, message in enumerate(messages):
        content = message.get("content")
        if message.get("role") != "assistant" and printed_whole(content, text):
            kind = type(content).__name__
            raise Undecidable(f"messages[{index}].content is {kind}, printed in the template's own way")

    def render(changed: list[Any]) -> str:
        return oracle.text(changed, given.tools, options)

    is_given = "chat_template" in given.options  # such a template may change bodies on their way
    owners = (attribute_by_character if is_given else attribute)(messages, render)
    labels: list[Label] = [("scaffold", None)] * len(text)
    for position, owner in enumerate(owners.owner):
        if owner is not None:
            labels[position] = ("content", owner)
    for position, index in placeholders(row, owners, messages):
        labels[position] = ("content", index)
    prompt = prompt_length(oracle, given, options, text, row.spec.wire.assistant_open if is_given else ())
    for position in range(len(text) - prompt, len(text)):
        labels[position] = ("prompt", None)
    goes_on = bool(options.get("continue_final_message"))
    for index, (start, end) in sampled_regions(
        row, owners, messages, len(text) - prompt, prompt_text(oracle, given, options), goes_on=goes_on
    ).items():
        for position in range(start, end):
            labels[position] = ("sampled", index)
    for position, (kind, owner) in enumerate(labels):
        if kind == "content" and owner is not None and messages[owner].get("role") == "assistant":
            labels[position] = ("scaffold", None)
    return labels


def printed_whole(content: object, text: str) -> bool:
    """Whether content that is no text was printed as a container or number: nobody owns its brackets."""
    if isinstance(content, list):
        plain = all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content)
        return not plain or any(opening in text for opening in ("{'type'", '{"type": "text"', '{"type": "image'))
    return isinstance(content, dict | int | float)


def placeholders(row: Row, owners: Owners, messages: list[Any]) -> Iterator[tuple[int, int]]:
    """(character, message) of every media placeholder the row declares, in the order of the media parts.

    Raises:
        Undecidable: more or fewer placeholders than media parts, or nobody has said what a placeholder is.
    """
    media = [
        index
        for index, message in enumerate(messages)
        if isinstance(message.get("content"), list) and message.get("role") != "assistant"
        for part in message["content"]
        if isinstance(part, dict) and part.get("type") != "text"
    ]
    if media and row.spec.status == "unproven" and not row.spec.wire.placeholder:
        raise Undecidable("there are media parts, and no placeholder is stated (models add --placeholder)")
    scaffold = [index is None for index in owners.owner]
    found = _occurrences(owners.text, row.spec.wire.placeholder, scaffold, len(owners.text))
    if found and len(found) != len(media):
        raise Undecidable(f"{len(found)} media placeholders for {len(media)} media parts")
    for (start, end), index in zip(found, media, strict=False):
        for position in range(start, end):
            yield position, index


def prompt_length(
    oracle: TransformersOracle, given: RenderInput, options: dict[str, Any], text: str, openers: tuple[str, ...] = ()
) -> int:
    """How many characters at the end of the text are the generation prompt.

    It is one of ``openers`` where the template ends the last turn otherwise in front of a prompt.
    """
    if not options.get("add_generation_prompt"):
        return 0
    without = oracle.text(given.messages, given.tools, {**options, "add_generation_prompt": False})
    if not text.startswith(without):
        if opener := next(filter(text.endswith, openers), ""):
            return len(opener)
        raise Undecidable("the text without generation prompt is no prefix of the text with it")
    return len(text) - len(without)


def prompt_text(oracle: TransformersOracle, given: RenderInput, options: dict[str, Any]) -> str:
    """The generation prompt these options give, after a neutral user message."""
    neutral = [{"role": "user", "content": "q"}]
    plain = {
        key: value for key, value in options.items() if key not in {"add_generation_prompt", "continue_final_message"}
    }
    try:
        with_prompt = oracle.text(neutral, given.tools, {**plain, "add_generation_prompt": True})
        without = oracle.text(neutral, given.tools, {**plain, "add_generation_prompt": False})
    except OracleRefuses:
        return ""
    return with_prompt[len(without) :] if with_prompt.startswith(without) else ""


def sampled_regions(
    row: Row, owners: Owners, messages: list[Any], end_of_turns: int, prompt: str, *, goes_on: bool
) -> dict[int, tuple[int, int]]:
    """For each assistant message the characters the model emits: after opener or generation prompt, through the closer.

    Where the last answer ``goes_on`` it needs none.

    Raises:
        Undecidable: openers and assistant messages cannot be matched, a region holds another message's body, or white
            space of the template ends it.
    """
    wire, text = row.spec.wire, owners.text
    scaffold = [index is None for index in owners.owner]
    openers = _occurrences(text, wire.assistant_open, scaffold, end_of_turns)
    limits = [start for start, _ in openers[1:]] + [end_of_turns] * bool(openers)
    regions: dict[int, tuple[int, int]] = {}
    for index, number in match_openers(owners, messages, openers, limits, wire.assistant_close).items():
        (start, after), limit = openers[number], limits[number]
        first = start + len(prompt) if prompt and text.startswith(prompt, start) else after
        closers = _occurrences(text, wire.assistant_close, scaffold, end_of_turns, first)
        closed = bool(closers) and closers[0][0] < limit
        end = closers[0][1] if closed else limit
        quoted = quoted_names(owners, index)
        if any(owners.owner[at] == index and at not in quoted for at in range(end, limit)):
            raise Undecidable(f"messages[{index}] goes on behind the closer of its turn")
        foreign = {i for i in owners.owner[first:end] if i is not None and i != index}
        if foreign:
            raise Undecidable(f"the turn of messages[{index}] also holds the body of messages[{min(foreign)}]")
        if not closed and not goes_on and first < end and scaffold[end - 1] and text[end - 1].isspace():
            raise Undecidable(f"messages[{index}] ends in white space of the template, and with no stop token")
        regions[index] = (min(first, end), end)
    return regions


def quoted_names(owners: Owners, index: int) -> set[int]:
    """Where names of the functions a message calls are printed: tool results quote them behind the turn's end."""
    names = (ranges for path, ranges in owners.strings.items() if path[0] == index and path[-1] == "name")
    return {at for ranges in names for start, end in ranges for at in range(start, end)}


def match_openers(
    owners: Owners,
    messages: list[Any],
    openers: list[tuple[int, int]],
    limits: list[int],
    closers: tuple[str, ...],
) -> dict[int, int]:
    """Assistant message -> number of its opener. A body decides; between two such turns, empty ones match in order.

    An opener nobody claims is no turn (templates whose assistant opener also closes the user's turn print it always),
    unless it is closed like one: then one message is printed as several turns.
    """
    assistants = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
    claimed: dict[int, int] = {}
    for number, ((_, after), limit) in enumerate(zip(openers, limits, strict=True)):
        inside = {i for i in owners.owner[after:limit] if i is not None and messages[i].get("role") == "assistant"}
        if len(inside) > 1:
            raise Undecidable(f"messages {sorted(inside)} share one assistant turn")
        for index in inside:
            if index in claimed:
                raise Undecidable(f"messages[{index}] is spread over two assistant turns")
            claimed[index] = number
    bodied = {i for i in owners.owner if i is not None and messages[i].get("role") == "assistant"}
    if bodied - set(claimed):
        raise Undecidable(f"messages[{min(bodied - set(claimed))}] is printed outside any assistant turn")
    empty = [index for index in assistants if index not in claimed]
    for index in empty:
        low = max((claimed[i] for i in claimed if i < index), default=-1)
        high = min((claimed[i] for i in claimed if i > index), default=len(openers))
        free = [number for number in range(low + 1, high) if number not in claimed.values()]
        rivals = [i for i in empty if _between(i, claimed, low, high)]
        if len(free) != len(rivals):
            raise Undecidable(f"messages[{index}] has no body, and {len(free)} openers could be its own")
    for index in empty:
        low = max((claimed[i] for i in claimed if i < index), default=-1)
        claimed[index] = low + 1
    for number in set(range(len(openers))) - set(claimed.values()):
        if any(owners.text.find(close, openers[number][1], limits[number]) >= 0 for close in closers):
            raise Undecidable("an assistant turn is opened and closed that belongs to no message alone")
    return dict(sorted(claimed.items()))


def _between(index: int, claimed: dict[int, int], low: int, high: int) -> bool:
    """Whether an unclaimed message lies between the turns ``low`` and ``high``."""
    before = max((claimed[i] for i in claimed if i < index), default=-1)
    after = min((claimed[i] for i in claimed if i > index), default=high)
    return before == low and after == high


def _occurrences(
    text: str, wanted: tuple[str, ...], scaffold: list[bool], limit: int, start: int = 0
) -> list[tuple[int, int]]:
    """Where any of the strings stands in scaffold, in order and without overlap."""
    found: list[tuple[int, int]] = []
    position = start
    while nearest := min(((at, item) for item in wanted if (at := text.find(item, position)) >= 0), default=None):
        at, item = nearest
        if at >= limit:
            break
        inside = all(scaffold[at : at + len(item)])
        if inside:
            found.append((at, at + len(item)))
        position = at + (len(item) if inside else 1)
    return found
