"""The PyPI package ``renderers`` as a column: the hand-written renderers this project's seed comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version, not_installed

NAMES = {
    "qwen3": "qwen3",
    "qwen3.5": "qwen3.5",
    "qwen3.6": "qwen3.6",
    "qwen3.8": "qwen3.8",
    "qwen3-vl": "qwen3-vl",
    "glm-4.5": "glm-4.5",
    "glm-4.7": "glm-5",
    "glm-5": "glm-5",
    "glm-5.1": "glm-5.1",
    "glm-5.3": "glm-5.3",
    "kimi-k2": "kimi-k2",
    "kimi-k2.5": "kimi-k2.5",
    "minimax-m2": "minimax-m2",
    "deepseek-v3": "deepseek-v3",
    "deepseek-r1": "deepseek-r1",
    "deepseek-v4": "deepseek-v4",
    "nemotron-3": "nemotron-3",
    "nemotron-3-super": "nemotron-3",
    "nemotron-3-ultra": "nemotron-3-ultra",
    "nemotron-3.5": "nemotron-3.5",
    "laguna-xs.2": "laguna-xs.2",
    "laguna-m.1": "laguna-m.1",
    "laguna-s-2.1": "laguna-s-2.1",
    "laguna-xs-2.1": "laguna-xs-2.1",
    "hy3": "hy3",
    "llama-3": "llama-3",
    "gemma-4": "gemma4",
}


class RenderersColumn:
    """The column ``renderers``: our family names mapped to the package's."""

    def __init__(self) -> None:
        """Start without rows."""
        self.assets: dict[str, dict[str, Any]] = {}

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "renderers",
            "version": installed_version("renderers") or "not installed",
            "language": "python",
        }

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Refuse rows whose family the package has no renderer for; it would fall back to the template itself."""
        if installed_version("renderers") is None:
            raise not_installed("renderers")
        if assets["family"] == "gpt-oss":
            raise Unsupported("its gpt-oss renderer downloads the harmony vocabulary at run time")
        if assets["family"] not in NAMES:
            raise Unsupported(f"has no renderer for the family {assets['family']}")
        self.assets[model] = assets

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The package's render, with the template options its configuration knows."""
        prompt = bool(request["options"].get("add_generation_prompt", False))
        renderer = self.renderer(request)
        with refusals():
            rendered = renderer.render(request["messages"], tools=request["tools"], add_generation_prompt=prompt)
        result: dict[str, Any] = {
            "token_ids": list(rendered.token_ids),
            "message_indices": list(rendered.message_indices),
            "sampled_mask": list(rendered.sampled_mask),
            "is_content": list(rendered.is_content),
            "message_roles": list(rendered.message_roles),
        }
        derive = request.get("derive")
        if derive:
            spans = rendered.content_token_spans_by_role()
            result["content_spans_by_role"] = {role: [list(span) for span in found] for role, found in spans.items()}
            result["content_mask"] = list(rendered.content_mask_for_roles(set(derive["roles"])))
            if not prompt:
                from renderers.base import build_training_sample

                sample = build_training_sample(
                    renderer,
                    request["messages"],
                    role_to_mask=lambda message: message["role"] == "assistant",
                    tools=request["tools"],
                    content_sft_roles=set(derive["roles"]),
                )
                result["loss_mask"] = list(sample.loss_mask)
        return result

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """The package's ``parse_response``, told the prompt the completion was sampled behind."""
        renderer = self.renderer(request)
        with refusals():
            found = renderer.parse_response(
                request["token_ids"], tools=request["tools"], prompt_ids=request["prompt_ids"]
            )
        return {
            "content": found.content,
            "reasoning_content": found.reasoning_content,
            "reasoning_complete": found.reasoning_complete,
            "tool_calls": [
                {
                    "name": call.name,
                    "arguments": call.arguments,
                    "status": str(call.status.value),
                    "raw": call.raw,
                    "id": call.id,
                    "token_span": call.token_span and list(call.token_span),
                }
                for call in found.tool_calls or []
            ],
        }

    def bridge(self, request: dict[str, Any]) -> dict[str, Any]:
        """The package's ``bridge_to_next_turn``; None is its way to decline."""
        renderer = self.renderer(request)
        with refusals():
            found = renderer.bridge_to_next_turn(
                request["prompt_ids"], request["completion_ids"], request["messages"], tools=request["tools"]
            )
        if found is None:
            return {"token_ids": None}
        return {
            "token_ids": list(map(int, found.token_ids)),
            "message_indices": list(map(int, found.message_indices)),
            "sampled_mask": list(map(bool, found.sampled_mask)),
            "is_content": list(map(bool, found.is_content)),
            "message_roles": list(found.message_roles),
        }

    def renderer(self, request: dict[str, Any]) -> Any:
        """The package's renderer for a request's row and options.

        Raises:
            Unsupported: media; the package opens the images itself, and the cases hold placeholders without data.
        """
        if any(has_media(message) for message in request.get("messages") or []):
            raise Unsupported("needs the data of images, videos and sounds; the case only names them")
        options = {name: value for name, value in request["options"].items() if name != "add_generation_prompt"}
        if options.pop("continue_final_message", False):
            raise Unsupported("has no continue_final_message")
        family = self.assets[request["model"]]["family"]
        return _renderer(request["model"], NAMES[family], json.dumps(options, sort_keys=True))


def has_media(message: Any) -> bool:
    """Whether a message holds a part that is no text."""
    content = message.get("content") if isinstance(message, dict) else None
    parts = content if isinstance(content, list) else []
    return any(isinstance(part, dict) and part.get("type", "text") not in {"text", "thinking"} for part in parts)


@contextmanager
def refusals() -> Iterator[None]:
    """What the package raises about its input is a refusal; what it does not implement is *unsupported*."""
    try:
        yield
    except NotImplementedError as missing:
        raise Unsupported(str(missing)) from missing
    except (ValueError, TypeError) as refusal:
        raise Rejected("template-raises", f"{type(refusal).__name__}: {refusal}".splitlines()[0]) from refusal


@lru_cache(maxsize=16)
def _renderer(model: str, name: str, options: str) -> Any:
    """One renderer per tokenizer and options; options its configuration does not know are *unsupported*."""
    from renderers import create_renderer
    from renderers.configs import config_from_name

    from tokenspec.models import load

    default = config_from_name(name)
    given = json.loads(options)
    known = set(type(default).model_fields)
    unknown = sorted(set(given) - known)
    if unknown:
        raise Unsupported(f"its configuration has no field {unknown[0]}")
    with refusals():
        return create_renderer(load(model).tokenizer, type(default)(**given))
