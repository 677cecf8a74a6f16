"""LLaMA-Factory: what it trains on, from a conversation in the form that its documentation describes: ``sharegpt``.

The templates are its own, those that its list of models names for a family; those of models that read images want a
processor, also for texts, and are left out. A thought of the assistant stands in the content, between the tags of its
template; a template that knows none is not asked about them. torch, torchaudio, datasets and peft are placeholders:
texts pass through modules that import them for images, sounds, loading and adapters.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import transformers.models.mllama.processing_mllama  # while torch is absent, and no placeholder yet
import transformers.video_utils  # noqa: F401 - the same
from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import wrapped
from tokenspec.columns.single_modules import folders, installed_at, placeholder

TEMPLATES = {
    "qwen2.5": "qwen",
    "qwen3": "qwen3",
    "llama-3": "llama3",
    "glm-4.5": "glm4_moe",
    "glm-4.7": "glm4_7",
    "gpt-oss": "gpt_oss",
    "minimax-m2": "minimax2",
    "deepseek-v3": "deepseek3",
    "deepseek-r1": "deepseekr1",
    "hy3": "hy3",
}
ROWS = {"qwen3-instruct-2507": "qwen3_nothink", "mistral-nemo": "ministral"}
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"} | {
    "observation_tag": "tool",
    "function_tag": "function",
    "messages": "messages",
    "tools": "tools",
}
THOUGHTS = ("reasoning_content", "thinking", "reasoning")
ENDLESS = 1 << 30


class Adapter:
    """The rows whose family its list of models has."""

    capabilities = {"render": {"profile": {"after_stop": "sampled"}}}  # noqa: RUF012 - read as it stands

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Choose the template of a row; one row is kept."""
        named = ROWS.get(model) or TEMPLATES.get(assets["family"])
        if named is None:
            raise Unsupported(f"names no template for the family {assets['family']}")
        root = installed_at("llamafactory") or Path()
        folders(root, "llamafactory", *(f"llamafactory.{name}" for name in ("data", "extras", "data.processor")))
        for name in ("torch", "torchaudio", "torchaudio.functional"):
            placeholder(name)
        placeholder("datasets", DatasetDict=None, concatenate_datasets=None, interleave_datasets=None)
        placeholder("peft", utils=None)
        placeholder("peft.utils", SAFETENSORS_WEIGHTS_NAME="", WEIGHTS_NAME="")
        placeholder("llamafactory.extras.misc", use_modelscope=None, use_openmind=None)
        from llamafactory.data.template import ReasoningTemplate, get_template_and_fix_tokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        told = {"template": named, "train_on_prompt": False, "tool_format": None, "default_system": None}
        told |= {"enable_thinking": True, "preserve_thinking": False, "mask_history": False, "cutoff_len": ENDLESS}
        self.told = SimpleNamespace(**told)
        self.template = get_template_and_fix_tokenizer(self.tokenizer, self.told)
        self.tags = self.template.thought_words if isinstance(self.template, ReasoningTemplate) else None

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a sample, and what of them is trained."""
        from llamafactory.data.converter import SharegptDatasetConverter
        from llamafactory.data.parser import DatasetAttr
        from llamafactory.data.processor.supervised import SupervisedDatasetProcessor

        messages, options = request["messages"], dict(request["options"])
        thinks, prompts = options.pop("enable_thinking", True), options.pop("add_generation_prompt", False)
        if prompts or not messages or messages[-1].get("role") != "assistant":
            raise Unsupported("makes samples to train on, which end in an answer")
        if options:
            raise Unsupported(f"has no counterpart to {min(options)}")
        self.template.enable_thinking = thinks
        attributes: Any = DatasetAttr("file", "told", **TAGS)
        processor = SupervisedDatasetProcessor(self.template, self.tokenizer, None, self.told)
        tools = "" if request["tools"] is None else json.dumps(wrapped(request["tools"]), ensure_ascii=False)
        try:
            turns = [turn(message, self.tags) for message in messages]
            found = SharegptDatasetConverter(attributes, self.told)({"messages": turns, "tools": tools})
            if not found["_response"]:
                raise Rejected("skipped", "skips a conversation whose turns are not of user and assistant in turn")
            told = (found[name] for name in ("_prompt", "_response", "_system", "_tools"))
            ids, labels = processor._encode_data_example(*told, [], [], [])  # noqa: SLF001 - its public door is a file
        except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, IndexError) as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        # Where a turn has no end of its own, what is trained in the place of the next header is another token.
        return {"token_ids": ids, "sampled_mask": [id_ == label for id_, label in zip(ids, labels, strict=True)]}


def turn(message: dict[str, Any], tags: tuple[str, str] | None) -> dict[str, Any]:
    """A message of its data sets: calls are a turn of their own, as JSON, and a thought stands ahead of the rest."""
    calls, ahead = message.get("tool_calls"), ""
    said = message.get("content") or ("" if calls else message.get("content"))
    if not isinstance(said, str):
        raise Unsupported("a content of its data sets is a text")
    thought = next((message[name] for name in THOUGHTS if message.get(name)), None)
    if thought and message["role"] == "assistant":
        if tags is None:
            raise Unsupported("has no thoughts in the template that it names for the family")
        ahead = f"{tags[0]}{thought}{tags[1]}"
    if not calls:
        return {"role": message["role"], "content": ahead + said}
    if said:
        raise Unsupported("a turn with calls has no content in its data sets")
    told = [{key: call.get("function", call)[key] for key in ("name", "arguments")} for call in calls]
    if any(isinstance(call["arguments"], str) for call in told):
        raise Unsupported("arguments of its data sets are an object")
    return {"role": "function", "content": ahead + json.dumps(told, ensure_ascii=False)}
