"""What a renderer returns: token ids with the owner, role and kind of every token (seed: ``RenderedTokens``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class UnattributedTokens(UserWarning):
    """Some tokens of assistant turns are not trained, because nobody can say whether the model writes them."""


@dataclass(frozen=True)
class PlaceholderRange:
    """The placeholders of one medium, in tokens: from the first to the last, with what a video writes between."""

    offset: int
    length: int


@dataclass(frozen=True)
class MultiModalData:
    """Media found in the conversation, per modality (``image``, ``video``), in the order of the text.

    ``mm_items`` are the facts of each (``placeholders``, the grid of patches where the model wants it, the seconds of
    a video's frames), ``mm_hashes`` the declared hash or the SHA-256 of the bytes, None where neither was at hand.
    """

    mm_items: dict[str, list[Any]] = field(default_factory=dict)
    mm_placeholders: dict[str, list[PlaceholderRange]] = field(default_factory=dict)
    mm_hashes: dict[str, list[str | None]] = field(default_factory=dict)

    def is_empty(self) -> bool:
        """Tell whether the conversation holds no media at all."""
        return not any(self.mm_items.values())

    def before(self, later: MultiModalData) -> MultiModalData:
        """These media followed by later ones, whose ranges are counted in the same ids."""

        def joined(mine: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> dict[str, list[Any]]:
            return {kind: [*mine.get(kind, ()), *theirs.get(kind, ())] for kind in {**mine, **theirs}}

        return MultiModalData(
            joined(self.mm_items, later.mm_items),
            joined(self.mm_placeholders, later.mm_placeholders),
            joined(self.mm_hashes, later.mm_hashes),
        )


@dataclass(frozen=True)
class RenderedTokens:
    """A rendered conversation of ``n`` tokens.

    ``token_ids``, ``message_indices``, ``sampled_mask``, ``is_content`` and ``char_spans`` are parallel lists of length
    ``n``. The two masks are empty when the tokenizer gives no way to place its tokens in the text, never partial.

    * ``message_indices[k]``: index of the caller message that token ``k`` belongs to, -1 outside all messages.
    * ``sampled_mask[k]``: the model emits this token at inference; only ever True in assistant turns.
    * ``is_content[k]``: the token starts in a message body or is sampled; equals ``sampled_mask`` on assistant turns.
    * ``message_roles`` and ``message_tool_names``: one entry per caller message, never for injected ones.
    * ``char_spans[k]``: half-open character range of token ``k`` in ``text``.
    * ``unattributed``: half-open token ranges that a template's prompt and its history give to different writers:
      neither sampled nor content. Only the renderer of any template has such tokens.
    * ``multi_modal_data`` and ``mm_token_type_ids`` (per token 1 in a picture, 2 in a video, else 0): None and empty
      unless media were expanded (``process_multimodal``).
    """

    token_ids: list[int] = field(default_factory=list)
    message_indices: list[int] = field(default_factory=list)
    sampled_mask: list[bool] = field(default_factory=list)
    is_content: list[bool] = field(default_factory=list)
    message_roles: list[str] = field(default_factory=list)
    message_tool_names: list[str | None] = field(default_factory=list)
    char_spans: list[tuple[int, int]] = field(default_factory=list)
    text: str = ""
    multi_modal_data: MultiModalData | None = None
    unattributed: list[tuple[int, int]] = field(default_factory=list)
    mm_token_type_ids: list[int] = field(default_factory=list)

    @property
    def unrendered_messages(self) -> list[int]:
        """Indices of caller messages that no token belongs to: what the template silently leaves out."""
        seen = set(self.message_indices)
        return [index for index in range(len(self.message_roles)) if index not in seen]

    def tokens_per_message(self, n_messages: int | None = None, *, sampled_only: bool = False) -> list[int]:
        """Count the tokens of the first ``n_messages`` messages; all zeros when a needed mask is missing."""
        total = len(self.message_roles)
        n = total if n_messages is None else min(n_messages, total)
        counts = [0] * n
        if sampled_only and len(self.sampled_mask) != len(self.token_ids):
            return counts
        for k, index in enumerate(self.message_indices):
            if 0 <= index < n and (not sampled_only or self.sampled_mask[k]):
                counts[index] += 1
        return counts

    def message_token_spans(self) -> list[tuple[int, int] | None]:
        """Outer token span ``(first, last + 1)`` of every message, None for a message without tokens."""
        n = len(self.message_roles) or max(self.message_indices, default=-1) + 1
        spans: list[tuple[int, int] | None] = [None] * n
        for k, index in enumerate(self.message_indices):
            if 0 <= index < n:
                known = spans[index]
                spans[index] = (known[0] if known else k, k + 1)
        return spans

    def role_token_spans(self) -> dict[str, list[tuple[int, int]]]:
        """Outer spans grouped by role; every role of the conversation is a key."""
        grouped: dict[str, list[tuple[int, int]]] = {role: [] for role in self.message_roles}
        for role, span in zip(self.message_roles, self.message_token_spans(), strict=False):
            if span:
                grouped[role].append(span)
        return grouped

    def tokens_by_role(self, *, sampled_only: bool = False) -> dict[str, int]:
        """Token counts grouped by role; every role of the conversation is a key."""
        grouped = dict.fromkeys(self.message_roles, 0)
        for role, count in zip(self.message_roles, self.tokens_per_message(sampled_only=sampled_only), strict=True):
            grouped[role] += count
        return grouped

    def content_token_spans_by_role(self) -> dict[str, list[tuple[int, int]]]:
        """Maximal runs of content tokens, grouped by the role of the message that *owns* them.

        A run never crosses messages and never contains a token of another message, also where a template interleaves
        them. (The upstream package tests only the outer span and counts such tokens under both roles.) Empty when the
        content mask is not available.
        """
        if not self._has_content():
            return {}
        grouped: dict[str, list[tuple[int, int]]] = {role: [] for role in self.message_roles}
        for owner, start, end in self._content_runs():
            grouped[self.message_roles[owner]].append((start, end))
        return grouped

    def content_mask_for_roles(self, roles: Collection[str]) -> list[bool]:
        """Mark the content tokens of messages with one of ``roles``; all False when the mask is not available."""
        if not self._has_content():
            return [False] * len(self.token_ids)
        wanted = [role in roles for role in self.message_roles]
        return [
            content and 0 <= index < len(wanted) and wanted[index]
            for content, index in zip(self.is_content, self.message_indices, strict=True)
        ]

    def _has_content(self) -> bool:
        n = len(self.token_ids)
        return bool(self.message_roles) and n == len(self.is_content) == len(self.message_indices)

    def _content_runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield ``(owner, start, end)`` of each maximal run of content tokens with one owner."""
        start, owner = 0, -1
        for k, (content, index) in enumerate(zip(self.is_content, self.message_indices, strict=True)):
            current = index if content and 0 <= index < len(self.message_roles) else -1
            if current != owner:
                if owner >= 0:
                    yield owner, start, k
                start, owner = k, current
        if owner >= 0:
            yield owner, start, len(self.is_content)
