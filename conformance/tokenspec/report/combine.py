"""Several runs as one matrix: the columns of reports that were judged by the same suite and fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tokenspec.errors import UsageError
from tokenspec.report.jsonl import Report
from tokenspec.report.sample import sample_of_all

MERGED = ("implementations", "areas", "rows", "cases", "sizes", "checks", "requirements", "reasons")


def combine(named: Sequence[tuple[str, Report]]) -> Report:
    """One report with all columns, in the order given; ``named`` are (file name, report).

    Raises:
        UsageError: another suite version, other fixtures, another oracle, or a column that two reports have.
    """
    (first_name, first), *rest = named
    for name, report in rest:
        for what, key in (("suite", "tokenspec"), ("fixtures", "sha256")):
            old, new = first.header[what].get(key, "none"), report.header[what].get(key, "none")
            if old != new:
                raise UsageError(
                    f"{first_name} and {name} were judged by other {what} ({old[:12]} and {new[:12]}), "
                    "so their verdicts do not belong in one matrix. Run one of them again"
                )
        sample_of_all(f"{first_name} and {name}", (first.header, report.header))
        if first.header["oracle"] != report.header["oracle"]:
            raise UsageError(
                f"{first_name} and {name} expect the answers of other oracles ({first.header['oracle']} and "
                f"{report.header['oracle']}). Run one of them again with --oracle {first.header['oracle']}"
            )
    owner: dict[str, str] = {}
    for name, report in named:
        for impl in report.impls:
            if impl in owner:
                raise UsageError(f"{owner[impl]} and {name} both have the column {impl}. Leave one out")
            owner[impl] = name
    return Report(_header([report.header for _, report in named]), [r for _, report in named for r in report.results])


def _header(heads: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The first header with the words of all; versions that differ between the runs are all named."""
    merged = {key: {name: value for head in heads for name, value in head[key].items()} for key in MERGED}
    packages = list(dict.fromkeys(package for head in heads for package in head["suite"]))
    return {
        **heads[0],
        **merged,
        "suite": {package: _all(head["suite"].get(package) for head in heads) for package in packages},
        "sample": (one := sample_of_all("the runs", heads)) and msgspec.to_builtins(one),
        "python": _all(head["python"] for head in heads),
        "known_failures": [entry for head in heads for entry in head["known_failures"]],
    }


def _all(versions: Any) -> str:
    return " and ".join(dict.fromkeys(version for version in versions if version is not None))
