"""Engines over base units on tiny local models, and RT-SEG's own names. What recordings decide is the suite's."""

import copy

import pytest
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    pipeline,
)

from tokenspec_reference import engines
from tokenspec_reference.engines import (
    InvalidParameter,
    NoChatTemplate,
    OffsetFusionMerge,
    RecordedModel,
    RTSeg,
    SegBase,
    UnusableReply,
    load_example_trace,
    load_prompt,
    metrics,
)
from tokenspec_reference.engines.local_models import LocalClassifier, LocalEncoder, LocalRewards, LocalWriter
from tokenspec_reference.engines.prompt_texts import PROMPTS, filled
from tokenspec_reference.engines.writer_engines import _question

UPSTREAM = [
    "RTRuleRegex",
    "RTNewLine",
    "RTNewLineVerbose",
    "RTPlainSegmenter",
    "load_prompt",
    "load_example_trace",
    "RTLLMOffsetBased",
    "RTLLMSegUnitBased",
    "RTLLMForcedDecoderBased",
    "RTLLMSurprisal",
    "RTLLMEntropy",
    "RTLLMTopKShift",
    "RTLLMFlatnessBreak",
    "SegBase",
    "RTBERTopicSegmentation",
    "RTZeroShotSeqClassification",
    "RTZeroShotSeqClassificationRF",
    "RTZeroShotSeqClassificationTA",
    "RTPRMBase",
    "RTEmbeddingBasedSemanticShift",
    "RTEntailmentBasedSegmentation",
    "RTSeg",
    "RTLLMArgument",
    "OffsetFusionFuzzy",
    "OffsetFusionGraph",
    "OffsetFusionMerge",
    "OffsetFusionVoting",
    "OffsetFusionFlatten",
    "OffsetFusionIntersect",
    "OffsetFusion",
    "LabelFusion",
    "RTLLMReasoningFlow",
    "RTLLMThoughtAnchor",
]
TRACE = load_example_trace("trc1")[:150]
SHAPE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
NLI = {
    "id2label": {0: "contradiction", 1: "neutral", 2: "entailment"},
    "label2id": {"contradiction": 0, "neutral": 1, "entailment": 2},
}


@pytest.fixture(scope="module")
def tokenizer(toy_tokenizer):
    found = copy.deepcopy(toy_tokenizer("toy-bpe"))
    found.add_special_tokens({"pad_token": "<pad>"})
    found.add_tokens(["<extra_0>"], special_tokens=True)
    found.chat_template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    return found


def tiny(kind, tokenizer, **options):
    torch.manual_seed(0)
    return kind(BertConfig(vocab_size=len(tokenizer), max_position_embeddings=2048, **SHAPE, **options)).eval()


def test_every_name_of_rt_seg():
    assert len(UPSTREAM) == 33
    assert [name for name in UPSTREAM if not hasattr(engines, name)] == []


def test_vectors_do_not_depend_on_the_batch(tokenizer):
    encoder = LocalEncoder(tiny(BertModel, tokenizer), tokenizer)
    together = encoder.vectors(["A b.", "A much longer text than that.", "C"])
    alone = [encoder.vectors([text])[0] for text in ("A b.", "A much longer text than that.", "C")]
    assert torch.allclose(torch.tensor(together), torch.tensor(alone), atol=1e-5)


def test_the_choice_is_that_of_the_pipeline(tokenizer):
    model = tiny(BertForSequenceClassification, tokenizer, **NLI)
    labels = ["Planning", "Fact", "Conclusion", "Context"]
    texts = ["We plan.", "Two is even.", "So it is done.", "Once, there was a number."]
    asked = pipeline("zero-shot-classification", model=model, tokenizer=tokenizer)
    expected = [asked(text, labels, multi_label=False)["labels"][0] for text in texts]
    assert LocalClassifier(model, tokenizer).choose(texts, labels) == expected


@pytest.mark.parametrize(
    ("engine", "kind", "options"),
    [
        ("RTEmbeddingBasedSemanticShift", BertModel, {}),
        ("RTEntailmentBasedSegmentation", BertForSequenceClassification, NLI),
        ("RTZeroShotSeqClassificationTA", BertForSequenceClassification, NLI),
        ("RTPRMBase", BertForTokenClassification, {"num_labels": 2}),
    ],
)
def test_an_engine_reads_a_local_model(engine, kind, options, tokenizer):
    model = tiny(kind, tokenizer, **options)
    result = RTSeg(getattr(engines, engine), seg_base_unit="sent").segment(TRACE, model=model, tokenizer=tokenizer)
    assert "".join(TRACE[start:end] for start, end in result.offsets) == TRACE
    assert len(result.labels) == len(result.offsets)


def test_a_folder_is_loaded_once(tokenizer, tmp_path, monkeypatch):
    tiny(BertModel, tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    segmenter = RTSeg(engines.RTEmbeddingBasedSemanticShift, model_base=str(tmp_path))
    first = segmenter(TRACE)
    monkeypatch.setattr("tokenspec_reference.engines.orchestrator.load_model", None)
    assert segmenter(TRACE) == first


def test_labels_that_are_no_inference(tokenizer):
    model = tiny(BertForSequenceClassification, tokenizer, num_labels=2)
    with pytest.raises(InvalidParameter, match="natural language inference"):
        engines.RTEntailmentBasedSegmentation().segment(TRACE, model=model, tokenizer=tokenizer)


def test_rewards_are_read_at_the_steps(tokenizer):
    rewards = LocalRewards(tiny(BertForTokenClassification, tokenizer, num_labels=2), tokenizer)
    scores = rewards.step_scores("2+2", ["Two.", "Four."])
    assert len(scores) == 2
    assert all(0 < score < 1 for score in scores)


def test_a_writer_repeats_itself_only_at_first(tokenizer, monkeypatch):
    monkeypatch.setattr("tokenspec_reference.engines.writer_engines.LABEL_TOKENS", 4)
    torch.manual_seed(0)
    config = Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=2, **SHAPE)
    writer = LocalWriter(Qwen2ForCausalLM(config).eval(), tokenizer)
    messages = [{"role": "user", "content": "Say it."}]
    replies = [writer.reply(messages, max_new_tokens=6, attempt=attempt) for attempt in (0, 0, 1, 1)]
    assert replies[0] == replies[1] != replies[2] == replies[3]
    with pytest.raises(UnusableReply, match="max_retry"):
        engines.RTLLMArgument().segment("A b. C.", model=writer.model, tokenizer=tokenizer, max_retry=1)
    spans = engines.RTLLMOffsetBased()
    with pytest.raises(InvalidParameter, match=r"^max_retry: .*max_retries_per_chunk"):
        spans.segment("A" * 30, model=writer.model, tokenizer=tokenizer, max_retry=1)
    monkeypatch.setattr("tokenspec_reference.engines.writer_engines.LIST_TOKENS", 4)
    with pytest.raises(UnusableReply, match="raise max_retries_per_chunk"):
        spans.segment("A" * 30, model=writer.model, tokenizer=tokenizer, max_retries_per_chunk=0)
    bare = copy.deepcopy(tokenizer)
    bare.chat_template = None
    with pytest.raises(NoChatTemplate):
        engines.RTLLMArgument().segment("A b. C.", model=writer.model, tokenizer=bare)


def test_topics_of_a_topic_model():
    class Topics:
        def __init__(self):
            self.topic_labels_ = {0: "sums", 1: "doubts"}

        def fit_transform(self, texts):
            return [int("Wait" in text) for text in texts], None

    segmenter = RTSeg(engines.RTBERTopicSegmentation, seg_base_unit="sent")
    assert segmenter("We add. Wait. So.", model=Topics())[1] == ["sums", "doubts", "sums"]
    few = RecordedModel(labels=["Fact", "Fact", "Fact"])
    assert segmenter("We add. Wait. So.", model=Topics(), few_units=few)[1] == ["Fact"]
    with pytest.raises(InvalidParameter, match="topic model"):
        segmenter("We add. Wait.")


def test_an_engine_of_your_own():
    class Halves(SegBase):
        @staticmethod
        def _segment(trace, **options):
            assert options["mine"] == 3
            half = SegBase.get_base_offsets(trace, seg_base_unit="sent")[0][1]
            return [(0, half), (half, len(trace))], ["A", "B"]

    assert RTSeg(Halves)("We add. So.", mine=3) == ([(0, 8), (8, 11)], ["A", "B"])
    fused = RTSeg([Halves, engines.RTNewLine], aligner=OffsetFusionMerge)
    assert fused("We add. So.", mine=3)[1] == ["A", "B"]


def test_options_of_one_engine():
    segmenter = RTSeg(engines.RTZeroShotSeqClassification, seg_base_unit="sent")
    segmenter.default_kwargs[engines.RTZeroShotSeqClassification]["model"] = RecordedModel(labels=["A", "B"])
    assert segmenter("We add. So.")[1] == ["A", "B"]
    assert segmenter("We add. So.", model=RecordedModel(labels=["A", "A"]))[1] == ["A"]


def test_the_seeds_cap_is_the_default():
    seen = []

    class Spy:
        options = engines.RTLLMSurprisal.options

        def segment(self, trace, **options):
            seen.append({name: options.get(name) for name in ("max_kv_tokens", "cache_policy")})
            return engines.Segmentation([], [])

    RTSeg(Spy)("")
    RTSeg(Spy)("", max_kv_tokens=7)
    RTSeg(Spy)("", cache_policy="none")
    RTSeg(Spy, max_kv_tokens=None)("")
    assert [each["max_kv_tokens"] for each in seen] == [512, 7, None, None]


def test_prompts():
    assert "{" in load_prompt("user_prompt_argument")
    assert filled("{TARGET_SEGMENT}{x}", previous="", target="{NEXT_SEGMENT}", following="b") == "{NEXT_SEGMENT}{x}"
    assert len(PROMPTS) == 13
    for load in (load_prompt, load_example_trace):
        with pytest.raises(InvalidParameter, match="is not one of"):
            load("?")


def test_alpha_at_its_edges():
    one, two = [(0, 2), (2, 4)], [(0, 4)]
    assert metrics.krippendorff_alpha([one, one], 4) == 1.0
    assert metrics.krippendorff_alpha([two, two], 4) == 1.0
    assert metrics.krippendorff_alpha([[(0, 1)], [(0, 1)]], 1) == 1.0
    assert metrics.krippendorff_alpha([one, two], 4) == pytest.approx(0.0)
    assert metrics.group_consensus([one, one, two], 4) == pytest.approx(1 / 3)
    with pytest.raises(engines.InvalidSegmentation, match="takes two"):
        metrics.group_agreement([one], 4)


@pytest.mark.parametrize(
    ("index", "reach", "shown"),
    [
        (0, 1, "[START OF TRACE]|a|b"),
        (1, 1, "a|b|c"),
        (3, 1, "c|d|[END OF TRACE]"),
        (0, 2, "[START OF TRACE]|a|c"),
        (1, 2, "a|b|d"),
        (2, 2, "a|c|d"),
        (3, 3, "a|d|[END OF TRACE]"),
    ],
)
def test_a_question_shows_the_unit_so_far_before_and_behind(index, reach, shown):
    prompt = "{PREVIOUS_SEGMENT}|{TARGET_SEGMENT}|{NEXT_SEGMENT}"
    assert _question(prompt, ["a", "b", "c", "d"], index, reach) == shown
