"""The scoreboard: every library on every model, by level, from the runs that are kept; and its parts on other pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from tokenspec.adapters.foreign import foreign_columns
from tokenspec.adapters.resolve import registered
from tokenspec.areas import areas
from tokenspec.data import checkout_root
from tokenspec.models import specs
from tokenspec.report.score import Score, ScoredCause, disputed, read_scores, total
from tokenspec.reproduction.kept import reproductions
from tokenspec.requirements import requirements

from .requirement_pages import cell, table

HEAD = """# Scoreboard

Cells passed of cells judged: library by model, at one level of one area. What was not judged is left empty and never
counted as a pass; `≠` counts cells on which [sources disagree](sources-disagree.md); a run of a part of the rows says
nothing of the others. The history has the runs that were asked the same. The filters are in the address, so that a
view can be sent.
[What the levels mean](spec/index.md), [why libraries deviate](columns/index.md).
"""
BOARD = """<div id="score-view"></div>
<script type="application/json" id="scores">{}</script>
<script src="_static/scoreboard.js" defer></script>"""
CURVE = 12
"""Runs of the history that are shown."""


@cache
def scores() -> list[Score]:
    """The runs that are kept, the oldest first."""
    root = checkout_root()
    return read_scores(root / "conformance" / "scoreboard") if root is not None else []


def pages() -> dict[str, str]:
    """One page."""
    if not scores():
        return {"scoreboard.md": f"{HEAD}\nNo run is kept yet.\n"}
    latest = scores()[-1]
    made = ", ".join(f"{name} {version}" for name, version in latest.suite.items())
    # A text inside a script element ends at the first "</": JSON allows to write it otherwise.
    data = json.dumps(view(), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    parts = [
        HEAD,
        f"```{{raw}} html\n{BOARD.format(data)}\n```",
        f"## By library\n\nThe run of {on_day(latest)}, judged by {cell(made)}; fixtures `{latest.fixtures[:12]}`.",
        table(("library", "version", "area", "passed/judged"), by_library(latest)),
    ]
    return {"scoreboard.md": "\n\n".join(parts) + "\n"}


def on_day(score: Score) -> str:
    """``2026-11-24 (a sample: 7,904 of 32,482 cells, ...)``."""
    return score.date if score.sample is None else f"{score.date} ({score.sample.said})"


def by_library(score: Score) -> Iterable[str]:
    """A line for every library and area: its levels over all rows."""
    for name, column in score.columns.items():
        for area in (area for area in areas().values() if area.name in column.passed):
            yield f"| {linked(name)} | {cell(column.version)} | {area.name} | {levels_of(score, name, area.name)} |"


def levels_of(score: Score, name: str, area: str) -> str:
    """``TEXT 264/297 ≠12, IDS 250/297``."""
    column = score.columns[name]
    counted = ((level, *total(column, area, level), disputed(column, area, level)) for level in areas()[area].levels)
    return ", ".join(figure(*one) for one in counted if one[2] or one[3])


def figure(level: str, passed: int, judged: int, on_sources: int) -> str:
    """``TEXT 264/297 ≠12``."""
    return f"{level} {passed}/{judged}{f' ≠{on_sources}' if on_sources else ''}"


def linked(name: str) -> str:
    """A library, with its page where it has one."""
    return f"[{cell(name)}](columns/{name}.md)" if has_page(name) else cell(name)


@cache
def has_page(name: str) -> bool:
    """Whether there is a page of a column."""
    point = registered().get(name)
    return name in foreign_columns() or (point is not None and point.value.startswith("tokenspec"))


def view() -> dict[str, Any]:
    """What the page's script shows: the latest run in full, of those before it the sums."""
    latest = scores()[-1]
    columns = list(latest.columns.values())
    shown = {
        area.name: {
            "title": area.title,
            "levels": [level for level in area.levels if any(total(one, area.name, level)[1] for one in columns)],
        }
        for area in areas().values()
        if any(area.name in one.passed for one in columns)
    }
    history = {
        name: {
            area: {
                level: [[one.date, one.columns[name].version, *total(one.columns[name], area, level)] for one in runs]
                for level in shown[area]["levels"]
            }
            for area in latest.columns[name].passed
        }
        for name in latest.columns
        if (runs := [one for one in like(latest)[-CURVE:] if name in one.columns])
    }
    return {
        "sample": latest.sample.said if latest.sample is not None else "",
        "areas": shown,
        "models": [row for row in ("-", *specs()) if any_row(latest, row)] + pairs(latest),
        "pages": {name: f"columns/{name}.html" for name in latest.columns if has_page(name)},
        "rows": {row: f"rows/{row}.html" for row in specs()},
        "columns": {
            name: {
                "version": column.version,
                "passed": column.passed,
                "disputed": column.disputed,
                "causes": [[one.said, one.cells, one.smallest, one.verdict] for one in column.causes],
            }
            for name, column in latest.columns.items()
        },
        "history": history,
        "shown": {
            name: [[one.written.title, f"reproductions.html#reproduction-{one.column}-{one.slug}"] for one in own]
            for name in latest.columns
            if (own := [one for one in reproductions().values() if one.column == name])
        },
    }


def like(latest: Score) -> list[Score]:
    """The runs that were asked what the latest was, the oldest first: sums of others say nothing beside its own."""
    each = latest.sample and latest.sample.each
    return [one for one in scores() if (one.sample and one.sample.each) == each]


def any_row(score: Score, row: str) -> bool:
    """Whether something was judged on a row."""
    return any(row in rows for column in score.columns.values() for rows in column.passed.values())


def pairs(score: Score) -> list[str]:
    """The pairs of rows on which something was judged."""
    rows = (row for column in score.columns.values() for found in column.passed.values() for row in found)
    return sorted({row for row in rows if "+" in row})


def of_column(name: str) -> list[str]:
    """The part of a column's page: what it passed in the latest run that has it, and why it failed."""
    score = next((one for one in reversed(scores()) if name in one.columns), None)
    if score is None:
        return []
    column = score.columns[name]
    rows = (f"| {area} | {levels_of(score, name, area)} |" for area in areas() if area in column.passed)
    said = f"Version {cell(column.version)} on {on_day(score)}; [by model](../scoreboard.md)."
    parts = ["## Results", said, table(("area", "passed/judged"), rows)]
    if column.causes:
        parts += [
            "The most frequent causes:",
            table(("cells", "cause", "verdict", "smallest"), map(cause, column.causes)),
        ]
    return parts


def cause(one: ScoredCause) -> str:
    """One cause as a line of a table."""
    cites = ", ".join(f"[{id_}](../requirements/{id_}.md)" for id_ in one.requires if id_ in requirements())
    said = cell(one.said) + (f" ({cites})" if cites else "") + (f". {cell(one.why)}" if one.why else "")
    return f"| {one.cells} | {said} | {one.verdict} | `{one.smallest}` |"


def of_row(row: str) -> list[str]:
    """The part of a row's page: what each column passed on it in the latest run."""
    if not scores():
        return []
    latest = scores()[-1]
    found = [
        f"| {linked(name).replace('](columns', '](../columns')} | {cell(column.version)} | {area} | {figures} |"
        for name, column in latest.columns.items()
        for area in areas()
        if (
            figures := ", ".join(
                figure(level, *pair, column.disputed.get(area, {}).get(row, {}).get(level, 0))
                for level, pair in column.passed.get(area, {}).get(row, {}).items()
            )
        )
    ]
    if not found:
        return []
    return [
        "## Results",
        f"On {on_day(latest)}; [all models](../scoreboard.md).",
        table(("library", "version", "area", "passed/judged"), found),
    ]
