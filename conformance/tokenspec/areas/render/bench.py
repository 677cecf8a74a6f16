"""Renderers: full attribution against ``apply_chat_template``, the ``renderers`` package, and a faster tokenizer."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tokenspec.benchmark import Bench, Figure, measure
from tokenspec.models import load

ROW = "qwen3"
SIZES = {"4k tokens": 14_000, "32k tokens": 116_000}


def real_text(length: int) -> str:
    """Source text of the standard library, never repeated: caches of a tokenizer must not help anyone."""
    found, total = [], 0
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="ignore")
        found.append(text)
        total += len(text)
        if total >= length:
            break
    return "".join(found)[:length]


def conversation(length: int, turns: int = 12) -> list[dict[str, Any]]:
    """A user/assistant conversation of about ``length`` characters of distinct text."""
    text = real_text(length)
    step = len(text) // turns
    roles = ("user", "assistant")
    return [
        {"role": roles[turn % 2], "content": text[turn * step : (turn + 1) * step].strip() or "x"}
        for turn in range(turns)
    ]


def run() -> Iterator[Figure]:
    """Full renders at two sizes, then the bridge at two lengths of history."""
    from renderers import create_renderer as create_peer
    from renderers.configs import config_from_name

    from tokenspec_reference.renderers import create_renderer

    row = load(ROW)
    tokenizer = row.tokenizer
    ours = create_renderer(tokenizer, family="qwen3", chat_template=row.chat_template)
    template = create_renderer(tokenizer, family="template", chat_template=row.chat_template)
    peer = create_peer(tokenizer, config_from_name("qwen3"))
    fast = create_renderer(fast_tokenizer(row.directory), family="qwen3", chat_template=row.chat_template)
    for size, length in SIZES.items():
        messages = conversation(length)
        times = measure(
            {
                "apply_chat_template": partial(
                    tokenizer.apply_chat_template, messages, tokenize=True, return_dict=False
                ),
                "renderers": partial(peer.render, messages),
                "family": partial(ours.render, messages),
                "template": partial(template.render, messages),
                "fastokens": partial(fast.render, messages),
            }
        )
        hf, theirs = times["apply_chat_template"], times["renderers"]
        yield Figure(f"hand-written, {size}", times["family"], hf, "apply_chat_template", 1.1)
        yield Figure(f"hand-written, {size}", times["family"], theirs, "renderers", 1.0)
        yield Figure(f"template, {size}", times["template"], hf, "apply_chat_template", 1.6)
        yield Figure(f"hand-written on fastokens, {size}", times["fastokens"], hf, "apply_chat_template", 1 / 3)
    yield bridge_figure(ours)


def fast_tokenizer(directory: Path) -> Any:
    """The same vocabulary behind the fastokens backend, which tracks no offsets."""
    import fastokens
    from transformers import PreTrainedTokenizerFast

    fastokens.patch_transformers()
    try:
        return PreTrainedTokenizerFast.from_pretrained(str(directory))
    finally:
        fastokens.unpatch_transformers()


def bridge_figure(renderer: Any) -> Figure:
    """One tool result after a short and after a long history: the cost is the new message's, not the history's."""
    result = [{"role": "tool", "content": "21 degrees"}]
    stop = renderer.get_stop_token_ids()[0]
    histories = [renderer.render_ids(conversation(length), add_generation_prompt=True) for length in SIZES.values()]
    times = measure(
        {
            name: partial(renderer.bridge_to_next_turn, history, [100, stop], result)
            for name, history in zip(("short", "long"), histories, strict=True)
        },
        rounds=31,
    )
    return Figure("bridge after 32k tokens", times["long"], times["short"], "bridge after 4k tokens", note="copies ids")


BENCH = Bench("render", "Rendering qwen3 with full attribution", run)
