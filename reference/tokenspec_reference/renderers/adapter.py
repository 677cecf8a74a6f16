"""The renderers behind the adapter protocol: plain JSON in, plain JSON out."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError, placed
from tokenspec_reference.renderers.chat import FROZEN_CLOCK
from tokenspec_reference.renderers.create import UnreadOption, create_renderer
from tokenspec_reference.renderers.rendered import UnattributedTokens
from tokenspec_reference.renderers.template import Wire
from tokenspec_reference.renderers.training import build_training_sample

if TYPE_CHECKING:
    from tokenspec_reference.loaded_model import LoadedModel
    from tokenspec_reference.renderers.protocol import ChatRenderer


def renderer_for(request: Mapping[str, Any], models: Mapping[str, LoadedModel]) -> Any:
    """The renderer a request asks for, of the row's family; what its template shows of turns is found once.

    Raises:
        TokenSpecError: the row was not loaded.
    """
    model = models.get(request.get("model", ""))
    if model is None:
        raise TokenSpecError(f"row {request.get('model')!r} is not loaded", field="model")
    told = ("options", "normalisation", "encoding", "id_profile", "now", "media")
    asked = json.dumps([request.get(name) for name in told])
    return model.renderer(asked, lambda: _create(request, model))


def _create(request: Mapping[str, Any], model: LoadedModel) -> ChatRenderer:
    options = {name: value for name, value in (request.get("options") or {}).items() if name != "add_generation_prompt"}
    given = options.pop("chat_template", None)
    # what the row states of turns is true of its own template
    turns = model.wire if given in (None, model.chat_template) else {}
    now = request.get("now")
    family = "template" if given is not None and model.family is not None else model.family
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadOption)  # cases give options that no template reads (RND-003)
        return create_renderer(
            model.tokenizer,
            family=family,
            chat_template=(model.chat_template or None) if given is None else given,
            straddle=model.wire.get("straddle"),
            now=datetime.fromisoformat(now) if now else FROZEN_CLOCK,
            media_settings=request.get("media"),
            wire=_wire(model, turns) if model.wire and family in {None, "template"} else None,
            **{name: request[name] for name in ("normalisation", "encoding", "id_profile") if request.get(name)},
            **options,
        )


def _wire(model: LoadedModel, turns: Mapping[str, Any]) -> Wire:
    """What the row states of its turns, for the renderer of any template."""
    return Wire(
        assistant_open=tuple(turns.get("assistant_open", ())),
        assistant_close=tuple(turns.get("assistant_close", ())),
        placeholders=tuple(model.wire.get("placeholder", ())),
        stops=tuple(model.wire.get("stop", ())),
    )


def place_of(error: TokenSpecError, request: Mapping[str, Any]) -> str:
    """The pointer to what an error calls ``new_messages[1].content[0].width``; an option if no field is called so."""
    called = (error.field or "messages").replace("media_settings", "media").removeprefix("new_")
    pointer = called.replace("[", "/").replace("]", "").replace(".", "/")
    return f"/{pointer}" if pointer.partition("/")[0] in request else f"/options/{pointer}"


def render(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Operation ``render``: a conversation to ids, text, owners and masks, with derived masks on request."""
    with placed(lambda error: place_of(error, request)):
        return _rendered(request, models)


def _rendered(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    renderer = renderer_for(request, models)
    messages, tools = request.get("messages"), request.get("tools")
    add_generation_prompt = bool((request.get("options") or {}).get("add_generation_prompt", False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnattributedTokens)  # the masks say it
        tokens = renderer.render(messages, tools=tools, add_generation_prompt=add_generation_prompt)
    result: dict[str, Any] = {
        "token_ids": tokens.token_ids,
        "text": tokens.text,
        "message_indices": tokens.message_indices,
        "sampled_mask": tokens.sampled_mask,
        "is_content": tokens.is_content,
        "char_spans": [list(span) for span in tokens.char_spans],
        "message_roles": tokens.message_roles,
        "id_profile": renderer.id_profile,
        "encoding": renderer.encoding,
        "unattributed": [list(run) for run in tokens.unattributed],
    }
    roles = (request.get("derive") or {}).get("roles")
    if roles is not None:
        by_role = tokens.content_token_spans_by_role()
        result["content_spans_by_role"] = {role: [list(run) for run in runs] for role, runs in by_role.items()}
        result["content_mask"] = tokens.content_mask_for_roles(set(roles))
        result["loss_mask"] = build_training_sample(_Once(tokens), messages or [], content_sft_roles=roles).loss_mask
    return result


def parse(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Operation ``parse``: completion ids to content, reasoning and calls.

    Raises:
        UnsupportedByReference: the row's template writes thoughts or calls in no known notation.
    """
    found = renderer_for(request, models).parse_response(
        request["token_ids"], tools=request.get("tools"), prompt_ids=request.get("prompt_ids")
    )
    return {
        "content": found.content,
        "reasoning_content": found.reasoning_content,
        "reasoning_complete": found.reasoning_complete,
        "tool_calls": [
            {
                "name": call.name,
                "arguments": call.arguments,
                "status": call.status,
                "raw": call.raw,
                "id": call.id,
                "token_span": list(call.token_span) if call.token_span else None,
            }
            for call in found.tool_calls
        ],
    }


def parse_stream(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Operation ``parse_stream``: the ids of a completion in chunks to what becomes known with each, and at the end.

    Raises:
        UnsupportedByReference: as for ``parse``.
    """
    stream = renderer_for(request, models).stream_parser(
        tools=request.get("tools"), prompt_ids=request.get("prompt_ids")
    )
    deltas = [*(stream.feed(chunk["token_ids"]) for chunk in request["chunks"]), stream.finish()]
    return {"deltas": [asdict(delta) for delta in deltas]}


def bridge(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Operation ``bridge``: prompt and completion ids plus new messages to the next prompt, or null.

    Raises:
        UnsupportedByReference: as for ``parse``.
    """
    found = renderer_for(request, models).bridge_to_next_turn(
        request["prompt_ids"], request["completion_ids"], request["messages"], tools=request.get("tools")
    )
    if found is None:
        return {"token_ids": None}
    return {
        "token_ids": found.token_ids,
        "message_indices": found.message_indices,
        "sampled_mask": found.sampled_mask,
        "is_content": found.is_content,
        "message_roles": found.message_roles,
    }


class _Once:
    """Hands out a render that was already made, so that one request encodes once."""

    def __init__(self, tokens: Any) -> None:
        self._tokens = tokens

    def get_stop_token_ids(self) -> list[int]:
        return []

    def render(self, *_: Any, **__: Any) -> Any:
        return self._tokens
