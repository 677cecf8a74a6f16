"""Two runs of the same columns: what got worse, what got better, what else changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from tokenspec.errors import UsageError
from tokenspec.report.causes import BROKEN, WARNED
from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.markup import code, plain
from tokenspec.report.sample import sample_in, sample_of_all
from tokenspec.verdict import Verdict

NOT_RUN = "not run"
SLOW = "too slow"
"""What stands for the error of a call without an answer in time: no failure, but silence like ``not run``."""


class Kind(StrEnum):
    """What a change means. ``REGRESSION``: a pass is gone; ``NEW_FAILURE``: broken, but it never passed."""

    REGRESSION = "regression"
    FIX = "fix"
    NEW_FAILURE = "new failure"
    OTHER = "other"


@dataclass(frozen=True)
class Change:
    """One verdict that differs."""

    impl: str
    name: str
    before: str
    after: str

    @property
    def kind(self) -> Kind:
        """A pass that is gone is a regression even where it is not run any more: silence is not conformance."""
        if self.before == Verdict.PASS:
            return Kind.REGRESSION
        if self.after == Verdict.PASS and self.before in BROKEN | WARNED | {Verdict.XFAIL}:
            return Kind.FIX
        if self.after in BROKEN and self.before not in BROKEN:
            return Kind.NEW_FAILURE
        return Kind.OTHER


def as_named_in(new: Report, old: Report) -> Report:
    """The old run with the names of the new one, where a column of another name has the same label."""
    called = {label: impl for impl, label in labels(new.header["implementations"]).items()}
    names = {
        impl: called[label]
        for impl, label in labels(old.header["implementations"]).items()
        if impl not in new.impls and label in called and called[label] not in old.impls
    }
    if not names:
        return old
    infos = {names.get(impl, impl): info for impl, info in old.header["implementations"].items()}
    results = [msgspec.structs.replace(one, impl=names.get(one.impl, one.impl)) for one in old.results]
    return Report({**old.header, "implementations": infos}, results)


def compare(old: Report, new: Report) -> list[Change]:
    """All changes, regressions first; columns are compared by name, those of other names by the label they print.

    Raises:
        UsageError: the reports have no column in common, so every verdict would seem to change; or they are of
            different samples.
    """
    sample_of_all("the two runs", (old.header, new.header))
    old = as_named_in(new, old)
    shared = set(old.impls) & set(new.impls)
    if not shared:
        raise UsageError(
            f"no column in common: {', '.join(old.impls)} and {', '.join(new.impls)}. Compare runs of one --impl NAME"
        )
    before, after = verdicts(old, shared), verdicts(new, shared)
    changes = [
        Change(*key, before.get(key, NOT_RUN), after.get(key, NOT_RUN))
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    order = list(Kind)
    return sorted(changes, key=lambda change: order.index(change.kind))


def what_changed(old: Report, new: Report, most: int) -> str:
    """The changes as a Markdown table, each with its case, below the versions that were judged; ``most`` bounds it."""
    found, old = compare(old, new), as_named_in(new, old)
    named, lines = labels(new.header["implementations"]), ["## What changed", ""]
    for impl in new.impls:
        if impl in old.impls:
            versions = [str(one.header["implementations"][impl].get("version", "unknown")) for one in (old, new)]
            lines.append(f"* {plain(named[impl])}: {plain(' to '.join(dict.fromkeys(versions)))}")
    if (sample := sample_in(new.header)) is not None:
        lines.append(f"* asked was {sample.said}")
    if not found:
        return "\n".join([*lines, "", "No verdict changed."]) + "\n"
    lines += ["", "| change | column | case | check | before | after |", "|---|---|---|---|---|---|"]
    for change in found[:most]:
        cell, _, check = change.name.partition(" ")
        where = f"{plain(named[change.impl])} | {code(cell)} | {code(check)}"
        lines.append(f"| {change.kind} | {where} | {change.before} | {change.after} |")
    more = [f"... and {len(found) - most} more"] if len(found) > most else []
    return "\n".join([*lines, *(line for one in more for line in ("", one))]) + "\n"


def verdicts(report: Report, impls: set[str]) -> dict[tuple[str, str], str]:
    """Every verdict by (implementation, cell and check)."""
    return {
        (result.impl, f"{result.name} {finding.check}"): SLOW if finding.slow else finding.verdict.value
        for result in report.results
        if result.impl in impls
        for finding in result.findings
    }
