"""What grades of parsing tell apart, and what a parser is told that reads calls of offered tools only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.edited_reference import Edited, Request, Result, blamed, judged, levels
from tokenspec.adapters import Unsupported
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.verdict import Finding, Verdict

PARSED = [
    cell
    for cell in select_cells(Selection(areas=("parse",)))
    if cell.golden is not None and cell.golden.expect is not None
]
TOOLS = ("call", "call-of-undeclared-tools", "hermes-other-tool", "thought-and-content")


def toys(*slugs: str) -> list[Cell]:
    return [cell for cell in PARSED if cell.row == "toy-bpe" and cell.case.slug in slugs]


def names_called(cell: Cell) -> set[str]:
    """By the oracle's answer, not by the case."""
    assert cell.golden is not None
    calls = (cell.golden.expect or {}).get("tool_calls") or ()
    return {call["name"] for call in calls if call.get("name")}


def names_offered(request: Request) -> set[str]:
    functions = [tool.get("function", tool) for tool in request["tools"] or ()]
    return {function["name"] for function in functions if isinstance(function, dict) and function.get("name")}


def test_a_case_says_whether_it_calls_what_it_does_not_offer() -> None:
    seen = set()
    for cell in PARSED:
        request, called = cell.request(), names_called(cell)
        if called:
            offered = names_offered(request)
            assert request["undeclared_calls"] is (not called <= offered), f"{cell.case.id} on {cell.row}"
            seen.add((bool(offered), request["undeclared_calls"]))
    assert seen == {(False, True), (True, False), (True, True)}


@pytest.mark.parametrize("area", ["parse", "stream"])
def test_without_tools_calls_are_undeclared_with_them_they_are_not(area: str) -> None:
    cells = select_cells(Selection(areas=(area,), rows=("toy-bpe",)))
    said = {cell.case.slug: cell.request()["undeclared_calls"] for cell in cells if cell.case.slug in TOOLS}
    assert said == {
        "call": False,
        "call-of-undeclared-tools": True,
        "hermes-other-tool": True,
        "thought-and-content": False,
    }


class Parsing(Edited):
    """The reference with an edited parse; it claims nothing."""

    def parse(self, request: Request) -> Result:
        return self.after(request, super().parse(self.before(request)))


def of_offered_tools(request: Request, result: Result) -> Result:
    """As a server's parser: a call of what was not offered is none."""
    return {**result, "tool_calls": [call for call in result["tool_calls"] if call["name"] in names_offered(request)]}


def declining(request: Request) -> Request:
    if request["undeclared_calls"]:
        raise Unsupported("takes calls of tools that were offered, and no others")
    return request


def test_a_parser_that_needs_tools_is_unsupported_there_and_fails_nothing() -> None:
    cells = toys(*TOOLS)
    assert "RND-061" in blamed(judged(Parsing(of_offered_tools), cells))
    found = judged(Parsing(of_offered_tools, declining), cells)
    assert not blamed(found)
    unanswered = {result.case for result in found if said(result.findings) == {Verdict.UNSUPPORTED}}
    assert unanswered == {"parse/call-of-undeclared-tools", "parse/hermes-other-tool"}
    assert {result.case for result in found if Verdict.PASS in said(result.findings)} == {
        "parse/call",
        "parse/thought-and-content",
    }


def said(findings: Iterable[Finding]) -> set[Verdict]:
    return {finding.verdict for finding in findings}


@pytest.mark.parametrize("key", ["content", "reasoning_content"])
@pytest.mark.parametrize(
    ("edit", "level"),
    [
        (lambda text: f"{text}\n", "SPACE"),
        (lambda text: f" {text}", "SPACE"),
        (lambda text: f"{text}.", "TEXT"),
        (lambda text: f"{text[:3]} {text[3:]}", "TEXT"),
    ],
    ids=["behind", "ahead", "a letter", "within"],
)
def test_one_white_space_around_a_text_is_space_and_leaves_text_passed(
    key: str, edit: Callable[[str], str], level: str
) -> None:
    cells = toys("thought-and-content")
    whole = levels(judged(Parsing(), cells))
    assert whole["SPACE"] == whole["TEXT"] == {Verdict.PASS}
    found = levels(judged(Parsing(lambda _request, result: {**result, key: edit(result[key])}), cells))
    assert found[level] == {Verdict.FAIL}
    assert {name for name, verdicts in found.items() if Verdict.FAIL in verdicts} <= {level, "SPACE"}
    assert found["CALLS"] == whole["CALLS"]
