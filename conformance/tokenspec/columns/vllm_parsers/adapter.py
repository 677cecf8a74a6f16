"""vLLM's parsers, composed as its server composes them from ``--reasoning-parser`` and ``--tool-call-parser``.

The names are those of its documentation for each family. A completion comes with its special tokens, without the text
of the one that ended it. vLLM itself runs on accelerators; its parsers are Python.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from transformers import AutoTokenizer
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser import ParserManager
from vllm.tokenizers.hf import get_cached_tokenizer

from tokenspec.adapters import Unsupported
from tokenspec.columns.openai_wire import chunks_without_stop, parsed_call, require_served, without_stop, wrapped

QWEN, CODER, LAGUNA = ("hermes", "qwen3"), ("qwen3_coder", "qwen3"), ("poolside_v1", "poolside_v1")
PARSERS: dict[str, tuple[str | None, str | None]] = {
    "qwen2.5": ("hermes", None),
    "qwen3": QWEN,
    "qwen3-vl": ("hermes", None),
    "qwen3.5": CODER,
    "qwen3.6": CODER,
    "qwen3.8": CODER,
    "llama-3": ("llama3_json", None),
    "gemma-4": ("gemma4", "gemma4"),
    "kimi-k2": ("kimi_k2", None),
    "kimi-k2.5": ("kimi_k2", "kimi_k2"),
    "glm-4.5": ("glm45", "glm45"),
    "glm-4.7": ("glm47", "glm45"),
    "glm-5.1": ("glm47", "glm45"),
    "glm-5.3": ("glm47", "glm45"),
    "deepseek-v3": ("deepseek_v3", None),
    "deepseek-r1": ("deepseek_v3", "deepseek_r1"),
    "deepseek-v3.1": ("deepseek_v31", "deepseek_v3"),
    "deepseek-v3.2": ("deepseek_v32", "deepseek_v3"),
    "deepseek-v4": ("deepseek_v4", "deepseek_v4"),
    "minimax-m2": ("minimax_m2", "minimax_m2"),
    "nemotron-3": ("qwen3_coder", "nemotron_v3"),
    "nemotron-3-super": ("qwen3_coder", "nemotron_v3"),
    "nemotron-3-ultra": ("qwen3_coder", "nemotron_v3"),
    "nemotron-3.5": ("qwen3_coder", "nemotron_v3"),
    "hy3": ("hy_v3", "hy_v3"),
    "laguna-xs.2": LAGUNA,
    "laguna-m.1": LAGUNA,
    "laguna-s-2.1": LAGUNA,
    "gpt-oss": ("openai", "openai_gptoss"),
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "deepseek-v4": {"enable_thinking": False},
    "laguna-s-2.1": {"enable_thinking": True},
}
"""What a template does unasked where its parser takes another default: ``--default-chat-template-kwargs``."""
TEMPLATE_ONLY = {"mistral-nemo": ("mistral", None)}


class Adapter:
    """The rows whose family vLLM's documentation names parsers for."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Compose the parser of a row; one row is kept."""
        calls, reasoning = PARSERS.get(assets["family"]) or TEMPLATE_ONLY.get(model) or (None, None)
        if calls is None:
            raise Unsupported(f"names no parser for the family {assets['family']}")
        if model.endswith("2507"):
            reasoning = None
        self.stops = assets["wire"]["stop"]
        # as its server has it: each parser reads the vocabulary anew, which without the cache is a copy of all of it
        self.tokenizer = get_cached_tokenizer(AutoTokenizer.from_pretrained(assets["directory"]))
        if assets["family"] == "hy3":  # its publisher's tokenizer_config.json says how its control tokens end
            self.tokenizer.init_kwargs.update({"token_suffix": ":opensource"})
        self.defaults = DEFAULTS.get(assets["family"], {})
        names = {"tool_parser_name": calls, "reasoning_parser_name": reasoning}
        self.parser = ParserManager.get_parser(
            **names, enable_auto_tools=True, is_harmony=assets["family"] == "gpt-oss", tokenizer=self.tokenizer
        )

    def asked(self, request: dict[str, Any]) -> tuple[Any, Any]:
        """A fresh parser, and the request as a client would have sent it."""
        require_served(request)
        tools = wrapped(request["tools"])
        options = {**self.defaults, **request["options"]}
        body = {
            "model": request["model"],
            "messages": [{"role": "user", "content": ""}],
            "chat_template_kwargs": options,
            **({"tools": tools, "tool_choice": "auto"} if tools else {}),
        }
        try:
            sent = ChatCompletionRequest.model_validate(body)
        except ValidationError as error:
            raise Unsupported("its server refuses a request with these tools") from error
        parser = self.parser(self.tokenizer, sent.tools, chat_template_kwargs=options)
        return parser, parser.adjust_request(sent)

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """A whole completion."""
        parser, sent = self.asked(request)
        ids = request["token_ids"]
        parser.set_prompt_token_ids(request["prompt_ids"] or [])
        text = without_stop(self.tokenizer.decode(ids, skip_special_tokens=False), self.stops)
        thought, content, calls = parser.parse(text, sent, enable_auto_tools=True, model_output_token_ids=ids)
        return {
            "content": content or "",
            "reasoning_content": thought,
            "tool_calls": [parsed_call(call.name, call.arguments) for call in calls or ()],
        }

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """A completion in chunks, and an empty one that is told that it is the last."""
        parser, sent = self.asked(request)
        chunks = request["chunks"]
        texts = chunks_without_stop([chunk["text"] for chunk in chunks], self.stops)
        prompt = request["prompt_ids"] or []
        deltas = [
            parser.parse_delta(text, chunk["token_ids"], sent, prompt, finished=False)
            for chunk, text in zip(chunks, texts, strict=True)
        ]
        end = parser.parse_delta("", [], sent, prompt, finished=True)
        return {"deltas": [as_delta(found) for found in (*deltas, end)]}


def as_delta(found: Any) -> dict[str, Any]:
    """What became known; nothing where the parser waits."""
    if found is None:
        return {}
    calls = (
        {
            "index": call.index,
            "name": (call.function and call.function.name) or None,
            "arguments": (call.function and call.function.arguments) or "",
        }
        for call in found.tool_calls or ()
    )
    return {"content": found.content or None, "reasoning_content": found.reasoning or None, "tool_calls": list(calls)}
