"""What goes in and comes out of the area ``media``, and what its oracle expects."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.refusal import Due
from tokenspec.areas.render.records import SpanKind
from tokenspec.store.masks import LONGEST_MASK, decode_mask, require_mask

Ranges = dict[str, list[tuple[int, int]]]
Hashes = dict[str, list[str | None]]
Grids = dict[str, list[tuple[int, int, int]]]


class Next(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answer that was sampled behind the conversation, and the messages that follow it."""

    answer: dict[str, Any]
    messages: list[Any]


class MediaInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A conversation with media.

    Attributes:
        messages: the conversation; its pictures are described (``areas/media/pictures.py``).
        tools: the tools offered.
        options: as of ``apply_chat_template``.
        media: numbers of the processor that differ from the row's, by modality.
        next: what a bridge has to append; None where the conversation is rendered.
        named: whether the earlier media are named to the bridge.
        told: whether the request gives the numbers of the row's processor, too, and not those alone that differ.
    """

    messages: list[Any]
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    media: dict[str, dict[str, int | float | str | bool | None]] = {}
    next: Next | None = None
    named: bool = True
    told: bool = True


class Previous(msgspec.Struct, kw_only=True):
    """What a bridge appends to: prompt and completion, and by modality the media in them that are named."""

    prompt_ids: list[int]
    completion_ids: list[int]
    mm_placeholders: Ranges
    mm_hashes: Hashes


class MediaRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        model: the row, as its ``load`` named it.
        messages: the conversation, or the new messages of a bridge; pictures are ``data:`` URIs or declare their size.
        tools: the tools offered.
        options: of ``apply_chat_template``.
        media: numbers of the row's processor by modality; empty: those that its publisher states.
        previous: what a bridge appends to; None where the conversation is rendered.
        now: the time that a template reads, ISO 8601 without zone.
    """

    model: str
    messages: list[Any]
    tools: list[Any] | None = None
    options: dict[str, Any] = {}
    media: dict[str, dict[str, int | float | str | bool | None]] = {}
    previous: Previous | None = None
    now: str


class MediaOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns. What it does not know it leaves out; ``token_ids`` is null where it declines.

    Attributes:
        token_ids: the ids with media expanded; None where a bridge declines.
        message_indices: per token the index of its message, -1 for none and for the prior part of a bridge.
        sampled_mask: per token, whether the model would have emitted it.
        is_content: per token, whether it is body.
        mm_token_type_ids: per token 1 in a picture, 2 in a video, else 0.
        mm_placeholders: by modality ``[first placeholder, tokens through the last]`` of each medium.
        mm_hashes: by modality the hash of each medium, or null.
        mm_grids: by modality ``[frames, rows, columns]`` of each medium in patches, where the model is told them.
    """

    token_ids: list[int] | None
    message_indices: list[int] | None = None
    sampled_mask: str | list[bool] | None = None
    is_content: str | list[bool] | None = None
    mm_token_type_ids: list[int] | None = None
    mm_placeholders: Ranges | None = None
    mm_hashes: Hashes | None = None
    mm_grids: Grids | None = None

    def __post_init__(self) -> None:
        """Run lengths are well-formed."""
        for name in ("sampled_mask", "is_content"):
            require_mask(getattr(self, name), LONGEST_MASK)

    def mask(self, name: str) -> list[bool] | None:
        """A mask field as a list, or None when it was not given."""
        value = getattr(self, name)
        return decode_mask(value) if value else None


class MediaExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the oracle says. Runs are pairs ``[value, how often]``, because placeholders come by the thousand.

    Attributes:
        ids: the ids in runs; of a bridge those of the whole render.
        prompt: of a bridge, how many of them were the prompt; 0 where nothing is bridged.
        completion: how many behind these were sampled.
        types: ``mm_token_type_ids`` in runs; None where the processor gives none.
        placeholders: the range of each medium by modality.
        hashes: its hash, or null.
        grids: of a render, its grid of patches; empty where the processor gives none.
        known: how many media of each modality the prior part has.
        spans: ``[kind, message or null, tokens]``, tiling the ids (behind the prior part of a bridge; the index is that
            in the new messages).
        unattributed: why owners cannot be told; then ``spans`` is empty.
        applies: None, or why this row cannot express the case; then nothing is judged.
        faults: of what is refused, all that is wrong with it; a refusal names one of them.
    """

    ids: list[tuple[int, int]] = []
    prompt: int = 0
    completion: int = 0
    types: list[tuple[int, int]] | None = None
    placeholders: Ranges = {}
    hashes: Hashes = {}
    grids: Grids = {}
    known: dict[str, int] = {}
    spans: list[tuple[SpanKind, int | None, int]] = []
    unattributed: str | None = None
    applies: str | None = None
    faults: list[Due] = []

    @property
    def token_ids(self) -> list[int]:
        """The ids, one by one."""
        return written_out(self.ids)

    @property
    def prior(self) -> int:
        """How many ids a bridge was given."""
        return self.prompt + self.completion


def runs_of(values: list[int]) -> list[tuple[int, int]]:
    """Values as runs."""
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1] = (value, runs[-1][1] + 1)
        else:
            runs.append((value, 1))
    return runs


def written_out(runs: list[tuple[int, int]]) -> list[int]:
    """Runs as values."""
    return [value for value, count in runs for _ in range(count)]
