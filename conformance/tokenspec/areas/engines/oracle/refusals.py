"""Inputs the chapter says are refused, told by looking at them."""

from __future__ import annotations

import math
import re
from typing import Any

from tokenspec.areas.engines.oracle.forced import Refuses
from tokenspec.areas.engines.oracle.signals import WINDOWS
from tokenspec.areas.engines.oracle.texts import DEFAULT_SEPARATOR
from tokenspec.areas.engines.oracle.units import UNIT_ENGINES
from tokenspec.areas.engines.records import EnginesInput, Scripted

READING = {"forced-decoder", *WINDOWS}
ASKING = UNIT_ENGINES - {"plain"}
MODELS = {"system_prompt", "system_role", "chat_template", "quantile", "cache_policy", "max_kv_tokens"}
LABELLING = {"system_prompt", "user_prompt", "max_retry", "context_window"}
KNOWN = {
    "forced-decoder": MODELS | {"alpha", "beta", "score_mode", "sep_tok", "separator_row"},
    "surprisal": MODELS | {"window"},
    "entropy": MODELS | {"window"},
    "flatness-break": MODELS | {"window"},
    "top-k-shift": MODELS | {"window", "top_k"},
    "semantic-shift": {"tolerance", "min_threshold"},
    "entailment": {"tolerance", "min_threshold"},
    "zero-shot": {"labels"},
    "topics": {"min_units"},
    "rewards": {"problem", "chunk_size", "window", "quantile"},
    "argument": LABELLING,
    "reasoning-flow": LABELLING,
    "thought-anchor": LABELLING,
    "unit-groups": {"system_prompt", "prompt", "chunk_size", "max_retry"},
    "offsets": {"system_prompt", "prompt", "chunk_size", "max_retries_per_chunk"},
    "voting": {"profile", "threshold"},
    "merge": {"profile"},
    "intersect": {"profile"},
    "fuzzy": {"profile", "max_distance"},
    "graph": {"profile"},
}
HINTS = {"algorithm", "chunk_size"}
LEAST = {
    "window": 1,
    "top_k": 1,
    "threshold": 1,
    "max_kv_tokens": 1,
    "max_distance": 0,
    "chunk_size": 1,
    "max_retry": 0,
}
LEAST |= {"max_retries_per_chunk": 0, "context_window": 1}
WORDS = {
    "score_mode": ("normalized", "upstream_literal"),
    "system_role": ("system", "merge"),
    "profile": ("partition", "upstream"),
    "label_fusion_type": ("majority", "concat"),
}


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def refuse(given: EnginesInput, tokenizer: Any) -> None:
    """Raise Refuses with the requirement, or return."""
    parameters = given.parameters
    if len(given.engines) + len(given.given) > 1 and given.fusion is None:
        raise Refuses("ENG-065")
    known = {"label_fusion_type"} | HINTS
    for name in [*map(str, given.engines), str(given.fusion)]:
        known |= KNOWN.get(name, set())
    if set(parameters) - known:
        raise Refuses("ENG-060")
    for name in ("quantile", "alpha", "beta", "tolerance", "min_threshold"):
        if name in parameters and not _number(parameters[name]):
            raise Refuses("ENG-060")
    if not 0 <= parameters.get("quantile", 50) <= 100:
        raise Refuses("ENG-060")
    if any(
        type(parameters.get(name, least)) is not int or parameters.get(name, least) < least
        for name, least in LEAST.items()
    ):
        raise Refuses("ENG-060")
    if any(parameters.get(name, words[0]) not in words for name, words in WORDS.items()):
        raise Refuses("ENG-060")
    if not all(isinstance(parameters.get(name, ""), str) for name in ("system_prompt", "problem")):
        raise Refuses("ENG-060")
    policy = parameters.get("cache_policy", "none")
    if not re.fullmatch(r"none|(window|legacy_head):0*[1-9][0-9]*", policy):
        raise Refuses("ENG-060")
    if "max_kv_tokens" in parameters and policy not in ("none", f"legacy_head:{parameters['max_kv_tokens']}"):
        raise Refuses("ENG-043")
    if given.model is None and not (READING | ASKING).isdisjoint(given.engines):
        raise Refuses("ENG-060")
    _refuse_segments(given)
    _refuse_tokenizer(given, tokenizer)


def _refuse_segments(given: EnginesInput) -> None:
    """Segmentations to fuse or to compare with that are none of this trace."""
    if given.fusion is not None and not all(_ordered(each.offsets, len(given.trace)) for each in given.given):
        raise Refuses("ENG-087")
    if given.gold is not None:
        edges = [0, *(edge for pair in given.gold for edge in pair), len(given.trace)]
        if not _ordered(given.gold, len(given.trace)) or edges[::2] != edges[1::2]:
            raise Refuses("ENG-093")


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
        raise Refuses("ENG-064")
    if isinstance(given.model, Scripted):
        if given.model.prompt is None:
            raise Refuses("ENG-063")
        if given.model.refuses_system and given.parameters.get("system_role") != "merge":
            raise Refuses("ENG-063")
    elif tokenizer is not None:
        own = tokenizer.get_vocab().get(separator)
        if own is not None and tokenizer.encode(separator, add_special_tokens=False) != [own]:
            raise Refuses("ENG-064")
