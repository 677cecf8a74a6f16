"""``generate`` of transformers as a column of the processors' area: a script's rows as one batch in its own loop.

A tiny random model is steered to the tokens of the script, behind the constraint. What a step allows is what `generate`
has left finite of its scores. It samples only what is allowed: a script that goes elsewhere is *unsupported*.
"""

from __future__ import annotations

from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.transformers_processors import Histories

STEERED = 1e4


class TransformersGenerateColumn:
    """The column ``transformers-generate``."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("transformers")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "transformers-generate", "version": self.version or "not installed", "language": "python"}

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """A script that asks and advances, nothing else."""
        if self.version is None:
            raise not_installed("transformers")
        histories = Histories(request)
        places, paths = walked(request)
        found = generated(histories, paths)
        return {"steps": [{} if place is None else {"allowed": found[place]} for place in places]}


def walked(request: dict[str, Any]) -> tuple[list[int | None], list[list[int]]]:
    """Of each step that asks, behind how many tokens; and the tokens of every row."""
    places: list[int | None] = []
    paths: list[list[int]] = [[] for _ in range(request["rows"])]
    for step in request["steps"]:
        places.append(len(paths[0]) if step["op"] == "allow" and paths else None)
        if step["op"] == "advance" and all(step.get("active") or [True]):
            columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
            if len(columns) != len(paths) or len({len(tokens) for tokens in columns}) > 1:
                raise Unsupported("generate samples one token a row")
            paths = [path + tokens for path, tokens in zip(paths, columns, strict=True)]
        elif step["op"] not in {"allow", "status", "bitmask"}:
            raise Unsupported(f"generate has no step {step['op']} like this one")
    if not any(path for path in paths) or not any(place is not None for place in places):
        raise Unsupported("nothing to generate, or nothing asked")
    return places, paths


def generated(histories: Histories, paths: list[list[int]]) -> list[list[Any]]:
    """Per step what the rows were left with."""
    import torch
    from transformers import LogitsProcessor, LogitsProcessorList, Qwen2Config, Qwen2ForCausalLM

    class Constraint(LogitsProcessor):  # type: ignore[misc]  # untyped here
        """The processors of the script, over what was generated."""

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            histories.rows = [row[1:] for row in input_ids.tolist()]
            return torch.stack(histories.masked(list(scores.split(1))))

    class Steering(LogitsProcessor):  # type: ignore[misc]
        """The token of the script before all others that are left."""

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            for row, path in enumerate(paths):
                if input_ids.shape[1] <= len(path):
                    scores[row, path[input_ids.shape[1] - 1]] += STEERED
            return scores

    if any(not 0 <= token < histories.vocab_size for path in paths for token in path):
        raise Unsupported("generate samples ids of the vocabulary")
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=histories.vocab_size, **sizes, **heads)).eval()
    model.generation_config.eos_token_id = None
    done = model.generate(
        torch.zeros(len(paths), 1, dtype=torch.long),
        attention_mask=torch.ones(len(paths), 1, dtype=torch.long),
        logits_processor=LogitsProcessorList([Constraint(), Steering()]),
        max_new_tokens=len(paths[0]) + 1,
        do_sample=False,
        pad_token_id=0,
        output_scores=True,
        return_dict_in_generate=True,
    )
    if done.sequences[:, 1:-1].tolist() != paths:
        raise Unsupported("generate samples what is allowed only, and the script does not")
    sets = [[row.isfinite().nonzero().flatten().tolist() for row in step] for step in done.scores]
    if not all(ids for step in sets for ids in step):
        raise Unsupported("generate has no error for a row without an id")
    return [["ALL" if len(ids) == histories.vocab_size else ids for ids in step] for step in sets]
