"""The mistakes new authors make first: each is met with one message that names it and says what to do."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.trees import edited_text
from tokenspec.adapters.pipe import Limits
from tokenspec.adapters.stdio import Process
from tokenspec.cli import group
from tokenspec.errors import AdapterError, TokenspecError
from tokenspec.skeletons.adapter import LANGUAGES, source

TEMPLATE = source(LANGUAGES["python"], ("segment",))


def smoke(impl: str, folder: Path) -> tuple[int, str]:
    """Exit code and everything said, as the command line would say it."""
    with contextlib.chdir(folder):
        done = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "100"}).invoke(group, ["smoke", "--impl", impl])
    if isinstance(done.exception, TokenspecError):
        return done.exception.exit_code, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.output


def written(folder: Path, *edits: tuple[str, str]) -> str:
    (folder / "adapter.py").write_text(edited_text(TEMPLATE, *edits))
    return f"cmd:{sys.executable} -u adapter.py"


@pytest.mark.parametrize(
    ("impl", "says"),
    [
        ("cmd:./nothing", "there is no program './nothing'. Check the program's path"),
        ("cmd:adapter.py", "write ./adapter.py, or name its interpreter"),
        ("cmd:./adapter.py", "is not executable. Run chmod +x ./adapter.py"),
        ("cmd:", "names no program. Give one: cmd:PROGRAM ARGS"),
        ("cmd:python 'x", "Close its quotes"),
    ],
)
def test_a_program_that_does_not_start(tmp_path: Path, impl: str, says: str) -> None:
    written(tmp_path)
    code, said = smoke(impl, tmp_path)
    assert code == 3
    assert says in said


@pytest.mark.parametrize(
    ("edit", "code", "says"),
    [
        (
            ("def main() -> None: ...", "print('ready')\n\ndef main() -> None: ..."),
            3,
            ["ADP-001", "'ready'", "print for people to stderr"],
        ),
        (("{name: {} for name in OPERATIONS}", "list(OPERATIONS)"), 3, ["ADP-010", "$.capabilities", '{"render": {}}']),
        (
            (
                '{"protocol": 1, "implementation": _, "capabilities": __}',
                '{"protocol": 2, "implementation": _, "capabilities": __}',
            ),
            3,
            ["speaks protocol 2, this suite speaks 1", "ADP-011"],
        ),
        (('{"segment": segment}', '{"segmnt": segment}'), 2, ["It claims segmnt; did you mean segment?"]),
        (('{"offsets": offsets}', '{"ids": offsets}'), 1, ["ADP-032", "offsets (required)", "got ids"]),
        (('{"offsets": offsets}', '{"offsets": [[0.0, 1.0]]}'), 1, ["ADP-032", "Expected `int`, got `float`"]),
        (('return {"offsets": offsets}', "return offsets"), 1, ["ADP-031", "$.result", "the answer looks like"]),
        (('answer: _ = {"seq": message["seq"]}', "answer = {}[1]"), 1, ["ADP-033", "KeyError: 1", "catch what"]),
        (('{**answer, "result": _}', '{**answer, "resutl": _}'), 1, ["ADP-031", "did you mean 'result'?"]),
    ],
)
def test_a_mistake_is_named_with_its_cure(tmp_path: Path, edit: tuple[str, str], code: int, says: list[str]) -> None:
    found, said = smoke(written(tmp_path, edit), tmp_path)
    assert found == code, said
    for text in says:
        assert text in said


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            ("print(_, flush=True)", "print(_)"),
            ["ADP-002", "when its stdin was closed", "flush stdout after every answer"],
        ),
        (("for line in sys.stdin.buffer: ...", "while True: pass"), ["ADP-006"]),
    ],
)
def test_silence_is_named_with_its_cure(tmp_path: Path, edit: tuple[str, str], says: list[str]) -> None:
    written(tmp_path, edit)
    with pytest.raises(AdapterError) as caught:
        Process("cmd:x", shlex.join([sys.executable, "-I", str(tmp_path / "adapter.py")]), Limits(start=3.0))
    for text in says:
        assert text in str(caught.value)


def test_blocking_on_load_says_how_long_a_load_may_take(tmp_path: Path) -> None:
    written(tmp_path, ('rows[message["model"]] = _', 'import time\ntime.sleep(60)\nrows[message["model"]] = _'))
    column = Process(
        "cmd:x",
        shlex.join([sys.executable, "-I", str(tmp_path / "adapter.py")]),
        Limits(start=10.0, load=0.5, stop=1.0),
    )
    said = str(column.load("toy-bpe", {}))
    column.close()
    assert "to load: the process timed out after 0.5 s" in said
    assert "a load has 60 s" in said


def test_the_template_itself_passes(tmp_path: Path) -> None:
    code, said = smoke(written(tmp_path), tmp_path)
    assert code == 0, said
    assert "smoke passes. Next: tokenspec run --impl" in said
