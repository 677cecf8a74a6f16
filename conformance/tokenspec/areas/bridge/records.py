"""What goes in and comes out of the area ``bridge``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tokenspec.store.masks import LONGEST_MASK, decode_mask, require_mask

Must = Literal["answer", "either", "refuse"]


SpanKind = Literal["scaffold", "content", "prompt"]


class BridgeInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A history, what was sampled after it (pieces, see ``oracle/completion.py``), and the messages that follow.

    ``prompt`` is ``empty`` for the cases that hand over no prompt at all.
    """

    messages: list[Any]
    completion: list[Any]
    new_messages: list[Any]
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    prompt: Literal["given", "empty"] = "given"


class BridgeRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        model: the row, as its ``load`` named it.
        prompt_ids: the ids that the completion was sampled after.
        completion_ids: what was sampled.
        messages: the messages that follow; a case calls them ``new_messages``, for it has the history beside them.
        tools: the tools offered.
        options: of ``apply_chat_template``.
    """

    model: str
    prompt_ids: list[int]
    completion_ids: list[int]
    messages: list[Any]
    tools: list[Any] | None = None
    options: dict[str, Any] = {}


class BridgeOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns. ``token_ids`` is null when it declines; lists cover prior part and bridge.

    Attributes:
        token_ids: prompt, completion and everything appended, or None.
        message_indices: per token the index in the new messages, -1 for none.
        sampled_mask: per token; no token of a result was sampled by this call.
        is_content: per token, whether it is body of a new message.
        message_roles: the roles of the new messages.
    """

    token_ids: list[int] | None
    message_indices: list[int] | None = None
    sampled_mask: str | list[bool] | None = None
    is_content: str | list[bool] | None = None
    message_roles: list[str] | None = None

    def __post_init__(self) -> None:
        """Run lengths are well-formed."""
        for name in ("sampled_mask", "is_content"):
            require_mask(getattr(self, name), LONGEST_MASK)

    def mask(self, name: str) -> list[bool] | None:
        """A mask field as a list, or None when it was not given."""
        value = getattr(self, name)
        return decode_mask(value) if value else None


class BridgeExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the oracle says of a bridge.

    Attributes:
        applies: None, or why this row cannot express the case; then nothing is judged.
        prompt_ids: canonical ids of the history with generation prompt.
        completion_ids: what was sampled.
        must: ``answer`` where the template is prefix-stable and the turn ended, ``refuse`` where no answer is right.
        stable: whether a full render has prompt and completion as its prefix.
        closers: the id lists that may stand between completion and suffix; None inside a thought (then free).
        suffix_ids: what the template writes after the closed turn: separator, new messages, generation prompt.
        spans: the suffix in characters, ``[kind, index in new_messages or null, tokens that begin in it, text]``.
        thought_close: inside a thought, the text that closes it.
    """

    applies: str | None = None
    prompt_ids: list[int] = []
    completion_ids: list[int] = []
    must: Must = "either"
    stable: bool = False
    closers: list[list[int]] | None = None
    suffix_ids: list[int] = []
    spans: list[tuple[SpanKind, int | None, int, str]] = []
    thought_close: str | None = None
