"""Through the command line: a share is no conformance, and what was claimed and is not answered fails the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tokenspec.cli import group

ADAPTER = """
from tokenspec.adapters import Unsupported
from tokenspec_reference.adapter import ReferenceAdapter

class Single(ReferenceAdapter):
    capabilities = {}

    def render(self, request):
        if len(request["messages"]) > 1:
            raise Unsupported("one message only")
        return super().render(request)

class Rowless(ReferenceAdapter):
    def parse(self, request):
        if request["model"] == "toy-bpe":
            raise Unsupported("no parser of this row yet")
        return super().parse(request)
"""
RENDERED = ("role-user", "role-user-assistant", "call-parallel")
PARSED = ("call", "thought-and-content")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share_of_mine.py").write_text(ADAPTER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def run(name: str, area: str, slugs: tuple[str, ...], *options: str, row: str = "toy-bpe") -> tuple[int, str]:
    cases = [word for slug in slugs for word in ("--case", f"{area}/{slug}")]
    done = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "100"}).invoke(
        group, ["run", "--impl", f"share_of_mine:{name}", "--row", row, *cases, *options]
    )
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.output


def test_an_adapter_that_answers_few_cells_exits_1_with_its_share() -> None:
    code, said = run("Single", "render", RENDERED)
    assert code == 1
    assert "conformant on 1 of 3 cells, 33 %" in said
    assert "or allow it: tokenspec run --require-judged 33" in said
    assert "FAIL" not in said


@pytest.mark.parametrize(("share", "code"), [("33", 0), ("34", 1)])
def test_the_share_that_is_required_decides(share: str, code: int) -> None:
    found, said = run("Single", "render", RENDERED, "--require-judged", share)
    assert found == code
    assert "conformant on 1 of 3 cells, 33 %" in said
    assert ("--require-judged" in said) is bool(code)


def test_the_whole_of_what_was_chosen_is_conformant() -> None:
    code, said = run("Single", "render", RENDERED[:1])
    assert code == 0
    assert "--require-judged" not in said


def test_the_reference_whose_parse_of_a_row_turns_unsupported_exits_1() -> None:
    code, said = run("Rowless", "parse", PARSED)
    assert code == 1
    assert "FAIL CNV-005  parse/toy-bpe/" in said
    assert "because  no parser of this row yet" in said
    assert "not conformant" in said
    assert run("Rowless", "parse", PARSED, row="toy-ranks")[0] == 0
    assert run("Rowless", "parse", PARSED, "--require-judged", "0")[0] == 1, "a broken claim is no matter of shares"
