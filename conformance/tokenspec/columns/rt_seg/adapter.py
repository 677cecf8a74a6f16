"""RT-SEG's engines, fusions and labels, given a model that needs no download.

Its modules are imported one by one: what segments needs torch, transformers and nltk, while the package's own
``__init__`` wants every parser and database it can use. spacy, stanza and sentence-transformers are placeholders: the
base units of a trace come with the case, and so do the vectors that are compared.

Where the specification departs from the code (``normalized`` scores), the code is run with the moments the
specification wants: its second pass takes them as arguments. Everything else is called as it is.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec

from tokenspec.adapters import Unsupported
from tokenspec.areas.engines.records import EnginesInput, Recorded, Scripted
from tokenspec.columns.rt_seg.models import STANDARD_SEPARATOR
from tokenspec.columns.rt_seg.units import UNIT_ENGINES, UNIT_OPTIONS, cosine, given_units, recorded, unit_options
from tokenspec.columns.single_modules import folders, installed_at, placeholder

Segments = list[tuple[int, int]]
PACKAGE = "rt_segmentation"
FORCED = ("llm_split_forced_decoder", "RTLLMForcedDecoderBased")
ENGINES = {
    "forced-decoder": FORCED,
    "surprisal": ("llm_split_surprisal", "RTLLMSurprisal"),
    "entropy": ("llm_split_entropy", "RTLLMEntropy"),
    "top-k-shift": ("llm_split_topk", "RTLLMTopKShift"),
    "flatness-break": ("llm_split_flatness_break", "RTLLMFlatnessBreak"),
    "rule-regex": ("rule_split_regex", "RTRuleRegex"),
    "new-line": ("rule_split_newline", "RTNewLine"),
    "new-line-verbose": ("rule_split_newline", "RTNewLineVerbose"),
    "plain": ("plain_segmenter", "RTPlainSegmenter"),
    **UNIT_ENGINES,
}
FUSIONS = {
    "voting": "OffsetFusionVoting",
    "merge": "OffsetFusionMerge",
    "intersect": "OffsetFusionIntersect",
    "fuzzy": "OffsetFusionFuzzy",
    "graph": "OffsetFusionGraph",
}
FUSING = {"threshold", "max_distance"}
HINTS = {"algorithm", "chunk_size", "label_fusion_type", "score_mode", "cache_policy", "profile", *FUSING}
TAKEN = {"alpha", "beta", "quantile", "sep_tok", "max_kv_tokens", "system_prompt", "window", "top_k", "chat_template"}
EVERYTHING = 10**9


class Adapter:
    """Every row; an engine needs the row where its model is made of one."""

    def __init__(self) -> None:
        """Start without rows."""
        self.rows: dict[str, dict[str, Any]] = {}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Remember a row, whose tokens tiny models speak."""
        self.rows[model] = assets

    def segment(self, request: dict[str, Any]) -> dict[str, Any]:
        """Its engines, then its fusion."""
        given = msgspec.convert({key: value for key, value in request.items() if key != "row"}, EnginesInput)
        if strange := set(given.parameters) - HINTS - TAKEN - UNIT_OPTIONS:
            raise Unsupported(f"no option {min(strange)}")
        if len(given.engines) + len(given.given) > 1 and given.fusion is None:
            raise Unsupported("several segmentations without a fusion: it fails by an accident")
        if not given.engines and given.fusion is None:
            raise Unsupported("nothing to segment")
        answer: dict[str, Any] = {}
        results = [self.run(name, given, self.rows.get(request["row"]), answer) for name in given.engines]
        results += [(list(each.offsets), each.labels or ["UNK"] * len(each.offsets)) for each in given.given]
        if given.fusion is None:
            return {"offsets": results[0][0], "labels": results[0][1], **answer}
        fusing = module("late_fusion")
        offsets = getattr(fusing, FUSIONS[given.fusion]).fuse([each for each, _ in results], **taken(given, FUSING))
        labels = fusing.LabelFusion.fuse(
            [each for each, _ in results],
            [labels for _, labels in results],
            offsets,
            given.parameters.get("label_fusion_type", "majority"),
        )
        return {"offsets": offsets, "labels": labels}

    def run(
        self, name: str, given: EnginesInput, assets: dict[str, Any] | None, answer: dict[str, Any]
    ) -> tuple[Segments, list[str]]:
        """One engine; the forced decoder adds its threshold to the answer."""
        if name not in ENGINES:
            raise Unsupported("topics need its clustering, and that downloads a model")
        place, engine_name = ENGINES[name]
        engine = getattr(module(place), engine_name)
        if name in ("rule-regex", "plain"):
            with given_units(module("base_segmentor").UnitSegmentor, given):
                return both(engine._segment(given.trace, seg_base_unit="sent"))  # noqa: SLF001 - its one entry point
        if name in UNIT_ENGINES:
            with given_units(module("base_segmentor").UnitSegmentor, given), recorded(engine, name, given):
                return both(engine._segment(given.trace, **unit_options(name, given.parameters)))  # noqa: SLF001
        if not name.startswith("new-line"):
            options = {"max_kv_tokens": capped(given.parameters), **taken(given, TAKEN - {"chat_template"})}
            options = {"system_prompt": "", **options}
            with given_model(engine, given, assets):
                if name == "forced-decoder":
                    return forced(engine, given, options, answer)
                options.pop("sep_tok", None)
                return both(engine._segment(given.trace, model_name="", **options))  # noqa: SLF001
        return both(engine._segment(given.trace))  # noqa: SLF001


def taken(given: EnginesInput, names: set[str]) -> dict[str, Any]:
    """Parameters by their own names."""
    return {name: value for name, value in given.parameters.items() if name in names}


def capped(parameters: dict[str, Any]) -> int:
    """How many cache entries its crop leaves; the other policies are not its."""
    kind, _, size = parameters.get("cache_policy", "none").partition(":")
    if kind == "window":
        raise Unsupported("keeps the first entries of a cache, not the last")
    return int(size) if kind == "legacy_head" else EVERYTHING


def both(result: Any) -> tuple[Segments, list[str]]:
    """Offsets and labels; where it gives none of either, it gives an empty list."""
    return result if isinstance(result, tuple) else (result, [])


class Overheard:
    """A threshold that hears what it is compared with: the engine reports no margin, but it decides by one comparison.

    A score is compared again right behind the separator it has led to; that decides nothing.
    """

    def __init__(self, value: float) -> None:
        """Nothing was heard yet."""
        self.value, self.margin = float(value), math.inf
        self.cut = self.again = False

    def __lt__(self, score: Any) -> bool:
        """Whether a score is above it."""
        distance, above = abs(float(score) - self.value), float(score) > self.value
        if self.again:
            self.again = False
        else:
            if math.isfinite(distance) and (self.cut or distance > 0):
                self.margin = min(self.margin, distance)
            self.again = above
            self.cut |= above
        return above


def forced(
    engine: Any, given: EnginesInput, options: dict[str, Any], answer: dict[str, Any]
) -> tuple[Segments, list[str]]:
    """Both passes of the forced decoder."""
    gaps: list[Any] = []
    thresholds: list[Overheard] = []
    normalize, choose = engine.normalize, engine.choose_threshold

    def normalized(values: Any) -> Any:
        gaps.append(values)
        return normalize(values)

    def chosen(*scores: Any, **quantile: Any) -> Overheard:
        thresholds.append(Overheard(choose(*scores, **quantile)))
        return thresholds[-1]

    told = {"trace": given.trace, "model_name": "", "alpha": 1.0, "beta": 2.0, "quantile": 90.0, **options}
    told = {key: value for key, value in told.items() if key not in {"window", "top_k"}}
    with (
        patch.object(engine, "normalize", staticmethod(normalized)),
        patch.object(engine, "choose_threshold", staticmethod(chosen)),
    ):
        if given.parameters.get("score_mode") == "upstream_literal":
            found = both(engine._segment(**told))  # noqa: SLF001
        else:
            threshold, _, _ = engine._trace_pass(**told)  # noqa: SLF001
            told.pop("quantile")
            moments = {"gap_mean": gaps[0].mean(), "gap_std": gaps[0].std() + 1e-6}
            offsets = engine._segment_pass(**told, threshold=threshold, **moments)  # noqa: SLF001
            found = offsets, ["UNK"] * len(offsets)
    heard = thresholds[0]
    if (
        STANDARD_SEPARATOR not in given.trace
    ):  # beside one in the trace nothing is decided, and it compares all the same
        answer["threshold"] = heard.value
        answer |= {} if math.isinf(heard.margin) else {"margin": heard.margin}
    return found


@contextmanager
def given_model(engine: Any, given: EnginesInput, assets: dict[str, Any] | None) -> Iterator[None]:
    """The engine loads the model of the case."""
    from tokenspec.columns.rt_seg.models import table, tiny

    separator = given.parameters.get("sep_tok", STANDARD_SEPARATOR)
    if separator != STANDARD_SEPARATOR:
        raise Unsupported(f"its second pass inserts {STANDARD_SEPARATOR} only")
    if isinstance(given.model, Recorded):
        raise Unsupported("a recording has no logits")
    if isinstance(given.model, Scripted):
        loaded: tuple[Any, Any] = table(given.model, separator)
    elif given.model is not None and assets is not None:
        template = given.parameters.get("chat_template", assets["chat_template"])
        loaded = tiny(given.model, {**assets, "chat_template": template}, separator)
    else:
        raise Unsupported("an engine without a model")
    with patch.object(engine, "load_model", staticmethod(lambda *_, **__: loaded)):
        yield


def module(name: str) -> ModuleType:
    """One module of the package, without its ``__init__`` and without the parsers nobody calls here."""
    if PACKAGE not in sys.modules:
        folders(installed_at(PACKAGE) or Path(), PACKAGE)
        for parser in ("spacy", "stanza"):
            placeholder(parser)
        placeholder("sentence_transformers", SentenceTransformer=None, util=SimpleNamespace(cos_sim=cosine))
    return importlib.import_module(f"{PACKAGE}.{name}")
