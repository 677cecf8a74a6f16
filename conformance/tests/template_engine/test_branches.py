"""Every branch of every row's template is executed by a case, but for those that nothing can reach."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from tokenspec.areas.selection import Selection, select_cells
from tokenspec.areas.template_engine.area import of_row
from tokenspec.models import AssetsMissing, load, specs
from tokenspec.oracle.clock import FROZEN, frozen

sys.path.insert(0, str(Path(__file__).parent))
from branches import MarkedTemplate

UNREACHABLE: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("unreachable.toml").read_text(encoding="utf-8")
)
ROWS = [
    pytest.param(row, marks=() if spec.status == "toy" else pytest.mark.real)
    for row, spec in sorted(specs().items())
    if spec.has_template and not spec.cases
]
"""Rows that take every case. One that confines itself shows a difference; what it shares is executed on another row."""


def reasons(row: str) -> dict[str, str]:
    """Why a branch of the row's template cannot be reached, by branch."""
    return {branch: why for why, branches in UNREACHABLE.get(row, {}).items() for branch in branches}


@pytest.mark.parametrize("row", ROWS)
def test_every_branch_is_executed_by_a_case(row):
    try:
        template = MarkedTemplate(load(row).chat_template)
    except AssetsMissing as missing:
        pytest.skip(str(missing))
    with frozen(FROZEN):
        for cell in select_cells(Selection(areas=("template-engine",), rows=(row,))):
            source, inputs = of_row(cell.case, row) if cell.row == row else ("", {})
            if source == load(row).chat_template:
                template.render(inputs)
    missed = [branch for branch in template.branches if branch not in template.executed]
    assert missed == [branch for branch in template.branches if branch in reasons(row)]


def test_what_cannot_be_reached_is_a_branch_of_a_row():
    assert set(UNREACHABLE) <= set(specs())
    for row in UNREACHABLE:
        try:
            known = MarkedTemplate(load(row).chat_template).branches
        except AssetsMissing:
            continue
        assert set(reasons(row)) <= set(known)


@pytest.mark.parametrize(
    ("source", "inputs", "missed"),
    [
        ("{% if a %}x{% endif %}", {"a": 1}, ["1.2 otherwise"]),
        ("{% if a %}x{% elif b %}y{% else %}z{% endif %}", {"b": 1}, ["1.1 then", "1.3 else"]),
        ("{% for x in a %}{{ x }}{% else %}z{% endfor %}", {"a": [1]}, ["1.2 loop-else"]),
        ("{{ 'x' if a else 'y' }}", {"a": 0}, ["1.1 if"]),
        ("{% macro m() %}{% if a %}x{% endif %}{% endmacro %}", {"a": 1}, ["1.1 then", "1.2 otherwise"]),
    ],
)
def test_a_branch_is_missed_where_it_is_not_executed(source, inputs, missed):
    template = MarkedTemplate(source)
    template.render(inputs)
    assert [branch for branch in template.branches if branch not in template.executed] == missed
