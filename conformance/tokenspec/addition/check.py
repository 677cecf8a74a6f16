"""What a merged row must be: its pins, the oracle's goldens and certificate, a conforming reference, the manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec.addition.review import sheet
from tokenspec.addition.review_markdown import sheet_markdown
from tokenspec.areas.area import Cell
from tokenspec.areas.oracle_version import same_answer
from tokenspec.certificate import certify, changes, committed
from tokenspec.certificate.screen import change_lines
from tokenspec.errors import TokenspecError
from tokenspec.models import AssetsMissing, load, spec_of
from tokenspec.models.errors import BuildError
from tokenspec.models.fingerprint import verify
from tokenspec.models.publisher import TOKENIZER

if TYPE_CHECKING:
    from tokenspec.models.rows import Row
    from tokenspec.verdict import CellResult

FIXTURES, CONFORMANCE = 4, 1
NAMED = 3


@dataclass(frozen=True)
class Step:
    """One thing that must hold; ``reason`` is None when it does, ``code`` the exit code when it does not."""

    what: str
    code: int
    reason: str | None = None


def check_row(row_id: str, tell: Callable[[Step], None]) -> tuple[int, str]:
    """Take all steps on one row, telling each as it is done.

    Returns:
        The exit code and the row's review sheet as Markdown.

    Raises:
        UnknownRow: no such row.
    """
    spec = spec_of(row_id)
    what = "files have the pinned hashes, control tokens their ids"
    try:
        row = load(row_id)
        verify(spec, (row.directory / TOKENIZER).read_bytes(), [])
    except (AssetsMissing, BuildError) as error:
        tell(Step(what, FIXTURES, str(error)))
        return FIXTURES, f"# Review of {row_id}\n\nits files are not here: {error}\n"
    cells = cells_with_goldens(row_id)
    there = [cell for cell in cells if cell.golden is not None]
    steps = [Step(what, FIXTURES)]
    tell(steps[0])
    further: list[tuple[str, int, Callable[[], str | None]]] = [
        ("every case has a golden", FIXTURES, lambda: missing_goldens(row_id, cells)),
        (f"the oracle repeats {len(there)} goldens", FIXTURES, lambda: other_answers(there, row)),
        ("the certificate is what is measured", FIXTURES, lambda: other_facts(row)),
        ("the reference passes every MUST, or the row says why not", CONFORMANCE, lambda: undeclared(row)),
        ("the manifest lists the row's files", FIXTURES, lambda: not_listed(row_id)),
    ]
    for said, code, reason in further:
        steps.append(Step(said, code, reason()))
        tell(steps[-1])
    failed = [step for step in steps if step.reason is not None]
    worst = max((step.code for step in failed), default=0)
    certificate = committed(row_id)
    if certificate is None:
        return worst, f"# Review of {row_id}\n\nit has no certificate\n"
    made = [(cell, cell.golden) for cell in there if cell.golden is not None]
    notes = [f"{step.what}: {step.reason}" for step in failed]
    return worst, sheet_markdown(sheet(spec, certificate, made, notes))


def cells_with_goldens(row_id: str) -> list[Cell]:
    """The cells of the row in areas with an oracle; pairs belong to the aligners, whose oracle is a program apart."""
    from tokenspec.areas.selection import Selection, select_cells

    return [cell for cell in select_cells(Selection(rows=(row_id,))) if cell.area.oracle and not cell.borrowed]


def missing_goldens(row_id: str, cells: list[Cell]) -> str | None:
    """Cases without golden."""
    names = [cell.name for cell in cells if cell.golden is None]
    return None if not names else f"{_some(names)} have none; run: tokenspec bless --row {row_id}"


def other_answers(cells: list[Cell], row: Row) -> str | None:
    """Goldens the oracle does not repeat today."""
    names = []
    for cell in cells:
        assert cell.area.oracle is not None
        now = cell.area.oracle(cell.case, cell.row, {row.id: row})
        golden = cell.golden
        if golden is not None and not (same_answer(now, golden) and now.pins == golden.pins):
            names.append(cell.name)
    return None if not names else f"{_some(names)} differ; the template, the tokenizer or the oracle changed"


def other_facts(row: Row) -> str | None:
    """Facts that are not what the certificate says."""
    old = committed(row.id)
    if not row.spec.has_template:
        return None
    again = f'tokenspec models certify {row.id} --accept "why it is right"'
    if old is None:
        return f"there is none; run: {again}"
    found = changes(old, certify(row))
    return None if not found else f"{'; '.join(line.strip() for line in change_lines(found))}; review, then: {again}"


def undeclared(row: Row) -> str | None:
    """What the reference gets wrong on this row and no exemption of the row names."""
    try:
        results = _judged(row)
    except TokenspecError as error:
        return str(error)
    declared = {(one.requirement, case) for one in row.spec.exemption for case in one.cases or ("",)}
    names = []
    for result in results:
        for finding in result.findings:
            excused = any((id_, case) in declared for id_ in finding.requires for case in (result.case, ""))
            if (finding.non_conformant or finding.verdict == "error") and not excused:
                names.append(f"{result.name} {'/'.join(finding.requires)}")
    again = f"tokenspec run --impl reference --row {row.id}"
    return None if not names else f"{_some(names)}; see: {again}"


def _judged(row: Row) -> list[CellResult]:
    from tokenspec.adapters.resolve import resolve
    from tokenspec.areas.selection import Selection, select_cells
    from tokenspec.runner import Run, run_all

    column = resolve("reference")
    try:
        return run_all(Run([column], select_cells(Selection(rows=(row.id,))), 60.0))
    finally:
        column.close()


def not_listed(row_id: str) -> str | None:
    """Entries of the row that are not in the list of the current version with these bytes, or only there."""
    from tokenspec.store.entries import SPEC_VERSION, current_entries, read_list

    listed, there = read_list(SPEC_VERSION), current_entries()
    names = dict.fromkeys([*there, *listed])
    stale = [name for name in names if _is_of(name, row_id) and listed.get(name) != there.get(name)]
    return None if not stale else f"{_some(stale)}; run: tokenspec fixtures lint --write-manifest"


def _is_of(name: str, row_id: str) -> bool:
    own = {f"models/{row_id}.toml", f"certificates/{row_id}.json", f"profiles/{row_id}.json"}
    folders = name.partition("#")[0].split("/")
    return name in own or (folders[0] == "golden" and any(row_id in part.split("+") for part in folders))


def _some(names: list[str]) -> str:
    """The first few, and how many more."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
