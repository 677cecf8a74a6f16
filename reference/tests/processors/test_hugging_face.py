"""Inside ``generate``: greedy, sampling, beams and several return sequences never leave the tree."""

import json
import random

import pytest
import torch

from tokenspec_reference.processors import (
    Chain,
    DeadRow,
    EmptyAllowedSet,
    MultiSeqLogitsProcessor,
    RecommendationLogitsProcessor,
    ShapeMismatch,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    compile_tree,
)

transformers = pytest.importorskip("transformers")

from tokenspec_reference.processors.hugging_face import HuggingFaceLogitsProcessor  # noqa: E402

VOCAB, START, END, PAD = 64, 7, 2, 0
PREFIXES = {
    "7": [10, 11, 12, 13, 14],
    "7_10": [20, 21, 22],
    "7_11": [20, 2],
    "7_12": [30, 31],
    "7_10_20": [40, 41],
    "7_10_21": [2],
    "7_11_20": [40],
    "7_12_30": [2, 44],
    "7_12_31": [2],
    "7_10_20_40": [2],
    "7_10_20_41": [2],
    "7_11_20_40": [2],
}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=VOCAB,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        bos_token_id=1,
        eos_token_id=END,
        pad_token_id=PAD,
    )
    return transformers.LlamaForCausalLM(config).eval()


def constraint(**arguments):
    tree = compile_tree({"start_token_id": START, "end_token_id": END, "prefix_dict": PREFIXES}, vocab_size=VOCAB)
    return HuggingFaceLogitsProcessor(TreeLogitsProcessor(tree), **arguments)


def stays_inside(sequences, prompt_length):
    for tokens in sequences[:, prompt_length:].tolist():
        path = str(START)
        for place, token in enumerate(tokens):
            if token == END:
                assert set(tokens[place + 1 :]) <= {PAD, END}
                break
            assert token in PREFIXES.get(path, [END]), (tokens, path)
            path += f"_{token}"
        else:
            pytest.fail(f"no end token in {tokens}")


PROMPTS = torch.tensor([[5, 6, START], [PAD, 9, START]])


@pytest.mark.parametrize(
    "arguments",
    [
        {"do_sample": False},
        {"do_sample": True, "top_k": 0},
        {"do_sample": True, "top_k": 0, "num_return_sequences": 5, "temperature": 2.0},
        {"do_sample": False, "num_beams": 4},
        {"do_sample": False, "num_beams": 6, "num_return_sequences": 6, "early_stopping": True},
        {"do_sample": True, "num_beams": 3, "top_k": 0},
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize("seed", range(3))
def test_generate_never_leaves_the_tree(model, arguments, seed):
    torch.manual_seed(seed)
    sequences = model.generate(
        PROMPTS,
        attention_mask=(PROMPTS != PAD).long(),
        logits_processor=[constraint()],
        max_new_tokens=8,
        pad_token_id=PAD,
        **arguments,
    )
    stays_inside(sequences, PROMPTS.shape[1])


@pytest.mark.parametrize("arguments", [{}, {"top_k": 1}, {"top_p": 0.1}, {"temperature": 0.1, "min_p": 0.9}])
def test_warpers_run_behind_the_constraint(model, arguments):
    for seed in range(3):
        torch.manual_seed(seed)
        sequences = model.generate(
            PROMPTS, do_sample=True, logits_processor=[constraint()], max_new_tokens=8, pad_token_id=PAD, **arguments
        )
        stays_inside(sequences, PROMPTS.shape[1])


def test_a_mask_that_ran_before_is_noticed(model):
    """``min_new_tokens`` bans the end token where the tree allows nothing else."""
    with pytest.raises(DeadRow, match="every allowed logit"):
        model.generate(PROMPTS, logits_processor=[constraint()], max_new_tokens=8, min_new_tokens=8, pad_token_id=PAD)


def test_think_budget_in_generate(model):
    think = ThinkModeLogitsProcessor([33, 34], max_tokens=4, vocab_size=VOCAB)
    sequences = model.generate(
        PROMPTS,
        do_sample=True,
        top_k=0,
        logits_processor=[HuggingFaceLogitsProcessor(think)],
        max_new_tokens=9,
        min_new_tokens=9,
    )
    for tokens in sequences[:, 3:].tolist():
        text = " ".join(map(str, tokens))
        assert "33 34" in text
        assert text.index("33 34") <= len(" ".join(map(str, tokens[:5])))


def test_equal_to_transformers_own_constraint(model):
    """Greedy and beams agree with ``prefix_allowed_tokens_fn`` on the same tree."""

    def allowed(_batch, ids):
        path = "_".join(map(str, [START, *ids[3:].tolist()]))
        ended = END in ids[3:].tolist()
        return [END] if ended else PREFIXES.get(path, [END])

    for beams in (1, 4):
        arguments = {"num_beams": beams, "max_new_tokens": 8, "pad_token_id": PAD, "do_sample": False}
        ours = model.generate(PROMPTS, logits_processor=[constraint()], **arguments)
        theirs = model.generate(PROMPTS, prefix_allowed_tokens_fn=allowed, **arguments)
        assert ours.tolist() == theirs.tolist()


def test_rows_are_found_by_prefix_or_replayed():
    rng = random.Random(3)
    hidden, fresh = constraint(prompt_length=1), constraint(prompt_length=1)
    ids = torch.full((4, 1), START)
    for step in range(5):
        scores = torch.randn(4, VOCAB)
        before = scores.clone()
        masked = hidden(ids, scores)
        assert torch.equal(scores, before)
        assert torch.equal(masked, constraint(prompt_length=1)(ids, scores))
        tokens = [rng.choice(row.isfinite().nonzero().flatten().tolist()) for row in masked]
        ids = torch.cat([ids, torch.tensor(tokens).unsqueeze(1)], dim=1)
        ids = ids[[rng.randrange(4) for _ in range(4)]]
        if step == 2:
            ids = torch.cat([ids[:3], torch.tensor([[START, 12, 31, 2]])])
    assert torch.equal(fresh(ids, scores), hidden(ids, scores))
    shorter = ids[:, :2]
    assert torch.equal(hidden(shorter, scores), constraint(prompt_length=1)(shorter, scores))


@pytest.mark.parametrize("second", [[[9, 9, START]], [[9]], [[9, START]]])
def test_a_second_prompt_is_not_read_as_output(second):
    hugging_face, scores = constraint(), torch.zeros(1, VOCAB)
    first = hugging_face(torch.tensor([[START]]), scores)
    with pytest.raises(ShapeMismatch, match="row 0 does not continue a prompt"):
        hugging_face(torch.tensor(second), scores)
    assert torch.equal(hugging_face(torch.tensor([[START]]), scores), first)


def test_several_tokens_at_once_continue_the_prompt():
    hugging_face, scores = constraint(), torch.zeros(1, VOCAB)
    hugging_face(torch.tensor([[START]]), scores)
    ids = torch.tensor([[START, 10, 20]])
    assert torch.equal(hugging_face(ids, scores), constraint(prompt_length=1)(ids, scores))


def test_in_place_and_errors():
    scores = torch.randn(1, VOCAB)
    assert constraint(in_place=True)(torch.tensor([[START]]), scores) is scores
    processor = constraint()
    processor(torch.tensor([[1, 2, START]]), scores)
    with pytest.raises(ShapeMismatch, match="new processor"):
        processor(torch.tensor([[START]]), scores)
    dead = torch.full((1, VOCAB), float("-inf"))
    assert constraint(on_dead="zero")(torch.tensor([[START]]), dead)[0, 10] == 0


def test_chain_in_generate(model):
    tree = compile_tree({"start_token_id": START, "end_token_id": END, "prefix_dict": PREFIXES}, vocab_size=VOCAB)
    chain = Chain([TreeLogitsProcessor(tree), ThinkModeLogitsProcessor([12, 31], max_tokens=0, vocab_size=VOCAB)])
    sequences = model.generate(
        PROMPTS, logits_processor=[HuggingFaceLogitsProcessor(chain)], max_new_tokens=5, pad_token_id=PAD
    )
    assert sequences[:, 3:5].tolist() == [[12, 31]] * 2


def test_finished_padded_rows_are_not_consulted():
    """The pad id lies outside the vocabulary, and the finished row's chain would conflict."""
    tree = compile_tree({"start_token_id": START, "end_token_id": 3, "prefix_dict": {"7": [10, 3]}}, vocab_size=VOCAB)
    chain = Chain([TreeLogitsProcessor(tree), ThinkModeLogitsProcessor([10], max_tokens=1, vocab_size=VOCAB)])
    processor = HuggingFaceLogitsProcessor(chain, eos_token_id=[END, 3])
    scores = torch.randn(2, VOCAB)
    processor(torch.tensor([[START], [START]]), scores)
    masked = processor(torch.tensor([[START, 3], [START, 10]]), scores)
    assert torch.equal(masked[0], scores[0])
    assert masked[1].isfinite().nonzero().flatten().tolist() == [3]
    masked = processor(torch.tensor([[START, 3, VOCAB], [START, 10, 3]]), scores)
    assert torch.equal(masked, scores)
    again = HuggingFaceLogitsProcessor(chain, eos_token_id=[END, 3], prompt_length=1)
    assert torch.equal(again(torch.tensor([[START, 3, VOCAB], [START, 10, 3]]), scores), scores)
    with pytest.raises(EmptyAllowedSet):
        HuggingFaceLogitsProcessor(chain, prompt_length=1)(torch.tensor([[START, 3]]), scores[:1])


def test_finish_is_called():
    multi = MultiSeqLogitsProcessor(END, vocab_size=VOCAB)
    think = ThinkModeLogitsProcessor([33], max_tokens=2, vocab_size=VOCAB)
    processor = HuggingFaceLogitsProcessor(Chain([multi, think]))
    scores = torch.randn(2, VOCAB)
    for ids, expected in (
        ([[9], [9]], [VOCAB, VOCAB]),
        ([[9, END], [9, 5]], [1, VOCAB]),
        ([[9, END, PAD], [9, 5, 5]], [1, 1]),
        ([[9, 5, 5], [9, END, PAD]], [1, 1]),
    ):
        masked = processor(torch.tensor(ids), scores)
        assert masked.isfinite().sum(dim=1).tolist() == expected
    assert masked[1].isfinite().nonzero().flatten().tolist() == [END]


@pytest.mark.parametrize("arguments", [{"num_beams": 4, "num_return_sequences": 3}, {"num_return_sequences": 4}])
def test_finished_rows_beside_running_ones(model, arguments):
    """Rows end at different lengths; the longest go on under the constraint."""
    torch.manual_seed(1)
    chain = Chain([MultiSeqLogitsProcessor(END, vocab_size=VOCAB), constraint().processor])
    sequences = model.generate(
        PROMPTS,
        attention_mask=(PROMPTS != PAD).long(),
        do_sample="num_beams" not in arguments,
        top_k=0,
        logits_processor=[HuggingFaceLogitsProcessor(chain)],
        max_new_tokens=8,
        pad_token_id=PAD,
        **arguments,
    )
    assert sequences.shape[0] == 2 * arguments["num_return_sequences"]
    stays_inside(sequences, PROMPTS.shape[1])


def test_divergence_is_applied_per_prompt(model):
    """Greedy rows of one prompt begin differently, those of two prompts do not hear of each other."""
    combos = RecommendationLogitsProcessor(2, vocab_size=VOCAB, cross_sequence_ban=True)
    prompts = PROMPTS.repeat_interleave(3, dim=0)
    sequences = model.generate(
        prompts,
        attention_mask=(prompts != PAD).long(),
        do_sample=False,
        logits_processor=[HuggingFaceLogitsProcessor(combos, sequences=3)],
        max_new_tokens=4,
        min_new_tokens=4,
        pad_token_id=PAD,
    )[:, 3:]
    plain = model.generate(PROMPTS, attention_mask=(PROMPTS != PAD).long(), do_sample=False, max_new_tokens=1)[:, 3]
    for first in (0, 3):
        rows = sequences[first : first + 3]
        assert len(set(rows[:, 0].tolist())) == 3
        assert rows[0, 0] == plain[first // 3]
        assert len({tuple(row) for row in rows[:, :2].tolist()}) == 3
