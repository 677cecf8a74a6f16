"""Signals on tables: surprisal, entropy, flatness and the best k."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.build import PIECES, scripted
from tokenspec.areas.engines.oracle.texts import scripted_tokens
from tokenspec.store.records import Case

SIGNAL_TRACE = "A b. D e. b c.\nA b c. D e, b. D b. e D! b c? e b c. D"


def _every_logit(trace: str, seed: int) -> list[dict[str, float | None]]:
    """Rows in which every piece has its own logit."""
    rng = random.Random(seed)
    rows: list[dict[str, float | None]] = []
    for token, _, _ in scripted_tokens(PIECES, trace):
        values = rng.sample(range(-40, 8), len(PIECES))
        rows.append({piece: value / 4 for piece, value in zip(PIECES, values, strict=True)})
        rows[-1][PIECES[token]] = rng.randint(-8, 8) / 4 + 0.0625
    return rows


def signals() -> Iterator[Case]:
    """The four engines on tables in which every piece has its own logit."""
    tokens = scripted_tokens(PIECES, SIGNAL_TRACE)
    rows = _every_logit(SIGNAL_TRACE, 7)
    long = "\n".join((SIGNAL_TRACE,) * 3)
    many = _every_logit(long, 8)
    options: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
        "surprisal": [
            ("window", "ENG-070 ENG-071", {"window": 3, "quantile": 40}),
            ("quantile", "ENG-070", {"window": 2, "quantile": 65}),
        ],
        "entropy": [
            ("window", "ENG-070 ENG-071", {"window": 3, "quantile": 40}),
            ("quantile", "ENG-071", {"window": 5, "quantile": 55}),
        ],
        "flatness-break": [
            ("window", "ENG-072", {"window": 2, "quantile": 25}),
            ("quantile", "ENG-072", {"window": 4, "quantile": 60}),
        ],
        "top-k-shift": [
            ("few", "ENG-073", {"window": 3, "top_k": 4, "quantile": 65}),
            ("many", "ENG-070 ENG-073", {"window": 3, "quantile": 45}),
        ],
    }
    for engine, variants in options.items():
        for suffix, requires, parameters in variants:
            yield scripted(
                f"signal-{engine}-{suffix}",
                "Every piece has its own logit, so every prediction differs.",
                "SEGMENT_SIGNALS",
                requires,
                SIGNAL_TRACE,
                [0.0] * len(tokens),
                engine=engine,
                model={"rows": rows},
                **parameters,
            )
        yield scripted(
            f"signal-{engine}-defaults",
            "Nothing is asked for: window, percentile and top_k are the engine's own.",
            "SEGMENT_SIGNALS",
            "ENG-070 " + variants[0][1].split()[-1],
            long,
            [0.0] * len(many),
            engine=engine,
            model={"rows": many},
        )
        yield scripted(
            f"signal-{engine}-no-anchor",
            "The trace is shorter than two windows: one segment.",
            "SEGMENT_SIGNALS SEGMENT_DEGENERATE",
            "ENG-070",
            "A b. c",
            [0.0] * 4,
            engine=engine,
        )


def ties() -> Iterator[Case]:
    """Tables whose logits are few different numbers, so that the best k are not told by their logits alone."""
    rng = random.Random(73)
    tokens = [token for token, _, _ in scripted_tokens(PIECES, SIGNAL_TRACE)]
    for top_k in (1, 2, 3, 5, 8):
        rows: list[dict[str, float | None]] = [
            {piece: float(rng.choice((-3, -1, 0, 2))) for piece in PIECES} for _ in tokens
        ]
        yield scripted(
            f"signal-top-k-shift-ties-{top_k}",
            "Of tokens with equal logits those with the smaller ids are among the best.",
            "SEGMENT_SIGNALS",
            "ENG-073",
            SIGNAL_TRACE,
            [0.0] * len(tokens),
            engine="top-k-shift",
            model={"rows": rows},
            window=2,
            top_k=top_k,
            quantile=50,
        )


def opposites() -> Iterator[Case]:
    """The last candidate and the best one left out are all but opposite numbers: nothing is near anything."""
    rng = random.Random(67)
    rows: list[dict[str, float | None]] = []
    for token, _, _ in scripted_tokens(PIECES, SIGNAL_TRACE):
        drawn = rng.sample(PIECES, 6)
        best = [0.5 + rng.randint(20, 120) / 64, 0.5 + rng.randint(1, 19) / 64, 0.5]
        found: dict[str, float | None] = dict(zip(drawn, (*best, -0.5 + 2.0**-53, -1.5, -2.0), strict=True))
        rows.append({**dict.fromkeys(PIECES, -4.0), **found})
        rows[-1][PIECES[token]] = rows[-1][PIECES[token]] if PIECES[token] in drawn else -3.0
    yield scripted(
        "signal-top-k-shift-opposites",
        "Logits at the edge of the best three differ much, though their sum is next to nothing.",
        "SEGMENT_SIGNALS",
        "ENG-073 ENG-056",
        SIGNAL_TRACE,
        [0.0] * len(rows),
        engine="top-k-shift",
        model={"rows": rows},
        window=2,
        top_k=3,
        quantile=60,
    )


CASES = (*signals(), *ties(), *opposites())
