"""Inputs that are refused, one requirement each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.build import TRACE, case, scripted, table
from tokenspec.store.records import Case

PARAMETER = "invalid-parameter"
SEPARATOR = ("separator-not-single-token", "/parameters/sep_tok")
FUSION = ("missing-fusion", "/fusion")
GAPS = [-4.0, 3, -2, 5, 1, -6, 2, -3, 4, -1, 0, 6, -5, 2, -4, 1]


def cases() -> Iterator[Case]:
    """Every refusal."""
    parameters: list[tuple[str, str, dict[str, Any]]] = [
        ("quantile-negative", "A percentile below 0 has no meaning.", {"quantile": -0.5}),
        ("quantile-over-hundred", "A percentile above 100 has no meaning.", {"quantile": 100.5}),
        ("quantile-text", "A number in quotes is no number.", {"quantile": "90"}),
        ("alpha-null", "A weight that is null.", {"alpha": None}),
        ("score-mode", "A mode nobody defined.", {"score_mode": "literal"}),
        ("cache-policy", "A window without its size.", {"cache_policy": "window"}),
        ("cache-policy-zero", "A window of no entries.", {"cache_policy": "window:0"}),
        ("unknown-option", "A misspelt option is refused, not ignored.", {"quantil": 50}),
    ]
    for slug, why, options in parameters:
        refused = PARAMETER, *(f"/parameters/{name}" for name in options)
        yield scripted(f"refuse-{slug}", why, "SEGMENT_REFUSAL", "ENG-060", TRACE, GAPS, refused=refused, **options)
    yield scripted(
        "refuse-two-cache-policies",
        "max_kv_tokens beside a window says two things at once.",
        "SEGMENT_REFUSAL",
        "ENG-043",
        TRACE,
        GAPS,
        refused=(PARAMETER, "/parameters/cache_policy", "/parameters/max_kv_tokens"),
        cache_policy="window:8",
        max_kv_tokens=8,
    )
    for token, where in ((0, "first"), (7, "middle"), (15, "last")):
        rows = table(TRACE, GAPS)
        rows[token] = dict.fromkeys(rows[token]) | {"<|seg|>": None}
        yield scripted(
            f"refuse-nan-{where}",
            "A NaN logit makes every score NaN; no boundary may come of it.",
            "SEGMENT_REFUSAL",
            "ENG-061",
            TRACE,
            GAPS,
            refused=("non-finite-logits", "/model"),
            model={"rows": rows},
        )
    for token, where in ((0, "first"), (7, "middle"), (15, "last")):
        for sign, slug in ((1, "above"), (-1, "below")):
            rows = table(TRACE, GAPS)
            rows[token] = {piece: sign * (-1e308 if value == 0.0 else 1e308) for piece, value in rows[token].items()}
            yield scripted(
                f"refuse-infinite-{slug}-{where}",
                "A gap beyond every number is no number to calibrate with.",
                "SEGMENT_REFUSAL",
                "ENG-061",
                TRACE,
                GAPS,
                refused=("non-finite-logits", "/model"),
                model={"rows": rows, "default_logit": -1e308},
            )
    yield scripted(
        "refuse-positions-pass-one",
        "The trace is longer than the model's positions.",
        "SEGMENT_REFUSAL",
        "ENG-062",
        TRACE,
        GAPS,
        refused=("trace-too-long", "/trace"),
        model={"position_limit": 12},
    )
    yield scripted(
        "refuse-positions-insertions",
        "Prompt and trace fit, the inserted separators do not.",
        "SEGMENT_REFUSAL",
        "ENG-062",
        TRACE,
        GAPS,
        refused=("trace-too-long", "/trace"),
        model={"position_limit": 17},
        quantile=20,
    )
    yield scripted(
        "positions-just-fit",
        "Prompt, trace and insertions use the last position.",
        "SEGMENT_CONTEXT",
        "ENG-062 ENG-030",
        TRACE,
        GAPS,
        model={"position_limit": 18},
        quantile=90,
    )
    yield scripted(
        "refuse-no-chat-template",
        "Without a template there is no prompt.",
        "SEGMENT_REFUSAL",
        "ENG-063",
        TRACE,
        GAPS,
        refused=("no-chat-template", "/model"),
        model={"prompt": None},
    )
    yield scripted(
        "refuse-system-role",
        "The template raises on a system turn.",
        "SEGMENT_REFUSAL",
        "ENG-063",
        TRACE,
        GAPS,
        refused=("system-role-refused", "/parameters/system_role", "/model"),
        model={"refuses_system": True},
    )
    yield scripted(
        "system-role-merged",
        "The same template, with the system prompt in the user turn.",
        "SEGMENT_CONTEXT",
        "ENG-010",
        TRACE,
        GAPS,
        model={"refuses_system": True},
        system_role="merge",
    )
    yield scripted(
        "refuse-empty-separator",
        "An empty separator is no token.",
        "SEGMENT_REFUSAL",
        "ENG-064",
        TRACE,
        GAPS,
        refused=SEPARATOR,
        sep_tok="",
    )
    yield case(
        "refuse-separator-of-several-tokens",
        "The name of a vocabulary entry that its own text does not encode to.",
        "SEGMENT_REFUSAL",
        "ENG-064",
        rows=["toy-bpe"],
        trace="One. Two.",
        model={"kind": "tiny", "seed": 1},
        engines=["forced-decoder"],
        parameters={"sep_tok": "Ġthe", "system_prompt": ""},
        refused=SEPARATOR,
    )
    yield case(
        "refuse-two-engines",
        "Two segmentations and nothing that makes one of them.",
        "SEGMENT_REFUSAL",
        "ENG-065",
        trace="One.\n\nTwo.",
        engines=["new-line", "new-line-verbose"],
        refused=FUSION,
    )
    yield case(
        "refuse-engine-beside-given",
        "A given segmentation counts as an engine.",
        "SEGMENT_REFUSAL",
        "ENG-065",
        trace="One.\n\nTwo.",
        engines=["new-line"],
        given=[{"offsets": [[0, 10]]}],
        refused=FUSION,
    )


CASES = tuple(cases())
