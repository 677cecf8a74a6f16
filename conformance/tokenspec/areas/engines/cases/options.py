"""Every option with a value that is none, of each kind of engine that has it; and other requests that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.build import PIECES, TRACE, case, scripted
from tokenspec.areas.engines.cases.refused import FUSION, GAPS, PARAMETER
from tokenspec.areas.engines.cases.units import UNITS, recorded
from tokenspec.store.records import Case

WRONG: dict[str, dict[str, list[Any]]] = {
    "forced-decoder": {
        "chat_template": [5],
        "separator_row": ["random", "hash:", "hash:-1", 3, "hash:3x"],
        "cache_policy": [5, "none:3", "head:3", "legacy_head:0"],
        "max_kv_tokens": [True],
        "system_role": ["user"],
    },
    "surprisal": {
        "system_prompt": [5],
        "system_role": ["user"],
        "chat_template": [5],
        "quantile": ["10", -1],
        "cache_policy": ["window:x"],
        "max_kv_tokens": [0],
    },
    "top-k-shift": {"top_k": [True, 1.5]},
    "semantic-shift": {"tolerance": ["0.1"], "min_threshold": [None]},
    "entailment": {"tolerance": [True], "min_threshold": ["0"]},
    "zero-shot": {"labels": [[], ["Fact", 3], "Fact", [3, "Fact"]]},
    "topics": {"min_units": [0, True]},
    "rewards": {"problem": [["x"]], "chunk_size": [0], "window": [0], "quantile": [-1, "60"]},
    "argument": {"system_prompt": [5], "user_prompt": [5], "max_retry": [True], "context_window": [1.5]},
    "unit-groups": {"system_prompt": [5], "prompt": [5], "max_retry": [0.5], "chunk_size": [0]},
    "offsets": {"system_prompt": [5], "prompt": [5], "max_retries_per_chunk": ["3"], "chunk_size": [0]},
    "voting": {"threshold": [1.5], "profile": ["holes"]},
    "merge": {"profile": ["holes"]},
    "intersect": {"profile": ["holes"]},
    "fuzzy": {"profile": ["holes"], "max_distance": [True, 0.5]},
    "graph": {"profile": ["holes"], "label_fusion_type": ["all"]},
}
"""Values that are none of the option's, by engine or fusion; one option of several engines is tried once at least."""

UNKNOWN = {
    "plain": ("seg_base_unit", "word"),
    "rule-regex": ("seg_base_unit", "word"),
    "new-line": ("verbose", True),
    "new-line-verbose": ("seg_base_unit", "sent"),
    "forced-decoder": ("seg_base_unit", "sent"),
    "semantic-shift": ("quantile", 50),
    "entailment": ("window", 2),
    "zero-shot": ("min_units", 5),
    "topics": ("labels", ["Fact"]),
    "rewards": ("tolerance", 0.5),
    "argument": ("prompt", ""),
    "unit-groups": ("max_retries_per_chunk", 3),
    "offsets": ("max_retry", 3),
}
"""An option that the engine has not, or a word that the option has not."""

RULES = ("plain", "rule-regex", "new-line", "new-line-verbose")
TABLES = ("forced-decoder", "surprisal", "top-k-shift")
FUSIONS = ("voting", "merge", "intersect", "fuzzy", "graph")


def cases() -> Iterator[Case]:
    """Each with the place of what is wrong."""
    for name, options in WRONG.items():
        for option, values in options.items():
            for number, value in enumerate(values, 1):
                slug = f"refuse-option-{name}-{option}-{number}".replace("_", "-")
                yield _refused(slug, "A value that the option cannot have.", name, **{option: value})
    for name, (option, value) in UNKNOWN.items():
        slug = f"refuse-option-{name}-unknown"
        yield _refused(
            slug, "An option that the engine has not, or a word that the option has not.", name, **{option: value}
        )
    for option in ("model", "model_name", "tokenizer", "progress", "base_segmenter", "few_units"):
        slug = f"refuse-option-object-{option.replace('_', '-')}"
        yield case(
            slug,
            "A keyword of a library is no option of a request.",
            "SEGMENT_REFUSAL",
            "ENG-060",
            trace=TRACE,
            engines=["topics"],
            model={"kind": "recorded", "labels": ["Fact"]},
            parameters={option: "x"},
            refused=(PARAMETER, f"/parameters/{option}"),
        )
    yield from requests()


def _refused(slug: str, why: str, name: str, **parameters: Any) -> Case:
    refused = PARAMETER, *(f"/parameters/{option}" for option in parameters)
    if name in FUSIONS:
        return case(
            slug,
            why,
            "SEGMENT_REFUSAL SEGMENT_FUSION",
            "ENG-060",
            trace="0123456789",
            given=[{"offsets": [[0, 4], [4, 10]]}, {"offsets": [[0, 10]]}],
            fusion=name,
            parameters=parameters,
            refused=refused,
        )
    if name in TABLES:
        return scripted(
            slug, why, "SEGMENT_REFUSAL", "ENG-060", TRACE, GAPS, engine=name, refused=refused, **parameters
        )
    return recorded(slug, why, "ENG-060", name, UNITS, None if name in RULES else {}, refused=refused, **parameters)


def requests() -> Iterator[Case]:
    """Engines, segmentations and models of which something lacks."""
    yield case(
        "refuse-no-engine",
        "Nothing that could segment.",
        "SEGMENT_REFUSAL",
        "ENG-060",
        trace=TRACE,
        engines=[],
        refused=(PARAMETER, "/engines"),
    )
    yield case(
        "refuse-no-engine-fused",
        "The same, with a fusion.",
        "SEGMENT_REFUSAL SEGMENT_FUSION",
        "ENG-060",
        trace=TRACE,
        fusion="merge",
        refused=(PARAMETER, "/engines"),
    )
    yield case(
        "refuse-three-given",
        "Segmentations to fuse, and no fusion.",
        "SEGMENT_REFUSAL",
        "ENG-065",
        trace="0123456789",
        given=[{"offsets": [[0, 10]]}] * 3,
        refused=FUSION,
    )
    for slug, trace, prompt in (("trace", "A b. z", "<P>"), ("prompt", "A b", "<Q>")):
        for engine in ("forced-decoder", "entropy"):
            yield case(
                f"refuse-unknown-token-{slug}-{engine}",
                f"A character of the {slug} begins no piece, so the table has no row for it.",
                "SEGMENT_REFUSAL",
                "ENG-060",
                trace=trace,
                model={"kind": "scripted", "pieces": PIECES, "rows": [{}], "prompt": prompt},
                engines=[engine],
                refused=(PARAMETER, "/model"),
            )
    yield scripted(
        "refuse-separator-without-row",
        "A table has no row for a separator that is no piece.",
        "SEGMENT_REFUSAL",
        "ENG-060",
        TRACE,
        GAPS,
        refused=(PARAMETER, "/model", "/parameters/sep_tok"),
        sep_tok="<|cut|>",
    )
    for engine in ("semantic-shift", "forced-decoder", "surprisal"):
        yield case(
            f"refuse-{engine}-empty-trace-without-model",
            "Nothing to read, and nothing to read it with.",
            "SEGMENT_REFUSAL",
            "ENG-060",
            trace="",
            engines=[engine],
            refused=(PARAMETER, "/model"),
        )
    good, labelled = {"offsets": [[0, 4], [4, 10]]}, {"offsets": [[0, 4], [4, 10]], "labels": ["Fact"]}
    for slug, wrong in {"labels": labelled, "beyond": {"offsets": [[0, 4], [4, 11]]}}.items():
        for place, given in enumerate(([wrong, good, good], [good, wrong, good], [good, good, wrong])):
            yield case(
                f"refuse-given-{slug}-{place}",
                "One of three, beside an engine, is no segmentation with a label for each segment.",
                "SEGMENT_REFUSAL SEGMENT_FUSION",
                "ENG-087",
                trace="0123456789",
                engines=["new-line"],
                given=given,
                fusion="voting",
                refused=("invalid-segmentation", f"/given/{place}"),
            )
    yield case(
        "refuse-given-labels-without-engine",
        "The first of two, beside no engine, has no label for each segment.",
        "SEGMENT_REFUSAL SEGMENT_FUSION",
        "ENG-087",
        trace="0123456789",
        given=[labelled, good],
        fusion="merge",
        refused=("invalid-segmentation", "/given/0"),
    )
    yield case(
        "fuse-empty-upstream-beside-engine",
        "RT-SEG cannot fuse a segmentation without segments; here it is the second given one.",
        "SEGMENT_FUSION SEGMENT_REFUSAL",
        "ENG-086",
        trace="0123456789",
        engines=["new-line"],
        given=[{"offsets": [[0, 10]]}, {"offsets": []}],
        fusion="merge",
        parameters={"profile": "upstream"},
        refused=("invalid-segmentation", "/given/1"),
    )
    yield case(
        "fuse-empty-upstream-of-engines",
        "The engines have no segments: the trace is empty.",
        "SEGMENT_FUSION SEGMENT_REFUSAL",
        "ENG-086",
        trace="",
        engines=["new-line", "new-line-verbose"],
        fusion="voting",
        parameters={"profile": "upstream"},
        refused=("invalid-segmentation", "/engines/0", "/engines/1"),
    )
    for engine in ("surprisal", "entropy", "flatness-break", "top-k-shift"):
        for token, where in ((0, "first"), (15, "last")):
            for piece in ("own", "other"):
                rows: list[dict[str, float | None]] = [{" c": -1.0} for _ in GAPS]
                rows[token]["A" if piece == "own" and token == 0 else " e" if piece == "own" else "?"] = None
                yield scripted(
                    f"refuse-nan-{engine}-{where}-{piece}",
                    "A logit that is no number makes every probability of its row none.",
                    "SEGMENT_REFUSAL SEGMENT_SIGNALS",
                    "ENG-061",
                    TRACE,
                    GAPS,
                    engine=engine,
                    model={"rows": rows},
                    refused=("non-finite-logits", "/model"),
                    window=2,
                )
    yield scripted(
        "refuse-infinite-surprisal",
        "A logit further below the best than any number says.",
        "SEGMENT_REFUSAL SEGMENT_SIGNALS",
        "ENG-061",
        TRACE,
        GAPS,
        engine="surprisal",
        model={"rows": [{"A": -1e308, "?": 1e308}, {}]},
        refused=("non-finite-logits", "/model"),
        window=2,
    )
    for slug, engine, model in (
        ("entailment", "entailment", _answers(None, 0.5)),
        ("neutral", "entailment", _answers(0.5, None)),
        ("reward", "rewards", {"step_scores": [0.5, None]}),
        ("vector-first", "semantic-shift", {"vectors": [[None, 1.0], [1.0, 0.0]]}),
    ):
        yield recorded(
            f"refuse-nan-{slug}",
            "An answer that is no number.",
            "ENG-061",
            engine,
            UNITS[:2],
            model,
            refused=("non-finite-logits", "/model"),
        )
    for slug, engine, model in (
        ("vectors", "semantic-shift", {"vectors": [[1.0, 0.0]]}),
        ("entailments", "entailment", {"entailments": []}),
        ("labels", "zero-shot", {"labels": ["Fact"]}),
        ("topics", "topics", {"labels": ["Fact"]}),
        ("rewards", "rewards", {"step_scores": [0.5]}),
        ("replies", "argument", {"replies": ['{"label": "Fact"}']}),
        ("groups", "unit-groups", {"replies": []}),
    ):
        yield recorded(
            f"refuse-recording-{slug}",
            "A recording that has no answer to what it is asked.",
            "ENG-060",
            engine,
            UNITS[:2],
            model,
            refused=(PARAMETER, "/model"),
        )


def _answers(entailment: float | None, neutral: float | None) -> dict[str, Any]:
    premise, hypothesis = UNITS[:2]
    return {"entailments": [{"premise": premise, "hypothesis": hypothesis, "shares": [entailment, neutral]}]}


CASES = tuple(cases())
