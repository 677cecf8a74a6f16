"""Two oracles by version: flips are few, exact, and replace the goldens when the earlier oracle is asked for."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from click.testing import CliRunner

from tokenspec.adapters.resolve import resolve
from tokenspec.areas.oracle_version import (
    CURRENT,
    EARLIER,
    as_judged_by,
    flips_of,
    flips_path,
    load_flip,
    oracle_version,
    same_answer,
    what_flips,
)
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.cli import group
from tokenspec.cli.flips import compare
from tokenspec.errors import FixtureError, UsageError
from tokenspec.runner import Run, run_all
from tokenspec.store.golden_files import read_goldens, write_goldens

FLIPPING, STEADY = "thinking-field-thinking", "role-user"
CELLS = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=(FLIPPING, STEADY)))


def cell(slug):
    return next(found for found in CELLS if found.case.slug == slug)


def test_the_current_oracle_changes_nothing():
    assert as_judged_by(CURRENT, CELLS) == CELLS


def test_the_earlier_oracle_replaces_what_flips_and_asks_for_its_normalisation():
    judged = {found.case.slug: found for found in as_judged_by(EARLIER, CELLS)}
    assert judged[STEADY].golden == cell(STEADY).golden
    assert not same_answer(judged[FLIPPING].golden, cell(FLIPPING).golden)
    assert what_flips(cell(FLIPPING).golden, judged[FLIPPING].golden) == "text"
    assert {found.request()["normalisation"] for found in judged.values()} == {"hf4"}


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ({"margin": 0.13236902293712194, "cuts": [1, 2]}, True),
        ({"margin": 0.132369024, "cuts": [1, 2]}, False),
        ({"margin": 0.13236902293712394, "cuts": [1, 3]}, False),
        ({"margin": 0.13236902293712394, "cuts": [1, True]}, False),
        ({"margin": 0.13236902293712394, "cuts": [1, 2.0]}, False),
        ({"margin": 0.13236902293712394, "cuts": [1]}, False),
        ({"margin": 0.13236902293712394}, False),
        ({"margin": 0.13236902293712394, "cuts": [1, 2], "labels": []}, False),
        (None, False),
    ],
)
def test_the_last_digits_of_a_number_are_a_machine_s(now, same):
    made = msgspec.structs.replace(cell(STEADY).golden, expect={"margin": 0.13236902293712394, "cuts": [1, 2]})
    assert same_answer(msgspec.structs.replace(made, expect=now), made) is same


def test_the_reference_follows_the_earlier_oracle():
    flipping = {case.id for row, case, _, _ in flips_of(EARLIER) if row == "toy-bpe"}
    cells = [cell for cell in select_cells(Selection(areas=("render",), rows=("toy-bpe",))) if cell.case.id in flipping]
    results = run_all(Run([resolve("reference")], as_judged_by(EARLIER, cells)))
    assert flipping
    assert [finding for result in results for finding in result.findings if finding.non_conformant] == []


def test_other_areas_have_no_earlier_oracle():
    cells = select_cells(Selection(areas=("processors",), rows=("-",)))[:1]
    with pytest.raises(UsageError, match="--area render"):
        as_judged_by(EARLIER, cells)


def test_an_unknown_version_names_the_known_ones():
    with pytest.raises(UsageError, match=r"4\.44\.0.*Known: 5\.23\.0, 4\.57\.6"):
        oracle_version("4.44.0")


def test_a_flip_of_another_input_is_refused(tmp_path, monkeypatch):
    flip = load_flip(EARLIER, "toy-bpe", cell(FLIPPING).case)
    path = tmp_path / "toy-bpe" / "render.json"
    write_goldens(path, {FLIPPING: msgspec.structs.replace(flip, input_sha256="0" * 64)})
    monkeypatch.setattr("tokenspec.areas.oracle_version.flips_path", lambda *_: path)
    with pytest.raises(FixtureError, match="another input"):
        load_flip(EARLIER, "toy-bpe", cell(FLIPPING).case)


def test_comparing_finds_a_missing_a_stale_and_a_wrong_flip_and_mends_them(tmp_path, monkeypatch):
    """With the current transformers as the oracle no cell flips, so each committed flip is stale."""
    path = tmp_path / "toy-bpe" / "render.json"
    monkeypatch.setattr("tokenspec.cli.flips.flips_path", lambda version, row: path)
    earlier = load_flip(EARLIER, "toy-bpe", cell(FLIPPING).case)
    write_goldens(path, {FLIPPING: earlier})
    for write in (False, True):
        assert [(change.old, change.new) for change in compare(EARLIER, CELLS, write=write)] == [(earlier, None)]
        assert path.exists() is not write

    monkeypatch.setattr("tokenspec.cli.flips.committed_flip", lambda *_: None)
    other = [dataclasses.replace(cell(FLIPPING), golden=earlier)]
    assert [change.old for change in compare(EARLIER, other, write=True)] == [None]
    assert list(read_goldens(path).cases) == [FLIPPING]


def test_a_flip_of_another_input_is_found_and_mended(monkeypatch, tmp_path):
    path = tmp_path / "toy-bpe" / "render.json"
    now = msgspec.structs.replace(cell(STEADY).golden, expect={"text": "as it was prepared then"})
    old = msgspec.structs.replace(now, input_sha256="0" * 64)
    monkeypatch.setattr("tokenspec.areas.oracle_version.flips_path", lambda *_: path)
    monkeypatch.setattr("tokenspec.cli.flips.flips_path", lambda *_: path)
    monkeypatch.setattr("tokenspec.cli.flips.ask_oracle", lambda _: now)
    monkeypatch.setattr("tokenspec.cli.flips.what_flips", lambda *_: "text")
    write_goldens(path, {STEADY: old})
    assert [change.old for change in compare(EARLIER, [cell(STEADY)], write=True)] == [old]
    assert load_flip(EARLIER, "toy-bpe", cell(STEADY).case) == now


def test_every_flip_is_another_answer_by_the_earlier_oracle():
    flips = flips_of(EARLIER)
    assert flips
    for row, case, current, flip in flips:
        assert flip.oracle["transformers"] == EARLIER.transformers, (row, case.id)
        assert not same_answer(current, flip), (row, case.id)
        assert flips_path(EARLIER, row).exists()


def test_the_command_refuses_the_version_that_made_the_goldens():
    result = CliRunner().invoke(group, ["fixtures", "flips", "--row", "toy-bpe"])
    assert isinstance(result.exception, UsageError)
    assert "tox -e conformance-tf457" in str(result.exception)


def asked_of_the_earlier(monkeypatch, *rows):
    """The command as it runs beside transformers 4.57.6, with the row kimi-k2 not at hand."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: EARLIER.transformers)
    monkeypatch.setattr("tokenspec.cli.flips.compare", lambda version, cells, **_: [] if list(cells) else None)
    monkeypatch.setattr(
        "tokenspec.cli.flips.available", lambda row: "unsupported: assets missing" if row == "kimi-k2" else None
    )
    return CliRunner().invoke(group, ["fixtures", "flips", *(part for row in rows for part in ("--row", row))])


def test_rows_that_are_not_here_are_left_out_by_name(monkeypatch):
    result = asked_of_the_earlier(monkeypatch, "toy-bpe", "kimi-k2")
    assert result.exit_code == 0, result.output
    assert "left out kimi-k2, " in result.output
    assert "unsupported: assets missing" in result.output


def test_asking_nothing_is_no_pass(monkeypatch):
    result = asked_of_the_earlier(monkeypatch, "kimi-k2")
    assert isinstance(result.exception, UsageError)
    assert "no golden can be asked" in str(result.exception)
