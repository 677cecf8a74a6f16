"""A tree step over 256 rows of 151,936 logits, against the memory fill, upstream's dense mask and transformers' way.

All contenders hold the same rows at the same place of the same 100,000-key tree. A step is what a sampler waits for:
the allow-set and its mask (the state moves while the model runs; it is measured apart).
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenspec.benchmark import Bench, Figure, measure

VOCAB, ROWS, BEAMS = 151_936, 256, 4
SHAPES = {"50x20x10x9": (50, 20, 10, 9), "256x16x8x2": (256, 16, 8, 2), "5000x4x4": (5000, 4, 4)}
START, END = 225, 2


def make_tree(widths: tuple[int, ...], seed: int = 0) -> dict[str, Any]:
    """A tree with the given branching per level; every leaf has an entry that ends."""
    rng = random.Random(seed)
    prefixes: dict[str, list[int]] = {}
    level = [str(START)]
    for width in widths:
        below: list[str] = []
        for key in level:
            prefixes[key] = rng.sample(range(1000, VOCAB), width)
            below += [f"{key}_{token}" for token in prefixes[key]]
        level = below
    prefixes |= {key: [END] for key in level}
    return {"start_token_id": START, "end_token_id": END, "prefix_dict": prefixes}


@dataclass
class Rows:
    """The rows of one step: their paths, as strings for the dictionary ways, as a state for ours."""

    config: dict[str, Any]
    processor: Any
    state: Any
    paths: list[list[int]]


def walk(config: dict[str, Any], depth: int) -> Rows:
    """Every row takes its own random path of ``depth`` tokens."""
    from tokenspec_reference.processors import TreeLogitsProcessor, compile_tree

    rng = random.Random(1)
    paths = []
    for _ in range(ROWS):
        path: list[int] = []
        for _ in range(depth):
            path.append(rng.choice(config["prefix_dict"]["_".join(map(str, [START, *path]))]))
        paths.append(path)
    processor = TreeLogitsProcessor(compile_tree(config, vocab_size=VOCAB))
    return Rows(config, processor, processor.advance(processor.init(ROWS), paths), paths)


def our_step(rows: Rows, logits: Any) -> Callable[[], object]:
    """Allow and apply."""
    from tokenspec_reference.processors import apply_allowed

    return lambda: apply_allowed(logits, rows.processor.allow(rows.state))


def dense_step(rows: Rows, logits: Any) -> Callable[[], object]:
    """Upstream's way: look the string up, build a byte mask of the whole batch, fill where it is set."""
    import torch

    statuses = ["_".join(map(str, [START, *path])) for path in rows.paths]
    prefixes = rows.config["prefix_dict"]

    def step() -> object:
        mask = torch.ones((ROWS, VOCAB), dtype=torch.uint8)
        for row, status in enumerate(statuses):
            mask[row, prefixes.get(status, [END])] = 0
        return logits.masked_fill_(mask.bool(), float("-inf"))

    return step


def transformers_step(rows: Rows, logits: Any) -> Callable[[], object]:
    """The way of transformers: a callback per row, a full matrix of -inf, an addition."""
    import torch
    from transformers import PrefixConstrainedLogitsProcessor

    prefixes = rows.config["prefix_dict"]

    def allowed(_batch: int, ids: Any) -> list[int]:
        found: list[int] = prefixes.get("_".join(map(str, ids.tolist())), [END])
        return found

    processor = PrefixConstrainedLogitsProcessor(allowed, BEAMS)
    input_ids = torch.tensor([[START, *path] for path in rows.paths])
    return lambda: processor(input_ids, logits)


def filled(logits: Any) -> Callable[[], object]:
    """The floor: write -inf everywhere."""
    return lambda: logits.fill_(float("-inf"))


def random_logits(dtype: Any) -> Any:
    """``[256, 151936]`` of the type."""
    import torch

    return torch.randn(ROWS, VOCAB).to(dtype)


def run() -> Iterator[Figure]:
    """Figures of the issue, then the cost of the state and of loading."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from steps()
        yield from device_steps()
        yield from loading()
    finally:
        torch.set_num_threads(threads)


def steps() -> Iterator[Figure]:
    """One step at depth 1 of three shapes, and at the root of the widest."""
    import torch

    for name, widths in SHAPES.items():
        rows = walk(make_tree(widths), 1)
        times = measure(
            {
                "ours": our_step(rows, random_logits(torch.float32)),
                "fill": filled(random_logits(torch.float32)),
                "dense": dense_step(rows, random_logits(torch.float32)),
                "transformers": transformers_step(rows, random_logits(torch.float32)),
            }
        )
        ours, fill = times["ours"], times["fill"]
        yield Figure(f"{name} fp32 step", ours, fill, "fill_(-inf)", 1.3)
        for peer, who, whole, most in (
            ("dense", "string dict + dense mask", 1 / 2, 1 / 8),
            ("transformers", "transformers PrefixConstrained", 1 / 10, 1 / 20),
        ):
            # all of them fill, and how long that takes is the memory's: the narrow bound is on what they do beyond it
            yield Figure(f"{name} fp32 step", ours, times[peer], who, whole)
            yield Figure(f"{name} fp32 step, beyond the fill", max(ours - fill, 0.0), times[peer] - fill, who, most)
    rows = walk(make_tree(SHAPES["50x20x10x9"]), 1)
    for dtype, limit in ((torch.bfloat16, 1.5), (torch.float16, 1.5), (torch.float64, None)):
        times = measure({"ours": our_step(rows, random_logits(dtype)), "fill": filled(random_logits(dtype))})
        yield Figure(
            f"50x20x10x9 {str(dtype).removeprefix('torch.')} step", times["ours"], times["fill"], "fill_(-inf)", limit
        )
    wide = walk(make_tree(SHAPES["5000x4x4"]), 0)
    logits = random_logits(torch.float32)
    times = measure({"ours": our_step(wide, logits), "fill": filled(random_logits(torch.float32))})
    note = "1.3 million logits are kept: gather and scatter, not the fill, are the cost"
    yield Figure("root with 5000 candidates, fp32", times["ours"], times["fill"], "fill_(-inf)", None, note)
    tokens = torch.tensor([path[-1] for path in rows.paths])
    state = rows.processor.init(ROWS)
    times = measure(
        {"ours": lambda: rows.processor.advance(state, tokens), "step": our_step(rows, random_logits(torch.float32))}
    )
    yield Figure("advance of 256 rows", times["ours"], times["step"], "one masked fp32 step", 1 / 10)


def device_steps() -> Iterator[Figure]:
    """The same step on an accelerator, where there is one: twenty steps between two synchronisations.

    As called it costs its launches; captured as a CUDA graph, as servers run their steps, what the device does.
    """
    import torch

    from tokenspec_reference.processors import TreeLogitsProcessor, apply_allowed

    if not torch.cuda.is_available():
        return
    rows = walk(make_tree(SHAPES["50x20x10x9"]), 1)
    processor = TreeLogitsProcessor(rows.processor.tree, device="cuda")
    state = processor.advance(processor.init(ROWS), torch.tensor(rows.paths, device="cuda"))
    for dtype in (torch.float32, torch.bfloat16):
        ours, floor = random_logits(dtype).cuda(), random_logits(dtype).cuda()

        def step(logits: Any = ours) -> object:
            return apply_allowed(logits, processor.allow(state), on_dead="zero")

        fill = filled(floor)
        times = measure(
            {
                "ours": twenty(step),
                "fill": twenty(fill),
                "ours captured": twenty(captured(step)),
                "fill captured": twenty(captured(fill)),
            }
        )
        name = f"50x20x10x9 {str(dtype).removeprefix('torch.')} step, CUDA"
        yield Figure(name, times["ours"], times["fill"], "fill_(-inf)", 1.5, "no synchronisation")
        yield Figure(f"{name} graph", times["ours captured"], times["fill captured"], "a graph of fill_(-inf)", 1.5)


def twenty(step: Callable[[], object]) -> Callable[[], object]:
    """Twenty calls and the wait for the device."""
    import torch

    return lambda: ([step() for _ in range(20)], torch.cuda.synchronize())


def captured(step: Callable[[], object]) -> Callable[[], object]:
    """``step`` as a CUDA graph, warmed up and ready to replay."""
    import torch

    aside = torch.cuda.Stream()
    with torch.cuda.stream(aside):
        step()
    aside.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    replay: Callable[[], object] = graph.replay
    return replay


def loading() -> Iterator[Figure]:
    """Load a file of 101,051 keys, against ``json.loads`` and against a file of half the keys."""
    from tokenspec_reference.processors import load_tree

    with tempfile.TemporaryDirectory() as folder:
        whole, half = Path(folder, "whole.json"), Path(folder, "half.json")
        whole.write_text(json.dumps(make_tree((50, 20, 10, 9))), encoding="utf-8")
        half.write_text(json.dumps(make_tree((25, 20, 10, 9))), encoding="utf-8")
        times = measure(
            {
                "whole": lambda: load_tree(whole, vocab_size=VOCAB),
                "half": lambda: load_tree(half, vocab_size=VOCAB),
                "json": lambda: json.loads(whole.read_text(encoding="utf-8")),
            },
            rounds=3,
        )
        yield Figure("load, validate, compile 101,051 keys", times["whole"], times["json"], "json.loads alone")
        yield Figure("load 101,051 keys", times["whole"], times["half"], "load 50,526 keys", 2.5, "linear")


BENCH = Bench("processors", "Processors: one masked step, and loading a tree", run)
