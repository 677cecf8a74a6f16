"""A program that writes into the fixtures makes the run invalid: exit code 4, and no verdict printed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.trees import edited_text
from tokenspec.areas.protocol.mutants.programs import FAULTLESS, RESULT
from tokenspec.cli import group
from tokenspec.errors import FixtureError
from tokenspec.store.guard import untouched

CASE = "cases/render/role.json"


def ran(source: str) -> object:
    impl = f"cmd:{shlex.quote(sys.executable)} -I -S -c {shlex.quote(source)}"
    return CliRunner().invoke(group, ["run", "--impl", impl, "--case", "render/role-user", "--row", "toy-bpe"])


def test_a_program_that_keeps_to_itself_is_judged(own_fixtures: Path) -> None:
    del own_fixtures
    done = ran(FAULTLESS)
    assert done.exit_code == 1
    assert "toy-bpe" in done.output


@pytest.mark.parametrize(
    "deed",
    [
        "open({path!r}, 'a').write(' ')",
        "os.remove({path!r})",
        "open({path!r} + '.cache', 'w').close()",
        "os.utime({path!r}, (0, 0))",
        "(os.rename({path!r}, {path!r} + '~'), open({path!r}, 'w').write('{{}}'))",
    ],
    ids=["appends", "removes", "adds", "sets the clock back", "replaces"],
)
def test_a_program_that_writes_into_the_fixtures_is_not(own_fixtures: Path, deed: str) -> None:
    statement = deed.format(path=str(own_fixtures / CASE))
    done = ran(edited_text(FAULTLESS, (RESULT, f"{statement}; {RESULT}")))
    assert isinstance(done.exception, FixtureError)
    assert done.exception.exit_code == 4
    assert "cases/render/role.json" in str(done.exception)
    assert "the run is invalid (ADP-051)" in str(done.exception)
    assert "TEXT" not in done.output


def test_objects_in_this_process_are_not_watched(own_fixtures: Path) -> None:
    with untouched(["reference"]):
        (own_fixtures / CASE).write_text("{}")
    with pytest.raises(FixtureError, match="changed"), untouched(["reference", "cmd:./x"]):
        (own_fixtures / CASE).write_text("{ }")
