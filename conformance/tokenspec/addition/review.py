"""The review sheet of a row: what a person reads before a model becomes part of the matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec.certificate.screen import lost_lines

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell
    from tokenspec.certificate import Certificate
    from tokenspec.models.spec import RowSpec
    from tokenspec.store.records import Golden

FIRST = 3
SHOWN = ("role-system-user-generation", "call-full-loop", "thinking-final", "role-two-turns-generation")
"""Slugs of render cases that show a format best, where they exist; else the first ones that render."""


@dataclass(frozen=True)
class Line:
    """One case: its outcome, how many tokens it has, and why it is not attributed, if so."""

    case: str
    outcome: str
    tokens: int
    note: str


@dataclass(frozen=True)
class Sheet:
    """All of it, as data."""

    spec: RowSpec
    certificate: Certificate
    lines: list[Line]
    counts: dict[str, Counter[str]]
    texts: list[tuple[str, list[tuple[str, int | None, int, str]]]]
    notes: list[str]


def sheet(spec: RowSpec, certificate: Certificate, made: list[tuple[Cell, Golden]], notes: list[str]) -> Sheet:
    """The sheet of a row out of its goldens."""
    counts: dict[str, Counter[str]] = {}
    for cell, golden in made:
        counts.setdefault(cell.area.name, Counter())[golden.outcome] += 1
    rendered = [(cell, golden) for cell, golden in made if cell.area.name == "render"]
    lines = [_line(cell, golden) for cell, golden in rendered]
    lost = [f"the template leaves out, {line}" for line in lost_lines(certificate.facts)]
    return Sheet(spec, certificate, lines, counts, list(_texts(rendered)), [*notes, *lost])


def _line(cell: Cell, golden: Golden) -> Line:
    if golden.expect is None:
        return Line(cell.case.id, f"refused: {golden.error}", 0, "")
    return Line(cell.case.id, "ok", len(golden.expect["token_ids"]), golden.expect.get("unattributed") or "")


def _texts(rendered: list[tuple[Cell, Golden]]) -> Iterator[tuple[str, list[Any]]]:
    """The first rendered texts with their spans, those that show most first."""
    fit = [(cell.case, golden.expect["spans"]) for cell, golden in rendered if golden.expect is not None]
    fit.sort(key=lambda entry: SHOWN.index(entry[0].slug) if entry[0].slug in SHOWN else len(SHOWN))
    for case, spans in fit[:FIRST]:
        yield case.id, [tuple(span) for span in spans]


def head(found: Sheet) -> Iterator[tuple[str, str]]:
    """Pins and wire facts, one line each."""
    spec = found.spec
    yield "row", f"{spec.id} ({spec.status}, family {spec.family}): {spec.summary}"
    yield "template sha256", spec.template.sha256
    yield "tokenizer sha256", spec.tokenizer.sha256
    yield "source", f"{spec.hub.repo} at {spec.hub.revision}" if spec.hub else ", ".join(_paths(spec))
    yield "features", " ".join(spec.features) or "none"
    yield "opener", " ".join(map(repr, spec.wire.assistant_open)) or "none"
    yield "closer", " ".join(map(repr, spec.wire.assistant_close)) or "none"
    yield "stop", " ".join(map(repr, spec.wire.stop)) or "none"
    yield "control tokens", f"{len(spec.special)}"
    yield "licence", spec.licence
    yield "evidence", spec.evidence


def _paths(spec: RowSpec) -> Iterator[str]:
    for source in (*spec.tokenizer.source, *spec.template.source):
        yield str(getattr(source, "path", None) or f"{getattr(source, 'carrier', '')}:{getattr(source, 'member', '')}")
