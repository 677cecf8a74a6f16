"""Special tokens as items of a grammar, on the rows that have them."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.fast_forward.cases.build import case
from tokenspec.store.records import Case

TURNS = {
    "chatml": (["qwen3", "qwen35-vocab", "toy-bpe"], "<|im_start|>", "assistant\n", "<|im_end|>"),
    "llama": (["llama-3.2"], "<|start_header_id|>", "assistant", "<|end_header_id|>"),
    "deepseek": (["deepseek-v3"], "<｜User｜>", "Hello", "<｜Assistant｜>"),
    "gemma": (["gemma-4"], "<|turn>", "model\n", "<turn|>"),
    "harmony": (["gpt-oss"], "<|start|>", "assistant", "<|channel|>"),
    "phi": (["phi-3"], "<|user|>", "Hello", "<|end|>"),
    "document": (["gpt-2"], "<|endoftext|>", "Title", "<|endoftext|>"),
}


def cases() -> Iterator[Case]:
    """Cases ``special-item-*``."""
    for name, (rows, opening, text, closing) in TURNS.items():
        first, last = {"special": opening}, {"special": closing}
        flag = "SPECIAL_ITEM"
        needs = ("FFT-005",)
        yield case(
            f"special-item-{name}-whole",
            "Special tokens and the text between them are forced to the end.",
            flag,
            {"sequence": [first, {"literal": text}, last]},
            requires=needs,
            rows=rows,
        )
        yield case(
            f"special-item-{name}-open",
            "After the last special token the text is open.",
            flag,
            {"sequence": [first, {"literal": text}, last, {"regex": "yes(terday)?|yesno"}]},
            requires=needs,
            rows=rows,
            sweep=True,
        )
        yield case(
            f"special-item-{name}-inside",
            "The prefix ends in a special token, which is a boundary and no context.",
            flag,
            {"sequence": [first, {"literal": text}, last]},
            [{"special": opening}],
            requires=needs,
            rows=rows,
        )
        yield case(
            f"special-item-{name}-text-before",
            "Text before a special token ends there.",
            flag,
            {"sequence": [{"literal": "order order"}, first, {"regex": "a(b|c)"}]},
            ["order"],
            requires=needs,
            rows=rows,
        )
    yield case(
        "special-item-thinking",
        "Control tokens that are marked as not special.",
        "SPECIAL_ITEM",
        {
            "sequence": [
                {"special": "<think>"},
                {"literal": "\n\n"},
                {"special": "</think>"},
                {"literal": "\n"},
                {"regex": "[a-z]+"},
            ]
        },
        requires=("FFT-005",),
        rows=["qwen3"],
    )


CASES = tuple(cases())
