"""The words the groups are written in: steps, processors, and cases with their expectation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tokenspec.areas.processors.oracle.scripts import NEGATIVE_INFINITY, expected_answers
from tokenspec.store.records import Case

RTP = "alibaba/rtp-llm@4b8d39cd"
ASKING = ("allow", "select", "status", "bitmask", "apply", "masks", "forced")

allow: dict[str, Any] = {"op": "allow"}
status: dict[str, Any] = {"op": "status"}
bitmask: dict[str, Any] = {"op": "bitmask"}


def advance(*tokens: int | list[int], active: list[bool] | None = None) -> dict[str, Any]:
    """One id, or one list of ids, per row."""
    step: dict[str, Any] = {"op": "advance", "tokens": list(tokens)}
    return step if active is None else {**step, "active": active}


def reorder(*src: int) -> dict[str, Any]:
    """New row i = old row src[i]."""
    return {"op": "reorder", "src": list(src)}


def finish(*finished: bool) -> dict[str, Any]:
    """One flag per row."""
    return {"op": "finish", "finished": list(finished)}


def masks(*drafts: list[int]) -> dict[str, Any]:
    """One list of drafts per row."""
    return {"op": "masks", "drafts": list(drafts)}


def commit(*tokens: list[int]) -> dict[str, Any]:
    """One list of ids per row, of any length."""
    return {"op": "commit", "tokens": list(tokens)}


def rollback(*counts: int) -> dict[str, Any]:
    """How many tokens each row takes back."""
    return {"op": "rollback", "counts": list(counts)}


def forced(limit: int, *stop_ids: int) -> dict[str, Any]:
    """The forced runs."""
    step: dict[str, Any] = {"op": "forced", "limit": limit}
    return {**step, "stop_ids": list(stop_ids)} if stop_ids else step


def apply(dtype: str, *rows: list[str], **options: str) -> dict[str, Any]:
    """Bit patterns per row; ``-inf`` stands for the pattern of minus infinity."""
    logits = ["".join(NEGATIVE_INFINITY.get(dtype, "") if word == "-inf" else word for word in row) for row in rows]
    return {"op": "apply", "dtype": dtype, "logits": logits, **options}


def select(*rows: Sequence[float]) -> dict[str, Any]:
    """Logits per row; those that JSON has no number for as a text."""
    logits = [[number if math.isfinite(number) else str(number) for number in map(float, row)] for row in rows]
    return {"op": "select", "logits": logits}


def tree(prefixes: dict[str, list[int]], start: int = 1, end: int = 2, **options: Any) -> dict[str, Any]:
    """A tree over small ids; ``sep`` goes into the configuration, ``mode`` beside it."""
    config: dict[str, Any] = {"start_token_id": start, "end_token_id": end, "prefix_dict": prefixes}
    if "sep" in options:
        config["sep"] = options.pop("sep")
    return {"kind": "tree", "config": config, **options}


def think(end_ids: list[int], max_tokens: int | None, **policy: Any) -> dict[str, Any]:
    """A think policy."""
    return {"kind": "think", "end_ids": end_ids, "max_tokens": max_tokens, **policy}


def after(tag_ids: list[int], processor: dict[str, Any]) -> dict[str, Any]:
    """A constraint that waits for a tag."""
    return {"kind": "after", "tag_ids": tag_ids, "processor": processor}


def multi_seq(eos_token_id: int) -> dict[str, Any]:
    """Finished rows take this id."""
    return {"kind": "multi_seq", "eos_token_id": eos_token_id}


def recommendation(size: int, **options: Any) -> dict[str, Any]:
    """Combos of ``size`` tokens."""
    return {"kind": "recommendation", "combo_token_size": size, **options}


PREFIXES = {"1": [3, 4], "1_3": [5], "1_4": [6, 7], "1_3_5": [2], "1_4_6": [5], "1_4_6_5": [2]}
CROSSING = recommendation(2, banned_combo_token_ids=[[3, 4]], cross_sequence_ban=True)


def watched(steps: list[dict[str, Any]], *asking: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask before the first step and after each one."""
    asking = asking or (allow,)
    return [*asking, *(one for step in steps for one in (step, *asking))]


def case(
    slug: str,
    why: str,
    flags: str,
    requires: str,
    processors: list[dict[str, Any]],
    steps: list[dict[str, Any]],
    *,
    vocab_size: int = 16,
    facts: list[Any] | None = None,
    source: str | None = None,
    issue: str | None = None,
    **script: Any,
) -> Case:
    """A script that is answered. ``facts`` are the stated answers to the asking steps, in order."""
    content = {"processors": processors, "vocab_size": vocab_size, **script, "steps": steps}
    if facts is not None:
        answers = expected_answers(content)
        asked = [
            next(iter(entry.values())) for step, entry in zip(steps, answers, strict=False) if step["op"] in ASKING
        ]
        if asked != facts:
            raise SystemExit(f"{slug}: the oracle says {asked}, the facts say {facts}")
    return _case(slug, why, flags, requires, content, source, issue=issue)


def refused(
    slug: str,
    why: str,
    flags: str,
    requires: str,
    processors: list[dict[str, Any]],
    pointers: list[str],
    *,
    vocab_size: int = 16,
    code: str = "invalid-config",
    places: Sequence[str] = (),
    source: str = "facts of the seed, spec/30-processors.md",
) -> Case:
    """A script whose configuration is refused, naming ``pointers`` into the first processor, or at ``places``."""
    content = {"processors": processors, "vocab_size": vocab_size, "steps": [allow]}
    stated = {"pointers": pointers, "places": list(places)}
    refusal: dict[str, Any] = {"code": code, **{name: given for name, given in stated.items() if given}}
    return _case(slug, why, flags, requires, content, source, outcome="raises", refusal=refusal)


def _case(
    slug: str, why: str, flags: str, requires: str, content: dict[str, Any], source: str | None, **rest: Any
) -> Case:
    return Case(
        id=f"processors/{slug}",
        area="processors",
        flags=flags.split(),
        requires=[f"PRC-{number}" for number in requires.split()],
        why=why,
        since="0.1",
        source=source,
        input=content,
        **rest,
    )
