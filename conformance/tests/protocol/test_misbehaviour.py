"""Programs that misbehave in one way each: the verdict, the exit code and the message each must get in an ordinary run."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.trees import edited_text
from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.pipe import Limits, marked
from tokenspec.adapters.stdio import Process
from tokenspec.areas.area import Cell
from tokenspec.areas.protocol.mutants.programs import CHILD, FAULTLESS, RESULT, STOP, WRITE
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult, Verdict, exit_code
from tokenspec_reference.adapter import ReferenceAdapter

LIMITS = Limits(start=10.0, load=10.0, run=1.0, stop=1.0)
RENDER = '{"token_ids": [rows[request["model"]], len(request["messages"])]}'
RIGHT = 'KNOWN[len(request["messages"])]'


@cache
def cells() -> tuple[Cell, ...]:
    """A short conversation, then a longer one, on one toy row."""
    return tuple(select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=("role-user", "unicode-cjk"))))


@cache
def faultless() -> str:
    """The miniature with the right ids of the two cells."""
    known = {len(cell.case.input["messages"]): {"token_ids": cell.golden.expect["token_ids"]} for cell in cells()}
    assert len(known) == len(cells()) == 2
    table = f"KNOWN = {{int(key): value for key, value in json.loads({json.dumps(json.dumps(known))}).items()}}\n"
    return edited_text(FAULTLESS, (RENDER, RIGHT), ("rows = {}", f"rows = {{}}\n{table}"))


def judged(source: str, timeout: float = 1.0) -> list[CellResult]:
    limits = LIMITS if timeout >= 1 else Limits(start=10.0, load=timeout, run=timeout, stop=1.0)
    column = Process("mini", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(source)}", limits)
    try:
        return run_all(Run([column], cells(), timeout))
    finally:
        column.close()


def verdicts(results: list[CellResult]) -> set[str]:
    return {str(finding.verdict) for result in results for finding in result.findings}


def details(results: list[CellResult]) -> str:
    return "\n".join(finding.detail for result in results for finding in result.findings)


def edited(*edits: tuple[str, str]) -> str:
    return edited_text(faultless(), *edits)


def in_run(statement: str) -> tuple[str, str]:
    """The statement in place of the answer to a run."""
    return (RESULT, statement)


def test_the_faultless_program_passes_and_its_missing_masks_are_unsupported() -> None:
    results = judged(faultless())
    assert verdicts(results) == {"pass", "unsupported"}
    assert exit_code(results, frozenset({"mini"})) == 0


MISBEHAVIOUR = {
    "always errors": (in_run('say({**answer, "error": {"message": "out of cheese"}})'), "error", 3, "out of cheese"),
    "prints garbage": (in_run('print("Loading...", flush=True)'), "error", 3, "ADP-001"),
    "wrong seq": (in_run('say({"seq": 0, "result": render(message["input"])})'), "error", 3, "ADP-030"),
    "claims what it lacks": (in_run('say({**answer, "unsupported": {"reason": "later"}})'), "unsupported", 1, "later"),
    "rejects everything": (in_run('say({**answer, "rejected": {"code": "no"}})'), "rejected", 1, "rejected no"),
    "a line of 100 MB": (in_run('print("x" * 100_000_000, flush=True)'), "error", 3, "longer than 64 MiB"),
    "a line without end": (
        in_run('[sys.stdout.write("x" * 1_000_000) for piece in range(200)]'),
        "error",
        3,
        "ADP-005",
    ),
    "huge result": (
        in_run('say({**answer, "result": {"token_ids": [1] * 3_000_000}})'),
        "fail",
        1,
        "token",
    ),
    "nests deeply": (in_run('print(\'{"seq":1,"result":{"a":\' + "[" * 200_000, flush=True)'), "error", 3, "deeper"),
    "millions of objects": (
        in_run('print(\'{"seq":1,"result":{"a":[\' + "[]," * 3_000_000 + "0]}}", flush=True)'),
        "error",
        3,
        "more than 2,000,000 lists and objects",
    ),
    "stderr that is no text": (
        in_run('sys.stderr.buffer.write(b"\\xff\\xfe oh"); sys.stderr.flush(); os._exit(9)'),
        "error",
        3,
        "\\xff\\xfe oh",
    ),
    "closes stdout": (in_run("os.close(1); time.sleep(60)"), "error", 3, "closed its stdout"),
    "answers in pieces": (in_run('say({**answer, "result": {}}) or say({"token_ids": [1]})'), "error", 3, ""),
    "no capability": (('{"render": {}}', "{}"), "unsupported", 1, "no operation render"),
}


@pytest.mark.parametrize("name", MISBEHAVIOUR)
def test_each_has_its_verdict_and_its_exit_code(name: str) -> None:
    edit, verdict, code, says = MISBEHAVIOUR[name]
    results = judged(edited(edit), 5.0)
    assert verdict in verdicts(results)
    assert "pass" not in verdicts(results) or verdict == "fail"
    assert exit_code(results, frozenset({"mini"})) == code
    assert says in details(results)


CLEAR = r"\x1b[2J\x1b]0;mine\x07"


@pytest.mark.parametrize(
    "statement",
    [
        f'say({{**answer, "error": {{"message": "{CLEAR}", "traceback": "{CLEAR}"}}}})',
        f'say({{**answer, "rejected": {{"code": "no", "message": "{CLEAR}"}}}})',
        f'say({{**answer, "unsupported": {{"reason": "{CLEAR}"}}}})',
        f'sys.stderr.write("{CLEAR}"); sys.stderr.flush(); os._exit(1)',
        f'print("{CLEAR}", flush=True)',
    ],
    ids=["error", "rejected", "unsupported", "stderr", "stdout"],
)
def test_a_program_cannot_command_the_terminal(statement: str) -> None:
    said = details(judged(edited(in_run(statement))))
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "\\x1b[2J" in said


def test_hanging_is_an_error_in_time() -> None:
    results = judged(edited(in_run("time.sleep(60)")), 0.3)
    assert verdicts(results) == {"error"}
    assert exit_code(results, frozenset({"mini"})) == 3
    assert "timed out after 0.3 s" in details(results)


def test_dying_once_spoils_one_cell_only() -> None:
    dies = (
        'say({**answer, "result": render(message["input"])}) if len(message["input"]["messages"]) > 1 else os._exit(7)'
    )
    results = judged(edited(in_run(dies)))
    by_case = {result.case: {finding.verdict for finding in result.findings} for result in results}
    assert by_case["render/role-user"] == {Verdict.ERROR}
    assert Verdict.PASS in by_case["render/unicode-cjk"]
    assert exit_code(results, frozenset({"mini"})) == 3


def test_two_answers_to_one_message_spoil_what_follows() -> None:
    results = judged(edited((WRITE, WRITE * 2)))
    assert "error" in verdicts(results)
    assert exit_code(results, frozenset({"mini"})) == 3
    assert "ADP-001" in details(results) or "ADP-030" in details(results)


@pytest.mark.parametrize(
    "start",
    [CHILD, CHILD.replace("stderr=-3", "stderr=-3, start_new_session=True")],
    ids=["in its group", "in a session of its own"],
)
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="unsupported: this system shows no environments")
def test_children_end_with_the_program(start: str) -> None:
    source = edited(("def render(request): ...", f"def render(request):\n{start}    ..."))
    column = Process("mini", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(source)}", LIMITS)
    results = run_all(Run([column], cells(), 5.0))
    assert "pass" in verdicts(results)
    assert len(marked(column.pipe.mark)) > 1
    column.close()
    assert marked(column.pipe.mark) == []


def test_children_end_when_time_is_up() -> None:
    source = edited(in_run('subprocess.Popen(["sleep", "60"]) and time.sleep(60)'))
    column = Process("mini", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(source)}", LIMITS)
    first = column.pipe.mark
    column.answered.add("render")
    column.call("render", "render/x", {"messages": []}, 0.3)
    assert marked(first) == []
    column.close()


def test_ignoring_stop_does_not_keep_the_suite_waiting() -> None:
    column = Process(
        "mini", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(edited((STOP, 'time.sleep(60)')))}", LIMITS
    )
    results = run_all(Run([column], cells(), 5.0))
    column.close()
    assert exit_code(results, frozenset({"mini"})) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(column.pipe.process.pid, 0)


class Versioned(ReferenceAdapter):
    """Right until version 2."""

    def __init__(self, version: str) -> None:
        super().__init__()
        self.version = version

    def info(self) -> dict[str, str]:
        return {"name": "mini", "version": self.version}

    def render(self, request: dict) -> dict:
        result = super().render(request)
        return result if self.version < "2" else {**result, "token_ids": result["token_ids"][:-1]}


def test_a_bug_of_one_version_is_seen_in_that_column_only() -> None:
    columns = [InProcess(f"mini {version}", Versioned(version)) for version in ("1.9", "2.0")]
    results = run_all(Run(columns, cells(), 10.0))
    assert exit_code(results, frozenset({"mini 1.9"})) == 0
    assert exit_code(results, frozenset({"mini 2.0"})) == 1
    assert exit_code(results, frozenset({"mini 1.9", "mini 2.0"})) == 1


def test_a_program_that_starts_only_once_says_how_to_have_one_copy(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    once = f"import os\nif os.path.exists({str(lock)!r}): raise SystemExit('already running')\nopen({str(lock)!r}, 'w').close()\n"
    (tmp_path / "once.py").write_text(once + FAULTLESS)
    chosen = ["--case", "render/role-user", "--status", "toy", "--jobs", "2"]
    impl = f"cmd:{shlex.quote(sys.executable)} -I {shlex.quote(str(tmp_path / 'once.py'))}"
    done = subprocess.run(
        [sys.executable, "-m", "tokenspec", "run", "--impl", impl, *chosen], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "already running" in done.stderr
    assert "--jobs 1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="unsupported: this system shows no command lines")
def test_the_programs_of_workers_are_ended_too(tmp_path: Path) -> None:
    reads = "while True:\n    line = sys.stdin.readline() or time.sleep(60)\n    ..."
    stays = edited_text(FAULTLESS, (STOP, "time.sleep(60)"), ("while line := sys.stdin.readline(): ...", reads))
    (tmp_path / "stays.py").write_text(stays)
    chosen = ["--case", "render/role-user", "--status", "toy", "--jobs", "2"]
    impl = f"cmd:{shlex.quote(sys.executable)} -I {shlex.quote(str(tmp_path / 'stays.py'))}"
    subprocess.run(
        [sys.executable, "-m", "tokenspec", "run", "--impl", impl, *chosen], capture_output=True, check=False
    )
    script = str(tmp_path / "stays.py").encode()
    alive = []
    for about in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            alive += [about] * (script in about.read_bytes())
    assert alive == []


class PanicException(BaseException):
    """As a library in Rust raises it: no Exception."""


@pytest.mark.parametrize("place", ["load", "render"])
@pytest.mark.parametrize("name", ["elsewhere", None])
def test_what_needs_a_module_that_is_not_here_is_not_judged(place: str, name: str | None) -> None:
    def imports(*_: object) -> None:
        raise ModuleNotFoundError("elsewhere", name=name)

    column = type("Needs", (), {"info": lambda _: {"name": "needs", "version": "1"}, "render": imports, place: imports})
    results = run_all(Run([InProcess("needs", column())], cells(), 10.0))
    assert set(verdicts(results)) == {"unsupported"}
    assert "the module elsewhere is not installed here" in details(results)


@pytest.mark.parametrize("place", ["load", "render"])
@pytest.mark.parametrize("panic", [PanicException("index out of bounds"), SystemExit(3)])
def test_a_panic_is_an_error_of_the_column_and_ends_no_run(place: str, panic: BaseException) -> None:
    def fail(*_: object) -> None:
        raise panic

    column = type("Panics", (), {"info": lambda _: {"name": "panics", "version": "1"}, "render": fail, place: fail})
    results = run_all(Run([InProcess("panics", column())], cells(), 10.0))
    assert "error" in verdicts(results)
    assert type(panic).__name__ in details(results)
