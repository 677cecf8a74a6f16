"""Inputs the chapter says are refused, told by looking at them."""

from __future__ import annotations

import math
import re
from collections.abc import Set as AbstractSet
from typing import Any

from tokenspec.areas.engines.oracle.forced import Refuses
from tokenspec.areas.engines.oracle.signals import WINDOWS
from tokenspec.areas.engines.oracle.texts import DEFAULT_SEPARATOR, scripted_tokens
from tokenspec.areas.engines.oracle.units import UNIT_ENGINES
from tokenspec.areas.engines.records import EnginesInput, Recorded, Scripted

READING = {"forced-decoder", *WINDOWS}
ASKING = UNIT_ENGINES - {"plain"}
MODELS = {"system_prompt", "system_role", "chat_template", "quantile", "cache_policy", "max_kv_tokens"}
UNIT = {"seg_base_unit"}
LABELLING = UNIT | {"system_prompt", "user_prompt", "max_retry", "context_window"}
KNOWN = {
    "forced-decoder": MODELS | {"alpha", "beta", "score_mode", "sep_tok", "separator_row"},
    "surprisal": MODELS | {"window"},
    "entropy": MODELS | {"window"},
    "flatness-break": MODELS | {"window"},
    "top-k-shift": MODELS | {"window", "top_k"},
    "plain": UNIT,
    "rule-regex": UNIT,
    "semantic-shift": UNIT | {"tolerance", "min_threshold"},
    "entailment": UNIT | {"tolerance", "min_threshold"},
    "zero-shot": UNIT | {"labels"},
    "topics": UNIT | {"min_units"},
    "rewards": UNIT | {"problem", "chunk_size", "window", "quantile"},
    "argument": LABELLING,
    "reasoning-flow": LABELLING,
    "thought-anchor": LABELLING,
    "unit-groups": UNIT | {"system_prompt", "prompt", "chunk_size", "max_retry"},
    "offsets": UNIT | {"system_prompt", "prompt", "chunk_size", "max_retries_per_chunk"},
    "voting": {"profile", "threshold"},
    "merge": {"profile"},
    "intersect": {"profile"},
    "fuzzy": {"profile", "max_distance"},
    "graph": {"profile"},
}
HINTS = {"algorithm", "chunk_size"}
LEAST = dict.fromkeys(
    ("window", "top_k", "threshold", "max_kv_tokens", "chunk_size", "context_window", "min_units"), 1
) | dict.fromkeys(("max_distance", "max_retry", "max_retries_per_chunk"), 0)
NUMBERS = {"alpha", "beta", "tolerance", "min_threshold"}
TEXTS = {"system_prompt", "user_prompt", "prompt", "problem", "chat_template"}
WORDS = {
    "seg_base_unit": ("clause", "sent"),
    "score_mode": ("normalized", "upstream_literal"),
    "system_role": ("system", "merge"),
    "profile": ("partition", "upstream"),
    "label_fusion_type": ("majority", "concat"),
}


POLICY = r"none|(window|legacy_head):0*[1-9][0-9]*"
ROW = r"mean|hash:[0-9]+"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _written(form: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(form, value) is not None


def allowed(name: str, value: Any) -> bool:
    """Whether an option may have this value."""
    if name in LEAST:
        return type(value) is int and value >= LEAST[name]
    if name in WORDS:
        return value in WORDS[name]
    rules: dict[str, bool] = {
        "quantile": _number(value) and 0 <= value <= 100,
        "cache_policy": _written(POLICY, value),
        "separator_row": _written(ROW, value),
        "labels": isinstance(value, list) and bool(value) and all(isinstance(label, str) for label in value),
    }
    rules |= dict.fromkeys(NUMBERS, _number(value)) | dict.fromkeys(TEXTS, isinstance(value, str))
    return rules.get(name, True)


def places_of(given: EnginesInput) -> list[str]:
    """Where each of the segmentations comes from that are fused."""
    return [f"/{name}/{at}" for name in ("engines", "given") for at in range(len(getattr(given, name)))]


def refuse(given: EnginesInput, tokenizer: Any) -> None:
    """Raise Refuses with the requirement, or return."""
    parameters = given.parameters
    if not given.engines and not given.given:
        raise Refuses("ENG-060", "/engines")
    if len(given.engines) + len(given.given) > 1 and given.fusion is None:
        raise Refuses("ENG-065", "/fusion")
    own = {"label_fusion_type"}.union(*(KNOWN.get(str(name), ()) for name in [*given.engines, given.fusion]))
    faults = [
        f"/parameters/{name}"
        for name, value in parameters.items()
        if name not in own | HINTS or (name in own and not allowed(name, value))
    ]
    unserved: AbstractSet[str] = READING | ASKING
    if given.model is not None:
        unserved = READING if isinstance(given.model, Recorded) else ASKING
    if not unserved.isdisjoint(given.engines):
        faults.append("/model")
    if faults:
        raise Refuses("ENG-060", *faults)
    policy = parameters.get("cache_policy", "none")
    if "max_kv_tokens" in parameters and policy not in ("none", f"legacy_head:{parameters['max_kv_tokens']}"):
        raise Refuses("ENG-043", "/parameters/cache_policy", "/parameters/max_kv_tokens")
    _refuse_segments(given)
    _refuse_tokenizer(given, tokenizer)


def _refuse_segments(given: EnginesInput) -> None:
    """Segmentations to fuse or to compare with that are none of this trace."""
    faults = [
        f"/given/{at}"
        for at, each in enumerate(given.given)
        if not _ordered(each.offsets, len(given.trace)) or len(each.labels or each.offsets) != len(each.offsets)
    ]
    if given.fusion is not None and faults:
        raise Refuses("ENG-087", *faults)
    if given.gold is not None:
        edges = [0, *(edge for pair in given.gold for edge in pair), len(given.trace)]
        if not _ordered(given.gold, len(given.trace)) or edges[::2] != edges[1::2]:
            raise Refuses("ENG-093", "/gold")


def _ordered(offsets: list[tuple[int, int]], length: int) -> bool:
    """Segments in order, none empty, none beyond the end."""
    edges = [edge for pair in offsets for edge in pair]
    return (
        all(start < end for start, end in offsets)
        and edges == sorted(edges)
        and min(edges, default=0) >= 0
        and (max(edges, default=0) <= length)
    )


def _refuse_tokenizer(given: EnginesInput, tokenizer: Any) -> None:
    """Prompts that cannot be written, and separators of several tokens."""
    separator = given.parameters.get("sep_tok", DEFAULT_SEPARATOR)
    if not isinstance(separator, str) or not separator:
        raise Refuses("ENG-064", "/parameters/sep_tok")
    if isinstance(given.model, Scripted):
        if not given.trace or READING.isdisjoint(given.engines):
            return
        if given.model.prompt is None:
            raise Refuses("ENG-063", "/model", code="no-chat-template")
        if given.model.refuses_system and given.parameters.get("system_role") != "merge":
            raise Refuses("ENG-063", "/model", "/parameters/system_role", code="system-role-refused")
        pieces, faults = given.model.pieces, []
        if "forced-decoder" in given.engines and separator not in pieces:
            faults += ["/model", "/parameters/sep_tok"]
        if any(token == len(pieces) for token, _, _ in scripted_tokens(pieces, given.model.prompt + given.trace)):
            faults += ["/model"]
        if faults:
            raise Refuses("ENG-060", *dict.fromkeys(faults))
    elif tokenizer is not None:
        own = tokenizer.get_vocab().get(separator)
        if own is not None and tokenizer.encode(separator, add_special_tokens=False) != [own]:
            raise Refuses("ENG-064", "/parameters/sep_tok")
