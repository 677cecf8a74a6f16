"""What goes in and comes out of the area ``render``, and what its oracle expects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from tokenspec.store.masks import LONGEST_MASK, decode_mask, require_mask

SpanKind = Literal["scaffold", "content", "sampled", "prompt", "unattributed"]


class GivenTurns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What opens and ends an assistant turn in a template that comes with the conversation, as a row states it.

    Nothing opens one where the template quotes assistants, and prompts another speaker.
    """

    assistant_open: list[Annotated[str, msgspec.Meta(min_length=1)]]
    assistant_close: list[Annotated[str, msgspec.Meta(min_length=1)]]


class RenderInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conversation, the tools offered, the options of ``apply_chat_template``, and roles to derive masks for.

    ``turns`` are stated where those of the template in ``options`` are not the row's, ``unattributed`` what its prompts
    and its history disagree on, in order (RND-029): nothing, or not judged where None. No implementation is told them.
    """

    messages: Any
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    derive: dict[str, list[str]] | None = None
    turns: GivenTurns | None = None
    unattributed: list[Annotated[str, msgspec.Meta(min_length=1)]] | None = None


class RenderRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        model: the row, as its ``load`` named it.
        messages: the conversation, in any shape: what must be refused is asked, too.
        tools: the tools offered.
        options: of ``apply_chat_template``: the row's own, and the case's above them.
        derive: by name of a derived answer the roles that it is for; None where none is asked for.
        id_profile: the profile of ids that is wished; the answer says which one it is in.
        encoding: whether a caller's text may become control ids; the answer says so, too.
        now: the time that a template reads, ISO 8601 without zone.
        normalisation: how messages are prepared (RND-004), where it is not the default.
    """

    model: str
    messages: Any
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    derive: dict[str, list[str]] | None = None
    id_profile: Literal["canonical", "sampled-boundary"] = "canonical"
    encoding: Literal["hf", "isolated"] = "hf"
    now: str
    normalisation: str | msgspec.UnsetType = msgspec.UNSET


class RenderOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns: ids, or text alone, or both; masks are lists or run-length strings.

    Attributes:
        token_ids: the ids; None from a template engine, which is judged for its text and nothing else.
        text: the rendered text.
        message_indices: per token the index of its message, -1 for none.
        sampled_mask: per token, whether the model would have emitted it.
        is_content: per token, whether it is body.
        char_spans: per token the characters of the text that hold its bytes, half-open.
        message_roles: per caller message its role.
        id_profile: ``canonical`` (one encode of the whole text) or ``sampled-boundary``; which one the ids are in.
        encoding: ``hf`` (a caller's text may become control ids) or ``isolated`` (it does not).
        unattributed: token ranges in assistant turns of which nobody knows whether the model writes them.
        content_spans_by_role, content_mask, loss_mask: answers to ``derive``.
    """

    token_ids: list[int] | None = None
    text: str | None = None
    message_indices: list[int] | None = None
    sampled_mask: str | list[bool] | None = None
    is_content: str | list[bool] | None = None
    char_spans: list[tuple[int, int]] | None = None
    message_roles: list[str] | None = None
    id_profile: Literal["canonical", "sampled-boundary"] = "canonical"
    encoding: Literal["hf", "isolated"] = "hf"
    unattributed: list[tuple[int, int]] | None = None
    content_spans_by_role: dict[str, list[tuple[int, int]]] | None = None
    content_mask: str | list[bool] | None = None
    loss_mask: str | list[bool] | None = None

    def __post_init__(self) -> None:
        """There is something to judge, and run lengths are well-formed."""
        if self.token_ids is None and self.text is None:
            raise ValueError("neither token_ids nor text; return one of the two at least")
        for name in ("sampled_mask", "is_content", "content_mask", "loss_mask"):
            require_mask(getattr(self, name), LONGEST_MASK)

    def mask(self, name: str) -> list[bool] | None:
        """A mask field as a list, or None when it was not given (an empty list beside ids counts as none)."""
        value = getattr(self, name)
        return None if value is None or (not value and self.token_ids) else decode_mask(value)


class RenderExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The oracle's answer.

    ``spans`` tile the text in characters: ``[kind, message index or null, tokens that begin in it, text]``. Kinds:
    ``content`` (body of a message that is not the assistant's), ``sampled`` (what the model emits in an assistant
    turn), ``prompt`` (the generation prompt), ``scaffold``, what the case states to be ``unattributed``, or one such
    span where differences cannot tell (the field ``unattributed`` then says why). The masks follow from the spans by
    the row's rule, redundant on purpose; ``fixtures lint`` proves they agree.
    """

    token_ids: list[int]
    spans: list[tuple[SpanKind, int | None, int, str]]
    is_content: str | None = None
    sampled: str | None = None
    unattributed: str | None = None

    @property
    def text(self) -> str:
        """The rendered text."""
        return "".join(span[3] for span in self.spans)
