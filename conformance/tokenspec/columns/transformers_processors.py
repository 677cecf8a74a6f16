"""Logits processors of transformers as a column: a script's processors told to its classes, one row at a time.

transformers keeps no state: every class sees token ids and scores. What a script's history means to a class is said
here, what survives is the class's answer. A tree is a callback over prefixes; combos are sequences that must not be
completed, or not be repeated; a budget is a forced end. Where a script needs more than these (files, packed words,
typed errors, rows that hear of each other) the answer is *unsupported*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.processors.oracle.allowed_sets import parse_tree, tree_walk

HEX_DIGITS = {"float16": 4, "bfloat16": 4, "float32": 8, "float64": 16}


class Member(Protocol):
    """One processor of the script."""

    def __call__(self, history: list[int], scores: Any) -> Any:
        """The scores of one row after transformers has processed them."""
        ...


class PrefixTree:
    """``PrefixConstrainedLogitsProcessor``: prefix string -> candidates, the end token where the prefix is unknown."""

    def __init__(self, processor: Mapping[str, Any], vocab_size: int) -> None:
        """Take the tree; unsupported unless it is one that a callback can stand for."""
        if processor.get("mode", "strict") != "strict" or "config" not in processor:
            raise Unsupported("transformers reads no tree files and has no modes")
        self.vocab_size = vocab_size
        self.config = parse_tree(processor)
        if "prompt_token_ids" in processor:
            raise Unsupported("transformers does not check the prompt against a tree")
        self._require_usable(processor)

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

    def candidates(self, _batch: int, ids: Any) -> list[int]:
        """The candidates after ``ids``, which begin with the start token."""
        listed: list[int] = self.config["prefix_dict"].get(self.config["sep"].join(map(str, ids.tolist())))
        return listed or [self.config["end_token_id"]]

    def __call__(self, history: list[int], scores: Any) -> Any:
        """A row begins with the start token, as the last token of a prompt would."""
        import torch
        from transformers import PrefixConstrainedLogitsProcessor

        processor = PrefixConstrainedLogitsProcessor(self.candidates, num_beams=1)
        return processor(torch.tensor([[self.config["start_token_id"], *history]]), scores)


class Combos:
    """``NoBadWordsLogitsProcessor`` for the configured combos, ``NoRepeatNGramLogitsProcessor`` for a row's own.

    Both look at the last tokens wherever they are. Ids no other place has stand between combos, so that only whole
    combos are ever repeated, and the configured ones are looked for in the open combo alone.
    """

    def __init__(self, processor: Mapping[str, Any], vocab_size: int) -> None:
        """Take the policy; unsupported where rows hear of each other, or a combo has another size."""
        if processor.get("cross_sequence_ban"):
            raise Unsupported("rows of transformers do not hear of each other")
        self.size = processor["combo_token_size"]
        self.banned = processor.get("banned_combo_token_ids", [])
        self.thought = processor.get("end_think_token_ids", [])
        self.vocab_size = vocab_size
        if not (_is_count(self.size) and _are_combos(self.banned, self.size) and _are_combos([self.thought])):
            raise Unsupported("transformers does not know what a combo is: it cannot refuse")

    def __call__(self, history: list[int], scores: Any) -> Any:
        """What may come next, once thinking is over."""
        import torch
        from transformers import NoBadWordsLogitsProcessor, NoRepeatNGramLogitsProcessor

        begun = end_of(self.thought, history)
        if begun is None:
            return scores
        items = history[begun:]
        whole = len(items) // self.size * self.size
        if self.banned:
            words = [list(combo) for combo in {tuple(combo) for combo in self.banned}]
            try:
                scores = NoBadWordsLogitsProcessor(words)(torch.tensor([items[whole:]], dtype=torch.long), scores)
            except ValueError as error:
                raise Rejected("invalid-config", str(error)) from error
        apart: list[int] = []
        for number, at in enumerate(range(0, len(items), self.size)):
            apart += items[at : at + self.size]
            apart += [self.vocab_size + number] if at < whole and self.size > 1 else []
        wide = torch.cat([scores, torch.zeros(1, len(items) + 1, dtype=scores.dtype)], dim=1)
        return NoRepeatNGramLogitsProcessor(self.size)(torch.tensor([apart], dtype=torch.long), wide)[
            :, : self.vocab_size
        ]


def _is_count(size: Any) -> bool:
    return type(size) is int and size >= 1


def _are_combos(given: Any, size: int | None = None) -> bool:
    """Lists of ids, of this many each."""
    return isinstance(given, list) and all(
        isinstance(combo, list) and size in (None, len(combo)) and all(type(one) is int for one in combo)
        for combo in given
    )


class Budget:
    """``ForcedEOSTokenLogitsProcessor`` at the budget, ``SuppressTokensLogitsProcessor`` for a banned begin token.

    The end is one token: a class that knows lengths only cannot tell how much of a longer tag there is.
    """

    def __init__(self, processor: Mapping[str, Any], vocab_size: int) -> None:
        """Take the policy; unsupported unless it counts what was generated."""
        usable = len(processor["end_ids"]) == 1 and processor.get("counting", "generated") == "generated"
        begin, budget = processor.get("begin_ids", []), processor["max_tokens"]
        masks = processor.get("mask_boundaries", "none")
        named = [*processor["end_ids"], *begin]
        known = all(isinstance(one, int) and 0 <= one < vocab_size for one in named)
        counts = budget is None or (isinstance(budget, int) and budget >= 0)
        if not (usable and known and counts) or masks not in {"none", "begin"} or (masks != "none" and not begin):
            raise Unsupported("transformers forces one token at a length, and cannot refuse")
        if masks != "none" and begin[0] in processor["end_ids"]:
            raise Unsupported("transformers bans what it forces, and cannot refuse")
        if "closing_ids" in processor or "min_tokens" in processor:
            raise Unsupported("transformers forces the end alone, and knows a minimum of the whole answer only")
        self.end, self.budget = processor["end_ids"][0], budget
        self.suppressed = begin[:1] if masks == "begin" else []

    def __call__(self, history: list[int], scores: Any) -> Any:
        """The end alone at the budget; a row that ended is not asked any more."""
        import torch
        from transformers import ForcedEOSTokenLogitsProcessor, SuppressTokensLogitsProcessor

        ids = torch.tensor([history], dtype=torch.long)
        ended = self.end in history
        if self.suppressed:
            scores = SuppressTokensLogitsProcessor(self.suppressed)(ids, scores)
        if ended or self.budget is None:
            return scores
        if len(history) > self.budget:
            raise Unsupported("transformers forces at one length, not from it on")
        return ForcedEOSTokenLogitsProcessor(self.budget + 1, self.end)(ids, scores)


def end_of(tag: Sequence[int], tokens: Sequence[int]) -> int | None:
    """The first place behind the tag, or None."""
    places = (at for at in range(len(tokens) - len(tag) + 1) if list(tokens[at : at + len(tag)]) == list(tag))
    first = next(places, None)
    return None if first is None else first + len(tag)


MEMBERS: Mapping[str, Callable[[Mapping[str, Any], int], Member]] = {
    "tree": PrefixTree,
    "recommendation": Combos,
    "think": Budget,
}


class Histories:
    """The script's rows, and the processors in its order."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        """Begin with empty rows; unsupported where transformers has no counterpart to a processor."""
        self.vocab_size = request["vocab_size"]
        self.rows: list[list[int]] = [[] for _ in range(request["rows"])]
        if request["checked"]:
            raise Unsupported("transformers checks no tokens")
        if not request["processors"]:
            raise Unsupported("nothing to ask transformers about")
        for processor in request["processors"]:
            if processor["kind"] not in MEMBERS:
                raise Unsupported(f"transformers constrains no rows by {processor['kind']}")
        self.members: list[Member] = [
            MEMBERS[processor["kind"]](processor, self.vocab_size) for processor in request["processors"]
        ]

    def advance(self, step: Mapping[str, Any]) -> None:
        """Append; ids that do not exist cannot be noticed by a class without state."""
        active = step.get("active") or [True] * len(self.rows)
        columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
        flat = [token for tokens, runs in zip(columns, active, strict=False) if runs for token in tokens]
        whole = len(columns) == len(active) == len(self.rows)
        if not whole or any(not 0 <= token < self.vocab_size for token in flat):
            raise Unsupported("transformers keeps no state that could refuse tokens")
        self.rows = [row + tokens * runs for row, tokens, runs in zip(self.rows, columns, active, strict=True)]

    def reorder(self, src: list[int]) -> None:
        """Gather rows."""
        if any(not 0 <= row < len(self.rows) for row in src):
            raise Unsupported("transformers keeps no state that could refuse rows")
        self.rows = [list(self.rows[row]) for row in src]

    def masked(self, scores: list[Any]) -> list[Any]:
        """The classes at work one after the other, row by row because rows can differ in length."""
        if len(scores) != len(self.rows):
            raise Unsupported("transformers keeps no state that could refuse another number of rows")
        found = []
        for row, one in zip(self.rows, scores, strict=True):
            for member in self.members:
                one = member(row, one)  # noqa: PLW2901 - each sees what the one before it left
            found.append(one[0])
        return found


def process_logits(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a script."""
    histories = Histories(request)
    return {"steps": [answer(histories, step) for step in request["steps"]]}


def answer(histories: Histories, step: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one step."""
    import torch

    match step["op"]:
        case "allow":
            zeros = [torch.zeros(1, histories.vocab_size)] * len(histories.rows)
            sets = [row.isfinite().nonzero().flatten().tolist() for row in histories.masked(zeros)]
            if not all(sets):
                raise Unsupported("transformers has no error for a row without an id")
            return {"allowed": ["ALL" if len(ids) == histories.vocab_size else ids for ids in sets]}
        case "advance":
            histories.advance(step)
            return {}
        case "reorder":
            histories.reorder(step["src"])
            return {}
        case "apply":
            return {"bits": apply(histories, step)}
        case "status" | "bitmask":
            return {}
    raise Unsupported(f"transformers has no step {step['op']}")


def apply(histories: Histories, step: Mapping[str, Any]) -> list[str]:
    """Bit patterns in, bit patterns out."""
    scores = [strided if step.get("layout") == "strided" else whole for whole, strided in bits_of(step)]
    return [hex_of(row, step["dtype"]) for row in histories.masked(scores)]


def bits_of(step: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The rows of a step as tensors of one row, contiguous and strided."""
    import torch

    if step["dtype"] not in HEX_DIGITS:
        raise Unsupported(f"nothing is said about {step['dtype']}")
    digits = HEX_DIGITS[step["dtype"]]
    dtype, integer = getattr(torch, step["dtype"]), {4: torch.int16, 8: torch.int32, 16: torch.int64}[digits]
    rows = []
    for row in step["logits"]:
        words = [int(row[at : at + digits], 16) for at in range(0, len(row), digits)]
        signed = [word - (1 << 4 * digits) if word >> (4 * digits - 1) else word for word in words]
        bits = torch.tensor([signed], dtype=integer)
        rows.append((bits.view(dtype), bits.repeat_interleave(2, dim=1)[:, ::2].view(dtype)))
    return rows


def hex_of(row: Any, dtype: str) -> str:
    """The bit patterns of a row."""
    import torch

    digits = HEX_DIGITS[dtype]
    integer = {4: torch.int16, 8: torch.int32, 16: torch.int64}[digits]
    mask = (1 << 4 * digits) - 1
    return "".join(f"{word & mask:0{digits}x}" for word in row.contiguous().view(integer).tolist())
