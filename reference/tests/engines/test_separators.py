"""Candidates, the added token, the added row; and that nothing of the caller changes."""

import copy

import pytest

from tokenspec_reference.engines import (
    InvalidParameter,
    RTLLMForcedDecoderBased,
    ScriptedTokenizer,
    SeparatorNotSingleToken,
)
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.separators import hashed_uniform, resolve_separators, separator_row

from .conftest import LONG_TRACE, PIECES, TRACE, scripted

ENGINE = RTLLMForcedDecoderBased()


def test_candidates_in_order_without_duplicates():
    separators = resolve_separators(ScriptedTokenizer(PIECES), "<|seg|>", texts=())
    assert separators.candidates == (2, 3, 1)
    assert resolve_separators(ScriptedTokenizer(PIECES), "Step", texts=()).candidates == (2, 3)


def test_an_unknown_separator_takes_the_next_id_and_only_copies_when_needed(toy_tokenizer):
    tokenizer = toy_tokenizer("toy-bpe")
    size = max(tokenizer.get_vocab().values()) + 1
    plain = resolve_separators(tokenizer, "<|seg|>", texts=("no such text",))
    assert (plain.inserted, plain.tokenizer) == (size, tokenizer)
    copied = resolve_separators(tokenizer, "<|seg|>", texts=("a<|seg|>b",))
    assert copied.inserted == size
    assert copied.tokenizer.encode("a<|seg|>b", add_special_tokens=False)[1] == size
    assert "<|seg|>" not in tokenizer.get_vocab()


@pytest.mark.parametrize("bad", ["", None, 3])
def test_a_separator_is_text(bad):
    with pytest.raises(SeparatorNotSingleToken, match="sep_tok"):
        resolve_separators(ScriptedTokenizer(PIECES), bad, texts=())


def test_a_separator_of_several_tokens(toy_tokenizer):
    """``Ġthe``-like pieces are in the vocabulary, but their text encodes to other tokens."""
    tokenizer = toy_tokenizer("toy-bpe")
    raw = next(piece for piece in tokenizer.get_vocab() if piece.startswith("Ġ") and len(piece) > 2)
    with pytest.raises(SeparatorNotSingleToken, match="sep_tok"):
        resolve_separators(tokenizer, raw, texts=())


def test_model_and_tokenizer_stay_as_they_were(tiny):
    options = tiny(seed=6)
    model, tokenizer = options["model"], options["tokenizer"]
    model.train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    vocabulary = dict(tokenizer.get_vocab())
    for algorithm in ("fast", "sequential"):
        ENGINE.segment("One.<|seg|> Two, three.", algorithm=algorithm, **options)
    after = model.state_dict()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
    assert model.training
    assert all(module.training for module in model.modules())
    assert tokenizer.get_vocab() == vocabulary
    model.eval()


def test_no_random_number_is_drawn(tiny):
    import torch

    torch.manual_seed(1)
    state = torch.get_rng_state()
    CausalModel(tiny(seed=7)["model"], separator_id=10_000).resized  # noqa: B018
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("recipe", ["mean", "hash:5"])
@pytest.mark.parametrize("tied", [True, False])
def test_the_added_row_beside_the_model_is_the_row_in_a_resized_copy(tiny, recipe, tied):
    """The fast path never resizes anything, the twin does."""
    options = {**tiny(seed=8, tied=tied, dtype="float64"), "separator_row": recipe}
    twin = ENGINE.segment(LONG_TRACE, algorithm="sequential", **options)
    fast = ENGINE.segment(LONG_TRACE, algorithm="fast", **options)
    assert fast.offsets == twin.offsets
    assert fast.margin == pytest.approx(twin.margin, abs=1e-9)


def test_a_padding_row_is_used_as_it_is(tiny):
    options = tiny(seed=9, padding=3)
    size = max(options["tokenizer"].get_vocab().values()) + 1
    assert CausalModel(options["model"], separator_id=size).added_id is None
    assert ENGINE.segment(TRACE, **options).offsets == ENGINE.segment(TRACE, separator_row="hash:9", **options).offsets


def test_rows(tiny):
    import torch

    matrix = tiny(seed=1)["model"].get_input_embeddings().weight
    mean = separator_row(matrix, "mean", stream=1)
    assert torch.allclose(mean, matrix.mean(0), atol=1e-6)
    hashed = separator_row(matrix, "hash:3", stream=1)
    assert torch.equal(hashed, separator_row(matrix, "hash:3", stream=1))
    assert not torch.equal(hashed, separator_row(matrix, "hash:4", stream=1))
    with pytest.raises(InvalidParameter, match="separator_row"):
        separator_row(matrix, "random", stream=1)


def test_the_hash_is_pinned():
    """Integers only: these numbers never change."""

    def finalise(value):
        mask = (1 << 64) - 1
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return value ^ (value >> 31)

    for seed, stream in ((0, 0), (3, 7), (123456789, 25)):
        origin = seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03
        expected = [
            (finalise((index * 0x9E3779B97F4A7C15 + origin) & ((1 << 64) - 1)) >> 40) / 2**23 - 1 for index in range(50)
        ]
        assert hashed_uniform(seed, stream, 50).tolist() == expected


def test_renaming_the_separator_changes_nothing(tiny):
    options = tiny(seed=10)
    plain = ENGINE.segment(LONG_TRACE, **options)
    renamed = ENGINE.segment(LONG_TRACE, sep_tok="<|cut here|>", **options)
    assert (renamed.offsets, renamed.margin) == (plain.offsets, plain.margin)


def test_scripted_options_are_not_touched():
    options = scripted(TRACE, [-1.0] * 16)
    kept = copy.deepcopy(options)
    ENGINE.segment(TRACE, **options)
    assert options == kept
