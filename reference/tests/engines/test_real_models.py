"""Models as people load them: offloaded, with other attention kernels, soft-capped in bfloat16, too large to copy."""

import pytest
import torch
from transformers import AutoModelForCausalLM, Gemma2Config, Gemma2ForCausalLM, Qwen2Config, Qwen2ForCausalLM

from tokenspec_reference.engines.causal_model import CausalModel, require_policy
from tokenspec_reference.engines.sessions import CachePolicy
from tokenspec_reference.errors import UnsupportedByReference

SHAPE = {"vocab_size": 64, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1}


def qwen(**options):
    torch.manual_seed(0)
    return Qwen2ForCausalLM(Qwen2Config(**SHAPE, **HEADS, tie_word_embeddings=False, **options)).eval()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_soft_cap_is_seen_where_no_logit_reaches_it(dtype):
    config = Gemma2Config(**SHAPE, **HEADS, head_dim=8, final_logit_softcapping=30.0)
    head = CausalModel(Gemma2ForCausalLM(config).to(dtype).eval()).head
    assert float(head.finish(torch.tensor(20.0))) == pytest.approx(17.4835, abs=1e-3)


def test_a_scale_that_is_declared_and_not_done():
    model = qwen()
    model.config.logit_scale = 3.0
    assert float(CausalModel(model).head.finish(torch.tensor(2.0))) == 2.0


def test_a_layer_that_does_more_than_its_rows_is_left_whole():
    model = qwen()
    model.lm_head.register_forward_hook(lambda module, inputs, logits: logits + 1)
    assert CausalModel(model).head is None


@pytest.mark.parametrize("away", [("model.layers",), ("model.embed_tokens", "model.layers", "lm_head")])
def test_offloaded_weights(away, tmp_path):
    model = qwen()
    model.save_pretrained(tmp_path)
    places = ("model.embed_tokens", "model.layers", "model.norm", "model.rotary_emb", "lm_head")
    device_map = {place: "disk" if place in away else "cpu" for place in places}
    offloaded = AutoModelForCausalLM.from_pretrained(tmp_path, device_map=device_map, offload_folder=tmp_path / "away")
    sources = [CausalModel(offloaded), CausalModel(model)]
    for name in ("open_rows", "open_steps"):
        ours, theirs = (getattr(each, name)(CachePolicy(), 3).read([1, 2, 3, 4], 2).full(0, 2) for each in sources)
        assert torch.allclose(ours, theirs, atol=1e-6)
    if len(away) > 1:
        with pytest.raises(UnsupportedByReference, match="is offloaded and has no row"):
            CausalModel(offloaded, separator_id=64)


def test_kernels_without_a_dense_mask_are_named():
    model = qwen()
    model.config._attn_implementation = "flash_attention_2"
    with pytest.raises(UnsupportedByReference, match="flash_attention_2 takes no dense mask"):
        require_policy(model, CachePolicy("window", 4))
    model.config._attn_implementation = "flex_attention"
    with pytest.raises(UnsupportedByReference, match="flex_attention takes no dense mask; load"):
        CausalModel(model)


def test_a_further_row_copies_two_matrices_and_no_model():
    model = qwen()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    resized = CausalModel(model, separator_id=64).resized
    ours, theirs = dict(model.named_parameters()), dict(resized.named_parameters())
    assert {name for name in ours if ours[name] is not theirs[name]} == {"model.embed_tokens.weight", "lm_head.weight"}
    assert theirs["lm_head.weight"].shape == (65, 16)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert model.config.vocab_size == 64
