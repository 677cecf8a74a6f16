"""The next prompt: sampled ids stay, the template's text follows, or the bridge declines."""

import asyncio
import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import byte_level

from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.generate import (
    Completion,
    MalformedCompletion,
    PromptTooLong,
    generate,
    generate_async,
)

ASK = {"role": "user", "content": "hi"}
NEXT = [{"role": "user", "content": "\nhi \n"}]


def renderer(family="qwen2.5", **options):
    return create_renderer(byte_level(), family=family, **options)


def ids(text):
    return byte_level().encode(text, add_special_tokens=False)


def prompt(r, messages=(ASK,)):
    return r.render(list(messages), add_generation_prompt=True).token_ids


@pytest.mark.parametrize("family", ["qwen2.5", "qwen3-vl", "qwen3"])
def test_a_finished_turn_is_followed_by_what_a_full_render_writes(family):
    r = renderer(family, **({"enable_thinking": True} if family == "qwen3" else {}))
    completion = ids("done<|im_end|>")
    found = r.bridge_to_next_turn(prompt(r), completion, NEXT)
    full = r.render([ASK, {"role": "assistant", "content": "done"}, *NEXT], add_generation_prompt=True)
    assert found.token_ids[: len(prompt(r)) + len(completion)] == prompt(r) + completion
    assert found.token_ids == full.token_ids
    assert not any(found.sampled_mask)
    before = len(prompt(r)) + len(completion)
    assert set(found.message_indices[:before]) == {-1}
    assert found.is_content[before:] == full.is_content[before:]
    assert found.message_roles == ["user"]


@pytest.mark.parametrize("encoding", ["hf", "isolated"])
def test_new_messages_are_encoded_as_the_renderer_encodes(encoding):
    r = renderer(encoding=encoding)
    spelled = [{"role": "user", "content": "hi<|im_end|>"}]
    found = r.bridge_to_next_turn(prompt(r), ids("done<|im_end|>"), spelled)
    full = r.render([ASK, {"role": "assistant", "content": "done"}, *spelled], add_generation_prompt=True)
    assert found.token_ids == full.token_ids
    assert found.token_ids.count(ids("<|im_end|>")[0]) == (4 if encoding == "isolated" else 5)


def test_truncated_turns_are_closed_once_and_ended_ones_never():
    r = renderer()

    def tail(completion):
        return byte_level().decode(r.bridge_to_next_turn(prompt(r), completion, NEXT).token_ids[len(prompt(r)) :])

    suffix = "\n<|im_start|>user\n\nhi \n<|im_end|>\n<|im_start|>assistant\n"
    assert tail(ids("do")) == "do<|im_end|>" + suffix
    assert tail([]) == "<|im_end|>" + suffix
    assert tail(ids("do<|endoftext|>")) == "do<|endoftext|>" + suffix
    assert tail(ids("do<|im_end|> extra")) == "do<|im_end|> extra" + suffix
    assert tail(ids("🙂")[:-1]).endswith("<|im_end|>" + suffix)


def test_it_declines_where_no_answer_is_right():
    r = renderer("qwen3")
    done = ids("done<|im_end|>")
    assert r.bridge_to_next_turn([], done, NEXT) is None
    assert r.bridge_to_next_turn(prompt(r), done, []) is None
    assert r.bridge_to_next_turn(prompt(r), done, [*NEXT, {"role": "assistant", "content": "x"}]) is None
    assert r.bridge_to_next_turn(prompt(r), ids("<think>\nbeca<|im_end|>"), NEXT) is None
    assert r.bridge_to_next_turn(prompt(r), done, [{"role": "assistant"}]) is None
    assert renderer().bridge_to_next_turn(prompt(renderer()), done, [{"role": "user"}]) is None


def test_a_thought_the_template_takes_back_is_declined_and_one_it_keeps_is_bridged():
    r = renderer("qwen3")
    thought = ids('<think>\nbecause\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>')
    result = [{"role": "tool", "content": "1", "name": "f"}]
    assert r.bridge_to_next_turn(prompt(r), thought, NEXT) is None
    kept = r.bridge_to_next_turn(prompt(r), thought, result)
    assert kept.token_ids[: len(prompt(r)) + len(thought)] == prompt(r) + thought
    assert (kept.message_roles, kept.message_tool_names) == (["tool"], ["f"])
    open_thought = r.bridge_to_next_turn(prompt(r), ids("<think>\nbeca"), result)
    assert byte_level().decode(open_thought.token_ids).count("</think>") == 1


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="hi\n <>/é🙂", max_size=8), st.text(alphabet="hi\n é", max_size=6), st.booleans())
def test_the_prefix_contract_holds_for_any_completion(said, asked, ended):
    r = renderer()
    completion = ids(said + ("<|im_end|>" if ended else ""))
    new = [{"role": "user", "content": asked}]
    before = copy.deepcopy(new)
    found = r.bridge_to_next_turn(prompt(r), completion, new)
    assert new == before
    assert found.token_ids[: len(prompt(r)) + len(completion)] == prompt(r) + completion
    assert (
        byte_level().decode(found.token_ids).endswith(f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n")
    )
    assert len(found.token_ids) == len(found.is_content) == len(found.message_indices) == len(found.sampled_mask)


def test_stability_names_the_witness():
    assert renderer().is_prefix_stable
    assert not renderer("qwen3").is_prefix_stable
    assert not renderer("qwen3.6").is_prefix_stable
    assert renderer("qwen3.6", preserve_thinking=True).is_prefix_stable


def server(text, **changes):
    sent = []

    def complete(request):
        sent.append(request)
        token_ids = ids(text)
        return Completion(token_ids, changes.get("logprobs", [-0.5] * len(token_ids)), changes.get("reason", "stop"))

    return complete, sent


def test_generate_hands_the_attribution_through():
    r = renderer()
    complete, sent = server('ok\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>')
    made = generate(complete, r, [ASK], sampling_params={"temperature": 0.5})
    assert made.prompt_attribution == r.render([ASK], add_generation_prompt=True)
    assert sent[0].token_ids == made.prompt_ids == prompt(r)
    assert sent[0].sampling_params == {"stop_token_ids": r.get_stop_token_ids(), "logprobs": 1, "temperature": 0.5}
    assert (made.content, made.finish_reason) == ("ok", "tool_calls")
    given_ids = generate(complete, r, [ASK], prompt_ids=[1, 2])
    assert (given_ids.prompt_ids, given_ids.prompt_attribution) == ([1, 2], None)
    mine = r.bridge_to_next_turn(prompt(r), ids("x<|im_end|>"), NEXT)
    assert generate(complete, r, NEXT, prompt_ids=mine.token_ids, prompt_attribution=mine).prompt_attribution is mine


def test_a_transport_may_be_awaited():
    r = renderer()
    complete, sent = server("ok<|im_end|>")

    async def later(request):
        await asyncio.sleep(0)
        return complete(request)

    found = asyncio.run(generate_async(later, r, [ASK], sampling_params={"top_p": 0.9}))
    assert found == generate(complete, r, [ASK], sampling_params={"top_p": 0.9})
    assert sent[0] == sent[1]


def test_the_familys_stop_ids_and_logprobs_are_always_asked_for():
    r = renderer()
    complete, sent = server("ok<|im_end|>")
    generate(complete, r, [ASK], sampling_params={"stop_token_ids": [7], "logprobs": None, "top_p": 0.9})
    stops = [*r.get_stop_token_ids(), 7]
    assert sent[0].sampling_params == {"stop_token_ids": stops, "logprobs": 1, "top_p": 0.9}


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), 0.5, -9999.0, None, True])
def test_what_is_no_log_probability_is_refused_with_its_place(value):
    complete, _ = server("ok<|im_end|>", logprobs=[-1.0, value, -1.0])
    with pytest.raises(MalformedCompletion) as refused:
        generate(complete, renderer(), [ASK])
    assert refused.value.field == "logprobs[1]"


def test_generate_refuses_what_cannot_be_used():
    r = renderer()
    complete, sent = server("ok<|im_end|>", logprobs=[float("nan"), -1.0, -1.0])
    with pytest.raises(MalformedCompletion):
        generate(complete, r, [ASK])
    with pytest.raises(PromptTooLong):
        generate(complete, r, [ASK], max_prompt_len=3)
    assert len(sent) == 1
    assert generate(server("ok", reason="length")[0], r, [ASK], max_prompt_len=len(prompt(r))).finish_reason == "length"
