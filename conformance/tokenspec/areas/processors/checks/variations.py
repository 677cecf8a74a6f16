"""Scripts made from a script: the same question asked another way.

Every function takes a request and returns a new one; the answers of both must agree as the relation says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from math import gcd
from typing import Any

from tokenspec.areas.processors.oracle.allowed_sets import parse_tree
from tokenspec.areas.processors.oracle.scripts import NEGATIVE_INFINITY, Timeline, walk

Script = dict[str, Any]
ASKING = ("allow", "select", "status", "bitmask", "apply", "masks", "forced")
ID_FIELDS = {
    *("end_ids", "begin_ids", "closing_ids", "tag_ids"),
    *("eos_token_id", "banned_combo_token_ids", "end_think_token_ids"),
}
# 1.0, -0.0, a NaN with payload, the smallest denormal
PATTERNS = {
    "float16": ("3c00", "8000", "7e2a", "0001"),
    "bfloat16": ("3f80", "8000", "7fca", "0001"),
    "float32": ("3f800000", "80000000", "7fc0beef", "00000001"),
    "float64": ("3ff0000000000000", "8000000000000000", "7ff80000deadbeef", "0000000000000001"),
}


def moves(script: Script) -> list[dict[str, Any]]:
    """The steps that change the state."""
    return [step for step in script["steps"] if step["op"] not in ASKING]


def final(script: Script) -> Timeline:
    """The histories at the end."""
    timeline = Timeline(
        script["processors"], script["vocab_size"], [[] for _ in range(script["rows"])], [False] * script["rows"]
    )
    for timeline, _, _ in walk(script):  # noqa: B007 - the last one is wanted
        pass
    return timeline


def with_steps(script: Script, steps: Sequence[dict[str, Any]], **changes: Any) -> Script:
    """The same processors, other steps."""
    return {**script, "steps": list(steps), **changes}


def ending_with(script: Script, *asking: dict[str, Any]) -> Script:
    """Only the moves, then these questions."""
    return with_steps(script, [*moves(script), *asking])


def asked_twice(script: Script) -> Script:
    """Every question twice in a row."""
    return with_steps(script, [one for step in script["steps"] for one in [step] * (1 + (step["op"] in ASKING))])


def split(script: Script) -> Script:
    """Several tokens at once as single steps, then one question."""
    steps: list[dict[str, Any]] = []
    for step in moves(script):
        if step["op"] != "advance":
            steps.append(step)
            continue
        columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
        steps += [{**step, "tokens": list(column)} for column in zip(*columns, strict=True)]
    return with_steps(script, [*steps, {"op": "allow"}])


def fused(script: Script) -> Script:
    """Neighbouring steps of all rows as several tokens at once, then one question."""
    steps: list[dict[str, Any]] = []
    for whole, run in groupby(moves(script), key=lambda step: step["op"] == "advance" and "active" not in step):
        group = list(run)
        if not whole:
            steps += group
            continue
        columns = [[[token] if isinstance(token, int) else token for token in step["tokens"]] for step in group]
        steps.append(
            {"op": "advance", "tokens": [list(chain.from_iterable(parts)) for parts in zip(*columns, strict=True)]}
        )
    return with_steps(script, [*steps, {"op": "allow"}])


def reversed_rows(script: Script) -> Script:
    """Row i becomes row n - 1 - i."""
    rows, steps = script["rows"], []
    for step in script["steps"]:
        turned = {
            key: value[::-1] if key in {"tokens", "active", "finished", "logits", "drafts", "counts"} else value
            for key, value in step.items()
        }
        if step["op"] == "reorder":
            turned["src"] = [rows - 1 - row for row in reversed(step["src"])]
            rows = len(step["src"])
        steps.append(turned)
    return with_steps(script, steps)


def replayed(script: Script, *asking: dict[str, Any]) -> Script:
    """The final histories from scratch: no reorder, ragged rows by held rows, flags once."""
    timeline = final(script)
    histories = [[token for token in row if token is not None] for row in timeline.rows]
    longest = max((len(history) for history in histories), default=0)
    steps: list[dict[str, Any]] = [
        {
            "op": "advance",
            "tokens": [history[at] if at < len(history) else 0 for history in histories],
            "active": [at < len(history) for history in histories],
        }
        for at in range(longest)
    ]
    if any(processor.get("kind") == "multi_seq" for processor in script["processors"]):
        steps.append({"op": "finish", "finished": timeline.finished})
    return with_steps(script, [*steps, *asking], rows=len(histories), checked=False)


def held_noise(script: Script) -> Script:
    """Before every question, a step in which all rows stand still."""
    rows, steps = script["rows"], []
    for step in script["steps"]:
        if step["op"] in ASKING:
            steps.append({"op": "advance", "tokens": [script["vocab_size"] - 1] * rows, "active": [False] * rows})
        if step["op"] == "reorder":
            rows = len(step["src"])
        steps.append(step)
    return with_steps(script, steps)


def other_chains(script: Script) -> Iterator[Script]:
    """Other orders of the chain, and a repeated member."""
    members = script["processors"]
    if len(members) > 1:
        yield {**script, "processors": members[::-1]}
        yield {**script, "processors": members[1:] + members[:1]}
    repeatable = [processor for processor in members if processor.get("kind") != "multi_seq"]
    if repeatable:
        yield {**script, "processors": [*members, repeatable[0]]}


def applied(rows: int, vocab_size: int, dtype: str, layout: str = "contiguous") -> dict[str, Any]:
    """A mask over logits of every kind but -inf."""
    row = "".join(PATTERNS[dtype][token % 4] for token in range(vocab_size))
    return {"op": "apply", "dtype": dtype, "logits": [row] * rows, "layout": layout}


def mask_expected(step: Mapping[str, Any], allowed: Sequence[list[int] | str]) -> list[str]:
    """What ``applied`` logits become under these sets."""
    width, negative = len(NEGATIVE_INFINITY[step["dtype"]]), NEGATIVE_INFINITY[step["dtype"]]
    result = []
    for row, ids in zip(step["logits"], allowed, strict=True):
        words = [row[at : at + width] for at in range(0, len(row), width)]
        keep = set(range(len(words))) if ids == "ALL" else {int(token) for token in ids}
        result.append("".join(word if token in keep else negative for token, word in enumerate(words)))
    return result


def renaming(vocab_size: int) -> list[int]:
    """A permutation of the vocabulary without fixed structure: ``token -> (a token + b) mod V``."""
    factor = next(a for a in range(max(vocab_size * 5 // 8, 2), 2 * vocab_size + 2) if gcd(a, vocab_size) == 1)
    return [(factor * token + vocab_size // 3) % vocab_size for token in range(vocab_size)]


def innermost(processor: dict[str, Any]) -> dict[str, Any]:
    """What waits behind tags, or the processor itself."""
    while isinstance(inner := processor.get("processor"), dict):
        processor = inner
    return processor


def is_readable(processor: dict[str, Any]) -> bool:
    """Whether a tree's configuration has the form of one, whatever its ids."""
    try:
        config = parse_tree(processor)
    except (KeyError, TypeError, ValueError):
        return False
    prefixes = config["prefix_dict"]
    lists = isinstance(prefixes, dict) and all(isinstance(ids, list) for ids in prefixes.values())
    return lists and isinstance(config["sep"], str)


def is_renamable(processor: dict[str, Any], vocab_size: int) -> bool:
    """Whether ids of the vocabulary, and nothing else, stand where a configuration has ids."""

    def are_ids(value: Any) -> bool:
        if isinstance(value, list):
            return all(map(are_ids, value))
        return type(value) is int and 0 <= value < vocab_size

    if processor.get("kind") == "after":
        inner = processor.get("processor")
        if not isinstance(inner, dict) or not is_renamable(inner, vocab_size):
            return False
    if processor.get("kind") != "tree":
        return all(are_ids(value) for key, value in processor.items() if key in ID_FIELDS)
    if not is_readable(processor) or not parse_tree(processor)["sep"]:
        return False
    config = parse_tree(processor)
    separator, prefixes = config["sep"], config["prefix_dict"]
    named = [config["start_token_id"], config["end_token_id"], *prefixes.values()]
    parts = [part for key in prefixes for part in key.split(separator)]
    return are_ids(named) and all(part.isdecimal() and int(part) < vocab_size for part in parts)


def rename_tree(processor: dict[str, Any], names: Sequence[int], separator: str) -> dict[str, Any]:
    """The same tree over renamed ids and another separator."""
    config = parse_tree(processor)
    prefixes = {
        separator.join(str(names[int(part)]) for part in key.split(config["sep"])): [names[token] for token in listed]
        for key, listed in config["prefix_dict"].items()
    }
    renamed = {
        "start_token_id": names[config["start_token_id"]],
        "end_token_id": names[config["end_token_id"]],
        "sep": separator,
        "prefix_dict": prefixes,
    }
    return {**{key: value for key, value in processor.items() if key != "config_text"}, "config": renamed}


def renamed(script: Script, names: Sequence[int], separator: str = "_") -> Script:
    """The whole script over renamed ids; only the sets are asked for."""

    def deep(value: Any) -> Any:
        if isinstance(value, list):
            return [deep(one) for one in value]
        return names[value] if 0 <= value < len(names) else value  # the token of a held row may be anything

    def rename(processor: dict[str, Any]) -> dict[str, Any]:
        if processor.get("kind") == "tree":
            prompt = {key: deep(value) for key, value in processor.items() if key == "prompt_token_ids"}
            return {**rename_tree(processor, names, separator), **prompt}
        other = {key: deep(value) if key in ID_FIELDS else value for key, value in processor.items()}
        return {**other, "processor": rename(processor["processor"])} if "processor" in processor else other

    steps = [
        {**step, "tokens": deep(step["tokens"])} if "tokens" in step else step
        for step in script["steps"]
        if step["op"] in {"allow", "advance", "reorder", "finish", "commit", "rollback"}
    ]
    processors = [rename(processor) for processor in json.loads(json.dumps(script["processors"]))]
    return {**script, "processors": processors, "steps": steps}
