"""``tokenspec list seams`` and ``list attribution``: fit the screen, and say what to do with a wrong row."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tokenspec.cli.look import list_
from tokenspec.errors import TokenspecError


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["seams"], "toy-bpe"),
        (["seams", "--row", "toy-bpe"], "seam-one-newline"),
        (["seams", "--row", "toy-added"], "agree on every case"),
        (["attribution"], "minimax-m2"),
        (["attribution", "--row", "qwen3"], "agree on every case"),
    ],
)
def test_a_list_says_where_two_answers_differ(arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    found = CliRunner().invoke(list_, arguments)
    assert found.exit_code == 0
    assert says in found.output
    assert max(map(len, found.output.splitlines())) <= 120


@pytest.mark.parametrize(
    "arguments", [["seams", "--row", "qwen-9"], ["rows", "--row", "qwen3"], ["attribution", "--row", "x"]]
)
def test_a_wrong_row_is_refused(arguments: list[str]) -> None:
    found = CliRunner().invoke(list_, arguments)
    assert isinstance(found.exception, TokenspecError)
