"""Media behind the adapter protocol: plain JSON in, plain JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import placed
from tokenspec_reference.renderers.adapter import place_of, renderer_for
from tokenspec_reference.renderers.rendered import MultiModalData, PlaceholderRange, RenderedTokens

if TYPE_CHECKING:
    from tokenspec_reference.loaded_model import LoadedModel


def render_media(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Operation ``render_media``: a conversation, or what a bridge appends, with media expanded.

    Raises:
        UnsupportedByReference: the family's media are not described.
    """
    with placed(lambda error: place_of(error, request)):
        return _expanded(request, renderer_for(request, models))


def _expanded(request: Mapping[str, Any], renderer: Any) -> dict[str, Any]:
    messages, tools, previous = request["messages"], request.get("tools"), request.get("previous")
    if previous is None:
        prompt = bool((request.get("options") or {}).get("add_generation_prompt", False))
        return answer(renderer.render(messages, tools=tools, add_generation_prompt=prompt, process_multimodal=True))
    found = renderer.bridge_to_next_turn(
        previous["prompt_ids"],
        previous["completion_ids"],
        messages,
        tools=tools,
        previous_multi_modal_data=data_of(previous),
        process_multimodal=True,
    )
    return {"token_ids": None} if found is None else answer(found)


def data_of(previous: Mapping[str, Any]) -> MultiModalData:
    """The media of a prior part; of the facts of each only the range is known."""
    ranges = {
        kind: [PlaceholderRange(*found) for found in pairs] for kind, pairs in previous["mm_placeholders"].items()
    }
    items: dict[str, list[Any]] = {kind: [{} for _ in found] for kind, found in ranges.items()}
    return MultiModalData(items, ranges, previous["mm_hashes"])


def answer(tokens: RenderedTokens) -> dict[str, Any]:
    """The answer to a request; what has no media says so with empty objects."""
    data = tokens.multi_modal_data or MultiModalData()
    return {
        "token_ids": tokens.token_ids,
        "message_indices": tokens.message_indices,
        "sampled_mask": tokens.sampled_mask,
        "is_content": tokens.is_content,
        "mm_token_type_ids": tokens.mm_token_type_ids,
        "mm_placeholders": {k: [[r.offset, r.length] for r in found] for k, found in data.mm_placeholders.items()},
        "mm_hashes": data.mm_hashes,
        "mm_grids": {
            kind: [item["grid_thw"] for item in found if "grid_thw" in item] for kind, found in data.mm_items.items()
        },
    }
