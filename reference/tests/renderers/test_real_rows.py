"""Every hand-written family against its own template and against provenance, on rows that are at hand.

The rows come from the suite's cache; the reference itself never imports the suite.
"""

import json
import random
import unicodedata
from dataclasses import replace
from datetime import datetime

import pytest

from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.chat import FROZEN_CLOCK
from tokenspec_reference.renderers.create import FAMILIES
from tokenspec_reference.renderers.template import TemplateRenderer, Wire

rows = pytest.importorskip("tokenspec.models")

pytestmark = pytest.mark.real

ROWS = [
    "qwen2.5", "qwen3", "qwen3-instruct-2507", "qwen3-vl", "qwen3.5", "qwen3.6", "glm-4.5", "glm-4.7", "glm-5.1",
    "kimi-k2", "kimi-k2.5", "minimax-m2", "deepseek-v3", "deepseek-v3-first", "nemotron-3", "laguna-xs.2", "gpt-oss",
    "llama-3.2", "llama-3.3", "gemma-4",
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


@pytest.fixture(scope="module", params=ROWS)
def row(request):
    try:
        return rows.load(request.param)
    except Exception as missing:  # noqa: BLE001 - whatever keeps the row away is the reason to print
        pytest.skip(f"row {request.param}: {missing}")


@pytest.fixture(autouse=True)
def frozen_clock(monkeypatch):
    """The oracle's strftime_now reads the wall clock of its module."""
    from transformers.utils import chat_template_utils

    class Frozen(datetime):
        @classmethod
        def now(cls, tz=None):
            return FROZEN_CLOCK

    monkeypatch.setattr(chat_template_utils, "datetime", Frozen)


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


def ours(renderer, messages, tools, add_generation_prompt):
    try:
        return renderer.render(messages, tools=tools, add_generation_prompt=add_generation_prompt)
    except ValueError:
        return None


def test_text_ids_and_refusals_equal_the_template(row):
    """100 random conversations, newline-heavy, with think tags, control tokens and odd JSON; the soak runs more."""
    assert row.spec.family in FAMILIES
    base = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    rng = random.Random(20261120)
    answered = 0
    for _ in range(100):
        messages, tools, prompted, options = conversation(rng)
        before = json.dumps(messages)
        expected = oracle(row, messages, tools, prompted, options, tokenize=False)
        got = ours(replace(base, options=options), messages, tools, prompted)
        assert json.dumps(messages) == before
        assert (got is None) == (expected is None), (messages, options)
        if got is not None:
            answered += 1
            assert got.text == expected, (messages, options)
            assert got.token_ids == oracle(row, messages, tools, prompted, options, tokenize=True)
            spans = row.tokenizer(got.text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
            if unicodedata.is_normalized("NFC", got.text):
                assert got.char_spans == [tuple(pair) for pair in spans]
    assert answered > 30


PLAIN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "\nWhich city?\n"},
    {"role": "assistant", "content": "Lisbon."},
    {"role": "user", "content": "Sure? é日🙂"},
    {"role": "assistant", "content": "Yes."},
]


@pytest.mark.parametrize("add_generation_prompt", [False, True])
def test_masks_equal_provenance(row, add_generation_prompt):
    family = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    wire = Wire(row.spec.wire.assistant_open, row.spec.wire.assistant_close)
    template = TemplateRenderer(row.tokenizer, row.chat_template, wire=wire)
    one, other = (
        renderer.render(PLAIN, add_generation_prompt=add_generation_prompt) for renderer in (family, template)
    )
    assert one.is_content == other.is_content
    assert one.sampled_mask == other.sampled_mask
    assert one.text == other.text


def test_isolated_encoding_counts_control_tokens_of_the_scaffold_only(row):
    control = [token for token in row.spec.wire.stop if token in row.tokenizer.get_added_vocab()]
    messages = [{"role": "user", "content": "a" + "".join(control) + "b"}]
    clean = [{"role": "user", "content": "ab"}]
    renderer = create_renderer(
        row.tokenizer, family=row.spec.family, chat_template=row.chat_template, encoding="isolated"
    )
    wanted = renderer.encoder.control_ids

    def count(conversation):
        tokens = renderer.render(conversation, add_generation_prompt=True)
        return sum(token in wanted for token in tokens.token_ids)

    assert count(messages) == count(clean)


def test_the_bridge_equals_a_full_render_where_the_format_is_stable(row):
    renderer = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    history, turn, follow = PLAIN[1:2], PLAIN[2], PLAIN[3:4]
    prompt = renderer.render(history, add_generation_prompt=True)
    whole = renderer.render([*history, turn, *follow], add_generation_prompt=True)
    if not whole.text.startswith(prompt.text):
        pytest.skip("the history form of this turn does not continue its own prompt")
    emitted = [
        k for k, (i, on) in enumerate(zip(whole.message_indices, whole.sampled_mask, strict=True)) if on and i == 1
    ]
    end = max(emitted) + 1
    if whole.token_ids[: len(prompt.token_ids)] != prompt.token_ids:
        pytest.skip("the seam of this content merges with the prompt")
    bridged = renderer.bridge_to_next_turn(prompt.token_ids, whole.token_ids[len(prompt.token_ids) : end], follow)
    assert bridged is not None
    assert bridged.token_ids == whole.token_ids
