"""``profiles/<row>.json``: where the two id profiles of a row differ, which control ids isolated encoding gives, and
which options change the text.

Made from the goldens, the row's tokenizer and the oracle by ``tokenspec fixtures profiles``; committed, so that
the list of differences is reviewed like any other fact and read without a tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenspec.areas.render.oracle.id_profiles import Seam, seams
from tokenspec.areas.render.records import RenderExpect
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.data import fixtures_dir
from tokenspec.models import load, spec_of, specs
from tokenspec.oracle.attribution import Undecidable
from tokenspec.store.canonical import canonical_json, convert, input_sha256, read_fixture
from tokenspec.store.writing import write_atomically

if TYPE_CHECKING:
    from tokenspec.areas.area import Cell

INJECTION = "CONTROL_TOKEN_INJECTION"
HOW = "run: tokenspec fixtures profiles"


class Isolated(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The control ids a case owes to its template alone, in order: no others may appear under ``isolated``."""

    case: str
    control_ids: list[int]


class Effects(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whether the oracle's text is another one without an option (``tools`` is one), in the cases that give it.

    Attributes:
        option: its name.
        changes: what holds of most cases.
        apart: the cases of which the opposite holds.
        refused: the cases the oracle refuses without it; nothing is said of them.
    """

    option: str
    changes: bool
    apart: list[str]
    refused: list[str]


class RowProfiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one row's file says.

    ``goldens_sha256`` is the hash of the goldens the lists were made from; ``undecided`` names, with the reason, the
    cases whose control ids differences cannot tell.
    """

    row: str
    pins: dict[str, str]
    goldens_sha256: str
    seams: list[Seam]
    isolated: list[Isolated]
    undecided: dict[str, str]
    effects: list[Effects]


def path_of(row: str) -> Path:
    """The file of a row."""
    return fixtures_dir() / "profiles" / f"{row}.json"


def profiles_of(row: str) -> RowProfiles | None:
    """The committed lists of a row, or None where there are none."""
    path = path_of(row)
    return _read(path) if path.exists() else None


@lru_cache(maxsize=4)
def _read(path: Path) -> RowProfiles:
    return read_fixture(path, RowProfiles)


def answered(row: str) -> list[tuple[Cell, RenderExpect]]:
    """The render cells of a row whose golden is an answer, with its expectation, by name."""
    cells = sorted(select_cells(Selection(areas=("render",), rows=(row,))), key=lambda cell: cell.case.id)
    return [
        (cell, convert(cell.golden.expect, RenderExpect, where=f"{cell.name}: expect"))
        for cell in cells
        if cell.golden is not None and cell.golden.expect is not None
    ]


def goldens_sha256(cells: list[tuple[Cell, RenderExpect]]) -> str:
    """One hash over everything of the goldens that the lists depend on."""
    return input_sha256([[cell.case.id, cell.case.flags, expect.token_ids, expect.spans] for cell, expect in cells])


def make(row: str) -> RowProfiles:
    """The lists as oracle and tokenizer give them today. Raises AssetsMissing when the row's files are not here."""
    from tokenspec.areas.render.oracle.control_tokens import scaffold_control_ids
    from tokenspec.areas.render.oracle.effects import effects_of

    loaded, cells = load(row), answered(row)
    isolated: list[Isolated] = []
    undecided: dict[str, str] = {}
    for cell, _ in cells:
        if INJECTION in cell.case.flags:
            try:
                ids = scaffold_control_ids(cell.case, loaded)
                isolated.append(Isolated(case=cell.case.slug, control_ids=ids))
            except Undecidable as reason:
                undecided[cell.case.slug] = str(reason)
    return RowProfiles(
        row=row,
        pins=dict(spec_of(row).pins),
        goldens_sha256=goldens_sha256(cells),
        seams=[
            seam
            for cell, expect in cells
            if expect.unattributed is None
            for seam in seams(cell.case.slug, loaded.tokenizer, expect)
        ],
        isolated=isolated,
        undecided=undecided,
        effects=gathered({cell.case.slug: effects_of(cell.case, loaded, expect.text) for cell, expect in cells}),
    )


def gathered(by_case: dict[str, dict[str, bool | None]]) -> list[Effects]:
    """What was found case by case (None: refused without it), option by option."""
    found = []
    for option in sorted({name for changes in by_case.values() for name in changes}):
        of = {case: changes[option] for case, changes in by_case.items() if option in changes}
        usual = 2 * sum(value is True for value in of.values()) >= sum(value is not None for value in of.values())
        apart = sorted(case for case, value in of.items() if value is (not usual))
        refused = sorted(case for case, value in of.items() if value is None)
        found.append(Effects(option=option, changes=usual, apart=apart, refused=refused))
    return found


def write(row: str) -> None:
    """Make and write the file of one row."""
    write_atomically(path_of(row), canonical_json(make(row)))
    _read.cache_clear()


def rows_with_profiles() -> list[str]:
    """Every row with a chat template."""
    return [spec.id for spec in specs().values() if "vocabulary-only" not in spec.features]


def problems() -> Iterator[str]:
    """What is wrong with the committed lists, as far as no tokenizer is needed to see it."""
    for row in rows_with_profiles():
        cells = answered(row)
        if not cells:
            continue
        committed = profiles_of(row)
        if committed is None:
            yield f"profiles/{row}.json: missing; {HOW} {row}"
        elif committed.pins != dict(spec_of(row).pins) or committed.goldens_sha256 != goldens_sha256(cells):
            yield f"profiles/{row}.json: made from other goldens; {HOW} {row}"
        else:
            yield from _disagreements(committed, cells)


def _disagreements(committed: RowProfiles, cells: list[tuple[Cell, RenderExpect]]) -> Iterator[str]:
    """Runs that do not stand in their golden, and injection cases nobody accounts for."""
    expects = {cell.case.slug: expect for cell, expect in cells}
    for seam in committed.seams:
        ids = expects[seam.case].token_ids
        for token in seam.tokens:
            if ids[token : token + len(seam.canonical)] != seam.canonical:
                yield f"profiles/{committed.row}.json: {seam.case}: the golden has other ids at token {token}"
    listed = {entry.case for entry in committed.isolated} | set(committed.undecided)
    wanted = {cell.case.slug for cell, _ in cells if INJECTION in cell.case.flags}
    for slug in sorted(listed ^ wanted):
        yield f"profiles/{committed.row}.json: {slug} is {'missing' if slug in wanted else 'no injection case'}; {HOW}"
