"""A report as the page's data: every text once, every cell a row of small integers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tokenspec.areas.oracle_version import CURRENT
from tokenspec.report.causes import BROKEN, WARNED, name_of
from tokenspec.report.deviations import Deviation, Reasons
from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.sample import sample_in
from tokenspec.report.side_by_side import side_by_side, tokens_side_by_side
from tokenspec.report.slow import too_slow
from tokenspec.report.standing import standing
from tokenspec.report.tally import never_exercised
from tokenspec.verdict import UNCOUNTED, WORST, CellResult, Exhibit, Finding, Tokens, by_level, gravest, judgement

MOST_EVIDENCE = 4_000_000
"""Characters of exhibit a page holds, so that it stays below 10 MB; what is left out is said."""

MOST_DETAILS = 1_000_000
"""Characters of details a page holds in full (each to ``LONGEST_DETAIL``); later ones are cut to ``SHORT_DETAIL``."""

MOST_CAUSES = 2_000
LONGEST_DETAIL = 4_000
SHORT_DETAIL = 80

VERDICTS = [verdict.value for verdict in WORST]


@dataclass
class Table:
    """Values by number, each stored once."""

    values: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, key: Any, value: Any = None) -> int:
        """The number of a value (``key`` stands for values that cannot be hashed)."""
        if key not in self.numbers:
            self.numbers[key] = len(self.values)
            self.values.append(key if value is None else value)
        return self.numbers[key]


@dataclass
class Kinds(Table):
    """Causes by number; beyond the first ``MOST_CAUSES`` they share the last."""

    def number(self, key: Any, value: Any = None) -> int:
        """The number of a cause."""
        known = key in self.numbers or len(self.values) < MOST_CAUSES
        return super().number(key if known else "another cause", value)


@dataclass
class Details(Table):
    """Details by number, cut where a run says more than a page can hold."""

    spent: int = 0

    def number(self, key: Any, value: Any = None) -> int:
        """The number of a detail; equal ones are stored once."""
        if key not in self.numbers and value is None:
            most = LONGEST_DETAIL if self.spent < MOST_DETAILS else SHORT_DETAIL
            value = key if len(key) <= most else f"{key[:most]} ... ({len(key) - most} more characters in the report)"
            self.spent += len(value)
        return Table.number(self, key, value)


def page_data(report: Report) -> dict[str, Any]:
    """Everything the page shows of a run. Numbers are indices into the tables of the same object."""
    head, results = report.header, report.results
    areas, rows, cases = (Table(list(head[key]), {n: i for i, n in enumerate(head[key])}) for key in WORDS)
    checks = Table(list(head["checks"]), {name: number for number, name in enumerate(head["checks"])})
    details, said, patterns, pieces, inputs = Details(), Kinds(), Table(), Table(), Table()
    kept, causes = worth_keeping(results), Causes(head["reasons"])
    exhibit: list[dict[str, Any]] = []
    cells: list[list[int]] = []
    for number, result in enumerate(results):
        why = causes.of(result)
        pattern = tuple(finding_key(finding, checks, details, said, why) for finding in result.findings)
        row = [
            areas.number(result.area),
            rows.number(result.row),
            report.impls.index(result.impl),
            cases.number(result.case),
            patterns.number(pattern, {"levels": levels_of(result), "findings": pattern}),
        ]
        if result.exhibit is not None:
            row.append(len(exhibit) if number in kept else -1)
            if number in kept:
                exhibit.append(shown(result.exhibit, pieces, inputs))
        cells.append(row)
    return {
        "kind": "run",
        "sample": sample.said if (sample := sample_in(head)) is not None else "",
        "verdicts": VERDICTS,
        "uncounted": [verdict for verdict in VERDICTS if verdict in UNCOUNTED],
        "broken": [verdict for verdict in VERDICTS if verdict in BROKEN],
        "implementations": [implementation(report, impl) for impl in report.impls],
        "areas": [{"name": name, **head["areas"].get(name, {"title": name, "levels": []})} for name in areas.values],
        "rows": [{"name": name, "status": head["rows"].get(name, {}).get("status", "")} for name in rows.values],
        "cases": [[name, head["cases"].get(name, ""), head["sizes"].get(name, 0)] for name in cases.values],
        "checks": [{"name": name, **head["checks"].get(name, NO_CHECK)} for name in checks.values],
        "requirements": head["requirements"],
        "missing": never_exercised(report),
        "known": head["known_failures"],
        "again": [] if head["oracle"] == CURRENT.transformers else ["--oracle", head["oracle"]],
        "reasons": causes.shown,
        "details": details.values,
        "patterns": patterns.values,
        "causes": said.values,
        "cells": cells,
        "exhibit": exhibit,
        "pieces": pieces.values,
        "inputs": inputs.values,
    }


WORDS = ("areas", "rows", "cases")
NO_CHECK: dict[str, Any] = {"area": "", "level": "", "requires": [], "doc": ""}


@dataclass
class Causes:
    """The reviewed causes of deviations by number, and which of them speaks of a finding."""

    given: dict[str, Any]

    def __post_init__(self) -> None:
        """Type the causes of every column, and list what the page shows of them."""
        self.by_impl: dict[str, list[tuple[int, Deviation]]] = {}
        self.shown: list[dict[str, str]] = []
        for impl, given in self.given.items():
            for deviation in msgspec.convert(given, Reasons).deviation if given else ():
                self.by_impl.setdefault(impl, []).append((len(self.shown), deviation))
                self.shown.append(
                    {"impl": impl, "id": deviation.id, "why": deviation.said, "link": deviation.link or ""}
                )

    def of(self, result: CellResult) -> dict[str, int]:
        """Per check of a cell that fails the first cause that explains it."""
        found: dict[str, int] = {}
        for number, deviation in self.by_impl.get(result.impl, ()):
            for finding in deviation.explains(result):
                found.setdefault(finding.check, number)
        return found


def finding_key(finding: Finding, checks: Table, details: Table, said: Table, why: dict[str, int]) -> tuple[int, ...]:
    """A finding as (check, verdict, detail, whether a MUST is at stake, cause), and the number of a reviewed reason."""
    number = checks.number(finding.check)
    verdict, detail = VERDICTS.index(finding.verdict.value), details.number(finding.detail)
    cause = said.number(name_of(finding)) if finding.verdict in BROKEN | WARNED else -1
    key = (number, verdict, detail, int(finding.severity == "MUST"), cause)
    return (*key, why[finding.check]) if finding.check in why else key


def levels_of(result: CellResult) -> dict[str, int]:
    """Per level the verdict that counts, as in the matrix."""
    return {
        level: VERDICTS.index(judgement(findings).verdict.value)
        for level, findings in by_level(result.findings).items()
    }


def implementation(report: Report, impl: str) -> dict[str, Any]:
    """What a column says of itself, and what the run says of it."""
    own = [result for result in report.results if result.impl == impl]
    stands = standing(own, report.header["require_judged"])
    return {
        "impl": impl,
        "label": labels(report.header["implementations"])[impl],
        "info": {key: str(value) for key, value in report.header["implementations"][impl].items()},
        "code": stands.code,
        "said": "; ".join([stands.said, *too_slow(own).values()]),
        "cells": len(own),
    }


def worth_keeping(results: Iterable[CellResult]) -> frozenset[int]:
    """Which cells keep their exhibit: the first of every kind of failure, then the second, until the page is full."""
    ranked: list[tuple[int, int, int]] = []
    seen: dict[tuple[str, str], int] = {}
    for number, result in enumerate(results):
        if result.exhibit is not None:
            kind = (result.impl, gravest(result.findings).check)
            seen[kind] = seen.get(kind, 0) + 1
            ranked.append((seen[kind], number, size_of(result.exhibit)))
    kept, spent = set(), 0
    for _, number, size in sorted(ranked):
        spent += size
        if spent > MOST_EVIDENCE:
            break
        kept.add(number)
    return frozenset(kept)


def size_of(exhibit: Exhibit) -> int:
    """About how many characters exhibit takes in the page: ids and piece numbers are some six digits each."""
    tokens = sum(len(side.ids) for side in (exhibit.expected, exhibit.got) if side is not None)
    lines = sum(map(len, exhibit.expected_lines)) + sum(map(len, exhibit.got_lines))
    return 13 * tokens + lines + len(exhibit.input) // 2


def shown(exhibit: Exhibit, pieces: Table, inputs: Table) -> dict[str, Any]:
    """One cell's exhibit with its texts replaced by numbers, and the alignment of its two sides."""
    found: dict[str, Any] = {"input": inputs.number(exhibit.input)}
    expected, got = exhibit.expected, exhibit.got
    if expected is not None:
        found["expected"] = tokens_shown(expected, pieces)
    if got is not None:
        found["got"] = tokens_shown(got, pieces)
    if expected is not None and got is not None:
        found["runs"] = tokens_side_by_side(expected, got)
    if exhibit.expected_lines or exhibit.got_lines:
        found["lines"] = {
            "expected": exhibit.expected_lines,
            "got": exhibit.got_lines,
            "runs": side_by_side(exhibit.expected_lines, exhibit.got_lines),
        }
    return found


def tokens_shown(tokens: Tokens, pieces: Table) -> dict[str, Any]:
    """A window of tokens with numbered pieces."""
    return {
        "ids": tokens.ids,
        "pieces": [pieces.number(piece) for piece in tokens.pieces],
        "owners": tokens.owners,
        "start": tokens.start,
        "total": tokens.total,
    }


def as_script(data: object) -> str:
    """JSON that is safe inside a ``script`` element: no ``<``, ``>``, ``&``, U+2028 or U+2029 is written as itself."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
