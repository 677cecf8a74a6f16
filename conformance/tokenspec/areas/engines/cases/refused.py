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
        ("beta-true", "A truth value is no weight.", {"beta": True}),
        ("system-role-unknown", "A role that no turn of the prompt has.", {"system_role": "assistant"}),
        ("system-prompt-number", "A system prompt that is no text.", {"system_prompt": 5}),
        ("max-kv-tokens-zero", "A cache of no entries.", {"max_kv_tokens": 0}),
        ("max-kv-tokens-fraction", "Half an entry.", {"max_kv_tokens": 2.5}),
        ("window-of-another", "The forced decoder looks at no window.", {"window": 5}),
        ("score-mode", "A mode nobody defined.", {"score_mode": "literal"}),
        ("cache-policy", "A window without its size.", {"cache_policy": "window"}),
        ("cache-policy-zero", "A window of no entries.", {"cache_policy": "window:0"}),
        ("unknown-option", "A misspelt option is refused, not ignored.", {"quantil": 50}),
    ]
    for slug, why, options in parameters:
        refused = PARAMETER, *(f"/parameters/{name}" for name in options)
        yield scripted(f"refuse-{slug}", why, "SEGMENT_REFUSAL", "ENG-060", TRACE, GAPS, refused=refused, **options)
    yield from of_other_engines()
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
    yield scripted(
        "refuse-two-sizes",
        "max_kv_tokens beside its own policy of another size.",
        "SEGMENT_REFUSAL",
        "ENG-043",
        TRACE,
        GAPS,
        refused=(PARAMETER, "/parameters/cache_policy", "/parameters/max_kv_tokens"),
        cache_policy="legacy_head:4",
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
    yield scripted(
        "refuse-infinite-after-a-separator",
        "Every gap of pass 1 is a number; behind the first separator one is beyond every number.",
        "SEGMENT_REFUSAL",
        "ENG-061",
        TRACE,
        GAPS,
        refused=("non-finite-logits", "/model"),
        model={"per_separator": {"<|seg|>": 1e308, " e": -1e308}},
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
    for engine in ("forced-decoder", "surprisal"):
        yield case(
            f"refuse-positions-{engine}",
            "The same of a model whose configuration says how many positions it has.",
            "SEGMENT_REFUSAL",
            "ENG-062",
            rows=["toy-bpe"],
            trace="One. Two. Three. Four.",
            model={"kind": "tiny", "seed": 1, "positions": 8},
            engines=[engine],
            parameters={"system_prompt": ""},
            refused=("trace-too-long", "/trace"),
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
    yield case(
        "refuse-positions-insertions-sequential",
        "The same of a model read token by token: the separators have no positions, prompt and trace do.",
        "SEGMENT_REFUSAL",
        "ENG-062",
        rows=["toy-bpe"],
        trace="One. Two. Three. Four.",
        model={"kind": "tiny", "seed": 1, "positions": 60},
        engines=["forced-decoder"],
        parameters={"system_prompt": "", "quantile": 10, "algorithm": "sequential"},
        refused=("trace-too-long", "/trace"),
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


def of_other_engines() -> Iterator[Case]:
    """Options of the other engines and of the fusions."""
    signals: list[tuple[str, str, dict[str, Any]]] = [
        ("surprisal", "window-zero", {"window": 0}),
        ("entropy", "window-true", {"window": True}),
        ("flatness-break", "window-fraction", {"window": 2.5}),
        ("top-k-shift", "top-k-zero", {"top_k": 0, "window": 2}),
        ("surprisal", "top-k-of-another", {"top_k": 3, "window": 2}),
        ("surprisal", "quantile-above", {"quantile": 101, "window": 2}),
    ]
    for engine, slug, parameters in signals:
        why = "An option that makes no sense for this engine."
        yield scripted(
            f"refuse-{engine}-{slug}",
            why,
            "SEGMENT_REFUSAL",
            "ENG-060",
            TRACE,
            GAPS,
            engine=engine,
            refused=(PARAMETER, f"/parameters/{next(iter(parameters))}"),
            **parameters,
        )
    fusions: list[tuple[str, str, dict[str, Any]]] = [
        ("voting", "threshold-zero", {"threshold": 0}),
        ("voting", "threshold-true", {"threshold": True}),
        ("voting", "profile", {"profile": "seed"}),
        ("fuzzy", "distance-negative", {"max_distance": -1}),
        ("merge", "label-fusion", {"label_fusion_type": "most"}),
        ("merge", "threshold-of-another", {"threshold": 2}),
    ]
    for fusion, slug, parameters in fusions:
        yield case(
            f"refuse-{fusion}-{slug}",
            "An option that makes no sense for this fusion.",
            "SEGMENT_REFUSAL SEGMENT_FUSION",
            "ENG-060",
            trace="0123456789",
            given=[{"offsets": [[0, 4], [4, 10]]}, {"offsets": [[0, 10]]}],
            fusion=fusion,
            parameters=parameters,
            refused=(PARAMETER, *(f"/parameters/{name}" for name in parameters)),
        )
    malformed = {
        "beyond": [[0, 4], [4, 11]],
        "overlapping": [[0, 5], [4, 10]],
        "empty-segment": [[0, 4], [4, 4], [4, 10]],
        "reversed": [[0, 4], [10, 4]],
        "unordered": [[4, 10], [0, 4]],
        "negative": [[-1, 4], [4, 10]],
    }
    for slug, offsets in malformed.items():
        for fusion in ("voting", "merge", "intersect", "fuzzy", "graph") if slug == "beyond" else ("merge",):
            yield case(
                f"refuse-{fusion}-of-{slug}",
                "No segmentation of this trace.",
                "SEGMENT_REFUSAL SEGMENT_FUSION",
                "ENG-087",
                trace="0123456789",
                given=[{"offsets": [[0, 10]]}, {"offsets": offsets}],
                fusion=fusion,
                refused=("invalid-segmentation", "/given/1"),
            )
    for slug, offsets in (malformed | {"shorter": [[0, 9]], "hole": [[0, 4], [5, 10]], "late": [[1, 10]]}).items():
        yield case(
            f"refuse-gold-{slug}",
            "Gold is no partition of this trace.",
            "SEGMENT_REFUSAL SEGMENT_AGREEMENT",
            "ENG-093",
            trace="0123456789",
            given=[{"offsets": [[0, 3], [3, 10]]}],
            gold=offsets,
            refused=("invalid-segmentation", "/gold"),
        )
    for engine in ("forced-decoder", "entropy"):
        yield case(
            f"refuse-{engine}-without-model",
            "Nothing to read the trace with.",
            "SEGMENT_REFUSAL",
            "ENG-060",
            trace=TRACE,
            engines=[engine],
            refused=(PARAMETER, "/model"),
        )
    for engine in ("semantic-shift", "entailment", "rewards", "argument", "offsets"):
        yield scripted(
            f"refuse-{engine}-of-a-table",
            "A table of logits answers no question.",
            "SEGMENT_REFUSAL",
            "ENG-060",
            TRACE,
            GAPS,
            engine=engine,
            refused=(PARAMETER, "/model"),
        )
    yield case(
        "refuse-forced-decoder-of-a-recording",
        "A recording of answers has no logits.",
        "SEGMENT_REFUSAL",
        "ENG-060",
        trace=TRACE,
        engines=["forced-decoder"],
        model={"kind": "recorded"},
        refused=(PARAMETER, "/model"),
    )
    yield scripted(
        "refuse-separator-number",
        "A number is no text.",
        "SEGMENT_REFUSAL",
        "ENG-064",
        TRACE,
        GAPS,
        refused=SEPARATOR,
        sep_tok=5,
    )


CASES = tuple(cases())
