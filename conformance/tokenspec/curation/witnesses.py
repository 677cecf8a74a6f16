"""Asking witnesses: each answers the case as any implementation does, and the checks lay it beside the golden.

A witness agrees in a level where a check compared its answer with the golden and none found a difference. Where it does
not answer, it says nothing. A publisher that differs on its row contradicts nobody: its answer is written beside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from tokenspec.adapters import Column, Ok, Refused
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.area import Cell
from tokenspec.curation.witness_list import Difference, Witness, WitnessList
from tokenspec.errors import AdapterError, UsageError
from tokenspec.runner import Run, in_form
from tokenspec.store.records import Answer, Golden, Source
from tokenspec.verdict import WRONG, CellResult, Finding, Verdict

PATIENCE = 120.0
"""Seconds for one answer: a witness is slow at its leisure."""

LINES = 4
"""Of what a difference is told with."""

LONGEST = 160
"""Characters that are kept of why a publisher refuses."""

PUBLISHER: Source = "publisher"
Answers = dict[Source, Answer]

Witnesses = Mapping[str, list[str]]


@dataclass(frozen=True)
class Present:
    """A witness that can be asked here."""

    witness: Witness
    column: Column


@dataclass(frozen=True)
class Contradiction:
    """A witness that differs from a golden where the list does not say so."""

    cell: Cell
    witness: str
    finding: Finding

    def __str__(self) -> str:
        """Who says what, and what was expected."""
        said = "\n".join(self.finding.detail.splitlines()[:LINES])
        return f"{self.cell.name}: {self.witness} differs, {self.finding.check}: {said}"


@dataclass
class Hearing:
    """What the witnesses said of goldens.

    Attributes:
        said: per cell the witnesses that agree, with their levels.
        answers: per cell what other sources answer.
        contradicted: what the list of differences does not explain.
        explained: the listed differences that were met.
        heard: how often each witness agreed, differed as listed, or said nothing.
    """

    said: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    answers: dict[str, Answers] = field(default_factory=dict)
    contradicted: list[Contradiction] = field(default_factory=list)
    explained: set[Difference] = field(default_factory=set)
    heard: dict[str, dict[str, int]] = field(default_factory=dict)

    def note(self, witness: str, what: str) -> None:
        """Count one answer."""
        counted = self.heard.setdefault(witness, {})
        counted[what] = counted.get(what, 0) + 1

    def contradicts(self, cell: Cell) -> bool:
        """Whether a witness differs from the golden of this cell."""
        return any(each.cell.name == cell.name for each in self.contradicted)


def present(
    listed: Iterable[Witness], instead: Mapping[str, str], on_absent: Callable[[Witness, str], None]
) -> Iterator[Present]:
    """The witnesses that can be asked here; of the others it is said why not.

    Args:
        listed: those that are wanted.
        instead: how to reach a witness, by its name, where that is not as listed: ``cmd:PROGRAM``.
        on_absent: told of a witness that is not asked, and why.

    Raises:
        UsageError: ``instead`` names none of them.
        AdapterError: a witness that was asked for by name does not start.
    """
    listed = list(listed)
    unknown = set(instead) - {witness.name for witness in listed}
    if unknown:
        known = ", ".join(sorted({witness.name for witness in listed})) or "none"
        raise UsageError(f"--witness {min(unknown)}: no witness of that name here. Known: {known}.")
    columns: dict[str, Column | str] = {}
    for witness in listed:
        impl = instead.get(witness.name, witness.impl)
        if impl not in columns:
            columns[impl] = _reached(witness, impl, wanted=witness.name in instead)
        column = columns[impl]
        if isinstance(column, str):
            on_absent(witness, column)
        elif (found := (column.info["name"], column.info["version"])) != (witness.name, witness.version):
            on_absent(witness, f"here is {' '.join(found)}")
        else:
            yield Present(witness, column)


def _reached(witness: Witness, impl: str, *, wanted: bool) -> Column | str:
    """The column of a witness, or why there is none."""
    try:
        return resolve(impl)
    except AdapterError as error:
        if wanted:
            raise
        return f"{witness.name} does not start: {error}"


def hear(cells: Sequence[Cell], asked: Sequence[Present], listed: WitnessList) -> Hearing:
    """Ask every witness about the goldens of its area. Where a witness says nothing, what it said before stands."""
    goldens = {cell.name: cell.golden for cell in cells if cell.golden is not None}
    hearing = Hearing(
        {name: dict(golden.witnesses) for name, golden in goldens.items()},
        {name: dict(golden.answers) for name, golden in goldens.items()},
    )
    for each in asked:
        own = [
            about(cell, msgspec.structs.replace(cell.golden, answers={}))
            for cell in cells
            if cell.golden is not None and each.witness.is_asked(cell)
        ]
        run = Run([each.column], own, timeout=PATIENCE, comparing=True)
        for cell, result in zip(own, run, strict=True):
            _weigh(cell, result, each, listed, hearing, run)
    return hearing


def _weigh(cell: Cell, result: CellResult, each: Present, listed: WitnessList, hearing: Hearing, run: Run) -> None:
    """What one answer means for one golden."""
    witness = each.witness
    if not result.asked or result.slow:
        hearing.note(witness.title, "could not be asked")
        return
    compared = [finding for finding in result.findings if finding.compares and finding.level in witness.levels]
    differing = [finding for finding in compared if finding.verdict in WRONG]
    said = {name: levels for name, levels in hearing.said[cell.name].items() if name.split(" ")[0] != witness.name}
    if witness.publishes:
        before = hearing.answers[cell.name].pop(PUBLISHER, None)
        if differing and (answer := answer_of(cell, each, differing, run)) is not None:
            if before is not None:  # how a refusal is worded is free
                answer = before if before == msgspec.structs.replace(answer, error=before.error) else answer
            hearing.answers[cell.name][PUBLISHER] = answer
            hearing.said[cell.name] = said
            hearing.note(witness.title, "answers otherwise")
            return
    for finding in differing:
        known = [one for one in listed.difference if one.covers(witness, cell, finding.check)]
        hearing.explained.update(known)
        if not known:
            hearing.contradicted.append(Contradiction(cell, witness.title, finding))
    agreed = levels_of_agreement(compared)
    hearing.said[cell.name] = dict(sorted({**said, **({witness.title: agreed} if agreed else {})}.items()))
    hearing.note(witness.title, "differs" if differing else "agrees" if agreed else "says nothing")


def answer_of(cell: Cell, each: Present, differing: Sequence[Finding], run: Run) -> Answer | None:
    """What a publisher says instead of the golden; None where it broke, or does not give what the area needs."""
    if cell.area.other is None:
        return None
    by, levels = each.witness.title, sorted({finding.level for finding in differing})
    outcome = run.call(each.column, cell, in_form(each.column, cell, cell.request()))
    if isinstance(outcome, Refused):
        return Answer(by=by, levels=levels, outcome="raises", error=" ".join(outcome.message.split())[:LONGEST])
    other = cell.area.other(outcome.output) if isinstance(outcome, Ok) else None
    if other is None:
        return None
    return Answer(by=by, levels=levels, expect=msgspec.json.decode(msgspec.json.encode(other)))


def levels_of_agreement(compared: Iterable[Finding]) -> list[str]:
    """The levels in which something was compared and nothing differed."""
    verdicts: dict[str, set[Verdict]] = {}
    for finding in compared:
        verdicts.setdefault(finding.level, set()).add(finding.verdict)
    return sorted(level for level, found in verdicts.items() if Verdict.PASS in found and not found & WRONG)


def as_heard(golden: Golden, cell: Cell, hearing: Hearing) -> Golden:
    """The golden as the witnesses left it."""
    said, answers = hearing.said[cell.name], hearing.answers[cell.name]
    return msgspec.structs.replace(golden, witnesses={name: list(said[name]) for name in said}, answers=answers)


def about(cell: Cell, golden: Golden) -> Cell:
    """The cell with a golden that is not in the store yet."""
    return dataclasses.replace(cell, golden=golden)


def met_nowhere(hearing: Hearing, asked: Sequence[Present], listed: WitnessList) -> list[Difference]:
    """Listed differences of witnesses that were asked about everything, and that are none."""
    names = {each.witness.name for each in asked}
    return [one for one in listed.difference if one.witness in names and one not in hearing.explained]
