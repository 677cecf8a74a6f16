"""No check raises on a cell and an answer that fit their schemas: whatever comes gets a verdict.

Cells are real ones of toy rows and without a model, some with a damaged input: an expectation made by the oracle, or the
word that it is refused. Answers are the reference's, damaged within ``Area.output_type``, and everything else that may
come instead.
"""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokenspec import runner
from tokenspec.adapters import Column, Failed, NotSupported, Ok, Outcome, Refused
from tokenspec.adapters.capability import Profile
from tokenspec.adapters.resolve import resolve
from tokenspec.areas import areas
from tokenspec.areas.area import Area, Cell, models_of
from tokenspec.areas.check import Check, Subject, TypedExpectation, checks_of, everywhere
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import FixtureError
from tokenspec.models import Row, load, specs
from tokenspec.models.assets import assets_of
from tokenspec.store.canonical import convert
from tokenspec.store.records import Golden
from tokenspec.verdict import Finding

CELLS_A_CHECK = 2
TRIES = 400
EXAMPLES = 60
SOAK_EXAMPLES = 5000
FOREIGN = (None, True, -1, 0, 1, 0.5, float("nan"), float("inf"), "", "ALL", "\ud800", [], {}, [[]], [-1])
"""Put in the place of anything; what the type does not take is dropped again."""
HUGE = (2**31, 2**40, 10**20)
"""More of the same for answers. Oracles write whole vocabularies out, so no case has such numbers."""


ON_REAL_ROWS = {"media": ("qwen3-vl",)}
"""Areas without a cell on a toy row."""
AREAS = [pytest.param(name, marks=pytest.mark.real if name in ON_REAL_ROWS else ()) for name in sorted(areas())]


class Asked:
    """Real cells of an area with the reference's answers: together they have a place for every check, if any has."""

    def __init__(self, area: Area, column: Column) -> None:
        self.area, self.column = area, column
        self.rows: dict[str, dict[str, Row]] = {}
        self.expectation = TypedExpectation()
        self.answers: dict[str, Outcome] = {}
        self.cells = list(self.chosen())

    def chosen(self) -> Iterator[Cell]:
        """A few cells for each check, the first that it applies to in an order that mixes rows."""
        toy = ("-", *(row for row, spec in specs().items() if spec.status == "toy"))
        rows = ON_REAL_ROWS.get(self.area.name, toy)
        cells = [
            cell for cell in select_cells(Selection(areas=(self.area.name,))) if set(models_of(cell.row)) <= set(rows)
        ]
        random.Random(self.area.name).shuffle(cells)
        wanted = {check.name: CELLS_A_CHECK for check in checks_of(self.area.name)}
        checks = checks_of(self.area.name)
        for cell in cells[:TRIES]:
            if cell.golden is None and self.area.oracle is not None:
                continue
            subject = self.subject(cell, NotSupported("not asked yet"))
            useful = [
                check.name
                for check in checks
                if wanted[check.name] and runner.concerns(check, cell) and check.applies(subject)
            ]
            if useful:
                wanted.update((name, wanted[name] - 1) for name in useful)
                yield cell

    def subject(self, cell: Cell, outcome: Outcome, call: Callable[[Any], Outcome] | None = None) -> Subject:
        """A cell with an answer."""
        return Subject(
            cell=cell,
            request=cell.request(),
            output=outcome.output if isinstance(outcome, Ok) else None,
            outcome=outcome,
            expect=TypedExpectation().of(cell),
            profile=Profile(),
            mutated=False,
            rows=self.rows_of(cell.row),
            call=call or (lambda _request: outcome),
        )

    def rows_of(self, key: str) -> dict[str, Row]:
        """The loaded rows of a row key."""
        if key not in self.rows:
            self.rows[key] = {model: load(model) for model in models_of(key)}
            for model, row in self.rows[key].items():
                self.column.load(model, assets_of(row))
        return self.rows[key]

    def answer(self, cell: Cell) -> Any:
        """What the reference answers, as plain JSON; None where it has no answer."""
        if cell.name not in self.answers:
            self.rows_of(cell.row)
            self.answers[cell.name] = self.column.call(self.area.operation, cell.case.id, cell.request(), 60.0)
        outcome = self.answers[cell.name]
        return copy.deepcopy(outcome.output) if isinstance(outcome, Ok) else None


@functools.cache
def asked(name: str) -> Asked:
    return Asked(areas()[name], resolve("reference"))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places inside a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*path, key))


def damaged(value: Any, foreign: Sequence[Any], rng: random.Random) -> Any:
    """The value with one place changed: taken out, doubled, emptied, cut, or something foreign."""
    path = rng.choice(list(places(value)))
    changed = copy.deepcopy(value)
    if not path:
        return rng.choice(foreign)
    holder = functools.reduce(lambda inner, key: inner[key], path[:-1], changed)
    key, old = path[-1], functools.reduce(lambda inner, key: inner[key], path, changed)
    match rng.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(old))
        case 2 if isinstance(old, list | str):
            holder[key] = old[: rng.randrange(len(old) + 1)]
        case 3 if isinstance(old, list | str | dict):
            holder[key] = type(old)()
        case _:
            holder[key] = rng.choice(foreign)
    return changed


def damaged_within(value: Any, kind: type[msgspec.Struct], rng: random.Random, foreign: Sequence[Any] = FOREIGN) -> Any:
    """A few changes, those that the type takes."""
    for _ in range(rng.randrange(1, 6)):
        other = damaged(value, foreign, rng)
        try:
            convert(other, kind, where="here")
        except (FixtureError, UnicodeError):
            continue
        value = other
    return value


def other_cell(cell: Cell, rng: random.Random, rows: dict[str, Row]) -> Cell | None:
    """The cell with another input that fits, as the oracle sees it or as one to be refused; None where it breaks."""
    made = damaged_within(cell.case.input, cell.area.input_type, rng)
    case = msgspec.structs.replace(cell.case, input=made)
    if cell.golden is None:
        return replace(cell, case=case)
    if rng.random() < 0.5 or cell.borrowed:
        error, expect = rng.choice((None, "TemplateError: no", "broken", "byte 7")), None
        if "refusal" in (cell.golden.expect or {}):
            expect = damaged_within(cell.golden.expect, cell.area.expect_type, rng)
        refused: Golden = msgspec.structs.replace(cell.golden, outcome="raises", error=error, expect=expect)
        return replace(cell, case=case, golden=refused)
    try:
        assert cell.area.oracle is not None
        return replace(cell, case=case, golden=cell.area.oracle(case, cell.row, rows))
    except Exception:  # noqa: BLE001 - such a cell cannot be blessed
        return None


def other_outcome(material: Asked, cell: Cell, rng: random.Random) -> Outcome:
    """Whatever an implementation may say."""
    match rng.randrange(12):
        case 0:
            return Refused(rng.choice(("", "invalid-config", "any")), rng.choice(("", "row 0, byte 7", "/")))
        case 1:
            return rng.choice((NotSupported("no"), Failed("broken")))
    answer = material.answer(rng.choice(material.cells) if rng.random() < 0.2 else cell)
    if answer is None:
        answer = next((found for one in material.cells if (found := material.answer(one)) is not None), None)
    if answer is None:
        return NotSupported("nothing is answered here")
    if rng.random() < 0.9:
        answer = damaged_within(answer, cell.area.output_type, rng, FOREIGN + HUGE)
    return Ok(convert(answer, cell.area.output_type, where="answer"))


def complaints(material: Asked, rng: random.Random) -> list[str]:
    """The checks that break on one cell with one answer."""
    cell: Cell | None = rng.choice(material.cells)
    assert cell is not None
    source = cell
    if rng.random() < 0.4:
        cell = other_cell(cell, rng, material.rows_of(cell.row))
    if cell is None:
        return []
    outcome = other_outcome(material, source, rng)
    try:
        subject = material.subject(cell, outcome, lambda _request: other_outcome(material, source, rng))
    except Exception:  # noqa: BLE001 - such a case cannot be asked
        return []
    checks: list[Check] = [check for check in checks_of(material.area.name) if runner.concerns(check, cell)]
    applying = [found for check in checks if (found := runner.applies(check, subject)) is not None]
    findings = [
        found if isinstance(found, Finding) else runner.judge(found, subject, frozenset({found.level}))
        for found in applying
    ]
    return [
        f"{finding.check} on {cell.name}: {finding.detail}\n{cell.case.input}\n{outcome}"
        for finding in findings
        if runner.BROKEN in finding.detail
    ]


def never_raises(name: str, examples: int) -> None:
    """Judge as many damaged cells and answers of an area; the numbers of hypothesis are where the damage begins."""

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**64 - 1))
    def judged(seed: int) -> None:
        found = complaints(asked(name), random.Random(seed))
        assert not found, "\n".join(found)[:4000]

    judged()


@pytest.mark.parametrize("name", AREAS)
def test_every_check_gives_a_verdict(name: str) -> None:
    assert asked(name).cells
    never_raises(name, EXAMPLES)


@pytest.mark.soak
@pytest.mark.parametrize("name", AREAS)
def test_every_check_gives_a_verdict_for_long(name: str) -> None:
    never_raises(name, SOAK_EXAMPLES)


def test_a_check_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    material = asked("processors")
    broken = replace(
        checks_of("processors")[0], judge=lambda subject: subject.cell.case.requires[99], applies=everywhere
    )
    monkeypatch.setitem(complaints.__globals__, "checks_of", lambda _area: [broken])
    rng = random.Random(0)
    assert any("IndexError" in found for _ in range(50) for found in complaints(material, rng))
