"""The forced decoder on tables: the facts' goldens, priors, percentiles, insertions, degenerate and random tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.build import PIECES, TRACE, scripted
from tokenspec.areas.engines.cases.insertions import insertions
from tokenspec.areas.engines.oracle.texts import scripted_tokens
from tokenspec.store.records import Case

PEAK = [4.0 if index in (4, 11) else -5.0 for index in range(16)]
VARIED = [-7.5, -3, -6, -2.5, -1, -8, -4, -0.5, -6.5, -3.5, -5, 1, -2, -7, -0.25, -9]
SCORE = "ENG-020 ENG-021 ENG-023 ENG-030"

FACTS: list[tuple[str, str, str, str, list[float], float, dict[str, Any]]] = [
    ("peak", "Two peaks after full stops cross the threshold.", SCORE + " ENG-022", TRACE, PEAK, 0, {}),
    (
        "peak-shifted",
        "All gaps five nats lower: the z-scores are the same, the raw gaps are not.",
        "ENG-033 ENG-034",
        TRACE,
        [gap - 5 for gap in PEAK],
        0,
        {},
    ),
    ("peak-repelled", "The first insertion drives later gaps down.", "ENG-032", TRACE, PEAK, -20, {}),
    ("varied", "Sixteen different gaps at the default quantile.", SCORE, TRACE, VARIED, 0, {}),
    (
        "varied-row-recipe",
        "The separator is a piece of the table: no row is made for it, by whatever recipe.",
        "ENG-012",
        TRACE,
        VARIED,
        0,
        {"separator_row": "hash:7"},
    ),
    ("varied-q75", "A lower quantile lets more through.", "ENG-023 ENG-033", TRACE, VARIED, 0, {"quantile": 75}),
    (
        "varied-q50",
        "Half of the scores lie above the threshold.",
        "ENG-023 ENG-030",
        TRACE,
        VARIED,
        0,
        {"quantile": 50},
    ),
    ("varied-repelled", "One of two boundaries survives the first insertion.", "ENG-032", TRACE, VARIED, -20, {}),
    (
        "varied-no-prior",
        "Without the prior only gaps decide.",
        "ENG-021 ENG-023",
        TRACE,
        VARIED,
        0,
        {"quantile": 75, "beta": 0},
    ),
    ("varied-attracted", "Each insertion makes the next more likely.", "ENG-032", TRACE, VARIED, 3, {"quantile": 75}),
    (
        "varied-q100",
        "Nothing is strictly above the largest score.",
        "ENG-030 ENG-052",
        TRACE,
        VARIED,
        0,
        {"quantile": 100},
    ),
    ("varied-q0", "All but the smallest score are above it.", "ENG-030 ENG-052", TRACE, VARIED, 0, {"quantile": 0}),
    ("constant", "Constant gaps have no spread to divide by.", "ENG-021 ENG-051", TRACE, [-5.0] * 16, 0, {}),
    (
        "constant-positive",
        "Constant positive gaps: the prior decides, upstream inserts everywhere.",
        "ENG-034 ENG-051",
        TRACE,
        [3.0] * 16,
        0,
        {"quantile": 0},
    ),
    (
        "step-in-trace",
        "The trace itself says Step; nothing goes before it.",
        "ENG-011 ENG-031",
        "A Step b. Step c",
        [9.0] * 6,
        0,
        {"quantile": 10},
    ),
    (
        "separator-in-trace",
        "The trace contains the separator; nothing goes right after it.",
        "ENG-031",
        "A<|seg|> b. c",
        [1.0, 1, 5, 1, 1],
        0,
        {"quantile": 10},
    ),
    ("one-token", "One token has no spread and no boundary.", "ENG-051", "A", [2.0], 0, {}),
    ("one-unlikely-token", "The same with the separator less likely.", "ENG-051", "A", [-2.0], 0, {}),
]


def facts() -> Iterator[Case]:
    """The scripted goldens that were also run on the upstream class, in both modes."""
    for slug, why, requires, trace, gaps, delta, parameters in FACTS:
        for mode, suffix in (("normalized", ""), ("upstream_literal", "-literal")):
            own = requires if mode == "normalized" else "ENG-034" if "ENG-051" not in requires else "ENG-034 ENG-001"
            options = parameters if mode == "normalized" else {**parameters, "score_mode": mode}
            yield scripted(f"scripted-{slug}{suffix}", why, "SEGMENT_SCORE", own, trace, gaps, delta=delta, **options)


def bounds() -> Iterator[Case]:
    """The largest spread of constant gaps, and a prompt that ends with the separator, which is none of the trace."""
    literal: dict[str, Any] = {"score_mode": "upstream_literal", "beta": 0, "quantile": 10}
    why = "Gaps whose standard deviation is 1e-9 are constant."
    yield scripted("scripted-constant-at-most", why, "SEGMENT_SCORE", "ENG-021 ENG-034", "A b", [0.0, 2e-9], **literal)
    yield scripted(
        "scripted-longest-piece",
        "Of pieces that begin alike the longest is read.",
        "SEGMENT_SCORE",
        SCORE,
        "A b c. A b",
        [-5.0, -4.0, 4.0, -3.0],
        model={"pieces": [*PIECES, " A", " A b", "A b"]},
    )
    for slug, delta in (("repelled", -20.0), ("attracted", 3.0)):
        why = "A separator that ends the prompt is none that was inserted."
        prompt = {"prompt": "<P><|seg|>"}
        yield scripted(
            f"scripted-prompt-separator-{slug}",
            why,
            "SEGMENT_SCORE",
            "ENG-032",
            TRACE,
            VARIED,
            delta=delta,
            model=prompt,
            quantile=75,
        )


def priors() -> Iterator[Case]:
    """One punctuation mark, constant gaps: only the prior can decide."""
    names = {".": "full-stop", "!": "exclamation", "?": "question", ";": "semicolon", ":": "colon", "\n": "line-feed"}
    for mark, name in names.items():
        why = f"After {name.replace('-', ' ')} the prior is 1 in both passes."
        yield scripted(f"prior-{name}", why, "SEGMENT_SCORE", "ENG-022", f"A b{mark} c b c b c b", [-2.0] * 9)
    for mark, name in {",": "comma", "\t": "tab"}.items():
        why = f"After a {name} the prior is 0.5 in pass 1 and 0.2 in pass 2, still above this threshold."
        yield scripted(
            f"prior-{name}", why, "SEGMENT_SCORE", "ENG-022", f"A b{mark} c b c b c b", [-2.0] * 9, quantile=90
        )
        why = f"After a {name} the prior of pass 2 is lower than that of pass 1, and below this threshold."
        yield scripted(
            f"prior-{name}-below", why, "SEGMENT_SCORE", "ENG-022", f"A b{mark} c b c b c b", [-2.0] * 9, quantile=95
        )
    yield scripted(
        "prior-at-start",
        "Nothing stands before token 0, so it has no prior.",
        "SEGMENT_SCORE",
        "ENG-022",
        ". b c b c",
        [-2.0] * 5,
    )
    yield scripted(
        "prior-survives-insertion",
        "The separator inserted after the full stop does not become the previous character of what follows.",
        "SEGMENT_SCORE",
        "ENG-022 ENG-032",
        "A b.. c b. c b",
        [-4.0, -4, -4, 3, 3, -4, -4, 3, -4],
        quantile=60,
    )
    yield scripted(
        "prior-negative-beta",
        "A negative beta turns the prior around; nothing clips it.",
        "SEGMENT_SCORE",
        "ENG-022",
        TRACE,
        VARIED,
        beta=-1.5,
        quantile=70,
    )


def thresholds() -> Iterator[Case]:
    """Spread, epsilon and percentile, each where another choice gives other segments."""
    yield scripted(
        "spread-population",
        "With six gaps the sample deviation is a tenth larger than the population's; z moves against the prior.",
        "SEGMENT_SCORE",
        "ENG-021",
        "A b. c b c",
        [0.75, 0.75, 1.25, -0.5, 0.25, -0.25],
        quantile=75,
    )
    yield scripted(
        "spread-epsilon",
        "The deviation is about two millionths, so the epsilon takes a third of every z.",
        "SEGMENT_SCORE",
        "ENG-021",
        "A b. c b c b, c b c",
        [-1.0 + 2.0**-21 * step for step in (3, 3, -3, -5, -5, -2, 1, -1, -6, -7, 2)],
        quantile=85,
    )
    yield scripted(
        "spread-rounding-is-constant",
        "Gaps that differ by rounding only are constant; the z-scores must not amplify dust.",
        "SEGMENT_SCORE",
        "ENG-021 ENG-051",
        "A b. c b c b",
        [-0.1 + 1e-15 * step for step in (0, 2, 1, 3, 0, 1, 2)],
        quantile=50,
    )
    wide = [0.0, 8, -8, 2, 4, -2, -4, 6]
    for quantile, what in ((45, "below the middle"), (55, "above the middle"), (62.5, "a fractional quantile")):
        slug = f"percentile-{str(quantile).replace('.', '-')}"
        why = f"The index falls between two scores, {what}: the threshold lies between them."
        yield scripted(slug, why, "SEGMENT_SCORE", "ENG-023", "A b c b c b c b", wide, quantile=quantile, beta=0)
    many = [((37 * step) % 101) / 4 for step in range(101)]
    for quantile in (29, 57):
        yield scripted(
            f"percentile-whole-index-{quantile}",
            "The index is a whole number, though (T - 1) times quantile / 100 is not when divided first; the score that"
            " is the threshold is not above it.",
            "SEGMENT_SCORE",
            "ENG-023 ENG-030",
            "A" + " b" * 100,
            many,
            quantile=quantile,
            beta=0,
        )
    yield scripted(
        "threshold-alpha-zero",
        "With alpha 0 only punctuation makes boundaries.",
        "SEGMENT_SCORE",
        "ENG-023",
        TRACE,
        VARIED,
        alpha=0,
    )
    yield scripted(
        "threshold-alpha-negative",
        "A negative alpha cuts where the separator is least likely.",
        "SEGMENT_SCORE",
        "ENG-023",
        TRACE,
        VARIED,
        alpha=-1,
    )


def random_tables() -> Iterator[Case]:
    """Seeded tables in which every piece has a logit and separators pull and push; for whatever nobody thought of."""
    rng = random.Random(20)
    for number in range(24):
        words = [rng.choice(PIECES[2:]) for _ in range(rng.randint(6, 24))]
        trace = "".join(words)
        tokens = [token for token, _, _ in scripted_tokens(PIECES, trace)]
        rows: list[dict[str, float | None]] = []
        for token in tokens:
            row: dict[str, float | None] = {piece: rng.randint(-32, 8) / 4 for piece in rng.sample(PIECES[1:], 7)}
            rows.append(row | {PIECES[token]: rng.randint(-8, 8) / 4})
        delta = rng.choice([0.0, rng.randint(-8, 8) / 4])
        parameters: dict[str, Any] = {"quantile": rng.choice([25, 50, 66, 75, 80, 90, 95])}
        parameters |= {"score_mode": "upstream_literal"} if number % 4 == 3 else {}
        parameters |= {"beta": 0.5} if number % 5 == 2 else {}
        requires = "ENG-034" if number % 4 == 3 else "ENG-020 ENG-030 ENG-032"
        yield scripted(
            f"random-table-{number:02d}",
            f"A seeded table of {len(tokens)} tokens in which all pieces compete.",
            "SEGMENT_SCORE",
            requires,
            trace,
            [0.0] * len(tokens),
            delta=delta,
            model={"rows": rows},
            **parameters,
        )


def empty() -> Iterator[Case]:
    """The trace nobody thinks of."""
    yield scripted(
        "empty-trace", "Nothing to cut: no segments, no labels.", "SEGMENT_DEGENERATE", "ENG-050 ENG-001", "", []
    )
    yield scripted(
        "empty-trace-literal",
        "The same in upstream's mode, where numpy raises an IndexError.",
        "SEGMENT_DEGENERATE",
        "ENG-050",
        "",
        [],
        score_mode="upstream_literal",
    )
    yield scripted(
        "two-tokens",
        "Two tokens, one of which can begin a segment.",
        "SEGMENT_DEGENERATE",
        "ENG-051 ENG-001",
        "A.",
        [-1.0, 3],
        quantile=0,
    )


def cases() -> Iterator[Case]:
    """Every case on a table."""
    for group in (facts, bounds, priors, thresholds, insertions, random_tables, empty):
        yield from group()


CASES = tuple(cases())
