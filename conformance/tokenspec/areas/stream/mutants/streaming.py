"""Broken streams: the reference with one edit of what it is told, or of what it tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter

Json = dict[str, Any]
Deltas = list[Json]
Edit = Callable[[Deltas], Deltas]

NOTHING: Json = {"content": "", "reasoning_content": "", "tool_calls": []}


class Edited(ReferenceAdapter):
    """Edits the deltas."""

    def __init__(self, edit: Edit) -> None:
        """``edit`` gets all deltas of an answer."""
        super().__init__()
        self.edit = edit

    def parse_stream(self, request: Json) -> Json:
        """The right deltas, edited."""
        return {"deltas": self.edit(super().parse_stream(request)["deltas"])}


class ForgetsIds(ReferenceAdapter):
    """Takes at most three ids of a chunk."""

    def parse_stream(self, request: Json) -> Json:
        """The deltas of what is left of the chunks."""
        chunks = [{**chunk, "token_ids": chunk["token_ids"][:3]} for chunk in request["chunks"]]
        return super().parse_stream({**request, "chunks": chunks})


class WaitsBehindTheStop(ReferenceAdapter):
    """Tells at the end what the stop token decides."""

    def parse_stream(self, request: Json) -> Json:
        """The delta of a stop token, told behind it."""
        deltas: Deltas = super().parse_stream(request)["deltas"]
        if request["chunks"][-1]["text"] == "<|im_end|>":
            deltas[-2:] = [NOTHING, together(deltas[-2:])]
        return {"deltas": deltas}


def together(deltas: Deltas) -> Json:
    """All deltas as one."""
    return {
        "content": "".join(delta["content"] for delta in deltas),
        "reasoning_content": "".join(delta["reasoning_content"] for delta in deltas),
        "tool_calls": [call for delta in deltas for call in delta["tool_calls"]],
    }


def without_the_end(deltas: Deltas) -> Deltas:
    return [*deltas[:-1], NOTHING]


def without_last_calls(deltas: Deltas) -> Deltas:
    return [*({**delta, "tool_calls": delta["tool_calls"][:1]} for delta in deltas)]


def thought_as_content(deltas: Deltas) -> Deltas:
    return [
        {**delta, "content": delta["reasoning_content"] + delta["content"], "reasoning_content": ""} for delta in deltas
    ]


def all_at_first(deltas: Deltas) -> Deltas:
    return [together(deltas), *[NOTHING] * (len(deltas) - 1)]


def all_at_last(deltas: Deltas) -> Deltas:
    return [*[NOTHING] * (len(deltas) - 1), together(deltas)]


def content_at_last(deltas: Deltas) -> Deltas:
    return [
        *({**delta, "content": ""} for delta in deltas[:-1]),
        {**deltas[-1], "content": together(deltas)["content"]},
    ]


def one_too_few(deltas: Deltas) -> Deltas:
    return [*deltas[:-2], together(deltas[-2:])]


def each_call(edit: Callable[[Json], list[Json]]) -> Edit:
    """An edit of every call: the parts that take its place."""

    def edited(deltas: Deltas) -> Deltas:
        return [
            {**delta, "tool_calls": [part for call in delta["tool_calls"] for part in edit(call)]} for delta in deltas
        ]

    return edited


def named_twice(call: Json) -> list[Json]:
    return [{**call, "arguments": ""}, {**call, "id": None}]


def identified_twice(call: Json) -> list[Json]:
    return [{**call, "id": "a", "arguments": ""}, {**call, "id": "a", "name": None}]


def renumbered(call: Json) -> list[Json]:
    return [{**call, "id": f"call_{call['index']}"}]


def arguments_first(call: Json) -> list[Json]:
    return [{**call, "name": None, "id": None}, {**call, "arguments": ""}]


def counted_from_one(call: Json) -> list[Json]:
    return [{**call, "index": call["index"] + 1}]


def edited(id_: str, breaks: str, note: str, edit: Edit) -> Mutant:
    """A mutant that edits the right deltas."""
    return Mutant(f"stream-{id_}", "stream", (breaks,), note, lambda: Edited(edit), ("qwen3",))


MUTANTS: tuple[Mutant, ...] = (
    edited("forgets-the-end", "RND-066", "tells nothing behind the last chunk", without_the_end),
    edited("one-call-a-delta", "RND-085", "tells the first of several calls", without_last_calls),
    edited("thought-as-content", "RND-085", "tells reasoning as content", thought_as_content),
    Mutant("stream-forgets-ids", "stream", ("RND-086",), "takes three ids of a chunk", ForgetsIds, ("qwen3",)),
    edited("foresees", "RND-087", "tells all with the first chunk", all_at_first),
    edited("one-delta-too-few", "RND-087", "tells the end with the last chunk", one_too_few),
    edited("names-twice", "RND-088", "repeats a call's name with its arguments", each_call(named_twice)),
    edited("identifies-twice", "RND-088", "repeats a call's id with its arguments", each_call(identified_twice)),
    Mutant(
        "stream-renumbers",
        "stream",
        ("RND-080",),
        "numbers calls instead of telling their ids",
        lambda: Edited(each_call(renumbered)),
        ("toy-bpe",),
    ),
    edited("arguments-first", "RND-088", "tells arguments before the name", each_call(arguments_first)),
    edited("counts-from-one", "RND-088", "gives the first call the index 1", each_call(counted_from_one)),
    edited("holds-back", "RND-089", "tells all at the end", all_at_last),
    Mutant(
        "stream-waits-behind-the-stop",
        "stream",
        ("RND-089",),
        "tells at the end what the stop token decides",
        WaitsBehindTheStop,
        ("qwen3",),
    ),
    edited("holds-the-answer-back", "RND-089", "tells the answer at the end", content_at_last),
)
