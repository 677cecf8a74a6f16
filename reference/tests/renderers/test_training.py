"""Loss masks, trajectory steps and batches."""

import pytest
from toys import Opaque, byte_level

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers import (
    RenderedTokens,
    build_training_sample,
    build_trajectory_step,
    collate,
    create_renderer,
)

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
MESSAGES = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "result <|im_end|>."},
    {"role": "assistant", "content": "done"},
]


def renderer(**options):
    return create_renderer(byte_level(), family="qwen2.5", **options)


def trained(sample):
    return byte_level().decode([i for i, on in zip(sample.token_ids, sample.loss_mask, strict=True) if on])


def test_only_what_the_model_emits_is_trained():
    sample = build_training_sample(renderer(), MESSAGES)
    assert trained(sample) == '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>done<|im_end|>'


def test_tool_bodies_are_trained_without_their_wrap():
    sample = build_training_sample(renderer(encoding="isolated"), MESSAGES, content_sft_roles={"tool"})
    assert "result <|im_end|>.done" in trained(sample)
    control = renderer().encoder.id_of("<|im_end|>")
    on = [i for i, bit in zip(sample.token_ids, sample.loss_mask, strict=True) if bit]
    assert on.count(control) == 2
    assert "<tool_response>" not in trained(sample)


def test_role_to_mask_and_message_loss_mask():
    assert (
        trained(build_training_sample(renderer(), MESSAGES, role_to_mask=lambda m: not m.get("tool_calls")))
        == "done<|im_end|>"
    )
    assert trained(build_training_sample(renderer(), MESSAGES, message_loss_mask=[0, 0, 1, 0, False])).endswith(
        "</tool_call><|im_end|>"
    )
    for bad, field in (([1], "message_loss_mask"), ([0, 0, 0, 0, 2], "message_loss_mask[4]")):
        with pytest.raises(TokenSpecError) as caught:
            build_training_sample(renderer(), MESSAGES, message_loss_mask=bad)
        assert caught.value.field == field


def test_final_stop_is_added_only_when_missing():
    stop = renderer().get_stop_token_ids()[0]
    closed = build_training_sample(renderer(), MESSAGES, ensure_final_stop=True)
    assert closed == build_training_sample(renderer(), MESSAGES)
    cut = build_training_sample(renderer(continue_final_message=True), MESSAGES, ensure_final_stop=True)
    assert (cut.token_ids[-1], cut.loss_mask[-1]) == (stop, True)
    unwanted = build_training_sample(
        renderer(continue_final_message=True), MESSAGES, ensure_final_stop=True, message_loss_mask=[1, 1, 1, 1, 0]
    )
    assert unwanted.token_ids[-1] != stop


def test_missing_masks_raise():
    with pytest.raises(TokenSpecError, match="no mask"):
        build_training_sample(create_renderer(Opaque(), family="qwen3"), MESSAGES, content_sft_roles={"tool"})


def test_trajectory_step_joins_to_the_full_render():
    step = build_trajectory_step(renderer(), MESSAGES[:4], MESSAGES[4:])
    full = renderer().render(MESSAGES)
    assert step.prompt_ids + step.completion_ids == full.token_ids
    assert byte_level().decode(step.completion_ids) == "done<|im_end|>\n"
    assert step.completion_mask == full.sampled_mask[len(step.prompt_ids) :]
    assert step.completion_mask[-1] is False
    assert not any(step.prompt_mask)
    assert build_trajectory_step(renderer(), MESSAGES, []).completion_ids == []


@pytest.mark.parametrize("side", ["left", "right"])
def test_collate_pads_without_touching_tokens(side):
    import torch

    rows = [renderer().render(MESSAGES), renderer().render(MESSAGES[:2])]
    batch = collate(rows, padding_side=side, pad_id=7)
    length = len(rows[0].token_ids)
    assert all(value.shape == (2, length) for value in vars(batch).values())
    short = len(rows[1].token_ids)
    real = slice(length - short, None) if side == "left" else slice(0, short)
    assert batch.input_ids[1, real].tolist() == rows[1].token_ids
    assert batch.is_content[1, real].tolist() == rows[1].is_content
    assert torch.equal(batch.loss_mask, batch.sampled_mask)
    padding = ~batch.attention_mask
    assert set(batch.input_ids[padding].tolist()) == {7}
    assert set(batch.message_indices[padding].tolist()) == set(batch.roles[padding].tolist()) == {-1}
    assert not batch.is_content[padding].any()


def test_collate_refuses_what_does_not_fit():
    rows = [renderer().render(MESSAGES)]
    for call, field in (
        (lambda: collate([]), "rendered"),
        (lambda: collate(rows, padding_side="top"), "padding_side"),
        (lambda: collate(rows, loss_masks=[]), "loss_masks"),
        (lambda: collate(rows, loss_masks=[[True]]), "rendered[0]"),
        (lambda: collate([RenderedTokens(token_ids=[1])]), "rendered[0]"),
    ):
        with pytest.raises(TokenSpecError) as caught:
            call()
        assert caught.value.field == field


@pytest.mark.gpu
def test_collate_is_bit_equal_on_cuda():
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    rows = [renderer().render(MESSAGES), renderer().render(MESSAGES[:2])]
    here, there = collate(rows), collate(rows, device="cuda")
    assert all(torch.equal(value, getattr(there, name).cpu()) for name, value in vars(here).items())
