"""What a row may sample next, as a function of its token history alone.

This is the stateless oracle of the processors: every answer is worked out from the whole history by the words of the
chapter, with plain searches and no automaton, so it shares nothing with an implementation. ``None`` means all ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

Allowed = frozenset[int] | None
History = Sequence[int]
MOST_DIVERGENT = 8


def parse_tree(processor: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a tree, from its object or its text; of repeated fields the last wins, objects unite."""

    def unite(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for key, value in pairs:
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = {**merged[key], **value} if both else value
        return merged

    text = processor.get("config_text")
    config = processor["config"] if text is None else json.loads(text, object_pairs_hook=unite)
    return {"start_token_id": 225, "end_token_id": 2, "sep": "_", "prefix_dict": {}, **config}


def tree_walk(processor: Mapping[str, Any], history: History, vocab_size: int) -> tuple[Allowed, str]:
    """The allowed ids and the status after ``history`` (PRC-030 to PRC-035, PRC-037)."""
    if processor.get("mode", "strict") == "upstream":
        return upstream_walk(parse_tree(processor), history, vocab_size)
    config = parse_tree(processor)
    end, separator, entries = config["end_token_id"], config["sep"], config["prefix_dict"]
    path = str(config["start_token_id"])
    for token in history:
        longer = f"{path}{separator}{token}"
        if token == end:
            return frozenset({end}), longer
        if token not in entries.get(path, ()) or longer not in entries:
            return frozenset({end}), path
        path = longer
    usable = frozenset(token for token in entries.get(path, ()) if 0 <= token < vocab_size)
    return usable or frozenset({end}), path


def upstream_walk(config: Mapping[str, Any], history: History, vocab_size: int) -> tuple[Allowed, str]:
    """The pinned upstream behaviour (PRC-038)."""
    end, separator = config["end_token_id"], config["sep"]
    loaded = {key: [token for token in listed if 0 <= token < 2**31] for key, listed in config["prefix_dict"].items()}
    status, newest, lost = str(config["start_token_id"]), 0, False
    for token in history:
        if newest == end or lost:
            break
        longer = f"{status}{separator}{token}"
        if longer in loaded or token == end:
            status, newest = longer, token
        else:
            lost = True
    listed = [end] if lost else loaded.get(status) or [end]
    return frozenset(token for token in listed if 0 <= token < vocab_size), status


def occurrence(pattern: Sequence[int], tokens: Sequence[int]) -> int | None:
    """How many tokens it takes until the pattern has occurred, or None."""
    for end in range(len(pattern), len(tokens) + 1):
        if list(tokens[end - len(pattern) : end]) == list(pattern):
            return end
    return None


def matched_length(pattern: Sequence[int], tokens: Sequence[int]) -> int:
    """The longest suffix of ``tokens`` that is a prefix of ``pattern``; all of it once it occurred (PRC-050)."""
    if occurrence(pattern, tokens) is not None:
        return len(pattern)
    lengths = range(min(len(pattern), len(tokens)) + 1)
    return max(length for length in lengths if list(tokens[len(tokens) - length :]) == list(pattern[:length]))


def think_allowed(policy: Mapping[str, Any], history: History, vocab_size: int) -> tuple[Allowed, str]:
    """The allowed ids and the matched length of the end tag after ``history`` (PRC-049 to PRC-056, PRC-059)."""
    end, begin = policy["end_ids"], policy.get("begin_ids", [])
    opened: int | None = 0
    if policy.get("counting", "generated") == "after_begin":
        opened = occurrence(begin, history)
    if opened is None:
        return None, "0"
    segment = history[opened:]
    matched = matched_length(end, segment)
    closed = matched == len(end)
    budget, eager = policy["max_tokens"], policy.get("close", "budget") == "eager"
    if not closed and eager and matched > 0:
        return frozenset({end[matched]}), str(matched)
    if not closed and budget is not None and len(segment) >= budget:
        closing = policy.get("closing_ids") or end
        begun = matched_length(closing, segment)
        return frozenset({closing[begun] if begun >= matched else end[matched]}), str(matched)
    masks = policy.get("mask_boundaries", "none")
    banned = {begin[0]} if masks != "none" else set()
    last_step = 0 if eager else len(end) - 1
    if not closed and len(segment) < policy.get("min_tokens", 0) and matched == last_step:
        banned.add(end[last_step])
    if masks == "both" and closed:
        banned.add(end[0])
    return (frozenset(range(vocab_size)) - banned if banned else None), str(matched)


def behind(tag: Sequence[int], timeline: Sequence[int | None]) -> list[int | None] | None:
    """A row's timeline behind the tag's first occurrence, nothing before it; None if there is none (PRC-024)."""
    steps = [at for at, token in enumerate(timeline) if token is not None]
    found = occurrence(tag, [token for token in timeline if token is not None])
    if found is None:
        return None
    start = steps[found - 1] + 1
    return [*([None] * start), *timeline[start:]]


def combos(
    config: Mapping[str, Any], history: Sequence[int | None]
) -> tuple[list[tuple[int, tuple[int, ...]]], list[int] | None]:
    """Completed combos with the step that completed them, and the open one (None while still thinking)."""
    steps = [(at, token) for at, token in enumerate(history) if token is not None]
    thought = occurrence(config.get("end_think_token_ids", []), [token for _, token in steps])
    if thought is None:
        return [], None
    size, items = config["combo_token_size"], steps[thought:]
    whole = [items[at : at + size] for at in range(0, len(items) - size + 1, size)]
    done = [(chunk[-1][0], tuple(token for _, token in chunk)) for chunk in whole]
    return done, [token for _, token in items[len(whole) * size :]]


def recommendation_allowed(
    config: Mapping[str, Any],
    timelines: Sequence[Sequence[int | None]],
    row: int,
    vocab_size: int,
    logits: Sequence[float] | None = None,
) -> Allowed:
    """The allowed ids of one row, given what all rows generated, None where inactive (PRC-061 to PRC-063)."""
    size = config["combo_token_size"]
    crossing = config.get("cross_sequence_ban", False) and size > 1
    own, unfinished = combos(config, timelines[row])
    known = {tuple(combo) for combo in config.get("banned_combo_token_ids", [])} | {combo for _, combo in own}
    if crossing and row > 0:
        for other in range(len(timelines)):
            known |= {combo for at, combo in combos(config, timelines[other])[0] if timelines[row][at] is not None}
    banned: set[int] = set()
    if unfinished is not None and len(unfinished) == size - 1:
        banned = {combo[-1] for combo in known if list(combo[:-1]) == unfinished}
    ready = unfinished == [] and len(own) >= config.get("cross_seq_diverge_start_combo", 0)
    if logits is not None and crossing and ready:
        best = sorted(range(vocab_size), key=lambda token: (not isnan(logits[token]), -logits[token]))
        banned |= set(best[: min(row, vocab_size - 1, MOST_DIVERGENT)])
    return frozenset(range(vocab_size)) - banned if banned else None
