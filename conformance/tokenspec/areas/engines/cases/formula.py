"""Tiny models on real tokenizers: prompts, added rows, cache policies, texts that are hard to cut.

The decisions of each case are clear of the threshold on every row: rounding cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.build import case
from tokenspec.store.records import Case

TOYS = ["toy-bpe", "toy-metaspace", "toy-added"]
DATED = "toy-ranks"  # its own template prints today's date, so cases bring a template
PLAIN_TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"
REAL = ["qwen3", "qwen2.5", "deepseek-v3"]
SYSTEM = "Repeat the trace. Write Step before every new step."
TRACE = (
    "First we add two and three. That gives five, so the sum is five.\n\nNow we check: five minus three is two. "
    "Good! The answer is five."
)
TEXTS = {
    "emoji": (
        "Emoji of one and of several code points.",
        "Take 😀🤖. Then 👨\u200d👩\u200d👧, done! 🏳️\u200d🌈 flag. Naïve café, no?",
    ),
    "combining": (
        "Letters with combining marks, which some tokenizers compose.",
        "e\u0301clair e\u0301. Cafe\u0301, n\u0303o! A\u030angstro\u0308m. So e\u0301.",
    ),
    "wide": ("Han, kana and a character beyond the basic plane.", "日本語テスト𓀀。 次に、足す. 答えは五! 𓀀𓀀 おわり."),
    "line-ends": (
        "Carriage returns, tabs and runs of spaces.",
        "One.\r\nTwo,\tthree.\r\n\r\n  Four   five.\n\n\n six. ",
    ),
    "markup": (
        "Text that looks like control tokens.",
        "We write <|im_end|> here. And <s> or [END] there. Then </turn>. Done.",
    ),
}


SEEDS = {
    "cache-window-1": 4,
    "cache-window-5": 2,
    "cache-window-64": 3,
    "double-separator-in-trace": 2,
    "double-window": 2,
    "text-markup-q50": 3,
    "text-real-rows": 3,
    "tiny-literal": 2,
    "tiny-real-rows": 2,
    "tiny-untied": 4,
}
"""The first seed whose decisions are clear of the threshold on every row, where that is not 1."""


def tiny(
    slug: str,
    why: str,
    flags: str,
    requires: str,
    rows: list[str],
    trace: str = TRACE,
    *,
    engine: str = "forced-decoder",
    model: dict[str, Any] | None = None,
    **parameters: Any,
) -> Case:
    """A case on a tiny model; its goldens must be clear of the threshold (ENG-056, tested): else it needs a seed."""
    return case(
        slug,
        why,
        flags,
        requires,
        rows=rows,
        trace=trace,
        model={"kind": "tiny", "seed": SEEDS.get(slug, 1), **(model or {})},
        engines=[engine],
        parameters={"system_prompt": SYSTEM, **parameters},
    )


def contexts() -> Iterator[Case]:
    """Prompt, candidates, added rows."""
    yield tiny(
        "tiny-plain",
        "A tiny model of two layers on each toy tokenizer.",
        "SEGMENT_CONTEXT",
        "ENG-004 ENG-010 ENG-013 ENG-020 ENG-040 ENG-052 ENG-053",
        TOYS,
    )
    yield tiny(
        "tiny-dated-row",
        "A tokenizer whose own template prints the date, under a template of the case.",
        "SEGMENT_CONTEXT",
        "ENG-010 ENG-040",
        [DATED],
        chat_template=PLAIN_TEMPLATE,
    )
    yield tiny(
        "tiny-no-system-text",
        "An empty system prompt is a system turn too.",
        "SEGMENT_CONTEXT",
        "ENG-010",
        TOYS,
        system_prompt="",
    )
    yield tiny(
        "tiny-long-system-text",
        "The system prompt is part of every prediction.",
        "SEGMENT_CONTEXT",
        "ENG-010",
        TOYS,
        system_prompt=SYSTEM * 4,
    )
    yield tiny(
        "tiny-system-role-merged",
        "The system prompt in the user turn gives another prompt.",
        "SEGMENT_CONTEXT",
        "ENG-010",
        ["toy-bpe", "toy-added"],
        system_role="merge",
    )
    yield tiny(
        "tiny-untied",
        "An untied head gets its own mean row.",
        "SEGMENT_CONTEXT",
        "ENG-012 ENG-013",
        TOYS,
        model={"tied": False},
    )
    yield tiny(
        "tiny-padding",
        "The matrix has spare rows; the separator takes the first of them as it is.",
        "SEGMENT_CONTEXT",
        "ENG-012",
        TOYS,
        model={"padding": 3},
    )
    yield tiny(
        "tiny-separator-in-trace",
        "The trace contains the separator, which the tokenizer does not know yet.",
        "SEGMENT_CONTEXT",
        "ENG-011 ENG-031",
        TOYS,
        "One is two.<|seg|> Three, four. Five<|seg|>six. Seven is eight.",
    )
    yield tiny(
        "tiny-float64",
        "The same architecture in double precision.",
        "SEGMENT_CONTEXT",
        "ENG-040 ENG-053",
        TOYS,
        model={"dtype": "float64"},
    )
    yield tiny(
        "tiny-literal",
        "Upstream's pass 2 on a model.",
        "SEGMENT_SCORE",
        "ENG-034",
        TOYS,
        score_mode="upstream_literal",
        quantile=75,
    )
    yield tiny(
        "tiny-deeper",
        "Three layers, no shared heads.",
        "SEGMENT_CONTEXT",
        "ENG-040",
        ["toy-bpe"],
        model={"layers": 3, "key_value_heads": 4},
    )
    yield tiny(
        "tiny-real-rows",
        "Real vocabularies, in which Step and space Step are tokens.",
        "SEGMENT_CONTEXT",
        "ENG-010 ENG-011 ENG-013 ENG-053",
        REAL,
    )


def policies() -> Iterator[Case]:
    """Each cache policy, with sizes below, at and above the prompt."""
    for size in (1, 5, 16, 64):
        yield tiny(
            f"cache-window-{size}",
            f"After the prompt every token sees the {size} entries before it.",
            "SEGMENT_CACHE",
            "ENG-041 ENG-053" if size == 16 else "ENG-041",
            TOYS,
            cache_policy=f"window:{size}",
        )
    yield tiny(
        "cache-window-everything",
        "A window longer than all there is changes nothing.",
        "SEGMENT_CACHE",
        "ENG-040 ENG-041",
        ["toy-bpe"],
        cache_policy="window:4000",
    )
    for size in (3, 7, 24, 40, 90):
        yield tiny(
            f"cache-legacy-head-{size}",
            f"Past {size} entries the cache loses its most recent {size}.",
            "SEGMENT_CACHE",
            "ENG-042 ENG-053" if size == 24 else "ENG-042",
            TOYS,
            cache_policy=f"legacy_head:{size}",
        )
    yield tiny(
        "cache-max-kv-tokens",
        "The seed's parameter is the upstream crop.",
        "SEGMENT_CACHE",
        "ENG-043",
        TOYS,
        max_kv_tokens=40,
    )
    yield tiny(
        "cache-legacy-head-literal",
        "The upstream engine as it was: its crop and its scores.",
        "SEGMENT_CACHE",
        "ENG-034 ENG-042",
        TOYS,
        cache_policy="legacy_head:40",
        score_mode="upstream_literal",
        quantile=75,
    )
    yield tiny(
        "cache-legacy-head-long-context",
        "A trace copy of thrice the cache: the context collapses again and again.",
        "SEGMENT_CACHE",
        "ENG-042",
        ["toy-bpe"],
        TRACE * 2,
        cache_policy="legacy_head:32",
    )
    yield tiny(
        "cache-legacy-head-few-positions",
        "The trace is longer than the model has positions, the cache never is.",
        "SEGMENT_CACHE",
        "ENG-042",
        ["toy-bpe"],
        model={"positions": 24},
        chat_template="Say: ",
        cache_policy="legacy_head:8",
    )


def texts() -> Iterator[Case]:
    """Texts whose characters and tokens do not line up."""
    for slug, (why, trace) in TEXTS.items():
        for quantile in (50, 85):
            more = " ENG-053" if (slug, quantile) == ("emoji", 50) else ""
            yield tiny(
                f"text-{slug}-q{quantile}",
                why,
                "SEGMENT_OFFSETS",
                f"ENG-001 ENG-002{more}",
                TOYS,
                trace,
                quantile=quantile,
            )
    yield tiny(
        "text-real-rows",
        "Emoji, composed letters and Han on real tokenizers.",
        "SEGMENT_OFFSETS",
        "ENG-001 ENG-002",
        REAL,
        "Take 😀🤖 first. Cafe\u0301, yes! 日本語𓀀. Then 👨\u200d👩\u200d👧 so, done. A b c.",
        quantile=60,
    )


def signals() -> Iterator[Case]:
    """The signal engines on a model."""
    for engine, requires in (
        ("surprisal", "ENG-070 ENG-071"),
        ("entropy", "ENG-070 ENG-071"),
        ("flatness-break", "ENG-070 ENG-072"),
        ("top-k-shift", "ENG-070 ENG-073"),
    ):
        yield tiny(
            f"signal-{engine}-tiny",
            "Full predictions of a tiny model.",
            "SEGMENT_SIGNALS",
            requires,
            ["toy-bpe", "toy-added"],
            TRACE * 2,
            engine=engine,
            window=4,
            quantile=45,
        )


def double() -> Iterator[Case]:
    """Double precision, whose numbers are compared to five digits: a hundredth of the separator's row shows."""
    exact = {"dtype": "float64"}
    variants: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
        ("untied", "An untied head and its own mean row.", "ENG-012 ENG-023", {"tied": False}, {}),
        ("padding", "The separator takes a spare row of the matrix.", "ENG-012 ENG-023", {"padding": 2}, {}),
        ("window", "A window of eight entries.", "ENG-041", {}, {"cache_policy": "window:8"}),
        ("legacy-head", "The upstream crop.", "ENG-042", {}, {"cache_policy": "legacy_head:40"}),
        ("merged", "The system prompt in the user turn.", "ENG-010", {}, {"system_role": "merge"}),
        ("literal", "Upstream's pass 2.", "ENG-034", {}, {"score_mode": "upstream_literal", "quantile": 70}),
    ]
    for slug, why, requires, model, parameters in variants:
        yield tiny(
            f"double-{slug}", why, "SEGMENT_CONTEXT", requires, ["toy-bpe"], model={**exact, **model}, **parameters
        )
    yield tiny(
        "double-separator-in-trace",
        "The trace contains the separator, and characters of several tokens.",
        "SEGMENT_CONTEXT",
        "ENG-011 ENG-031",
        ["toy-metaspace"],
        "Naïve café,<|seg|> 😀🤖 done. Two, three! Four<|seg|>five. Six is six.",
        model=exact,
        quantile=60,
    )
    for engine, requires in (  # not entropy: its changes are so small that scores show transformers' float32 rotations
        ("surprisal", "ENG-071"),
        ("flatness-break", "ENG-072"),
        ("top-k-shift", "ENG-073"),
    ):
        yield tiny(
            f"double-{engine}",
            "Full predictions in double precision.",
            "SEGMENT_SIGNALS",
            requires,
            ["toy-bpe"],
            TRACE * 2,
            engine=engine,
            model=exact,
            window=3,
            quantile=40,
        )


def cases() -> Iterator[Case]:
    """Every case on a tiny model."""
    for group in (contexts, policies, texts, signals, double):
        yield from group()


CASES = tuple(cases())
