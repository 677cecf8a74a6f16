"""What an area is: one folder that says how cases become requests and outputs become typed.

A *cell* is (case, row). Rows are keys: a row id (``qwen3``), a pair (``qwen3+deepseek-v3``, student first), or ``-``
for cases that need no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tokenspec.adapters.capability import Profile
    from tokenspec.areas.exhibit import Labelled
    from tokenspec.models import Row, RowSpec
    from tokenspec.store.records import Case, Golden

NO_ROW = "-"


def models_of(row: str) -> tuple[str, ...]:
    """The model rows behind a row key: none for ``-``, two for a pair."""
    return () if row == NO_ROW else tuple(row.split("+"))


@dataclass(frozen=True)
class Loan:
    """Cases and goldens of another area that an area judges too, under its own name; nothing is copied.

    Attributes:
        area: the lender.
        case: a case of the lender as one of the borrower, or None where it does not apply.
        golden: a golden of the lender as one of the borrower.
        takes: whether a row of the lender is one for the borrower.
    """

    area: str
    case: Callable[[Case], Case | None]
    golden: Callable[[Golden], Golden]
    takes: Callable[[RowSpec], bool]


@dataclass(frozen=True)
class Area:
    """What the runner needs to know of an area.

    Attributes:
        name: the word on the command line and the folder under ``fixtures/cases``.
        title: one line for tables.
        order: its place among the areas, that of its chapter.
        prefix: of its requirement ids (``RND``).
        operation: the adapter operation it calls.
        levels: the grades it reports, in the order of the matrix (``TEXT``, ``IDS``, ``MASKS``).
        input_type: msgspec struct that ``Case.input`` must fit.
        output_type: msgspec struct an adapter's result must fit; its ``__post_init__`` may raise ValueError.
        expect_type: msgspec struct of ``Golden.expect``.
        rows: (case, all row specs) -> row keys the case applies to.
        request: (case, row key) -> the JSON-able request an adapter gets. It names rows by id.
        request_type: msgspec struct of that request, for its published schema; None where it is ``input_type``.
        oracle: (case, row key, loaded rows by id) -> Golden, for ``tokenspec bless``; None where nothing is expected.
        loan: cases it borrows from another area, or None.
        asks_golden: whether a request tells what only the golden knows: the ids that were sampled.
        exhibit: (expect, output or None) -> the labelled tokens of both, for a failing cell; None where fields say it
            better.
        lint: what contradicts itself within an expectation, in printable words.
        ask: (request, what the implementation declares of its form) -> the request in that form.
        declare: (question, what it declares, its output) -> what is expected of an answer in that form.
        other: (an output) -> what is expected of who answers like it, for the named answers of goldens; None where no
            other source is asked, and for an output that says too little.
        needs: modules that judging takes beside those that come with a plain install.
    """

    name: str
    title: str
    order: int
    prefix: str
    operation: str
    levels: tuple[str, ...]
    input_type: type[msgspec.Struct]
    output_type: type[msgspec.Struct]
    expect_type: type[msgspec.Struct]
    rows: Callable[[Case, Sequence[RowSpec]], Iterable[str]]
    request: Callable[[Case, str], dict[str, Any]]
    oracle: Callable[[Case, str, Mapping[str, Row]], Golden] | None = None
    loan: Loan | None = None
    asks_golden: bool = False
    exhibit: Callable[[Any, Any], tuple[Labelled | None, Labelled | None]] | None = None
    lint: Callable[[Cell, Any], Iterator[str]] | None = None
    request_type: type[msgspec.Struct] | None = None
    ask: Callable[[dict[str, Any], Profile], dict[str, Any]] | None = None
    declare: Callable[[Any, Profile, Any], Any] | None = None
    other: Callable[[Any], Any] | None = None
    needs: tuple[str, ...] = ()


def request_fields(area: Area) -> tuple[str, ...]:
    """The names of all fields that a request of an area may have, as they are on the wire."""
    return tuple(field.encode_name for field in msgspec.structs.fields(area.request_type or area.input_type))


@dataclass(frozen=True)
class Cell:
    """One case on one row, with what is expected of it (None where the case applies but no golden is needed).

    A ``borrowed`` cell has its case and its golden from another area: they are linted, blessed and verified there.
    ``normalisation`` names the way of preparing messages that the cell's oracle has, where it is not the current one.
    """

    area: Area
    case: Case
    row: str
    golden: Golden | None
    borrowed: bool = False
    normalisation: str | None = None

    def request(self) -> dict[str, Any]:
        """What an adapter is asked."""
        asked = self.area.request(self.case, self.row)
        return asked if self.normalisation is None else {**asked, "normalisation": self.normalisation}

    @property
    def name(self) -> str:
        """``render/qwen3/tool-parallel``: printed, and accepted by ``--case``."""
        return f"{self.area.name}/{self.row}/{self.case.slug}"
