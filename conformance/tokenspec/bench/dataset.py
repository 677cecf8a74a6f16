"""Preparing a data set: ids, masks and findings, against peers, and against more rows and more processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tokenspec.areas.render.bench import real_text
from tokenspec.benchmark import Bench, Figure, measure
from tokenspec.models import load

ROW = "qwen3"
CONVERSATIONS = 60
CHARACTERS = 11_000
"""About 2,600 tokens of Qwen3 a conversation."""
FEW, MANY = 400, 8000
"""Rows of the files that the command is given."""


def conversations(count: int, turns: int = 6) -> list[list[dict[str, Any]]]:
    """Conversations of distinct text, no two alike."""
    text = real_text(count * CHARACTERS)
    step = CHARACTERS // turns
    return [
        [
            {"role": ("user", "assistant")[k % 2], "content": text[at + k * step : at + (k + 1) * step].strip() or "x"}
            for k in range(turns)
        ]
        for at in range(0, count * CHARACTERS, CHARACTERS)
    ]


def each(function: Any, given: Sequence[Any]) -> None:
    """Call a function on each."""
    for one in given:
        function(one)


def run() -> Iterator[Figure]:
    """Peers on the same conversations, then the command on more rows and more processes."""
    from renderers import build_training_sample as peer_sample
    from renderers import create_renderer as create_peer
    from renderers.configs import config_from_name

    from tokenspec.datasets.recipe import faster, of_row, preparer_of, probes, renderer_of
    from tokenspec_reference.preparation import Conversation, Preparer

    given = conversations(CONVERSATIONS)
    ours = [Conversation(messages) for messages in given]
    recipe, tokenizer = of_row(ROW), load(ROW).tokenizer
    peer = create_peer(tokenizer, config_from_name("qwen3"))
    ids_alone = partial(tokenizer.apply_chat_template, tokenize=True, return_dict=False)
    contenders = {
        "tokenizers": partial(each, preparer_of(recipe), ours),
        "apply_chat_template": partial(each, ids_alone, given),
        "renderers": partial(each, partial(peer_sample, peer), given),
    }
    encoder = faster(recipe, probes(recipe))
    if encoder is not None:
        contenders["fastokens"] = partial(each, Preparer(renderer_of(recipe), encoder=encoder), ours)
    times = {name: seconds / CONVERSATIONS for name, seconds in measure(contenders, rounds=5).items()}
    for name in ("fastokens", "tokenizers"):
        if name in times:
            limits = (0.2, 1 / 3) if name == "fastokens" else (None, None)
            what, rate = f"masks and findings, {name}", f"({1 / times[name]:.0f} a core-second)"
            yield Figure(what, times[name], times["apply_chat_template"], "apply_chat_template", limits[0], rate)
            yield Figure(what, times[name], times["renderers"], "renderers", limits[1])
    with tempfile.TemporaryDirectory() as folder:
        yield from of_the_command(Path(folder))


def of_the_command(folder: Path) -> Iterator[Figure]:
    """Cost of a row among few and many, then what more rows take one process and two: their start-up cancels out."""
    paths = {}
    for count in (FEW, MANY):
        paths[count] = folder / f"{count}.jsonl"
        with paths[count].open("w", encoding="utf-8") as stream:
            for number, messages in enumerate(conversations(100) * (count // 100)):
                first = {**messages[0], "content": f"{number} {messages[0]['content']}"}
                stream.write(json.dumps([first, *messages[1:]]) + "\n")
    cpu, wall = {}, {}
    for processes in (1, 2):
        for count, path in paths.items():
            cpu[count, processes], wall[count, processes] = timed(path, processes, folder / f"{count}-{processes}")
    more = {processes: wall[MANY, processes] - wall[FEW, processes] for processes in (1, 2)}
    rate = f"with start-up; {(MANY - FEW) / (cpu[MANY, 1] - cpu[FEW, 1]):.0f} a core-second without"
    yield Figure(f"a row of {MANY:,}", cpu[MANY, 1] / MANY, cpu[FEW, 1] / FEW, f"a row of {FEW:,}", 1.0, rate)
    cores = f"wall, start-up taken off, {os.cpu_count()} cores"
    yield Figure(f"{MANY - FEW:,} more rows, two processes", more[2], more[1], "one", 1 / 1.7, cores)


def timed(path: Path, processes: int, out: Path) -> tuple[float, float]:
    """CPU and wall seconds of the command."""
    before, start = os.times(), time.perf_counter()
    words = ["prepare", str(path), "--row", ROW, "-o", str(out), "--processes", str(processes), "--shard-rows", "200"]
    subprocess.run([sys.executable, "-m", "tokenspec", *words], check=True, capture_output=True)  # noqa: S603
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, time.perf_counter() - start


BENCH = Bench("dataset", "Preparing conversations of 2.6k tokens for training (qwen3)", run)
