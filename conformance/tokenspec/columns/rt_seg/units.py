"""What RT-SEG's engines over base units are given in place of parsers and models: the case's units and recordings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tokenspec.adapters import Unsupported
from tokenspec.areas.engines.records import EnginesInput, Recorded

UNIT_ENGINES = {
    "semantic-shift": ("semantic_shift", "RTEmbeddingBasedSemanticShift"),
    "entailment": ("entailment", "RTEntailmentBasedSegmentation"),
    "zero-shot": ("zeroshot_seq_classification", "RTZeroShotSeqClassification"),
    "rewards": ("prm_split", "RTPRMBase"),
    "argument": ("llm_argument_split", "RTLLMArgument"),
    "reasoning-flow": ("llm_reasoning_flow_scheme", "RTLLMReasoningFlow"),
    "thought-anchor": ("llm_thought_anchor_scheme", "RTLLMThoughtAnchor"),
    "unit-groups": ("llm_split_sent_chunks", "RTLLMSegUnitBased"),
    "offsets": ("llm_split_offset", "RTLLMOffsetBased"),
}
SAYING = {"system_prompt": "", "user_prompt": "{PREVIOUS_SEGMENT} {TARGET_SEGMENT} {NEXT_SEGMENT}"}
CHUNKED = {"system_prompt": "", "prompt": ""}
NEEDED: dict[str, dict[str, Any]] = {
    "argument": SAYING,
    "reasoning-flow": SAYING,
    "thought-anchor": SAYING,
    "unit-groups": {**CHUNKED, "chunk_size": 100},
    "offsets": {**CHUNKED, "chunk_size": 300},
}
UNIT_OPTIONS = {
    *("tolerance", "min_threshold", "labels", "problem", "chunk_size", "max_retry", "max_retries_per_chunk"),
    *("system_prompt", "user_prompt", "prompt", "context_window"),
}


def unit_options(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """What the engine is called with."""
    return {"seg_base_unit": "sent", "model_name": "", **NEEDED.get(name, {}), **parameters}


@contextmanager
def given_units(segmentor: Any, given: EnginesInput) -> Iterator[None]:
    """Its sentences begin where the case says; what it makes of them is its own."""
    starts = sorted({0, *(start for start in given.base_units or [] if 0 < start < len(given.trace))})
    sentences = [SimpleNamespace(start_char=start) for start in starts]
    with patch.object(segmentor, "load_spacy_model", staticmethod(lambda: lambda _: SimpleNamespace(sents=sentences))):
        yield


def cosine(left: Any, right: Any) -> Any:
    """The one function of sentence-transformers that is called."""
    import torch

    vectors = [torch.as_tensor(side, dtype=torch.float64) for side in (left, right)]
    return torch.nn.functional.cosine_similarity(*vectors, dim=0)


class Inputs(dict[str, Any]):
    """A tokenizer's answer."""

    input_ids = ((0,),)

    def to(self, device: Any) -> Inputs:
        """As it is."""
        del device
        return self


@contextmanager
def recorded(engine: Any, name: str, given: EnginesInput) -> Iterator[None]:
    """The engine loads the recording of the case."""
    import numpy as np

    model = given.model
    if not isinstance(model, Recorded) or None in (*model.step_scores, *(x for each in model.vectors for x in each)):
        raise Unsupported("an engine without a model, or numbers that are none")
    labels, scores, scores_to = iter(model.labels), iter(model.step_scores), iter(model.step_scores_to)
    writer = Writer(model)

    def reply(chunk: str, prompt: str, system_prompt: str, _: Any) -> str:
        writer.show(system_prompt, prompt + chunk)
        return writer.reply()

    def rewarded(problem: str, steps: list[str]) -> list[list[float | None]]:
        if [problem, *steps] != next(scores_to, [problem, *steps]):
            raise LookupError("no rewards of this are recorded")
        return [[next(scores) for _ in steps]]

    def classified(_: str, candidates: list[str], **__: Any) -> dict[str, list[str]]:
        if model.labels_among and sorted(candidates) != sorted(model.labels_among):
            raise LookupError("no labels among these are recorded")
        return {"labels": [next(labels)]}

    def entailed(pair: tuple[str, str]) -> Any:
        import torch

        shares = next(each.shares for each in model.entailments if (each.premise, each.hypothesis) == pair)
        three = [float(share or 0.0) for share in shares]
        logits = [math.log(share) if share > 0 else -math.inf for share in (*three, 1 - sum(three))]
        return SimpleNamespace(logits=torch.tensor([logits], dtype=torch.float64))

    generating = SimpleNamespace(device="cpu", generate=lambda **_: [[0, 1]])
    patches: dict[str, Any] = {
        "semantic-shift": {
            "load_embedding_model": lambda *_: SimpleNamespace(encode=lambda _: np.array(model.vectors))
        },
        "rewards": {"model_inference": rewarded},
        "unit-groups": {"_trace_pass": reply},
        "offsets": {"_trace_pass": reply},
        "entailment": {"load_model": lambda *_: (entailed, lambda *texts, **_: {"pair": texts})},
        "zero-shot": {"load_model": lambda *_: classified},
    }
    labelling = {"load_model": lambda *_: (generating, Tokenizer(writer))}
    with ExitStack() as stack:
        for method, replacement in patches.get(name, labelling).items():
            stack.enter_context(patch.object(engine, method, staticmethod(replacement)))
        yield


class Writer:
    """A chat model's replies, each to what it is said to."""

    def __init__(self, model: Recorded) -> None:
        """Start at the first."""
        self.model = model
        self.asked = 0
        self.shown = ""

    def show(self, *texts: str) -> None:
        """What the messages say."""
        self.shown = "\n".join(texts)

    def reply(self) -> str:
        """The next reply to it."""
        if self.asked == len(self.model.replies):
            raise Unsupported("asks more often than the specification")
        if not self.model.is_said_to(self.asked, self.shown):
            raise LookupError("no reply to this is recorded")
        self.asked += 1
        return self.model.replies[self.asked - 1]


class Tokenizer:
    """What a chat model's engine asks of a tokenizer."""

    def __init__(self, writer: Writer) -> None:
        """Remember who replies."""
        self.writer = writer

    def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
        """Any text; the messages are shown."""
        self.writer.show(*(message["content"] for message in messages))
        return ""

    def __call__(self, *_: Any, **__: Any) -> Inputs:
        """Any ids."""
        return Inputs()

    def batch_decode(self, *_: Any, **__: Any) -> list[str]:
        """The next reply."""
        return [self.writer.reply()]
