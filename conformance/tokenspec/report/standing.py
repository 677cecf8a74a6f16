"""What a run adds up to for one column: conformant or not, on which share of what it was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tokenspec.report.causes import cells_with_warnings
from tokenspec.report.slow import trouble
from tokenspec.verdict import SILENT, UNCOUNTED, WHOLE, CellResult, Verdict, by_level, exit_code, judgement

UNSAID = frozenset({Verdict.UNSUPPORTED})


@dataclass(frozen=True)
class Standing:
    """One column in a few words.

    Attributes:
        code: the exit code it alone would give: 0, 1 or 3.
        said: ``conformant on 430 of 4,732 cells, 9 %``.
        hint: what to do about it; empty where nothing is to be done.
        share: percent of the cells it was asked, in the areas it answers at all, of which something was judged.
    """

    code: int
    said: str
    hint: str
    share: float


def words_on(result: CellResult) -> set[Verdict]:
    """What is said of the levels of a cell."""
    return {judgement(findings).verdict for findings in by_level(result.findings).values()}


def standing(own: Sequence[CellResult], require: float = WHOLE) -> Standing:
    """What the results of one column add up to.

    ``require`` is the least share in percent; cells of areas that it does not answer, cells outside its claim, cells
    that the suite has no files for, cells of which all that was given is not comparable and cells on which nothing but
    sources that disagree was met are not counted.
    """
    words = [(result, words_on(result)) for result in own if result.asked]
    judged = [result for result, said in words if not said <= UNCOUNTED]
    answered = {result.area for result in judged}
    unlike = sum(said <= SILENT and Verdict.INCOMPARABLE in said for _, said in words)
    disputed = sum(Verdict.DISAGREE in said for _, said in words)
    asked = sum(result.area in answered for result, said in words if not (said <= UNCOUNTED) or said == UNSAID)
    count = len(judged)
    share = 100.0 * count / asked if asked else 0.0
    code = exit_code(own, frozenset(result.impl for result in own[:1]) or frozenset({""}))
    if code == 3:
        return Standing(3, trouble(own), "", share)
    known = sum(finding.verdict is Verdict.XFAIL for result in own for finding in result.findings)
    said = "not conformant" if code else f"conformant but for {known} known failures" if known else "conformant"
    if not asked:
        return Standing(1, "nothing judged", f"{why_nothing(own)}; see what it has: tokenspec doctor", 0.0)
    on = f"on {count:,} of {asked:,} cells, {percent(share)}"
    if count == asked:
        on = f"on all {count:,} cells" if count > 1 else "on 1 cell"
    on += f" ({unlike:,} not comparable)" if unlike else ""
    on += f" (sources disagree on {disputed:,})" if disputed else ""
    if warned := cells_with_warnings(own):
        on += f", {warned:,} with a warning"
    if unjudged := levels_never_judged(judged):
        on += f", nothing of {', '.join(unjudged)}"
    if code or share >= require:
        return Standing(code, f"{said} {on}" if not code else f"{said}, judged {on}", "", share)
    hint = (
        f"less than the {require:g} % required: state in capabilities what it claims, "
        f"choose cells: tokenspec run --row ROW --area AREA, or allow it: tokenspec run --require-judged {int(share)}"
    )
    return Standing(1, f"{said} {on}", hint, share)


def why_nothing(own: Sequence[CellResult]) -> str:
    """Why no cell was judged: the most frequent reason."""
    reasons = Counter(finding.detail.partition("\n")[0] for result in own for finding in result.findings)
    return reasons.most_common(1)[0][0] if reasons else "it answers none of these cells"


def levels_never_judged(judged: Sequence[CellResult]) -> list[str]:
    """The levels of the answered areas in which no cell has a verdict."""
    said: dict[str, bool] = {}
    for result in judged:
        for level, findings in by_level(result.findings).items():
            said[level] = said.get(level, False) or judgement(findings).verdict not in UNCOUNTED
    return [level for level, decided in said.items() if not decided]


def percent(share: float) -> str:
    """A share that never rounds to the whole: ``99 %``."""
    return f"{int(share)} %" if share >= 1 else f"{share:.1f} %"
