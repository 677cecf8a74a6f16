"""From a rendered conversation to a training sample: one render, one loss mask."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.protocol import RendersConversations
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens

Message = Mapping[str, Any]


KNOWN_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Roles that templates know; a conversation may have others."""


@dataclass(frozen=True)
class RenderedTrainingSample:
    """Ids and loss mask of one conversation, both of length ``n``.

    Where media were expanded, ``mm_token_type_ids`` are of length ``n``, too (1 picture, 2 video, else 0); else empty.
    """

    token_ids: list[int]
    loss_mask: list[bool]
    multi_modal_data: MultiModalData | None = None
    mm_token_type_ids: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TrajectoryStep:
    """A prompt and what was generated after it. The two id lists joined are the render of the whole conversation.

    ``completion_mask`` marks what the model emits: scaffold after the stop token is False. (The upstream package marks
    the whole completion, which contradicts its own sampled mask.)
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    prompt_mask: list[bool]
    completion_mask: list[bool]
    completion_logprobs: list[float]


def build_training_sample(
    renderer: RendersConversations,
    messages: Sequence[Message],
    *,
    role_to_mask: Callable[[Message], bool] | None = None,
    tools: Any = None,
    content_sft_roles: Collection[str] | None = None,
    ensure_final_stop: bool = False,
    message_loss_mask: Sequence[bool | int] | None = None,
    process_multimodal: bool = False,
) -> RenderedTrainingSample:
    """Loss mask of a conversation: what the model emits, plus the bodies of ``content_sft_roles``.

    Args:
        renderer: renders the conversation once, without a generation prompt.
        messages: the conversation.
        role_to_mask: whether a message may be trained at all; asked for every message outside ``content_sft_roles``.
        tools: tool schemas.
        content_sft_roles: roles whose body tokens (and only those) are trained, e.g. ``{"tool"}``.
        ensure_final_stop: append the first stop id when a trained final assistant turn does not end in one.
        message_loss_mask: one entry per message, applied last.
        process_multimodal: expand pictures and videos; the renderer has to take this word, too.

    Raises:
        TokenSpecError: a mask that is needed is not available, or ``message_loss_mask`` does not fit. (The upstream
            package silently ignores ``content_sft_roles`` in that case.)
    """
    media: dict[str, Any] = {"process_multimodal": True} if process_multimodal else {}
    rendered = renderer.render(messages, tools=tools, add_generation_prompt=False, **media)
    bodies = _known_roles(content_sft_roles, rendered.message_roles)
    if rendered.token_ids and not rendered.sampled_mask:
        raise TokenSpecError("the tokenizer cannot place its tokens, so there is no mask to train on", field="renderer")
    keep = _per_message(message_loss_mask, len(messages))
    allowed = [role_to_mask is None or bool(role_to_mask(message)) for message in messages]
    by_body = [role in bodies for role in rendered.message_roles]
    mask = [
        index >= 0 and keep[index] and (content if by_body[index] else sampled and allowed[index])
        for index, content, sampled in zip(
            rendered.message_indices, rendered.is_content, rendered.sampled_mask, strict=True
        )
    ]
    token_ids, types = list(rendered.token_ids), list(rendered.mm_token_type_ids)
    if ensure_final_stop and _is_trained(rendered, allowed, keep, by_body):
        stops = renderer.get_stop_token_ids()
        trained = [token for token, on in zip(token_ids, mask, strict=True) if on]
        if not trained or trained[-1] not in stops:
            token_ids.append(stops[0])
            mask.append(True)
            types += [0] * bool(types)
    return RenderedTrainingSample(token_ids, mask, rendered.multi_modal_data, types)


def build_trajectory_step(
    renderer: RendersConversations,
    prompt: Sequence[Message],
    completion: Sequence[Message],
    *,
    tools: Any = None,
) -> TrajectoryStep:
    """Split the render of ``prompt + completion`` where it leaves the rendered prompt."""
    ahead = renderer.render(prompt, tools=tools, add_generation_prompt=bool(completion)).token_ids
    full = renderer.render([*prompt, *completion], tools=tools)
    split = next(
        (k for k, (a, b) in enumerate(zip(ahead, full.token_ids, strict=False)) if a != b),
        min(len(ahead), len(full.token_ids)),
    )
    completion_ids = full.token_ids[split:]
    return TrajectoryStep(
        prompt_ids=full.token_ids[:split],
        completion_ids=completion_ids,
        prompt_mask=[False] * split,
        completion_mask=full.sampled_mask[split:],
        completion_logprobs=[0.0] * len(completion_ids),
    )


def _per_message(mask: Sequence[bool | int] | None, count: int) -> list[bool]:
    if mask is None:
        return [True] * count
    if len(mask) != count:
        raise TokenSpecError(f"expected {count} entries, one per message, got {len(mask)}", field="message_loss_mask")
    for position, entry in enumerate(mask):
        if not _is_flag(entry):
            raise TokenSpecError(f"expected True, False, 0 or 1, got {entry!r}", field=f"message_loss_mask[{position}]")
    return [bool(entry) for entry in mask]


def _is_flag(entry: Any) -> bool:
    """Whether it is 0 or 1, or a truth value, also one of numpy or torch."""
    try:
        return index(entry) in (0, 1)
    except TypeError:
        return getattr(entry, "dtype", None) is not None and entry.ndim == 0 and str(entry.dtype).endswith("bool")


def _known_roles(roles: Collection[str] | None, present: Sequence[str]) -> frozenset[str]:
    """The roles whose bodies are trained.

    Raises:
        TokenSpecError: it is one text, whose letters are no roles, or a role that neither templates nor messages know.
    """
    if isinstance(roles, str):
        raise TokenSpecError(f"expected roles in a set or list, as {{{roles!r}}}", field="content_sft_roles")
    wanted = frozenset(roles or ())
    unknown = sorted(map(repr, wanted - KNOWN_ROLES - set(present)))
    if unknown:
        known = ", ".join(sorted(KNOWN_ROLES))
        raise TokenSpecError(f"no message has the role {unknown[0]}; known: {known}", field="content_sft_roles")
    return wanted


def _is_trained(rendered: RenderedTokens, allowed: list[bool], keep: list[bool], by_body: list[bool]) -> bool:
    """Whether the conversation ends in an assistant turn that is trained."""
    return rendered.message_roles[-1] == "assistant" and keep[-1] and (allowed[-1] or by_body[-1])
