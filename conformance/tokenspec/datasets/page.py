"""``report.html``: one file that opens from disk, with histograms, findings by place, and examples in colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

import msgspec

from tokenspec.datasets.looking import Shown
from tokenspec.datasets.outcome import Outcome
from tokenspec.report.page import content_hash, legal
from tokenspec.report.page import source as source_of_report
from tokenspec.report.page_data import as_script

BUCKETS = 40
LONGEST = 4000
"""Tokens of one example that the page holds: a window around its place."""


def audit_page(title: str, made_of: dict[str, Any], found: Outcome, shown: Sequence[Shown]) -> str:
    """The page; the same outcome gives the same bytes."""
    import jinja2
    from markupsafe import Markup

    script, style = (_source(name) for name in ("audit.js", "audit.css"))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    facts = [("template", made_of["template_sha256"][:12]), ("tokenizer", made_of["tokenizer_sha256"][:12])]
    facts += [("code", made_of["code"]), ("encoder", made_of["recipe"]["encoder"])]
    head, _, _ = source_of_report("page.html").partition("<body>")
    return environment.from_string(head + _source("audit.html")).render(
        title=legal(title),
        facts=facts,
        data=Markup(as_script(page_data(found, shown))),  # noqa: S704 - as_script leaves nothing that ends the element
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        script_hash=content_hash(script),
        style_hash=content_hash(style),
    )


def page_data(found: Outcome, shown: Sequence[Shown]) -> dict[str, Any]:
    """What the page draws."""
    from tokenspec_reference.preparation import CODES

    return {
        "rows": found.rows,
        "kept": found.kept,
        "tokens": found.tokens,
        "trained": found.trained,
        "lengths": histogram([float(length) for length in found.lengths]),
        "shares": histogram(found.shares, 1.0),
        "findings": [
            {**asdict(facts), "rows": found.rows_with[code], "over": over(found.by_row[code], found)}
            for code, facts in CODES.items()
            if found.rows_with.get(code)
        ],
        "examples": [{**asdict(one.example), "tokens": window(one)} for one in shown],
    }


def histogram(values: Sequence[float], top: float | None = None) -> dict[str, Any]:
    """Counts in equal steps from 0 to the largest value."""
    top = top or max(values, default=0) or 1
    counts = [0] * BUCKETS
    for value in values:
        counts[min(BUCKETS - 1, int(value / top * BUCKETS))] += 1
    return {"top": top, "counts": counts}


def over(rows: Sequence[int], found: Outcome) -> list[int]:
    """How many of the rows with a finding lie in each part of the data set."""
    counts, last = [0] * BUCKETS, max(max(rows, default=0) + 1, found.rows)
    for row in rows:
        counts[min(BUCKETS - 1, row * BUCKETS // last)] += 1
    return counts


def window(shown: Shown) -> dict[str, Any] | None:
    """The tokens of an example as plain data, at most ``LONGEST`` around its place."""
    if shown.tokens is None:
        return None
    labels = shown.tokens.labels()
    start = max(0, (shown.example.first_token or 0) - LONGEST // 2)
    end = start + LONGEST
    plain: dict[str, Any] = msgspec.to_builtins(
        {
            "start": start,
            "total": len(labels),
            "ids": shown.tokens.ids[start:end],
            "pieces": shown.tokens.pieces[start:end],
            "labels": labels[start:end],
        }
    )
    return plain


def _source(name: str) -> str:
    return (files(__package__) / "page_files" / name).read_text(encoding="utf-8")
