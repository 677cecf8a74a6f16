"""Local models of ``transformers`` that answer the questions of engines over base units (``questions.py``).

Each wraps a model and its tokenizer, on the model's device, and changes neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tokenspec_reference.engines.errors import InvalidParameter, NoChatTemplate
from tokenspec_reference.engines.loading import load_model, resolve_model
from tokenspec_reference.engines.questions import asks
from tokenspec_reference.engines.reading import evaluating, input_device

if TYPE_CHECKING:
    import torch

BATCH = 32  # texts encoded at once
HYPOTHESIS = "This example is {}."  # as in the zero-shot pipeline of transformers
STEP_TOKEN = "<extra_0>"  # noqa: S105 - behind every step, as process reward models of Qwen read it
REWARD_PROMPT = "Please reason step by step, and put your final answer within \\boxed{}."


@dataclass(frozen=True)
class LocalModel:
    """A model and its tokenizer."""

    model: Any
    tokenizer: Any

    def run(self, *texts: Any, **options: Any) -> Any:
        """One forward over texts, or pairs of texts."""
        import torch

        inputs = self.tokenizer(*texts, return_tensors="pt", truncation=True, **options).to(self.device)
        with torch.inference_mode(), evaluating(self.model):
            return self.model(**inputs), inputs

    @property
    def device(self) -> Any:
        """Where ids go."""
        return input_device(self.model)


class LocalEncoder(LocalModel):
    """The mean of the last hidden states, padding left out."""

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """See :class:`Encoder`."""
        size = BATCH if getattr(self.tokenizer, "pad_token", None) else 1
        found: list[list[float]] = []
        for start in range(0, len(texts), size):
            output, inputs = self.run(list(texts[start : start + size]), padding=size > 1)
            hidden = output.last_hidden_state.double()
            mask = inputs["attention_mask"].to(hidden)[:, :, None]
            found += ((hidden * mask).sum(1) / mask.sum(1).clamp(min=1)).tolist()
        return found


class LocalClassifier(LocalModel):
    """A sequence classifier of natural language inference; its labels say what *entailment* is."""

    def _index(self, label: str) -> int:
        named = {str(name).lower(): int(index) for index, name in self.model.config.id2label.items()}
        if label not in named:
            raise InvalidParameter(
                f"its labels are {', '.join(named)}; this engine needs a model of natural language inference",
                field="model",
            )
        return named[label]

    def _logits(self, premise: str, hypothesis: str) -> torch.Tensor:
        logits: torch.Tensor = self.run(premise, hypothesis)[0].logits[0].double()
        return logits

    def entailment(self, premise: str, hypothesis: str) -> tuple[float, float]:
        """See :class:`Entailer`."""
        places = self._index("entailment"), self._index("neutral")
        shares = self._logits(premise, hypothesis).softmax(-1).tolist()
        return shares[places[0]], shares[places[1]]

    def choose(self, texts: Sequence[str], candidates: Sequence[str]) -> list[str]:
        """See :class:`Classifier`: the label whose hypothesis is entailed most, ties to the first."""
        place = self._index("entailment")
        return [
            max(candidates, key=lambda label: float(self._logits(text, HYPOTHESIS.format(label))[place]))
            for text in texts
        ]


class LocalRewards(LocalModel):
    """A model whose first output is ``[1, n, 2]``, the second column being *good*, read at the step tokens."""

    def step_scores(self, problem: str, steps: Sequence[str]) -> list[float]:
        """See :class:`RewardModel`."""
        import torch

        step = self.tokenizer.encode(STEP_TOKEN, add_special_tokens=False)
        if len(step) != 1:
            raise InvalidParameter(f"{STEP_TOKEN} is {len(step)} tokens, not one", field="tokenizer")
        answer = "".join(text.replace(STEP_TOKEN, "") + STEP_TOKEN for text in steps)
        text = _chat(self.tokenizer, [("system", REWARD_PROMPT), ("user", problem), ("assistant", answer)])
        ids = self.tokenizer.encode(text, add_special_tokens=False)
        with torch.inference_mode(), evaluating(self.model):
            logits = self.model(input_ids=torch.tensor([ids], device=self.device))[0][0].double()
        places = [index for index, token in enumerate(ids) if token == step[0]][-len(steps) :]
        scores: list[float] = logits[places].softmax(-1)[:, 1].tolist()
        return scores


class LocalWriter(LocalModel):
    """A causal language model: greedy at first, drawn with the attempt as seed when it is asked again."""

    def reply(self, messages: Sequence[Mapping[str, str]], *, max_new_tokens: int, attempt: int) -> str:
        """See :class:`Writer`."""
        import torch

        text = _chat(self.tokenizer, [(turn["role"], turn["content"]) for turn in messages], prompt=True)
        ids = torch.tensor([self.tokenizer.encode(text, add_special_tokens=False)], device=self.device)
        with torch.random.fork_rng(), evaluating(self.model):
            torch.manual_seed(attempt)
            written = self.model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=max_new_tokens,
                do_sample=attempt > 0,
                pad_token_id=getattr(self.tokenizer, "pad_token_id", None) or 0,
            )
        return str(self.tokenizer.decode(written[0, ids.shape[1] :], skip_special_tokens=True))


class LocalTopics:
    """A topic model with ``fit_transform`` and ``topic_labels_``, as BERTopic's."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def topics(self, texts: Sequence[str]) -> list[str]:
        """See :class:`TopicModel`."""
        found, _ = self.model.fit_transform(list(texts))
        return [str(self.model.topic_labels_[topic]) for topic in found]


WRAPPERS: dict[str, tuple[str, type[LocalModel]]] = {
    "vectors": ("AutoModel", LocalEncoder),
    "entailment": ("AutoModelForSequenceClassification", LocalClassifier),
    "choose": ("AutoModelForSequenceClassification", LocalClassifier),
    "step_scores": ("AutoModelForTokenClassification", LocalRewards),
    "reply": ("AutoModelForCausalLM", LocalWriter),
}


def answering(question: str, model: Any, tokenizer: Any, model_name: str | None) -> Any:
    """Something that answers ``question``: ``model`` itself, a new reading of a recording, or a wrapped local model.

    Raises:
        InvalidParameter: nothing was given that could.
    """
    if asks(model, "asked"):
        return model.asked()
    if asks(model, question):
        return model
    if question == "topics":
        if not asks(model, "fit_transform"):
            raise InvalidParameter("give model=, a topic model such as BERTopic's", field="model")
        return LocalTopics(model)
    load = partial(load_model, kind=kind_of(question))
    return WRAPPERS[question][1](*resolve_model(model, tokenizer, model_name, load))


def kind_of(question: str) -> str:
    """The class of ``transformers`` that loads a model for ``question``."""
    return WRAPPERS[question][0] if question in WRAPPERS else WRAPPERS["reply"][0]


def _chat(tokenizer: Any, turns: Sequence[tuple[str, str]], *, prompt: bool = False) -> str:
    if not getattr(tokenizer, "chat_template", None):
        raise NoChatTemplate("the tokenizer has none; use an instruction-tuned model", field="tokenizer")
    messages = [{"role": role, "content": content} for role, content in turns]
    return str(
        tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=prompt, enable_thinking=False)
    )
