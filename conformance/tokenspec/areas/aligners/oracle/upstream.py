"""The oracle of ``nw-compat``: the upstream module itself, loaded from a checkout that the user names.

Set ``TOKENSPEC_NEMO_RL`` to a checkout of NVIDIA-NeMo/RL. Nothing of it is in this repository. Without it goldens of
``nw-compat`` are not made and not compared with their oracle; the committed ones stand.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

from tokenspec.models import AssetsMissing

VARIABLE = "TOKENSPEC_NEMO_RL"
MODULE = "nemo_rl/algorithms/x_token/token_aligner.py"
SCORES = {"exact_match_score": 3.0, "combination_score_multiplier": 1.5, "gap_penalty": -1.5}


class UpstreamMissing(AssetsMissing):
    """No checkout of the upstream project; printed as *unsupported*, never as a pass."""

    def __init__(self) -> None:
        """Say what to set."""
        super().__init__("-")
        self.args = (f"unsupported: set {VARIABLE} to a checkout of NVIDIA-NeMo/RL to ask this oracle",)


@cache
def upstream() -> tuple[Any, str]:
    """The module and the sha256 of its file.

    Raises:
        UpstreamMissing: the variable is not set, or there is no such file.
    """
    root = os.environ.get(VARIABLE)
    path = Path(root, MODULE) if root else None
    if path is None or not path.is_file():
        raise UpstreamMissing
    specification = importlib.util.spec_from_file_location("tokenspec_upstream_token_aligner", path)
    if specification is None or specification.loader is None:
        raise UpstreamMissing
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module, hashlib.sha256(path.read_bytes()).hexdigest()


class Vocabulary:
    """Just enough of a tokenizer for the upstream aligner: ids are positions in a list of pieces."""

    def __init__(self, pieces: list[str]) -> None:
        """``pieces[id]`` is what the upstream code sees."""
        self.pieces = pieces

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        """The pieces."""
        return [self.pieces[index] for index in ids]


def align_batch(
    student: list[list[str]],
    teacher: list[list[str]],
    student_mask: list[list[int]] | None,
    teacher_mask: list[list[int]] | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Run ``align`` on rows of pieces; all fields of its batch, and the pairs it packs."""
    import torch

    module, _ = upstream()
    tables = [sorted({piece for row in side for piece in row}) for side in (student, teacher)]
    aligner = module.TokenAligner(
        Vocabulary(tables[0]), Vocabulary(tables[1]), "", max_comb_len=options.get("max_comb_len", 4)
    )
    ids = [
        torch.tensor([[table.index(piece) for piece in row] for row in side], dtype=torch.long).reshape(len(side), -1)
        for table, side in zip(tables, (student, teacher), strict=True)
    ]
    masks = [None if mask is None else torch.tensor(mask) for mask in (student_mask, teacher_mask)]
    single = partial(aligner._align_single, **{k: v for k, v in options.items() if k != "max_comb_len"})  # noqa: SLF001
    aligner._align_single = single  # noqa: SLF001
    batch = aligner.align(ids[0], ids[1], student_attention_mask=masks[0], teacher_attention_mask=masks[1])
    pairs = [single(s, t) for s, t in zip(student, teacher, strict=True)]
    return {
        "student_chunk_id": batch.student_chunk_id.tolist(),
        "teacher_chunk_id": batch.teacher_chunk_id.tolist(),
        "pairs": [[spans(pair) for pair in row] for row in pairs],
        "correct": [[bool(pair.is_correct) for pair in row] for row in pairs],
        "student_exact": batch.student_exact_partition_mask.tolist(),
        "teacher_exact": batch.teacher_exact_partition_mask.tolist(),
    }


def spans(pair: Any) -> tuple[int, int, int, int]:
    """The four indices of a pair."""
    return pair.s_start, pair.s_end, pair.t_start, pair.t_end


def align_canonical(student: list[str], teacher: list[str], options: dict[str, Any]) -> tuple[list[Any], float]:
    """The dynamic programme alone: pairs and score."""
    module, _ = upstream()
    told = {"max_combination_len": options.get("max_comb_len", 4), "ignore_leading_char_diff": False, **SCORES}
    told |= {name: value for name, value in options.items() if name in told}
    pairs, score = module.TokenAligner._align_dp(student, teacher, **told)  # noqa: SLF001
    return [spans(pair) for pair in pairs], score


def canonical_tokens(tokens: list[str]) -> list[str]:
    """``canonical_token`` of each."""
    return [upstream()[0].canonical_token(token) for token in tokens]


def canonical_sequence(tokens: list[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """Canonical tokens and ranges."""
    canonical, ranges = upstream()[0]._canonicalize_sequence(tokens)  # noqa: SLF001
    return canonical, ranges


def remap(
    pairs: list[list[int]], student_ranges: list[list[int]], teacher_ranges: list[list[int]]
) -> list[tuple[int, int, int, int]]:
    """Canonical spans to original spans."""
    module, _ = upstream()
    made = [module.AlignmentPair([], [], *pair) for pair in pairs]
    module.TokenAligner._remap_pairs_to_original(  # noqa: SLF001
        made, student_canon_to_orig=student_ranges, teacher_canon_to_orig=teacher_ranges
    )
    return [spans(pair) for pair in made]
