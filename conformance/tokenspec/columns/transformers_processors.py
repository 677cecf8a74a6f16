"""``PrefixConstrainedLogitsProcessor`` as a column: one tree, told to transformers as a callback over prefixes.

transformers reads no tree files, keeps no state and knows no other processor of the chapter; where a script needs one
of these the answer is *unsupported*. Judged is what the class does to scores: which ids survive, and their bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.areas.processors.oracle.allowed_sets import parse_tree, tree_walk

HEX_DIGITS = {"float16": 4, "bfloat16": 4, "float32": 8, "float64": 16}


class PrefixTree:
    """The callback: prefix string -> candidates, the end token where the prefix is unknown."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        """Take the tree of the script; unsupported unless it is one that a callback can stand for."""
        processors = request["processors"]
        if len(processors) != 1 or processors[0]["kind"] != "tree":
            kinds = ", ".join(processor["kind"] for processor in processors)
            raise Unsupported(f"transformers constrains by prefixes only, not by {kinds}")
        if processors[0].get("mode", "strict") != "strict" or request["checked"] or "config" not in processors[0]:
            raise Unsupported("transformers reads no tree files and has no modes")
        self.vocab_size = request["vocab_size"]
        self.config = parse_tree(processors[0])
        if "prompt_token_ids" in processors[0]:
            raise Unsupported("transformers does not check the prompt against a tree")
        self._require_usable(processors[0])

    def _require_usable(self, processor: Mapping[str, Any]) -> None:
        """A configuration the chapter refuses is the loader's business, which transformers does not have."""
        config, ids = self.config, range(self.vocab_size)
        parts = [key.split(config["sep"]) if config["sep"] else [key] for key in config["prefix_dict"]]
        named = [config["start_token_id"], config["end_token_id"], *chain.from_iterable(config["prefix_dict"].values())]
        canonical = all(part == str(int(part)) for key in parts for part in key if part.isascii() and part.isdigit())
        decimal = all(part.isascii() and part.isdigit() for key in parts for part in key)
        if not (parts and canonical and decimal and all(token in ids for token in named)):
            raise Unsupported("transformers reads no tree files: it cannot refuse this one")
        for key, path in zip(config["prefix_dict"], parts, strict=True):
            tokens = [int(part) for part in path[1:]]
            foreign = int(path[0]) != config["start_token_id"] or config["end_token_id"] in tokens
            if foreign or tree_walk(processor, tokens, self.vocab_size)[1] != key:
                raise Unsupported("transformers reads no tree files: it cannot refuse this one")

    def __call__(self, _batch: int, ids: Any) -> list[int]:
        """The candidates after ``ids``, which begin with the start token."""
        listed: list[int] = self.config["prefix_dict"].get(self.config["sep"].join(map(str, ids.tolist())))
        return listed or [self.config["end_token_id"]]


class Histories:
    """The script's rows as prefixes."""

    def __init__(self, tree: PrefixTree, rows: int) -> None:
        """Every row begins with the start token, as the last token of a prompt would."""
        self.tree = tree
        self.rows = [[tree.config["start_token_id"]] for _ in range(rows)]

    def advance(self, step: Mapping[str, Any]) -> None:
        """Append; ids that do not exist cannot be noticed by a class without state."""
        active = step.get("active") or [True] * len(self.rows)
        columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
        flat = [token for tokens, runs in zip(columns, active, strict=False) if runs for token in tokens]
        if len(columns) != len(self.rows) or any(not 0 <= token < self.tree.vocab_size for token in flat):
            raise Unsupported("transformers keeps no state that could refuse tokens")
        self.rows = [row + tokens * runs for row, tokens, runs in zip(self.rows, columns, active, strict=True)]

    def reorder(self, src: list[int]) -> None:
        """Gather rows."""
        if any(not 0 <= row < len(self.rows) for row in src):
            raise Unsupported("transformers keeps no state that could refuse rows")
        self.rows = [self.rows[row] for row in src]

    def masked(self, scores: list[Any]) -> list[Any]:
        """The class at work, row by row because rows can differ in length."""
        import torch
        from transformers import PrefixConstrainedLogitsProcessor

        processor = PrefixConstrainedLogitsProcessor(self.tree, num_beams=1)
        return [processor(torch.tensor([row]), one)[0] for row, one in zip(self.rows, scores, strict=True)]


def process_logits(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a script of one strict tree."""
    histories = Histories(PrefixTree(request), request["rows"])
    return {"steps": [answer(histories, step) for step in request["steps"]]}


def answer(histories: Histories, step: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one step."""
    import torch

    vocab_size = histories.tree.vocab_size
    match step["op"]:
        case "allow":
            zeros = [torch.zeros(1, vocab_size)] * len(histories.rows)
            sets = [row.isfinite().nonzero().flatten().tolist() for row in histories.masked(zeros)]
            return {"allowed": ["ALL" if len(ids) == vocab_size else ids for ids in sets]}
        case "advance":
            histories.advance(step)
            return {}
        case "reorder":
            histories.reorder(step["src"])
            return {}
        case "apply":
            return {"bits": apply(histories, step)}
        case "status":
            return {}
    raise Unsupported(f"transformers has no step {step['op']}")


def apply(histories: Histories, step: Mapping[str, Any]) -> list[str]:
    """Bit patterns in, bit patterns out."""
    import torch

    if step["dtype"] not in HEX_DIGITS:
        raise Unsupported(f"transformers does not say what it does with {step['dtype']}")
    digits = HEX_DIGITS[step["dtype"]]
    dtype, integer = getattr(torch, step["dtype"]), {4: torch.int16, 8: torch.int32, 16: torch.int64}[digits]
    scores = []
    for row in step["logits"]:
        words = [int(row[at : at + digits], 16) for at in range(0, len(row), digits)]
        signed = [word - (1 << 4 * digits) if word >> (4 * digits - 1) else word for word in words]
        bits = torch.tensor([signed], dtype=integer)
        scores.append(
            bits.repeat_interleave(2, dim=1)[:, ::2].view(dtype)
            if step.get("layout") == "strided"
            else bits.view(dtype)
        )
    mask = (1 << 4 * digits) - 1
    return [
        "".join(f"{word & mask:0{digits}x}" for word in row.contiguous().view(integer).tolist())
        for row in histories.masked(scores)
    ]
