"""Streams of completions: ten times the length, token by token, on rows of different notations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tokenspec.areas.render.bench import real_text
from tokenspec.benchmark import Bench, Figure, measure
from tokenspec.models import load

ROWS = ("qwen3", "qwen3.5", "gemma-4", "deepseek-v3.1", "gpt-oss", "llama-3.3")
LENGTHS = (10_000, 100_000)
BOUND = 12


def run() -> Iterator[Figure]:
    """An answer, and an answer with a long call where the row's template writes calls behind a marker."""
    from tokenspec_reference.renderers import create_renderer

    for name in ROWS:
        row = load(name)
        renderer = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
        for kind, written in (("answer", real_text), ("call", partial(_call_text, renderer))):
            ids = [renderer.encoder.ids(written(length)) for length in LENGTHS]
            times = measure({str(len(own)): partial(_stream, renderer, own) for own in ids}, rounds=3)
            short, long = (times[str(len(own))] for own in ids)
            yield Figure(f"{name}, {kind} of 100,000 characters", long, short, "of 10,000 characters", BOUND)


def _call_text(renderer: Any, length: int) -> str:
    """A call as the row's template writes it, with a long argument."""
    arguments = {"text": real_text(length)}
    call = {"id": "callrome1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    spelled = {**call, "function": {"name": "f", "arguments": json.dumps(arguments)}}
    for one in (call, spelled):
        turn = {"role": "assistant", "content": "", "tool_calls": [one]}
        try:
            whole: str = renderer.render_text([{"role": "user", "content": "q"}, turn])
        except ValueError:
            continue
        return whole.removeprefix(renderer.render_text([{"role": "user", "content": "q"}], add_generation_prompt=True))
    raise ValueError("the template refuses a call in either spelling")


def _stream(renderer: Any, ids: list[int]) -> None:
    stream = renderer.stream_parser()
    feed: Callable[[list[int]], Any] = stream.feed
    for token in ids:
        feed([token])
    stream.finish()


BENCH = Bench("stream", "Streams, token by token", run)
