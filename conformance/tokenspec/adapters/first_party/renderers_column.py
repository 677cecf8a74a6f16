"""The PyPI package ``renderers`` as a column: the hand-written renderers this project's seed comes from."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.adapters.first_party import installed_version

NAMES = {
    "qwen3": "qwen3",
    "qwen3.5": "qwen3.5",
    "qwen3.6": "qwen3.6",
    "qwen3-vl": "qwen3-vl",
    "glm-4.5": "glm-4.5",
    "glm-4.7": "glm-5",
    "glm-5": "glm-5",
    "glm-5.1": "glm-5.1",
    "kimi-k2": "kimi-k2",
    "kimi-k2.5": "kimi-k2.5",
    "minimax-m2": "minimax-m2",
    "deepseek-v3": "deepseek-v3",
    "nemotron-3": "nemotron-3",
    "laguna-xs.2": "laguna-xs.2",
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
            raise Unsupported("not installed")
        if assets["family"] == "gpt-oss":
            raise Unsupported("its gpt-oss renderer downloads the harmony vocabulary at run time")
        if assets["family"] not in NAMES:
            raise Unsupported(f"has no renderer for the family {assets['family']}")
        self.assets[model] = assets

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The package's render, with the template options its configuration knows."""
        assets = self.assets[request["model"]]
        options = dict(request["options"])
        prompt = bool(options.pop("add_generation_prompt", False))
        if options.pop("continue_final_message", False):
            raise Unsupported("has no continue_final_message")
        renderer = _renderer(request["model"], NAMES[assets["family"]], json.dumps(options, sort_keys=True))
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
    return create_renderer(load(model).tokenizer, type(default)(**given))
