"""Random conversations, and the comparison of a family with its own template on them."""

import json
import unicodedata
from dataclasses import replace
from datetime import datetime

from tokenspec_reference.renderers.chat import FROZEN_CLOCK
from tokenspec_reference.renderers.template import TemplateRenderer

ROWS = [
    "qwen2.5", "qwen3", "qwen3-instruct-2507", "qwen3-vl", "qwen3.5", "qwen3.6", "glm-4.5", "glm-4.7", "glm-5.1",
    "kimi-k2", "kimi-k2.5", "minimax-m2", "deepseek-v3", "deepseek-v3-first", "nemotron-3", "laguna-xs.2", "gpt-oss",
    "llama-3.2", "llama-3.3", "gemma-4", "qwen3.8", "glm-5.3", "nemotron-3-super", "nemotron-3-ultra", "nemotron-3.5",
    "laguna-m.1", "laguna-s-2.1", "hy3", "deepseek-r1", "deepseek-v3.1",
]  # fmt: skip
PIECES = [
    "\n", "\n\n", " ", "hello", "é", "e\u0301", "日本", "🙂", "\t", '{"a":1}', "<think>", "</think>", "<tool_call>",
    "</tool_response>", "<|im_end|>", "<|eot_id|>", "<|im_start|>assistant\n", "<|user|>", "<｜User｜>", '<|"|>',
]  # fmt: skip
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Says the weather in é <b>.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "A city."},
                    "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                    "days": {"type": ["integer", "null"], "nullable": True},
                    "spots": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
                },
                "required": ["city"],
            },
        },
    }
]


def text(rng):
    return "".join(rng.choice(PIECES) for _ in range(rng.choice([0, 1, 1, 2, 3, 5])))


def value(rng, depth=0):
    kind = rng.randrange(7)
    if kind == 5 and depth < 2:
        return [value(rng, depth + 1) for _ in range(rng.randrange(3))]
    if kind == 6 and depth < 2:
        return {text(rng): value(rng, depth + 1) for _ in range(rng.randrange(3))}
    return rng.choice([text(rng), 1, 1.0, 1e22, -0.0, 12345678901234567890, True, None])


def call(rng):
    arguments = rng.choice(
        [{"city": text(rng), "n": value(rng)}, {}, {text(rng): value(rng)}, '{"city": "Rome"}', text(rng)]
    )
    function = {"name": rng.choice(["get_weather", "a.b", text(rng)]), "arguments": arguments}
    return rng.choice([{"id": f"call_{rng.randrange(3)}", "type": "function", "function": function}, function])


def message(rng, first):
    role = rng.choices(["system", "user", "assistant", "tool", "developer"], [2 if first else 0.2, 4, 4, 2, 0.1])[0]
    made = {"role": role, "content": text(rng)}
    if rng.random() < 0.1:
        made["content"] = rng.choice([None, value(rng), [{"type": "text", "text": text(rng)}, {"type": "image"}]])
    if role == "assistant" and rng.random() < 0.35:
        made[rng.choice(["reasoning_content", "thinking", "reasoning"])] = text(rng)
    if role == "assistant" and rng.random() < 0.4:
        made["tool_calls"] = [call(rng) for _ in range(rng.randrange(3))]
    if role == "tool" and rng.random() < 0.5:
        made["tool_call_id"] = "call_0"
    return made


def conversation(rng):
    messages = [message(rng, k == 0) for k in range(rng.choice([1, 2, 3, 4, 6]))]
    options = {
        name: rng.choice([True, False])
        for name in ("enable_thinking", "preserve_thinking", "clear_thinking", "thinking", "continue_final_message")
        if rng.random() < 0.15
    }
    return messages, rng.choice([None, None, TOOLS, []]), rng.random() < 0.5, options


def oracle(row, messages, tools, add_generation_prompt, options, *, tokenize):
    try:
        return row.tokenizer.apply_chat_template(
            messages,
            tools=tools,
            add_generation_prompt=add_generation_prompt,
            chat_template=row.chat_template,
            tokenize=tokenize,
            return_dict=False,
            **options,
        )
    except Exception:  # noqa: BLE001 - any failure inside a template is a refusal
        return None


def ours(renderer, messages, tools, add_generation_prompt, options):
    try:
        if isinstance(renderer, TemplateRenderer):
            return renderer.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **options)
        renderer = replace(renderer, options=options)
        return renderer.render(messages, tools=tools, add_generation_prompt=add_generation_prompt)
    except ValueError:
        return None


def freeze_clock(monkeypatch):
    """The oracle's strftime_now reads the wall clock of its module."""
    from transformers.utils import chat_template_utils

    class Frozen(datetime):
        @classmethod
        def now(cls, tz=None):
            return FROZEN_CLOCK

    monkeypatch.setattr(chat_template_utils, "datetime", Frozen)


def compare(row, renderer, rng):
    """One random conversation: True when both answered (and agreed), False when both refused.

    A failure prints the input of a case: ``tokenspec fixtures promote FILE --area render`` takes it.
    """
    messages, tools, prompted, options = conversation(rng)
    before = json.dumps(messages)
    told = json.dumps(
        {"messages": messages, "tools": tools, "options": {"add_generation_prompt": prompted, **options}},
        ensure_ascii=False,
    )
    expected = oracle(row, messages, tools, prompted, options, tokenize=False)
    got = ours(renderer, messages, tools, prompted, options)
    assert json.dumps(messages) == before
    assert (got is None) == (expected is None), told
    if got is None:
        return False
    assert got.text == expected, told
    encoding = row.tokenizer(got.text, add_special_tokens=False, return_offsets_mapping=True)
    assert got.token_ids == encoding["input_ids"], told
    if unicodedata.is_normalized("NFC", got.text):
        assert got.char_spans == [tuple(pair) for pair in encoding["offset_mapping"]]
    return True
