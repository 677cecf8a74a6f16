"""Pieces of completions, and the two functions that make cases of them."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import WEATHER, Message, Tool, call, calling, infer_features, user
from tokenspec.store.records import Case

Piece = dict[str, Any]

PREFIX = ("RND-050", "RND-055")
ANSWERS = ("RND-050", "RND-052", "RND-055", "RND-056", "RND-058", "RND-059")
CLOSES = ("RND-050", "RND-053", "RND-055", "RND-058")
THOUGHT = ("RND-050", "RND-054", "RND-058")
DECLINES = ("RND-051",)

ASK = user("Which city has the mildest winter?")
NEXT = user("And the coldest?")
ROME = call("get_weather", {"city": "Rome"}, "callrome1")
OSLO = call("get_weather", {"city": "Oslo"}, "calloslo2")
CALL = calling(ROME)
STOP: Piece = {"special": "stop"}
SECOND: Piece = {"special": "stop", "index": 1}
EOS: Piece = {"special": "stop", "index": -1}
THREE_STOPS = ["gemma-4", "glm-4.5", "glm-4.7", "glm-5.1", "llama-3.2", "llama-3.3"]
"""Rows that state three."""

ENDED_THOUGHT: Piece = {"special": "thought"}


def turn(message: Message, **how: Any) -> Piece:
    """What the row's template writes for this assistant message; `how` holds until, drop_bytes, stop, resplit."""
    return {"turn": message, **how}


def text(characters: str, **how: Any) -> Piece:
    """Characters as the tokenizer encodes them."""
    return {"text": characters, **how}


def plain(characters: str) -> Piece:
    """Characters in ordinary tokens, even where they spell a control token."""
    return {"plain": characters}


def bridge(
    slug: str,
    why: str,
    completion: list[Piece],
    new_messages: list[Message],
    *flags: str,
    requires: tuple[str, ...] = ANSWERS,
    messages: list[Message] | None = None,
    tools: list[Tool] | None = None,
    options: dict[str, Any] | None = None,
    features: tuple[str, ...] = (),
    issue: str | None = None,
    rows: list[str] | None = None,
    prompt: str = "given",
) -> Case:
    """One bridge case: history, what was sampled, what comes next."""
    history = [ASK] if messages is None else messages
    extra: dict[str, Any] = {"new_messages": new_messages}
    if prompt != "given":
        extra["prompt"] = prompt
    return _case(
        "bridge", slug, why, history, completion, flags, requires, tools, options, features, issue, rows, extra
    )


def parse(
    slug: str,
    why: str,
    completion: list[Piece],
    *flags: str,
    requires: tuple[str, ...],
    says: dict[str, Any] | None = None,
    messages: list[Message] | None = None,
    tools: list[Tool] | None = None,
    options: dict[str, Any] | None = None,
    features: tuple[str, ...] = (),
    issue: str | None = None,
    rows: list[str] | None = None,
    prompt: str = "given",
) -> Case:
    """One parse case: history, what was sampled, and what it says where it is written by hand."""
    history = [ASK] if messages is None else messages
    extra: dict[str, Any] = {} if prompt == "given" else {"prompt": prompt}
    if says is not None:
        extra["says"] = says
    return _case("parse", slug, why, history, completion, flags, requires, tools, options, features, issue, rows, extra)


def _case(
    area: str,
    slug: str,
    why: str,
    messages: list[Message],
    completion: list[Piece],
    flags: tuple[str, ...],
    requires: tuple[str, ...],
    tools: list[Tool] | None,
    options: dict[str, Any] | None,
    features: tuple[str, ...],
    issue: str | None,
    rows: list[str] | None,
    extra: dict[str, Any],
) -> Case:
    case_input: dict[str, Any] = {"messages": messages, "completion": completion, **extra}
    if tools is not None:
        case_input["tools"] = tools
    if options or "thinking" in features:
        case_input["options"] = options or {"enable_thinking": True}
    turns = [piece["turn"] for piece in completion if "turn" in piece]
    inferred = infer_features([*messages, *turns, *extra.get("new_messages", [])], tools)
    return Case(
        id=f"{area}/{slug}",
        area=area,
        flags=list(flags),
        requires=sorted(requires),
        features=sorted({*features, *inferred}),
        why=why,
        since="0.1",
        issue=issue,
        rows=rows,
        input=case_input,
    )


TOOLS = [WEATHER]
