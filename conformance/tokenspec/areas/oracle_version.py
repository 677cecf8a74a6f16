"""Two oracles by version: goldens are transformers 5.23.0's; where 4.57.6 answers otherwise, that answer is a *flip*.

``apply_chat_template`` prepares messages before the template sees them, and each major version does so in its own way
(``spec/10-renderers.md`` RND-004). Most cells answer alike under both. The flips are goldens of their own, laid out
like the others: ``fixtures/flips/<version>/<row>/render.json``.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, goldens_path, select_cells
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError, UsageError
from tokenspec.models.rows import goldens_of_candidate
from tokenspec.store.canonical import canonical_json, input_sha256
from tokenspec.store.golden_files import read_goldens
from tokenspec.store.records import Case, Golden


@dataclass(frozen=True)
class OracleVersion:
    """A transformers version that goldens are made by, and the name of the way it normalises messages."""

    transformers: str
    normalisation: str

    @property
    def flips(self) -> Path:
        """The folder of its own goldens."""
        return fixtures_dir() / "flips" / self.transformers


CURRENT = OracleVersion("5.23.0", "hf5")
EARLIER = OracleVersion("4.57.6", "hf4")
ORACLE_VERSIONS = {oracle.transformers: oracle for oracle in (CURRENT, EARLIER)}
FLIPPING_AREA = "render"


def oracle_version(name: str) -> OracleVersion:
    """The oracle of this version.

    Raises:
        UsageError: no goldens were made by it.
    """
    if name not in ORACLE_VERSIONS:
        raise UsageError(f"no goldens by transformers {name!r}. Known: {', '.join(ORACLE_VERSIONS)}.")
    return ORACLE_VERSIONS[name]


def flips_path(version: OracleVersion, row: str) -> Path:
    """Where this version's goldens of a row lie, as far as it answers otherwise than the current one."""
    if goldens_of_candidate(row) is not None:
        return version.flips / row / f"{FLIPPING_AREA}.json"
    return version.flips / goldens_path(row, FLIPPING_AREA).relative_to(fixtures_dir() / "golden")


def committed_flip(version: OracleVersion, row: str, case: Case) -> Golden | None:
    """This version's golden of a cell that flips, or None; whatever input it was made from."""
    file = read_goldens(flips_path(version, row))
    return None if file is None else file.golden(case.slug)


def load_flip(version: OracleVersion, row: str, case: Case) -> Golden | None:
    """This version's golden of a cell that flips, or None; one made from another input is an error."""
    golden = committed_flip(version, row, case)
    if golden is not None and golden.input_sha256 != input_sha256(case.input):
        place = f"{flips_path(version, row)}: {case.slug}"
        raise FixtureError(place, "was made from another input; run: tokenspec fixtures flips --write")
    return golden


def golden_by(version: OracleVersion, cell: Cell) -> Golden | None:
    """This version's golden of a cell, the earlier one's only where it flips; None for one made from another input."""
    current = goldens_path(cell.row, FLIPPING_AREA)
    file = read_goldens(current if version == CURRENT else flips_path(version, cell.row))
    golden = file.golden(cell.case.slug) if file is not None else None
    return golden if golden is not None and golden.input_sha256 == input_sha256(cell.case.input) else None


def as_judged_by(version: OracleVersion, cells: Iterable[Cell]) -> list[Cell]:
    """The cells with this version's goldens, asking for its normalisation; the current version changes nothing.

    Raises:
        UsageError: cells of an area that has no goldens of an earlier version.
    """
    if version == CURRENT:
        return list(cells)
    judged: list[Cell] = []
    for cell in cells:
        if cell.area.name != FLIPPING_AREA:
            raise UsageError(
                f"transformers {version.transformers} is an oracle of the area {FLIPPING_AREA} only; "
                f"add: --area {FLIPPING_AREA}"
            )
        golden = load_flip(version, cell.row, cell.case) or cell.golden
        judged.append(dataclasses.replace(cell, golden=golden, normalisation=version.normalisation))
    return judged


def flips_of(version: OracleVersion) -> list[tuple[str, Case, Golden, Golden]]:
    """Every flip: row, case, the current golden and this version's."""
    found: list[tuple[str, Case, Golden, Golden]] = []
    for cell in select_cells(Selection(areas=(FLIPPING_AREA,))):
        flip = load_flip(version, cell.row, cell.case) if cell.golden else None
        if cell.golden is not None and flip is not None:
            found.append((cell.row, cell.case, cell.golden, flip))
    return found


ROUNDING = 1e-9
"""By how much a number computed in double precision may differ between machines: of itself, and at zero."""


def same_answer(one: Golden, other: Golden) -> bool:
    """Whether two goldens expect the same; what an oracle calls its refusal is free, and the last digits of a number.

    These are the instructions' of the machine that made it: sums are added up in another order there.
    """
    written = canonical_json(one.expect), canonical_json(other.expect)
    return one.outcome == other.outcome and (written[0] == written[1] or _same(*map(json.loads, written)))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def what_flips(current: Golden, earlier: Golden) -> str:
    """How the answer changed, in a few words: ``text``, ``ids``, ``masks``, ``answers -> raises TypeError``."""
    if current.outcome != earlier.outcome:
        said = [f"raises {golden.error}" if golden.outcome == "raises" else "answers" for golden in (earlier, current)]
        return " -> ".join(said)
    if current.expect is None or earlier.expect is None:
        return f"raises {earlier.error} -> raises {current.error}"
    texts = ["".join(span[3] for span in golden.expect["spans"]) for golden in (current, earlier) if golden.expect]
    if texts[0] != texts[1]:
        return "text"
    return "ids" if current.expect["token_ids"] != earlier.expect["token_ids"] else "masks"
