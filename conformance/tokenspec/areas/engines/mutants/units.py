"""Broken engines over base units, and broken agreement of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenspec.areas.engines.mutants.patched import Request, Result, mutant

UNITS = "unit_engines."


def _edited(module: str, name: str, before: str, after: str) -> Any:
    """A class of the reference with one expression of its source replaced."""

    def replacements() -> Mapping[str, Any]:
        import importlib
        import inspect

        home = importlib.import_module(f"tokenspec_reference.engines.{module}")
        original = getattr(home, name)
        source = inspect.getsource(original)
        if before not in source:
            raise AssertionError(f"{name} has no {before!r} any more")
        scope = dict(vars(home))
        exec(source.replace(before, after), scope)  # noqa: S102
        method = "spend" if name == "Patience" else "group"
        if isinstance(original, type):
            return {f"{module}.{name}.{method}": getattr(scope[name], method)}
        return {f"{module}.{name}": scope[name]}

    return replacements


def _nothing_protected() -> Mapping[str, Any]:
    return {"base_units.unprotected": lambda _trace, starts: list(starts)}


def _no_labels(_: Request, result: Result) -> None:
    result["labels"] = ["UNK"] * len(result["offsets"])


def _alpha_is_consensus(_: Request, result: Result) -> None:
    if "group" in result:
        result["group"]["krippendorff_alpha"] = result["group"]["consensus"]


def _last_run_lost(units: Any, labels: Any) -> Any:
    from tokenspec_reference.engines.offsets import partition
    from tokenspec_reference.engines.segmentation import Segmentation

    first = [0, *(index for index in range(1, len(units)) if labels[index] != labels[index - 1])]
    first = first[:-1] if len(first) > 1 else first
    return Segmentation(
        partition((units[index][0] for index in first), units[-1][1]), [labels[index] for index in first]
    )


MUTANTS = (
    mutant("cuts-math", "ENG-100", "units begin inside math", _nothing_protected),
    mutant(
        "shift-at-once",
        "ENG-102",
        "no second unit is looked at",
        _edited("unit_engines", "RTEmbeddingBasedSemanticShift", "index + 1 < len(units)", "False"),
    ),
    mutant(
        "entailment-one-unit",
        "ENG-103",
        "the premise is one unit",
        _edited("unit_engines", "RTEntailmentBasedSegmentation", "index - 2", "index - 1"),
    ),
    mutant("last-run-lost", "ENG-104", "the last run is lost", {UNITS + "from_labels": _last_run_lost}),
    mutant("runs-without-labels", "ENG-104", "labels are left out", after=_no_labels),
    mutant(
        "rewards-not-warm",
        "ENG-105",
        "the threshold is whole from the start",
        _edited("unit_engines", "RTPRMBase", "0.5 + 0.5 * min(index / WARM_UP, 1.0)", "1.0"),
    ),
    mutant(
        "replies-once",
        "ENG-106",
        "the first reply of no use is refused",
        _edited("writer_engines", "Patience", "self.left == 0", "True"),
    ),
    mutant(
        "groups-end-early",
        "ENG-107",
        "the first chunk is the last",
        _edited("writer_engines", "RTLLMSegUnitBased", ">= len(texts) - 2", ">= 0"),
    ),
    mutant(
        "offsets-without-chunks",
        "ENG-108",
        "starts count from the chunk",
        _edited("writer_engines", "RTLLMOffsetBased", "at + start for start", "start for start"),
    ),
    mutant(
        "chunks-without-a-word",
        "ENG-109",
        "the prompt before a chunk is left out",
        _edited("writer_engines", "RTLLMOffsetBased", "spans.prompt + chunk", "chunk"),
    ),
    mutant(
        "neighbours-beside",
        "ENG-109",
        "the unit before is always the next one",
        _edited("writer_engines", "_question", "index - context_window", "index - 1"),
    ),
    mutant(
        "rewards-without-a-problem",
        "ENG-109",
        "the reward model is not told the problem",
        _edited("unit_engines", "RTPRMBase", "reward.problem", '""'),
    ),
    mutant(
        "choice-of-its-own",
        "ENG-109",
        "the labels to choose from are always the engine's own",
        _edited("unit_engines", "RTZeroShotSeqClassification", "candidates.labels or self.labels", "self.labels"),
    ),
    mutant("alpha-is-consensus", "ENG-094", "consensus is called alpha", after=_alpha_is_consensus),
    mutant(
        "optimistic-is-smaller",
        "ENG-095",
        "the smaller share is the optimistic one",
        _edited("metrics", "optimistic_score", "max(", "min("),
    ),
)
