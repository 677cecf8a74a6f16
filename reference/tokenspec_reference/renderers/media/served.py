"""Media that a server expands itself: what it is sent of them, and the prompt's masks once it said where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tokenspec_reference.errors import InvalidMessages, TokenSpecError
from tokenspec_reference.renderers.media.medium import KINDS, kind_of, parts_of, source_of
from tokenspec_reference.renderers.rendered import MultiModalData, PlaceholderRange, RenderedTokens

Entry = TypeVar("Entry")


def content_parts(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The pictures and videos of messages in their order, as ``{"type": "image_url", "url": ...}``.

    Raises:
        InvalidMessages: a medium that is no address and no ``data:`` URI; a server opens no file of ours.
    """
    found = []
    for index, message in enumerate(messages):
        for position, part in enumerate(parts_of(message)):
            kind = kind_of(part)
            if kind is None:
                continue
            source = source_of(part, kind)
            if not isinstance(source, str) or not source.startswith(("http://", "https://", "data:")):
                raise InvalidMessages(
                    "a server takes an address (http, https) or a data: URI",
                    field=f"messages[{index}].content[{position}]",
                )
            found.append({"type": f"{kind}_url", "url": source})
    return found


def as_served(
    rendered: RenderedTokens, prompt_ids: Sequence[int], placeholders: Mapping[str, Sequence[Mapping[str, int]]]
) -> RenderedTokens:
    """The render of a prompt with one placeholder a medium, for the ids in which a server has put all of them.

    Args:
        rendered: with one token where each medium stands.
        prompt_ids: what the server read.
        placeholders: where it says that media stand in them: ``{"image": [{"offset": 4, "length": 35}]}``.

    Raises:
        TokenSpecError: the ids are not this render with these stretches in place of its placeholders.
    """
    ranges: dict[str, list[PlaceholderRange]] = {
        kind: [PlaceholderRange(entry["offset"], entry["length"]) for entry in placeholders[kind]]
        for kind in KINDS
        if placeholders.get(kind)
    }
    lengths = {found.offset: found.length for kind in ranges for found in ranges[kind]}
    repeats: list[int] = []
    position, same = 0, True
    for token_id in rendered.token_ids:
        if position in lengths:
            repeats.append(lengths.pop(position))
        else:
            same &= list(prompt_ids[position : position + 1]) == [token_id]
            repeats.append(1)
        position += repeats[-1]
    if not same or position != len(prompt_ids) or lengths:
        raise TokenSpecError("are not what was sent, with its media expanded", field="prompt_token_ids")

    def spread(values: Sequence[Entry]) -> list[Entry]:
        return [value for value, count in zip(values, repeats, strict=True) for _ in range(count)] if values else []

    return replace(
        rendered,
        token_ids=list(prompt_ids),
        message_indices=spread(rendered.message_indices),
        sampled_mask=spread(rendered.sampled_mask),
        is_content=spread(rendered.is_content),
        char_spans=spread(rendered.char_spans),
        unattributed=[],
        multi_modal_data=MultiModalData({kind: [{}] * len(found) for kind, found in ranges.items()}, ranges, {}),
    )
