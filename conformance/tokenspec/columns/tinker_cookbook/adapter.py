"""tinker-cookbook: hand-written renderers, asked for a prompt, or for a supervised example of all assistant messages.

Messages come through its own converter from OpenAI's form, and tools as its server adapter declares them: with the
leading system message, in front. Of its renderers of one model the one that follows the template's defaults is asked.
"""

from __future__ import annotations

from typing import Any

from tinker_cookbook.exceptions import RendererError
from tinker_cookbook.renderers import TrainOnWhat, get_renderer
from tinker_cookbook.third_party.openai_compat import openai_messages_to_tinker, openai_tools_to_tinker
from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import wrapped

RENDERERS = {
    "deepseek-v3.1": "deepseekv3",
    "glm-5.3": "glm5_3_max_reasoning",
    "gpt-oss": "gpt_oss_medium_reasoning",
    "kimi-k2.5": "kimi_k25",
    "llama-3.3": "llama3",
    "nemotron-3": "nemotron3",
    "nemotron-3-super": "nemotron3",
    "nemotron-3-ultra": "nemotron3_ultra",
    "nemotron-3.5": "nemotron3_ultra",
    "qwen3": "qwen3",
    "qwen3-instruct-2507": "qwen3_instruct",
    "qwen3-vl": "qwen3_vl_instruct",
    "qwen3.5": "qwen3_5",
    "qwen3.6": "qwen3_5",
    "qwen3.8": "qwen3_8_xhigh_reasoning",
}
OTHERWISE = {
    "enable_thinking=False": {
        "nemotron3": "nemotron3_disable_thinking",
        "nemotron3_ultra": "nemotron3_ultra_disable_thinking",
        "qwen3": "qwen3_disable_thinking",
        "qwen3_5": "qwen3_5_disable_thinking",
        "qwen3_8_xhigh_reasoning": "qwen3_8_disable_thinking",
    },
    "preserve_thinking=True": {"qwen3_5": "qwen3_5_preserve_thinking"},
    "reasoning_effort=high": {"gpt_oss_medium_reasoning": "gpt_oss_high_reasoning"},
    "reasoning_effort=low": {"gpt_oss_medium_reasoning": "gpt_oss_low_reasoning"},
    "thinking=False": {"kimi_k25": "kimi_k25_disable_thinking"},
    "thinking=True": {"deepseekv3": "deepseekv3_thinking"},
}
"""The renderer for an option, by the one that follows the defaults."""


class Adapter:
    """The rows that it has a renderer for."""

    capabilities = {"render": {"profile": {"ending": "stop", "arguments": "string", "clock": "own"}}}  # noqa: RUF012

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read a row; one is kept."""
        if model not in RENDERERS:
            raise Unsupported("has no renderer for the row")
        self.default, self.tokenizer = RENDERERS[model], AutoTokenizer.from_pretrained(assets["directory"])
        self.template = assets["chat_template"] or ""
        self.made: dict[str, Any] = {}

    def renderer(self, options: dict[str, Any]) -> Any:
        """The renderer that these options ask for."""
        name = self.default
        for key, option in ((key, f"{key}={value}") for key, value in options.items()):
            if self.default not in OTHERWISE.get(option, {}) or key not in self.template:
                raise Unsupported(f"has no renderer for {option}")
            name = OTHERWISE[option][self.default]
        if name not in self.made:
            self.made[name] = get_renderer(name, self.tokenizer)
        return self.made[name]

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a prompt, or of an example with what its loss weights."""
        options = dict(request["options"])
        prompted, last = options.pop("add_generation_prompt", False), (request["messages"] or [{}])[-1]
        if not prompted and last.get("role") != "assistant":
            raise Unsupported("makes prompts, and samples that end with the assistant's turn")
        renderer = self.renderer(options)
        try:
            messages = openai_messages_to_tinker(request["messages"])
            if request["tools"]:
                system = messages.pop(0)["content"] if messages and messages[0]["role"] == "system" else ""
                tools = openai_tools_to_tinker(wrapped(request["tools"]))
                messages = [*renderer.create_conversation_prefix_with_tools(tools, system), *messages]
            if prompted:
                return {"token_ids": renderer.build_generation_prompt(messages).to_ints()}
            ids, weights = renderer.build_supervised_example(messages, TrainOnWhat.ALL_ASSISTANT_MESSAGES)
        except NotImplementedError as error:
            raise Unsupported(f"not implemented for the row: {error}") from error
        except AssertionError as error:
            raise Unsupported(f"renders images with their processor alone: {error}") from error
        except (RendererError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": ids.to_ints(), "sampled_mask": [bool(one) for one in weights.tolist()]}
