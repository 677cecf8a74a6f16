"""Broken scores: spread, prior, percentile, comparison, modes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokenspec.areas.engines.mutants.patched import mutant


def _sample_deviation() -> Mapping[str, Any]:
    from tokenspec_reference.engines.scoring import calibrate

    def broken(gaps: Sequence[float], priors: Sequence[float], *, alpha: float, **options: Any) -> Any:
        count = len(gaps)
        return calibrate(gaps, priors, alpha=alpha * math.sqrt((count - 1) / count), **options)

    return {"forced_decode.calibrate": broken}


def _nearest(values: Sequence[float], quantile: float) -> float:
    ordered = sorted(values)
    return ordered[round((len(ordered) - 1) * quantile / 100)]


def _lower(values: Sequence[float], quantile: float) -> float:
    ordered = sorted(values)
    return ordered[int((len(ordered) - 1) * quantile / 100)]


def _divided_first(values: Sequence[float], quantile: float) -> float:
    ordered = sorted(values)
    index = (len(ordered) - 1) * (quantile / 100)
    low = math.floor(index)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (index - low)


def _descending(values: Sequence[float], quantile: float) -> float:
    return _lower(values, 100 - quantile)


def _calibrated(**changes: Any) -> Any:
    """``calibrate`` with some of its options replaced."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines.scoring import calibrate

        def broken(gaps: Sequence[float], priors: Sequence[float], **options: Any) -> Any:
            return calibrate(gaps, priors, **(options | changes))

        return {"forced_decode.calibrate": broken}

    return replacements


def _guarded_literal() -> Mapping[str, Any]:
    from tokenspec_reference.engines.scoring import calibrate

    def broken(gaps: Sequence[float], priors: Sequence[float], **options: Any) -> Any:
        found = calibrate(gaps, priors, **options)
        return replace(found, threshold=math.inf) if found.spread == 0 and found.mode != "normalized" else found

    return {"forced_decode.calibrate": broken}


def _silent_when_constant() -> Mapping[str, Any]:
    from tokenspec_reference.engines.scoring import calibrate

    def broken(gaps: Sequence[float], priors: Sequence[float], **options: Any) -> Any:
        found = calibrate(gaps, priors, **options)
        return replace(found, threshold=math.inf) if max(gaps) - min(gaps) < 1e-9 else found

    return {"forced_decode.calibrate": broken}


def _unnormalised_literal() -> Mapping[str, Any]:
    from tokenspec_reference.engines.scoring import calibrate

    def broken(gaps: Sequence[float], priors: Sequence[float], **options: Any) -> Any:
        found = calibrate(gaps, priors, **options)
        return found if found.mode == "normalized" else replace(found, spread=found.spread + 0.25)

    return {"forced_decode.calibrate": broken}


def _first_candidate(rows: Any, separators: Any, next_ids: Sequence[int]) -> list[float]:
    competing, own = rows.logits_of(separators.candidates, next_ids)
    gaps: list[float] = (competing[:, 0].double() - own.double()).tolist()
    return gaps


def _against_the_likeliest(rows: Any, separators: Any, next_ids: Sequence[int]) -> list[float]:
    competing, _ = rows.logits_of(separators.candidates, next_ids)
    best = rows.full(0, len(next_ids)).amax(dim=1)
    gaps: list[float] = (competing.double().amax(dim=1) - best.double()).tolist()
    return gaps


def _nan_is_unlikely() -> Mapping[str, Any]:
    import torch

    def broken(rows: Any, separators: Any, next_ids: Sequence[int]) -> list[float]:
        competing, own = rows.logits_of(separators.candidates, next_ids)
        gap = competing.double().amax(dim=1) - own.double()
        gaps: list[float] = torch.nan_to_num(gap, nan=-30.0).tolist()
        return gaps

    return {"forced_decode.gaps_of": broken}


MUTANTS = (
    mutant("no-epsilon", "ENG-021", "the deviation has no epsilon", {"scoring.EPSILON": 0.0}),
    mutant("sample-deviation", "ENG-021", "ddof 1 instead of 0", _sample_deviation),
    mutant("dust-is-spread", "ENG-021 ENG-051", "no guard for constant gaps", {"scoring.CONSTANT_SPREAD": -1.0}),
    mutant("silent-when-constant", "ENG-051", "constant gaps never make a boundary", _silent_when_constant),
    mutant(
        "no-line-feed", "ENG-022", "a line feed is no punctuation", {"scoring.HARD_PUNCTUATION": frozenset(".!?;:")}
    ),
    mutant("no-colon", "ENG-022", "colon and semicolon are soft", {"scoring.HARD_PUNCTUATION": frozenset(".!?\n")}),
    mutant("one-soft-prior", "ENG-022", "0.5 in both passes", {"forced_decode.SOFT_PRIOR_PASS_TWO": 0.5}),
    mutant(
        "soft-priors-swapped",
        "ENG-022",
        "0.2 in pass 1, 0.5 in pass 2",
        {"forced_decode.SOFT_PRIOR_PASS_ONE": 0.2, "forced_decode.SOFT_PRIOR_PASS_TWO": 0.5},
    ),
    mutant("percentile-nearest", "ENG-023", "the nearest score is the threshold", {"scoring.percentile": _nearest}),
    mutant("percentile-lower", "ENG-023", "no interpolation", {"scoring.percentile": _lower}),
    mutant(
        "percentile-divided-first",
        "ENG-023 ENG-030",
        "index from quantile / 100",
        {"scoring.percentile": _divided_first},
    ),
    mutant(
        "percentile-descending", "ENG-052 ENG-023", "percentile of the other tail", {"scoring.percentile": _descending}
    ),
    mutant(
        "not-strict",
        "ENG-030",
        "a score equal to the threshold inserts",
        {"scoring.Calibration.exceeds": lambda self, score: score >= self.threshold},
    ),
    mutant("raw-gaps-in-pass-two", "ENG-033", "upstream's scores as the default", _calibrated(mode="upstream_literal")),
    mutant("literal-is-normalized", "ENG-034", "no upstream mode", _calibrated(mode="normalized")),
    mutant("literal-guards-zero", "ENG-034", "zero spread never inserts in upstream's mode", _guarded_literal),
    mutant("literal-spread", "ENG-034", "another spread in upstream's mode", _unnormalised_literal),
    mutant(
        "first-candidate",
        "ENG-020 ENG-011",
        "the gap takes the first candidate, not the best",
        {"forced_decode.gaps_of": _first_candidate},
    ),
    mutant(
        "gap-to-likeliest",
        "ENG-020",
        "gap to the likeliest token, not to the trace's",
        {"forced_decode.gaps_of": _against_the_likeliest},
    ),
    mutant("nan-is-unlikely", "ENG-061", "NaN becomes a very negative gap", _nan_is_unlikely),
)
