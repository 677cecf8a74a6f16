"""The text of an issue: one cause of one column's failures, with all that its reader needs and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from tokenspec import __version__
from tokenspec.adapters import Column
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.oracle_version import as_judged_by, oracle_version
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import UsageError
from tokenspec.models import Row, load
from tokenspec.report.catalog import versions
from tokenspec.report.causes import Cause, causes_of, name_of
from tokenspec.report.deviations import Deviation, reason_in
from tokenspec.report.jsonl import Report
from tokenspec.report.side_by_side import side_by_side, tokens_side_by_side
from tokenspec.requirements import requirements
from tokenspec.runner import Run
from tokenspec.store.canonical import convert
from tokenspec.verdict import CellResult, Exhibit, Finding, Label, Tokens

from .scripts import script_of
from .shrinking import smallest

AROUND = 6
"""Tokens, or fields, shown before and behind each difference."""

TITLES = {
    "real": "Real: the implementation breaks what it means to do.",
    "policy": "Policy: a documented choice of the implementation, and no bug. It is written down so that both sides "
    "know what is trained.",
    "sources disagree": "The sources disagree: the publisher's own library answers so, its template otherwise.",
    "": "Not reviewed yet: before this is sent, find out whether it is a documented choice.",
}


@dataclass(frozen=True)
class Found:
    """A cell that shows a cause, judged again.

    Attributes:
        column: who answered.
        cell: the cell, with its golden; its input may be a smaller one than the case's.
        rows: the loaded rows.
        result: what the checks said, with its exhibit.
        finding: the one that shows the cause.
    """

    column: Column
    cell: Cell
    rows: dict[str, Row]
    result: CellResult
    finding: Finding


def chosen(report: Report, wanted: str) -> Cause:
    """The cause of that number, from 1, or of those words.

    Raises:
        UsageError: there is no such cause, or the words are those of several.
    """
    causes = causes_of(report.results)
    if wanted.isdecimal():
        found = causes[int(wanted) - 1 : int(wanted)] if int(wanted) else []
    else:
        found = [cause for cause in causes if wanted in cause.said]
    if len(found) == 1:
        return found[0]
    said = "names no cause" if not found else f"names {len(found)} causes"
    raise UsageError(f"--cause {wanted!r} {said} of the {len(causes)} of this run. Leave it out to see them.")


def issue(report: Report, cause: Cause, *, seconds: float) -> str:
    """The whole text; ``seconds`` bounds the search for a smaller input, 0 leaves the case as it is.

    Raises:
        UsageError: the implementation does not show the cause any more.
    """
    found = met_again(report, cause)
    try:
        least = shrunk(found, cause.said, seconds) if seconds else found
    finally:
        found.column.close()
    return "\n\n".join(parts(least, found, cause, reviewed(report, cause))) + "\n"


def met_again(report: Report, cause: Cause) -> Found:
    """The smallest cell of a cause, judged again."""
    result, _ = cause.smallest(report.header["sizes"])
    selection = Selection((result.area,), (result.row,) * (result.row != "-"), (result.case,))
    cells = as_judged_by(oracle_version(report.header["oracle"]), select_cells(selection))
    cell = next(cell for cell in cells if cell.row == result.row)
    column = resolve(cause.impl)
    rows = {model: load(model) for model in models_of(cell.row)}
    (judged,) = Run([column], [cell], exhibit=True).judge_row(column, [cell], rows)
    finding = showing(judged, cause.said)
    if finding is None:
        column.close()
        was = report.header["implementations"][cause.impl].get("version", "")
        raise UsageError(
            f"{cell.name} does not show it any more: {cause.said}. The run judged version {was or 'unknown'}, "
            f"here is {column.info.get('version', 'unknown')}. Run again with --report."
        )
    return Found(column, cell, rows, judged, finding)


def showing(result: CellResult, said: str) -> Finding | None:
    """The finding that belongs to a cause."""
    return next((one for one in result.findings if one.cause and name_of(one) == said), None)


def shrunk(found: Found, said: str, seconds: float) -> Found:
    """The same with the smallest input for which oracle and implementation still differ in this way."""
    oracle, run = found.cell.area.oracle, Run([found.column], [], exhibit=True)
    if oracle is None:
        return found

    def attempt(value: Any) -> Found | None:
        case = msgspec.structs.replace(found.cell.case, input=value)
        try:
            convert(value, found.cell.area.input_type, where="input")
            golden = oracle(case, found.cell.row, found.rows)
            cell = replace(found.cell, case=case, golden=golden)
            result = run.judge_cell(found.column, cell, found.rows)
        except Exception:  # noqa: BLE001 - no oracle is made for pieces of a case, and it says so in many ways
            return None
        finding = showing(result, said)
        return None if finding is None else Found(found.column, cell, found.rows, result, finding)

    least = smallest(found.cell.case.input, lambda value: attempt(value) is not None, seconds=seconds)
    return attempt(least) or found


def reviewed(report: Report, cause: Cause) -> Deviation | None:
    """The reviewed entry that speaks of the cause's smallest cell; None where nobody has looked at it."""
    return reason_in(report.header["reasons"], cause.impl, *cause.smallest(report.header["sizes"]))


def parts(least: Found, found: Found, cause: Cause, entry: Deviation | None) -> Iterator[str]:
    """The blocks of the text."""
    info, exhibit = least.column.info, least.result.exhibit or Exhibit()
    yield f"# {info['name']} {info.get('version', '')}: {cause.said}".rstrip()
    yield TITLES[(entry.verdict if entry is not None else None) or ""]
    if entry is not None:
        yield entry.why + (f" See {entry.link}." if entry.link else "")
    known = [f"| {name} | {version} |" for name, version in [(info["name"], info.get("version", "unknown"))]]
    known += [f"| {name} | {version} |" for name, version in versions().items() if name != "tokenspec"]
    known += [f"| {row} | tokenizer `{pins_of(least, row)}` |" for row in least.rows]
    yield "\n".join(["| what | version |", "|---|---|", *known])
    before, after = (len(json.dumps(one.cell.case.input)) for one in (found, least))
    smaller = f", smaller than the case's ({after} of {before} characters)" if after < before else ""
    yield f"## Input\n\nOf the case `{least.cell.name}`{smaller}:"
    yield fenced("json", exhibit.input)
    yield "## Expected and got\n\n" + what_marks_mean(exhibit)
    yield fenced("text", "\n".join(compared(exhibit)) or least.finding.detail)
    yield "## Why it matters"
    yield from why(least.finding)
    script, about = script_of(least.column, least.cell, least.finding, least.rows, exhibit)
    yield f"## Reproduce\n\n{about}"
    yield fenced("python", script)
    cells = f"{len(cause.cells)} cell{'s' * (len(cause.cells) != 1)}"
    yield f"Met in {cells} of a run of tokenspec {__version__}; one of them again: `{found.result.again}`"


def pins_of(found: Found, row: str) -> str:
    """The beginning of the hash of a row's tokenizer, and its template's."""
    return " template ".join(sha256[:12] for sha256 in found.rows[row].pins.values())


def fenced(language: str, text: str) -> str:
    """A block of code; the fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def why(finding: Finding) -> Iterator[str]:
    """The text of what is broken."""
    for id_ in finding.requires:
        block = requirements().get(id_)
        if block is not None:
            yield f"**{block.id} {block.level}: {block.title}**\n\n{block.text.strip()}"


def what_marks_mean(exhibit: Exhibit) -> str:
    """The legend of what follows."""
    other = ", `o` the same token of another owner" if exhibit.expected and exhibit.got else ""
    return f"`-` expected only, `+` got only{other}."


def compared(exhibit: Exhibit) -> list[str]:
    """What differs, with a little around it: tokens where there are any, else fields."""
    if exhibit.expected is not None and exhibit.got is not None:
        return around(list(token_lines(exhibit.expected, exhibit.got)))
    return around(list(field_lines(exhibit.expected_lines, exhibit.got_lines)))


def token_lines(expected: Tokens, got: Tokens) -> Iterator[tuple[bool, str]]:
    """A line a token: whether it differs, its mark, id, what it spells and whose it is."""
    i = j = 0
    for mark, left, right in tokens_side_by_side(expected, got):
        if mark == "=":
            yield from ((False, f"  {told(expected, i + at)}") for at in range(left))
        elif mark == "o":
            for at in range(left):
                yield True, f"o {told(expected, i + at)}, got as {owner(got.labels()[j + at])}"
        else:
            yield from ((True, f"- {told(expected, i + at)}") for at in range(left))
            yield from ((True, f"+ {told(got, j + at)}") for at in range(right))
        i, j = i + left, j + right


def told(tokens: Tokens, at: int) -> str:
    """One token."""
    return f"{tokens.ids[at]:>7} {tokens.pieces[at]!r}  {owner(tokens.labels()[at])}"


def owner(label: Label) -> str:
    """``sampled of message 1``."""
    kind, message = label
    return kind if message is None else f"{kind} of message {message}"


def field_lines(expected: Sequence[str], got: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """A line a field."""
    i = j = 0
    for mark, left, right in side_by_side(expected, got):
        if mark == "=":
            yield from ((False, f"  {line}") for line in expected[i : i + left])
        else:
            yield from ((True, f"- {line}") for line in expected[i : i + left])
            yield from ((True, f"+ {line}") for line in got[j : j + right])
        i, j = i + left, j + right


def around(lines: Sequence[tuple[bool, str]]) -> list[str]:
    """The differing lines with those around them; what is left out is said."""
    near = {at + step for at, (differs, _) in enumerate(lines) if differs for step in range(-AROUND, AROUND + 1)} & set(
        range(len(lines))
    )
    shown: list[str] = []
    last = -1
    for at in sorted(near):
        if at > last + 1:
            shown.append(f"  ... {at - last - 1} alike")
        shown.append(lines[at][1])
        last = at
    if near and last + 1 < len(lines):
        shown.append(f"  ... {len(lines) - last - 1} alike")
    return shown
