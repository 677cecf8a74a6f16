"""The sheet of a blessing: of each golden that changed, the tokens and owners that changed, old beside new.

A diff of the store shows ids without their text, and may cut the case's name off; this is what a reviewer reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from itertools import groupby
from typing import Any

from tokenspec.areas.area import Cell
from tokenspec.areas.exhibit import Labelled
from tokenspec.curation.blessing import Change
from tokenspec.models import load
from tokenspec.report.exhibit import pieces
from tokenspec.report.lines import lines_of
from tokenspec.report.side_by_side import side_by_side
from tokenspec.store.canonical import convert
from tokenspec.store.records import Golden
from tokenspec.verdict import Label

Token = tuple[int, Label]
LONGEST_RUN = 24
"""Tokens of one run that are printed; the middle of a longer one is left out."""


def sheet(change: Change) -> Iterator[str]:
    """The lines of one golden: its name, then what changed."""
    old, new = change.old, change.new
    if old is None or new is None:
        yield f"{change.cell.name}: {'new' if old is None else 'taken out'}"
        return
    yield f"{change.cell.name}: {change.cell.case.why}"
    before, after = tokens_of(change.cell, old), tokens_of(change.cell, new)
    if before is None or after is None or before == after:
        yield from _fields(old, new)
    else:
        yield from _tokens(load(change.cell.row).tokenizer, before, after)


def tokens_of(cell: Cell, golden: Golden) -> list[Token] | None:
    """The ids of a golden with their owners; None where the area has no tokens, or nothing is to be answered."""
    if cell.area.exhibit is None or golden.expect is None:
        return None
    expect = convert(golden.expect, cell.area.expect_type, where=f"{cell.name}: expect")
    labelled: Labelled | None = cell.area.exhibit(expect, None)[0]
    return None if labelled is None else list(zip(*labelled, strict=True))


def _tokens(tokenizer: Any, before: list[Token], after: list[Token]) -> Iterator[str]:
    left = right = 0
    for mark, taken, given in side_by_side(before, after):
        if mark != "=":
            yield f"  token {left}"
            yield from _run("-", tokenizer, before[left : left + taken])
            yield from _run("+", tokenizer, after[right : right + given])
        left, right = left + taken, right + given


def _run(sign: str, tokenizer: Any, run: list[Token]) -> Iterator[str]:
    """One line an owner: who, then the ids with what they spell."""
    for (kind, message), group in groupby(run, key=lambda token: token[1]):
        ids = [id_ for id_, _ in group]
        shown = [f"{id_} {piece!r}" for id_, piece in zip(ids, pieces(tokenizer, ids), strict=True)]
        if len(shown) > LONGEST_RUN:
            half = LONGEST_RUN // 2
            shown = [*shown[:half], f"... {len(shown) - 2 * half} more ...", *shown[-half:]]
        yield f"  {sign} {kind if message is None else f'{kind} of message {message}'}: {'  '.join(shown)}"


def _fields(old: Golden, new: Golden) -> Iterator[str]:
    """The fields that changed, one a line."""
    before, after = (lines_of({"outcome": one.outcome, "error": one.error, "expect": one.expect}) for one in (old, new))
    lines = list(unified_diff(before, after, lineterm="", n=0))[2:]
    yield from (f"  {line}" for line in lines if not line.startswith("@@"))
