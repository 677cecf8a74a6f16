"""Each family against hand-written texts, and, where the row is at hand, against its own template."""

import pytest
from toys import byte_level

from tokenspec_reference.renderers import create_renderer

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
CHAT = [
    {"role": "user", "content": " hi "},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "ok"},
    {"role": "assistant", "content": "done"},
]
WIRE = {
    "qwen2.5": "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
    "<|im_start|>user\n hi <|im_end|>\n"
    '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": "{\\"x\\": 1}"}\n</tool_call><|im_end|>\n'
    "<|im_start|>user\n<tool_response>\nok\n</tool_response><|im_end|>\n"
    "<|im_start|>assistant\ndone<|im_end|>\n",
    "qwen3": "<|im_start|>user\n hi <|im_end|>\n"
    '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>\n'
    "<|im_start|>user\n<tool_response>\nok\n</tool_response><|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\ndone<|im_end|>\n",
    "llama-3": "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
    "Today Date: 26 Jul 2024\n\n<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"
    '<|start_header_id|>assistant<|end_header_id|>\n\n{"name": "f", "parameters": "{\\"x\\": 1}"}<|eot_id|>'
    '<|start_header_id|>ipython<|end_header_id|>\n\n"ok"<|eot_id|>'
    "<|start_header_id|>assistant<|end_header_id|>\n\ndone<|eot_id|>",
    "deepseek-v3": "<｜User｜> hi <｜Assistant｜><｜end▁of▁sentence｜>"
    "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>ok<｜tool▁output▁end｜>"
    "<｜tool▁outputs▁end｜>done<｜end▁of▁sentence｜>",
}


def sampled_text(tokens):
    covered = {k for (a, b), on in zip(tokens.char_spans, tokens.sampled_mask, strict=True) if on for k in range(a, b)}
    return "".join(tokens.text[k] for k in sorted(covered))


@pytest.mark.parametrize("family", WIRE)
def test_wire_text_and_masks(family):
    tokens = create_renderer(byte_level(), family=family).render(CHAT)
    assert tokens.text == WIRE[family]
    for index, message in enumerate(CHAT):
        if message["role"] != "assistant":
            run = [
                tokens.char_spans[k]
                for k, i in enumerate(tokens.message_indices)
                if i == index and tokens.is_content[k]
            ]
            assert tokens.text[run[0][0] : run[-1][1]].strip() == message["content"].strip()
    emitted = sampled_text(tokens)
    stop = {"llama-3": "<|eot_id|>", "deepseek-v3": "<｜end▁of▁sentence｜>"}.get(family, "<|im_end|>")
    assert emitted.endswith("done" + stop)


def test_no_token_of_the_generation_prompt_is_sampled():
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "done"}]
    thinking = create_renderer(byte_level(), family="qwen3").render(messages)
    silent = create_renderer(byte_level(), family="qwen3", enable_thinking=False).render(messages)
    assert thinking.text == silent.text

    assert sampled_text(thinking) == "<think>\n\n</think>\n\ndone<|im_end|>"
    assert sampled_text(silent) == "done<|im_end|>"


@pytest.mark.parametrize("add_generation_prompt", [False, True])
def test_generation_prompt_belongs_to_nobody(add_generation_prompt):
    tokens = create_renderer(byte_level(), family="qwen3").render(
        [{"role": "user", "content": "q"}], add_generation_prompt=add_generation_prompt
    )
    assert (tokens.message_indices[-1] == -1) is add_generation_prompt
    assert not any(c for c, i in zip(tokens.is_content, tokens.message_indices, strict=True) if i < 0)
