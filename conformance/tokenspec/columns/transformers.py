"""``apply_chat_template`` as a column: text, ids, and its assistant mask judged as a claim about what is sampled."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version, not_installed

GENERATION_BLOCK = re.compile(r"\{%-?\s*generation\s*-?%\}")


class TransformersColumn:
    """The column ``transformers``."""

    def __init__(self) -> None:
        """Start without rows. The version is looked up once: that takes longer than a render."""
        self.version = installed_version("transformers")
        self.assets: dict[str, dict[str, Any]] = {}

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {
            "name": "transformers",
            "version": self.version or "not installed",
            "language": "python",
        }

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Remember the row; its tokenizer is loaded now, because that takes longer than an answer may."""
        from tokenspec.models import load

        if self.version is None:
            raise not_installed("transformers")
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        load(model).tokenizer  # noqa: B018 - loads it
        self.assets[model] = assets

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """``PrefixConstrainedLogitsProcessor`` where a script is one tree."""
        from tokenspec.columns.transformers_processors import process_logits

        if self.version is None:
            raise not_installed("transformers")
        return process_logits(request)

    def render_template(self, request: dict[str, Any]) -> dict[str, Any]:
        """The environment ``apply_chat_template`` compiles templates in."""
        from tokenspec.areas.template_engine.oracle.golden import render
        from tokenspec.columns.jinja2 import refusal_code

        if self.version is None:
            raise not_installed("transformers")
        if "limits" in request:
            raise Unsupported("takes no bounds")
        try:
            return {"text": render(request["template"], request["inputs"], datetime.fromisoformat(request["now"]))}
        except Exception as error:
            raise Rejected(refusal_code(error), f"{type(error).__name__}: {error}") from error

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Text and ids; ``return_assistant_tokens_mask`` as ``sampled_mask`` where the template marks generation."""
        from tokenspec.models import load
        from tokenspec.oracle.clock import frozen

        installed, wanted = self.version or "", request.get("normalisation", "hf5")
        if wanted == "hf4" and not installed.startswith("4."):
            raise Unsupported(f"transformers {installed} prepares messages in its own way, {wanted} is asked for")
        assets = self.assets[request["model"]]
        tokenizer = load(request["model"]).tokenizer
        arguments = {"tools": request["tools"], "chat_template": assets["chat_template"], **request["options"]}
        template = arguments["chat_template"]
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                text = tokenizer.apply_chat_template(request["messages"], tokenize=False, **arguments)
                result: dict[str, Any] = {"text": text}
                if GENERATION_BLOCK.search(template) and not request["options"].get("continue_final_message"):
                    encoded = tokenizer.apply_chat_template(
                        request["messages"],
                        tokenize=True,
                        return_dict=True,
                        return_assistant_tokens_mask=True,
                        **arguments,
                    )
                    result["sampled_mask"] = [bool(bit) for bit in encoded["assistant_masks"]]
                    result["token_ids"] = list(encoded["input_ids"])
                else:
                    result["token_ids"] = list(
                        tokenizer.apply_chat_template(
                            request["messages"], tokenize=True, return_dict=False, **arguments
                        )
                    )
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return result
