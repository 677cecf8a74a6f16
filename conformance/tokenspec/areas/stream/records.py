"""What goes in and comes out of the area ``stream``; what is expected is the area ``parse``'s."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.parse.records import Status


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A further piece of a completion.

    Attributes:
        token_ids: the ids that came; none where the chunk ends inside a token.
        text: the characters that came; none where the chunk ends inside a character.
    """

    token_ids: list[int]
    text: str


class StreamRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        model: the row, as its ``load`` named it.
        chunks: what was sampled, in the order in which it came; ids and text are the same completion.
        prompt_ids: the ids that it was sampled after; None where they are withheld.
        tools: the tools offered.
        undeclared_calls: whether the completion may call a tool that is not among them.
        options: of ``apply_chat_template``, as the prompt was rendered with.
    """

    model: str
    chunks: list[Chunk]
    prompt_ids: list[int] | None
    tools: list[Any] | None = None
    undeclared_calls: bool
    options: dict[str, Any] = {}


class CallDelta(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """More of one call.

    Attributes:
        index: which call of the completion, from 0.
        id: its id, told once.
        name: its name, told once, with the first of its deltas.
        arguments: JSON text to append to its arguments.
        status: what is wrong with it, told with the last of its deltas.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""
    status: Status = "ok"


class Delta(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What became known with a chunk: text to append, and more of calls. Null text is none."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[CallDelta] = []


class StreamOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns: a delta for each chunk, and one for the end."""

    deltas: list[Delta]
