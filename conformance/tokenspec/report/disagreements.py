"""Where sources disagree (CNV-008): the goldens with a named answer, and both answers laid over each other."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator

from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.models import spec_of
from tokenspec.store.canonical import IDS_PER_LINE
from tokenspec.store.records import Answer, Golden

WHOLE = 1_000_000
"""Lines of context that are shown: all, so that both answers stand there in full."""
HEADERS = 3
"""Lines that a unified difference begins with."""


def disputed_cells(selection: Selection | None = None) -> list[tuple[Cell, Answer]]:
    """Every cell of a selection, by default of all, on which a golden names another answer."""
    cells = select_cells(selection or Selection())
    return [
        (cell, answer)
        for cell in cells
        if cell.golden is not None and not cell.borrowed
        for answer in cell.golden.answers.values()
    ]


def sides(cell: Cell, answer: Answer) -> tuple[list[str], list[str]]:
    """The golden's answer and the other one, in lines: ids where the texts are the same."""
    said = [one for one in (cell.golden, answer) if one is not None]
    golden, other = (lines_of(cell.row, one) for one in said)
    return (golden, other) if golden != other else (ids_of(said[0]), ids_of(said[1]))


def laid_over(cell: Cell, answer: Answer) -> Iterator[str]:
    """Both as one difference: ``-`` is the golden's alone, ``+`` the other's; what is alike stands once."""
    found = difflib.unified_diff(*sides(cell, answer), n=WHOLE, lineterm="")
    return itertools.islice(found, HEADERS, None)


def lines_of(row: str, said: Golden | Answer) -> list[str]:
    """One answer: a refusal in words, or a text that is cut before control tokens and behind line feeds (``⏎``)."""
    if said.outcome == "raises":
        return [f"refuses: {said.error}"]
    text = "".join(span[3] for span in (said.expect or {})["spans"])
    before_control = "|".join(map(re.escape, spec_of(row).special))
    parts = re.split(rf"(?<=\n)|(?={before_control})", text)
    return [part.replace("\n", "⏎") for part in parts if part]


def ids_of(said: Golden | Answer) -> list[str]:
    """The ids of one answer, sixteen a line."""
    ids = (said.expect or {})["token_ids"]
    return [" ".join(map(str, ids[at : at + IDS_PER_LINE])) for at in range(0, len(ids), IDS_PER_LINE)]
