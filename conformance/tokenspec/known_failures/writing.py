"""Writing a list: what fails today, with the reasons and issues of the old list; sorted, so that a diff is readable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from tokenspec.errors import UsageError
from tokenspec.store.canonical import toml_string
from tokenspec.verdict import WRONG, CellResult, Finding, Verdict

from .entries import KEYS, Entry, Failure, FailureClass, KnownFailures
from .judging import Ledger, is_decided, judge_known

CLASSES: dict[Verdict, FailureClass] = {Verdict.FAIL: "fail", Verdict.ERROR: "error", Verdict.REJECTED: "rejected"}


@dataclass(frozen=True)
class Rewritten:
    """A list made anew: its text, and how it differs from the old one."""

    text: str
    kept: int
    added: int
    removed: int


def rewrite(ledger: Ledger, results: Iterable[CellResult], *, reason: str | None, issue: str | None) -> Rewritten:
    """The list that makes this run pass.

    Entries that still hold, or that this run says nothing of, are kept as they are. The others go; a failure that was
    listed under one of them keeps its reason, issue and version ranges. New failures get ``reason`` and ``issue``.

    Args:
        ledger: the old list (possibly without entries) held against the column, nothing judged yet.
        results: the column's results, as the runner gave them.
        reason: of new entries.
        issue: of new entries.

    Raises:
        UsageError: there are new failures and no reason or issue for them.
    """
    results = list(results)
    for result in results:
        judge_known(ledger, result)
    gone = [entry for entry in ledger.in_force if ledger.complaints_of(entry)]
    dropped = {entry.number for entry in gone}
    kept = [entry for entry in ledger.known.entries if entry.number not in dropped]
    standing = Ledger(replace(ledger.known, entries=tuple(kept)), ledger.impl, ledger.version, ledger.transformers)
    wanted: list[Failure] = []
    unexplained: list[Failure] = []
    for result in results:
        for failure in failures_in(judge_known(standing, result)):
            heir = next((entry.failure for entry in gone if _speaks_of(entry, failure, result)), None)
            if heir is not None:
                told = msgspec.structs.replace(
                    failure,
                    reason=heir.reason,
                    issue=heir.issue,
                    impl=heir.impl,
                    transformers=heir.transformers,
                    wontfix=heir.wontfix,
                )
                wanted.append(told)
                continue
            unexplained.append(failure)
            wanted.append(msgspec.structs.replace(failure, reason=reason or "", issue=issue or ""))
    if unexplained and not (reason and reason.strip() and issue and issue.strip()):
        raise UsageError(
            f"{len(unexplained)} failures are not in {ledger.known.file} yet, the first is {unexplained[0].case} on "
            f"{unexplained[0].row}; say why and where they are tracked: --reason TEXT --issue URL. Nothing was written"
        )
    entries = sorted([*(entry.failure for entry in kept), *wanted], key=_order)
    return Rewritten(text_of(ledger.known, entries), len(kept), len(wanted), len(gone))


def failures_in(result: CellResult) -> list[Failure]:
    """The entries that list what is broken in one cell: one for a cell without an answer, else one a requirement."""
    decided = [finding for finding in result.findings if is_decided(finding)]
    broken = [finding for finding in decided if finding.verdict in WRONG and finding.severity == "MUST"]
    whole = {finding.verdict for finding in decided}
    if broken and len(whole) == 1 and not whole & {Verdict.FAIL}:
        return [_failure(result, broken[0], check="*")]
    named: dict[tuple[str | None, str | None], Failure] = {}
    for finding in broken:
        id_ = finding.requires[0]
        mixed = {other.verdict for other in broken if id_ in other.requires} != {finding.verdict}
        one = _failure(result, finding, check=finding.check) if mixed else _failure(result, finding, requirement=id_)
        named.setdefault((one.requirement, one.check), one)
    return list(named.values())


def _failure(
    result: CellResult, finding: Finding, *, requirement: str | None = None, check: str | None = None
) -> Failure:
    return Failure(
        case=result.case,
        row=result.row,
        requirement=requirement,
        check=check,
        class_=CLASSES[finding.verdict],
        reason="",
        issue="",
    )


def _speaks_of(entry: Entry, failure: Failure, result: CellResult) -> bool:
    """Whether a dropped entry was about this failure."""
    if not entry.covers(failure.case, failure.row):
        return False
    if failure.check == "*":
        return True
    cited = [
        finding
        for finding in result.findings
        if failure.check == finding.check or failure.requirement in finding.requires
    ]
    names = {finding.check for finding in cited} if entry.failure.check else {i for f in cited for i in f.requires}
    return any(entry.name_pattern.fullmatch(name) for name in names)


def _order(failure: Failure) -> tuple[str, ...]:
    return (*failure.place, failure.impl or "", failure.transformers or "")


def text_of(known: KnownFailures, failures: Sequence[Failure]) -> str:
    """The file: who it is about, then the entries in order, each key in its place."""
    lines = [
        "# Known failures, strict both ways. Sorted; rewritten by tokenspec run --write-known-failures, comments go.",
        f"# Keys: {KEYS}.",
        "# class is fail, error or rejected; '*' in case, row, requirement or check stands for any characters.",
        f"implementation = {toml_string(known.implementation)}",
    ]
    for failure in failures:
        lines += ["", "[[failure]]"]
        for key, value in msgspec.to_builtins(failure).items():
            lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else toml_string(value)}")
    return "\n".join(lines) + "\n"
