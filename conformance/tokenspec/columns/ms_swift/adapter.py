"""ms-swift: what it trains on, from messages in the form that its documentation describes, and calls in OpenAI's.

The templates are its own, those that its list of models names for a row's repository; those of models that read images
want a processor, also for texts, and are left out. A thought stands in the content, between the tags of its template.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from swift.template import get_template
from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import wrapped

TEMPLATES = {
    "qwen2.5": "qwen2_5",
    "qwen3": "qwen3",
    "llama-3.2": "llama3_2",
    "gpt-oss": "gpt_oss",
    "deepseek-v3": "deepseek_v2_5",
    "deepseek-v3-first": "deepseek_v2_5",
    "llama-3.3": "llama3_2",
    "qwen3-instruct-2507": "qwen3_nothinking",
    "mistral-nemo": "mistral_nemo",
}
THOUGHT = {"qwen3": ("<think>\n", "\n</think>\n\n")}
ENDLESS, NOT_TRAINED = 1 << 30, -100


class Adapter:
    """The rows whose repository its list of models has."""

    capabilities = {"render": {"profile": {"after_stop": "sampled", "clock": "own"}}}  # noqa: RUF012

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Make the template of a row; one row is kept."""
        if model not in TEMPLATES:
            raise Unsupported("its templates are asked for a row of each kind, and for none that reads images")
        tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        tokenizer.model_info = SimpleNamespace(config=None, task_type="causal_lm", max_model_len=ENDLESS)
        tokenizer.model_meta = SimpleNamespace(is_multimodal=False)
        self.template = get_template(tokenizer, template_type=TEMPLATES[model])
        self.template.set_mode("train")
        self.tags = THOUGHT.get(TEMPLATES[model])

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a sample, and those that have a label."""
        messages, options = request["messages"], dict(request["options"])
        if options.pop("add_generation_prompt", False) or not messages or messages[-1].get("role") != "assistant":
            raise Unsupported("makes samples to train on, which end in an answer")
        told = {key: options.pop(key) for key in ("enable_thinking", "preserve_thinking") if key in options}
        if options:
            raise Unsupported(f"has no counterpart to {min(options)}")
        sample = {"messages": [self.turn(message) for message in messages], "chat_template_kwargs": told}
        try:
            made = self.template.encode({**sample, "tools": wrapped(request["tools"]) or None})
        except Exception as error:  # whatever its templates raise
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": made["input_ids"], "sampled_mask": [one != NOT_TRAINED for one in made["labels"]]}

    def turn(self, message: dict[str, Any]) -> dict[str, Any]:
        """A message of its data sets: a thought is a part of the content."""
        turn = dict(message)
        if thought := turn.pop("reasoning_content", None):
            if self.tags is None:
                raise Unsupported("its template of the row knows no thoughts")
            turn["content"] = thought.join(self.tags) + (turn.get("content") or "")
        return turn
