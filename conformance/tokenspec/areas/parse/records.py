"""What goes in and comes out of the area ``parse``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Status = Literal["ok", "invalid_json", "unclosed_block", "missing_name", "malformed_structure", "unknown_tool"]


Field = Literal["content", "content_prefix", "reasoning_content", "reasoning_complete", "tool_calls"]


class Says(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a completion written by hand says, field by field; fields left out are not judged."""

    content: str | msgspec.UnsetType = msgspec.UNSET
    reasoning_content: str | msgspec.UnsetType | None = msgspec.UNSET
    reasoning_complete: bool | msgspec.UnsetType = msgspec.UNSET
    tool_calls: list[CallExpect] | msgspec.UnsetType = msgspec.UNSET


class ParseInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A history, what was sampled after it (pieces, see ``oracle/completion.py``), and what that says."""

    messages: list[Any]
    completion: list[Any]
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    prompt: Literal["given", "withheld"] = "given"
    says: Says | None = None


class ParseRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        model: the row, as its ``load`` named it.
        token_ids: what was sampled.
        prompt_ids: the ids that it was sampled after; None where they are withheld.
        tools: the tools offered.
        undeclared_calls: whether the completion may call a tool that is not among them.
        options: of ``apply_chat_template``, as the prompt was rendered with.
    """

    model: str
    token_ids: list[int]
    prompt_ids: list[int] | None
    tools: list[Any] | None = None
    undeclared_calls: bool
    options: dict[str, Any] = {}


class ParsedCall(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One call attempt; ``token_span`` is half-open into the completion's ids."""

    name: str | None
    arguments: Any = None
    status: Status = "ok"
    raw: str | None = None
    id: str | None = None
    token_span: tuple[int, int] | None = None


class ParseOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns."""

    content: str
    reasoning_content: str | None = None
    reasoning_complete: bool | None = None
    tool_calls: list[ParsedCall] = []


class CallExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One call attempt the completion holds. Arguments are judged where ``status`` is ``["ok"]``.

    Attributes:
        name: the tool that is called; of a broken call the name that was written whole.
        arguments: its arguments as values.
        status: what a parser may say of the attempt.
        id: the id of the call, where the template writes it.
        tokens: from the first to behind the last token that begins in a character of this call.
    """

    name: str | None = None
    arguments: Any = None
    status: list[Status] = msgspec.field(default_factory=lambda: ["ok"])
    id: str | msgspec.UnsetType = msgspec.UNSET
    tokens: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET


class ParseExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the oracle says of a completion. ``judged`` lists the fields that count; the others are unknown.

    Attributes:
        applies: None, or why this row cannot express the case; then nothing is judged.
        prompt_ids: canonical ids of the history with generation prompt; empty where the prompt is withheld.
        token_ids: the completion.
        prompt_opens_thought: whether the completion begins inside a thought.
        content: exact content.
        content_prefix: content up to a character that was cut; only U+FFFD may follow.
        reasoning_content: exact reasoning; null means none or the empty string.
        reasoning_complete: false where the thought was cut.
        tool_calls: the call attempts, in order.
        text_tokens: runs of tokens that begin in content or reasoning.
    """

    applies: str | None = None
    prompt_ids: list[int] = []
    token_ids: list[int] = []
    prompt_opens_thought: bool = False
    judged: list[Field] = []
    content: str | None = None
    content_prefix: str | None = None
    reasoning_content: str | None = None
    reasoning_complete: bool | None = None
    tool_calls: list[CallExpect] = []
    text_tokens: list[tuple[int, int]] = []
