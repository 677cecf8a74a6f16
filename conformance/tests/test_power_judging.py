"""What becomes of an edit: killed by a check, crashed, survived, or equivalent; and what a list may say of it."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from tokenspec.areas.selection import Selection
from tokenspec.cli import power
from tokenspec.cli.mutants import mutants
from tokenspec.errors import FixtureError, UnknownName
from tokenspec.power import judging
from tokenspec.power.edits import Edit, Source
from tokenspec.power.forks import Died, Task, in_forks
from tokenspec.power.judging import LOOKED_PAST, Fate, Judge, Trial, error_in, noticed_by, warning_in
from tokenspec.power.lists import Equivalent, Lists, Outside, read_lists, stale
from tokenspec.power.measuring import Measuring
from tokenspec.power.parts import PARTS, chosen_parts, part_of
from tokenspec.power.reach import Reach
from tokenspec.verdict import CellResult, Finding, Verdict

ENGINE, TEXT = "renderers/template/engine.py", "render_text"
KILLED = (ENGINE, TEXT, "return ''.join(limits.printed(compiled.root_render_func(context)))", "return ''")
ANSWER = "str.__str__(render_text(request['template'], request['inputs'], now=now, limits=limits))"
CRASHED = (ENGINE, "render_template", ANSWER, "str.__str__()")
SPANS, APPENDED = "renderers/template/spans.py", "spans.append(Span(start, end, owner, content, sampled, supplied))"
ONLY_ON_A_ROW = (SPANS, "Attributor.__call__", APPENDED, "pass")
SURVIVED = (ENGINE, TEXT, "limits or Limits()", "Limits()")
UNREACHED = Outside(file="renderers/template/printer.py", reason="no case of this test prints a row's template")


@pytest.fixture(scope="module")
def measuring(tmp_path_factory: pytest.TempPathFactory) -> Measuring:
    """The template engine, judged on a few cases without a row."""
    selection = Selection(rows=("-",), cases=("template-engine/tojson-",))
    found = Measuring(chosen_parts(["template"]), Lists([], [UNREACHED]), selection, tmp_path_factory.mktemp("power"))
    found.prepare(2, untold)
    return found


def untold(row: str, area: str, cells: int) -> None:
    """For what is measured without a word."""


def named(measuring: Measuring, file: str, within: str, before: str, after: str) -> Edit:
    (source,) = (source for source in measuring.sources if source.file == file)
    return next(edit for edit in source.edits_within(within) if edit.shown == (before, after))


def test_every_outcome(measuring: Measuring) -> None:
    edits = [named(measuring, *place) for place in (KILLED, CRASHED, SURVIVED)]
    seen = []
    killed, crashed, survived = measuring.judge(edits, 2, seen.append, untold)
    assert (killed.what, killed.by) == ("killed", "template-engine.text")
    assert killed.cell.startswith("template-engine/-/tojson-")
    assert (crashed.what, crashed.by.partition(":")[0]) == ("crashed", "TypeError")
    assert survived.what == "survived"
    assert survived.judged == len(measuring.reach.cells)
    assert {id(fate) for fate in seen} == {id(killed), id(crashed), id(survived)}
    assert [power.line_of(fate)["outcome"] for fate in (killed, crashed, survived)] == ["killed", "crashed", "survived"]


@pytest.mark.tools
@pytest.mark.parametrize(("ended", "what"), [(1, "killed"), (9, "crashed")])
def test_cells_behind_one_that_ends_the_process_are_judged(
    measuring: Measuring, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ended: int, what: str
) -> None:
    usual = judging.tried

    def dying(*given: Any) -> judging.Trial:
        number = len(list(tmp_path.iterdir()))
        (tmp_path / str(number)).touch()
        return usual(*given) if number >= ended else os._exit(1)

    monkeypatch.setattr(judging, "tried", dying)
    (fate,) = measuring.judge([named(measuring, *KILLED)], 1, lambda fate: None, untold)
    assert (fate.what, fate.deaths) == (what, min(ended, judging.DEATHS))
    assert fate.crash is not None
    assert fate.crash[0] == judging.ENDED


@pytest.mark.tools
def test_rows_that_are_not_first_are_measured_for_what_survives(measuring: Measuring, tmp_path: Path) -> None:
    selection = Selection(rows=("-", "toy-bpe"), cases=("template-engine/tojson-", "render/content-empty-user"))
    shutil.copytree(measuring.reach.folder, tmp_path, dirs_exist_ok=True)
    later = Measuring(chosen_parts(["template"]), Lists([], []), selection, tmp_path, first=["-"])
    later.prepare(1, untold)
    measured: list[str] = []
    spans = named(later, *ONLY_ON_A_ROW)
    (fate,) = later.judge([named(later, *KILLED)], 1, lambda fate: None, lambda row, *_: measured.append(row))
    assert (fate.what, measured) == ("killed", [])
    (fate,) = later.judge([spans], 1, lambda fate: None, lambda row, *_: measured.append(row))
    assert (fate.what, fate.cell, measured) == ("killed", "render/toy-bpe/content-empty-user", ["toy-bpe"])


def test_a_first_row_that_does_not_judge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no row 'toy-bpe'"):
        Measuring(chosen_parts(["template"]), Lists([], []), Selection(rows=("-",)), tmp_path, first=["toy-bpe"])


def test_what_is_listed_as_equivalent_is_not_judged(measuring: Measuring) -> None:
    file, within, before, after = SURVIVED
    entry = Equivalent(file=file, within=within, before=before, after=after, reason="the protocol sets no limits")
    listing = Measuring.__new__(Measuring)
    listing.__dict__.update(measuring.__dict__, lists=Lists([entry], []))
    (fate,) = listing.judge([named(measuring, *SURVIVED)], 1, lambda fate: None, untold)
    assert (fate.what, fate.by, fate.judged) == ("equivalent", "the protocol sets no limits", 0)
    assert list(stale(listing.lists, measuring.sources)) == []


def test_a_listed_edit_that_is_not_there_is_stale(measuring: Measuring) -> None:
    gone = Equivalent(file=ENGINE, within=TEXT, before="limits and Limits()", after="limits", reason="none")
    twice = Equivalent(file=ENGINE, within=TEXT, before=SURVIVED[2], after=SURVIVED[3], number=2, reason="none")
    nowhere = Outside(file=ENGINE, within="render_words", reason="none")
    nothing = Outside(file="renderers/paper.py", reason="none")
    assert len(list(stale(Lists([gone, twice], [nowhere, nothing]), measuring.sources))) == 4


def test_nothing_is_stale_in_the_tree(measuring: Measuring) -> None:
    assert list(stale(read_lists(), measuring.sources)) == []


def test_a_malformed_list_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "core.toml").write_text("[[equivalent]]\nfile = 'encode.py'\nbefore = 'a'\nafter = 'b'\n")
    with pytest.raises(FixtureError, match=r"core\.toml.*reason"):
        read_lists(tmp_path)


class LetsAllIn:
    """A type checker without a type."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """Nothing is read."""

    def refused(self, edits: Sequence[Edit]) -> list[Edit]:
        """None."""
        return []


@pytest.mark.tools
def test_a_sample_is_of_code_that_a_cell_executes(measuring: Measuring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenspec.power.measuring.TypeChecker", LetsAllIn)
    edits = measuring.sample(12, 7)
    assert len(edits) == 12
    assert {part_of(edit.file) for edit in edits} == {"template"}
    assert not {edit.file for edit in edits} & {UNREACHED.file, SPANS}
    assert measuring.sample(12, 7) == edits
    assert measuring.named([edits[0].id]) == [edits[0]]
    extent = measuring.extents()["template"]
    assert extent.outside > 0
    assert extent.unreached > extent.statements / 3


def test_an_attribute_of_a_class_is_used_where_the_class_is(measuring: Measuring) -> None:
    (source,) = (source for source in measuring.sources if source.file == "renderers/template/limits.py")
    code = next(edit for edit in source.edits_within("TemplateLimitExceeded") if edit.operator == "text")
    raising = {number for number, one in enumerate(source.statements) if one.within == "Limits.check_size"}
    assert raising & {number for file, number in measuring.users.of(source, code.statement) if file == source.file}


def test_what_was_measured_is_not_measured_again(measuring: Measuring, monkeypatch: pytest.MonkeyPatch) -> None:
    again = Reach(measuring.sources, measuring.reach.cells, measuring.reach.folder)
    monkeypatch.setattr("tokenspec.power.reach.in_forks", lambda tasks, jobs: pytest.fail("measured again"))
    again.measure("-", {"template-engine"}, 1, untold)
    assert again.found["-", "template-engine"].measured == measuring.reach.found["-", "template-engine"].measured


def findings(*verdicts: Verdict, detail: str = "KeyError: 'a'") -> CellResult:
    found = [
        Finding(check=f"check {place}", level="TEXT", requires=["TPL-001"], verdict=verdict, detail=detail)
        for place, verdict in enumerate(verdicts)
    ]
    return CellResult(impl="edited", area="parse", row="-", case="parse/a", seconds=0.0, findings=found)


def test_only_a_verdict_that_the_unedited_reference_has_not_is_a_kill() -> None:
    assert noticed_by(findings(Verdict.PASS, Verdict.FAIL), {}) == "check 1"
    assert noticed_by(findings(Verdict.REJECTED), {"check 0": "unsupported"}) == "check 0"
    assert not noticed_by(findings(Verdict.PASS, Verdict.FAIL), {"check 1": "fail"})
    assert not noticed_by(findings(Verdict.UNSUPPORTED), {"check 0": "unsupported"})


def test_an_error_is_no_kill() -> None:
    assert not noticed_by(findings(Verdict.ERROR), {})
    assert error_in(findings(Verdict.ERROR), {}) == ("KeyError: 'a'", "parse/-/a")
    assert error_in(findings(Verdict.ERROR), {"check 0": "error"}) is None


def test_an_answer_that_the_schema_refuses_is_a_kill() -> None:
    malformed = findings(Verdict.ERROR, detail="result of align: Object contains unknown field `tudent`")
    assert noticed_by(malformed, {}) == "schema"
    assert not noticed_by(malformed, {"check 0": "error"})


def forever() -> None:
    while True:
        time.sleep(0)


def broken() -> None:
    raise KeyError("a")


@pytest.mark.parametrize("work", [forever, broken])
def test_a_process_that_does_not_end_well_is_ended(work, capfd: pytest.CaptureFixture[str]) -> None:
    def tasks() -> Iterator[Task]:
        yield Task("first", work, 0.5)
        yield Task("second", lambda: 2, 60.0)

    found = dict(in_forks(tasks(), 1))
    assert isinstance(found["first"], Died)
    assert found["second"] == 2


def test_a_part_is_named_by_itself_or_by_its_areas() -> None:
    assert [part.name for part in chosen_parts(["parse"])] == ["turns"]
    assert [part.name for part in chosen_parts(["render"])] == ["families", "core"]
    assert chosen_parts([]) == list(PARTS)


def test_an_unknown_part_is_an_error_of_the_command_line() -> None:
    result = CliRunner().invoke(mutants, ["--automatic", "--area", "paper"])
    assert "no part of the reference 'paper'" in str(result.exception)


CRASH, WARNING = ("TypeError: no", "render/toy-bpe/a"), ("render.refuser", "render/toy-bpe/b")


@pytest.mark.parametrize(
    ("found", "what", "by"),
    [
        (Trial(2, None, None, 0), "survived", ""),
        (Trial(2, None, CRASH, 0), "crashed", "TypeError: no"),
        (Trial(2, None, None, 0, WARNING), "warned", "render.refuser"),
        (Trial(2, None, CRASH, LOOKED_PAST, WARNING), "warned", "render.refuser"),
        (Trial(2, ("render.text", "render/toy-bpe/c"), CRASH, 0, WARNING), "killed", "render.text"),
    ],
)
def test_the_strongest_sign_decides(measuring: Measuring, found: Trial, what: str, by: str) -> None:
    fate = Fate(named(measuring, *KILLED))
    judge = Judge(measuring.reach, measuring.users, {fate.edit.id: fate}, lambda fate: None)
    judge._learn(fate, found)
    judge.end()
    assert (fate.what, fate.by) == (what, by)


@pytest.mark.parametrize(
    ("verdict", "usual", "sign"),
    [("warning", {}, ("c", "render/toy-bpe/a")), ("warning", {"c": "warning"}, None), ("fail", {}, None)],
)
def test_a_warning_that_the_reference_has_as_well_is_no_sign(verdict: str, usual: dict[str, str], sign: Any) -> None:
    finding = Finding(check="c", level="TEXT", requires=["RND-001"], verdict=Verdict(verdict))
    result = CellResult(impl="i", area="render", row="toy-bpe", case="render/a", seconds=0.0, findings=[finding])
    assert warning_in(result, usual) == sign


def test_the_table_fits_eighty_columns(measuring: Measuring) -> None:
    edits = [named(measuring, *place) for place in (KILLED, SURVIVED)]
    fates = [Fate(edits[0], "killed", "template-engine.text"), Fate(edits[1], "survived")]
    console = Console(width=80, record=True, file=StringIO(), color_system=None)
    power.print_fates(console, fates, measuring.extents())
    text = console.export_text()
    assert f"survived {edits[1].id} renderers/template/engine.py:" in text
    assert re.search(r"template +2 +1 +0 +0 +1 +0 +50\.0 % +\d+ %", text)
    assert f"--only {edits[1].id}" in text
    assert max(map(len, text.splitlines())) <= 80
    assert power.shares(fates) == {"template": 0.5}
