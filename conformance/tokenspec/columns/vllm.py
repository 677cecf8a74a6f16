"""vLLM's thinking budget and bad words as a column of the processors' area: the code its sampler runs, without its GPU.

The modules are imported one by one: what constrains logits needs torch, while ``import vllm`` wants its kernels. A row
is replayed token by token, as the sampler would see it. A thinking segment that is open from the start is a prompt that
ends in a begin token; a forced token is one whose logit vLLM raises to 1e9.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.single_modules import folders, installed_at, placeholder

BUDGET = "vllm.v1.sample.thinking_budget_state"
BAD_WORDS = "vllm.v1.sample.ops.bad_words"
FOLDERS = ("vllm", "vllm.utils", "vllm.v1", "vllm.v1.sample", "vllm.v1.sample.ops", "vllm.v1.sample.logits_processor")
FORCED = 1e9


class VllmColumn:
    """The column ``vllm``."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("vllm")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "vllm", "version": self.version or "not installed", "language": "python"}

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """A script of one processor, every row for itself."""
        if self.version is None:
            raise not_installed("vllm")
        processors, vocab_size = request["processors"], request["vocab_size"]
        if len(processors) != 1 or request["checked"] or processors[0]["kind"] not in POLICIES:
            kinds = ", ".join(processor["kind"] for processor in processors) or "nothing"
            raise Unsupported(f"vLLM has no counterpart to {kinds} here")
        policy = POLICIES[processors[0]["kind"]]
        rows: list[list[int]] = [[] for _ in range(request["rows"])]
        answers: list[dict[str, Any]] = []
        for step in request["steps"]:
            match step["op"]:
                case "allow":
                    allowed = [policy(processors[0], row, vocab_size) for row in rows]
                    answers.append({"allowed": ["ALL" if one is None else one for one in allowed]})
                case "advance":
                    rows = advanced(rows, step, vocab_size)
                    answers.append({})
                case "reorder" if all(0 <= row < len(rows) for row in step["src"]):
                    rows = [list(rows[row]) for row in step["src"]]
                    answers.append({})
                case "status" | "bitmask":
                    answers.append({})
                case _:
                    raise Unsupported(f"vLLM has no step {step['op']} of its own")
        return {"steps": answers}


def advanced(rows: list[list[int]], step: Mapping[str, Any], vocab_size: int) -> list[list[int]]:
    """The rows with the tokens of a step."""
    active = step.get("active") or [True] * len(rows)
    columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
    sampled = [token for tokens, runs in zip(columns, active, strict=False) if runs for token in tokens]
    if len(columns) != len(rows) or any(not 0 <= token < vocab_size for token in sampled):
        raise Unsupported("vLLM samples its own tokens: it cannot refuse any")
    return [row + tokens * runs for row, tokens, runs in zip(rows, columns, active, strict=True)]


def think(policy: Mapping[str, Any], row: list[int], vocab_size: int) -> list[int] | None:
    """What the budget allows behind a row: the forced id, or None for all."""
    import torch

    end, begin, budget = policy["end_ids"], policy.get("begin_ids", []), policy["max_tokens"]
    after_begin = policy.get("counting", "generated") == "after_begin"
    known = all(isinstance(token, int) and 0 <= token < vocab_size for token in [*end, *begin])
    if policy.get("close", "budget") != "budget" or policy.get("mask_boundaries", "none") != "none":
        raise Unsupported("vLLM forces the end at the budget, nothing else")
    if "closing_ids" in policy or "min_tokens" in policy:
        raise Unsupported("vLLM's budget has one end tag, and no minimum")
    if not end or not known or not isinstance(budget, int) or budget < 0 or (after_begin and not begin):
        raise Unsupported("vLLM is told what it must refuse")
    start = begin if after_begin else [vocab_size]
    told = SimpleNamespace(reasoning_start_token_ids=start, reasoning_end_token_ids=end)
    holder = module(BUDGET).ThinkingBudgetStateHolder(told, 1, 0, torch.device("cpu"), is_pin_memory=False)
    request: tuple[int, Any, list[int], list[int]] = (
        0,
        SimpleNamespace(thinking_token_budget=budget),
        [] if after_begin else start,
        [],
    )
    holder.sync_batch(SimpleNamespace(removed=[], added=[request], moved=[]))
    for length in range(len(row) + 1):
        holder.update_state([row[:length]], None)
    logits = holder.apply_to_logits(torch.zeros(1, vocab_size), predict_bonus_token=False, spec_token_ids=None)
    forced: list[int] = (logits[0] >= FORCED).nonzero().flatten().tolist()
    return forced or None


def combos(policy: Mapping[str, Any], row: list[int], vocab_size: int) -> list[int] | None:
    """What the configured combos allow in the first combo of a row, as bad words."""
    import torch

    size, banned = policy["combo_token_size"], policy.get("banned_combo_token_ids", [])
    if policy.get("cross_sequence_ban") or policy.get("end_think_token_ids") or any(len(one) != size for one in banned):
        raise Unsupported("bad words are the same for the whole of a row")
    if len(row) >= size:
        raise Unsupported("bad words do not learn from what a row wrote")
    logits = torch.zeros(1, vocab_size)
    module(BAD_WORDS).apply_bad_words(logits, {0: banned}, [row])
    left: list[int] = logits[0].isfinite().nonzero().flatten().tolist()
    return None if len(left) == vocab_size else left


POLICIES = {"think": think, "recommendation": combos}


@cache
def module(name: str) -> Any:
    """One module of the package, without what only a GPU needs."""
    root = prepared()
    if root is None:
        raise not_installed("vllm")
    return importlib.import_module(name)


@cache
def prepared() -> Path | None:
    """Where the package is; its folders are there now, and what a CPU has no use for is empty."""
    import torch

    root = installed_at("vllm")
    if root is not None:
        folders(root, *FOLDERS)
        vars(sys.modules["vllm"])["SamplingParams"] = SimpleNamespace
        placeholder("vllm.platforms", current_platform=SimpleNamespace(is_rocm=lambda: False))
        placeholder(
            "vllm.utils.torch_utils",
            async_tensor_h2d=lambda data, dtype, device: torch.tensor(data).to(device, dtype),
        )
    return root
