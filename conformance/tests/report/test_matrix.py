"""The matrix on the terminal is whole: no figure is cut, every column is there, names are shown as they are."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tokenspec.report.matrix import print_matrix
from tokenspec.verdict import CellResult, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from printing import printed
from sample_runs import cell, finding

FAIL, PASS = Verdict.FAIL, Verdict.PASS
ROWS = ("a-row-with-quite-a-long-name", "short")
WIDE = [f"implementation-{number}" for number in range(9)]


def figures(text: str) -> dict[str, list[str]]:
    """Per row what stands behind its name, over all tables."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, *cells = line.split() or [""]
        if name in {"row", *ROWS}:
            found.setdefault(name, []).extend(cells)
    return found


def wide_run(impls: list[str]) -> list[CellResult]:
    """Three of four pass in TEXT, and none of more than a hundred in IDS, on two rows."""
    found = []
    for impl in impls:
        for row in ROWS:
            found += [
                cell(finding(FAIL if at else PASS, check="render.text"), impl=impl, row=row, case=f"render/{at}")
                for at in range(4)
            ]
            found += [cell(finding(FAIL), impl=impl, row=row, case=f"render/of-{at}") for at in range(120)]
    return found


@pytest.mark.parametrize("width", [60, 80, 100, 300])
def test_no_figure_of_the_matrix_is_cut_at_any_width(width: int) -> None:
    text = printed(print_matrix, wide_run(WIDE), {impl: impl for impl in WIDE}, {}, width=width)
    assert max(map(len, text.splitlines()[:-2])) <= width
    assert "…" not in text
    assert figures(text) == {
        "row": ["TEXT", "IDS", "MASKS"] * len(WIDE),
        **{row: ["1/4", "0/120", "·"] * len(WIDE) for row in ROWS},
    }
    assert re.findall(r"implementation-\d", text) == WIDE


def test_columns_that_fit_stand_in_one_table() -> None:
    impls = WIDE[:3]
    text = printed(print_matrix, wide_run(impls), {impl: impl for impl in impls}, {})
    assert text.count("row ") == 1
    needed = max(len(line.rstrip()) for line in text.splitlines() if "MASKS" in line) + 1
    at_the_edge = [
        printed(print_matrix, wide_run(impls), {impl: impl for impl in impls}, {}, width=width)
        for width in (needed, needed - 1)
    ]
    assert [text.count("row ") for text in at_the_edge] == [1, 2]


def test_a_long_label_takes_lines_and_no_figures() -> None:
    given = "cmd:python -m some.very.long.module.path --option value --another-option something-else /a/path"
    text = printed(print_matrix, wide_run([given]), {given: given}, {}, width=80)
    assert "…" not in text
    assert figures(text)[ROWS[0]] == ["1/4", "0/120", "·"]
    head = text[text.index("\n") : text.index("row ")]
    assert "".join(head.split()) == "".join(given.split())


@pytest.mark.parametrize("label", ["[bold]x[/]", "a [/] that ends nothing", "[/dim]"])
def test_names_are_no_markup(label: str) -> None:
    text = printed(print_matrix, wide_run(["mine"]), {"mine": label, "absent": label + "2"}, {})
    assert f"{label}\n" in re.sub(r" +\n", "\n", text)
    assert f"nothing judged here: {label}2" in text


def test_rows_stand_in_sections_and_what_nothing_was_judged_of_is_named() -> None:
    rows = ("toy", "alpha", "beta+toy")
    results = [cell(finding(PASS), row=row) for row in rows]
    results += [cell(finding(Verdict.UNSUPPORTED), impl="silent", row=row) for row in rows]
    text = printed(
        print_matrix,
        results,
        {"mine": "mine", "silent": "says nothing"},
        {"alpha": "real", "toy": "toy", "beta": "real"},
    )
    body = [line.strip() for line in text.splitlines() if line.strip()][4:]
    assert [line.split("  ")[0] for line in body[:5]] == ["real rows", "alpha", "toy rows", "toy", "beta+toy"]
    assert "nothing judged here: says nothing\n" in text
    assert "≠" not in text
