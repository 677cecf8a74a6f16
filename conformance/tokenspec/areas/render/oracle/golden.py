"""One golden of the render area: text and ids from the oracle, spans from differences and the row's wire facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tokenspec.areas.render.oracle.regions import (
    occurrences,
    prompt_length,
    prompt_text,
    prompted_regions,
    sampled_regions,
)
from tokenspec.areas.render.records import GivenTurns, RenderExpect, RenderInput, SpanKind
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

MAKING = re.compile(r"\|\s*(pprint|striptags|truncate|urlencode|urlize|wordwrap|xmlattr)\b")
"""Filters whose text is no body any more, whatever of it stands in it."""


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

    wire = turns_of(given, row)
    is_given = "chat_template" in given.options  # such a template may change bodies on their way
    if made := MAKING.search(given.options.get("chat_template", "")):
        raise Undecidable(f"the filter {made[1]} makes another text of a body")
    owners = (attribute_by_character if is_given else attribute)(messages, render)
    labels: list[Label] = [("scaffold", None)] * len(text)
    for position, owner in enumerate(owners.owner):
        if owner is not None:
            labels[position] = ("content", owner)
    for position, index in placeholders(row, owners, messages):
        labels[position] = ("content", index)
    prompt = prompt_length(oracle, given, options, text, tuple(wire.assistant_open) if is_given else ())
    for position in range(len(text) - prompt, len(text)):
        labels[position] = ("prompt", None)
    neutral = prompt_text(oracle, given, options, [{"role": "user", "content": "q"}])
    prompts = {
        index: ([prompt_text(oracle, given, options, messages[:index])] if index else []) + [neutral]
        for index, message in enumerate(messages)
        if message.get("role") == "assistant"
    }
    goes_on = bool(options.get("continue_final_message"))
    quotes = given.turns is not None and not given.turns.assistant_open
    end = len(text) - prompt
    try:
        regions = {} if quotes else sampled_regions(wire, owners, messages, end, prompts, goes_on=goes_on)
    except Undecidable:
        regions = prompted_regions(oracle, given, options, owners, tuple(wire.assistant_close)) if is_given else {}
        if not regions:
            raise
    for index, (start, end) in regions.items():
        for position in range(start, end):
            labels[position] = ("sampled", index)
    for position, (kind, owner) in enumerate(labels):
        if kind == "content" and owner is not None and messages[owner].get("role") == "assistant":
            labels[position] = ("scaffold", None)
    for start, end in stated_of_nobody(given, text, [kind == "scaffold" for kind, _ in labels]):
        labels[start:end] = [("unattributed", None)] * (end - start)
    return labels


def stated_of_nobody(given: RenderInput, text: str, scaffold: list[bool]) -> list[tuple[int, int]]:
    """Where the texts stand that the case states to be unattributed.

    Raises:
        ValueError: they stand elsewhere in scaffold, too, or not there at all.
    """
    stated = given.unattributed or []
    found = occurrences(text, tuple(dict.fromkeys(stated)), scaffold, len(text))
    if [text[start:end] for start, end in found] != stated:
        raise ValueError(f"unattributed: {stated} is not what scaffold holds of these texts, in order: {found}")
    return found


def turns_of(given: RenderInput, row: Row) -> GivenTurns:
    """What opens and ends an assistant turn: as the case states it of its template, else as the row does."""
    wire = row.spec.wire
    return given.turns or GivenTurns(list(wire.assistant_open), list(wire.assistant_close))


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
        raise Undecidable("there are media parts, and no placeholder is stated (tokenspec models add --placeholder)")
    scaffold = [index is None for index in owners.owner]
    found = occurrences(owners.text, row.spec.wire.placeholder, scaffold, len(owners.text))
    if found and len(found) != len(media):
        raise Undecidable(f"{len(found)} media placeholders for {len(media)} media parts")
    for (start, end), index in zip(found, media, strict=False):
        for position in range(start, end):
            yield position, index
