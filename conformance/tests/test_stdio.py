"""Programs over the pipe: the reference served, and processes that misbehave."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from tokenspec.adapters import Failed, NotSupported, Ok, Refused
from tokenspec.adapters.pipe import Limits
from tokenspec.adapters.stdio import Process
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import AdapterError
from tokenspec.runner import Run, run_all
from tokenspec.verdict import Verdict, exit_code

HEAD = """
import json, os, sys, time
def say(**reply):
    print(json.dumps(reply), flush=True)
def started():
    say(protocol=1, implementation={"name": "mini", "version": "1"}, capabilities={"render": {}})
for line in sys.stdin:
    message = json.loads(line)
    if message["cmd"] == "start":
        started()
    elif message["cmd"] == "load":
        say(ok=True)
    elif message["cmd"] == "stop":
        break
    else:
        seq = message["seq"]
"""


def program(tmp_path: Path, body: str, head: str = HEAD) -> str:
    path = tmp_path / "mini.py"
    path.write_text(head + textwrap.indent(textwrap.dedent(body), " " * 8))
    return f"{sys.executable} {path}"


LIMITS = Limits(start=10, load=10, run=5, stop=1)


def answer(tmp_path: Path, body: str, timeout: float = 5.0) -> object:
    column = Process("mini", program(tmp_path, body), Limits(start=10, load=timeout, run=timeout, stop=1))
    try:
        return column.call("render", "render/x", {"messages": []}, timeout)
    finally:
        column.close()


def test_results_and_refusals_cross_the_pipe(tmp_path: Path) -> None:
    assert answer(tmp_path, "say(seq=seq, result={'token_ids': [1]})") == Ok({"token_ids": [1]})
    assert answer(tmp_path, "say(seq=seq, rejected={'code': 'c', 'message': 'm'})") == Refused("c", "m")
    assert answer(tmp_path, "say(seq=seq, unsupported={'reason': 'r'})") == NotSupported("r")
    assert answer(tmp_path, "say(seq=seq, error={'message': 'e'})") == Failed("e")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("time.sleep(30)", "timed out after 0.5 s"),
        ("time.sleep(30)", "ADP-006"),
        ("print('hello', flush=True)", "sent a line that is no answer"),
        ("print('hello', flush=True)", "ADP-001"),
        ("say(seq=seq + 1, result={})", "answered seq 2 to seq 1"),
        ("say(seq=seq, result={}, extra=1)", "extra"),
        ("say(seq=seq)", "exactly one of"),
        ("say(seq=seq, result={}, error={'message': 'm'})", "exactly one of"),
        ("os._exit(3)", "exit code 3"),
        ("os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
        ("os.close(1); time.sleep(30)", "closed its stdout"),
        ("sys.stderr.buffer.write(b'\\xff\\xfe oh'); sys.stderr.flush(); os._exit(1)", "oh"),
    ],
)
def test_misbehaviour_is_an_error_that_says_so(tmp_path: Path, body: str, says: str) -> None:
    outcome = answer(tmp_path, body, timeout=0.5)
    assert isinstance(outcome, Failed)
    assert says in outcome.message


def test_three_crashes_in_a_row_end_the_column(tmp_path: Path) -> None:
    column = Process("mini", program(tmp_path, "os._exit(1)"), LIMITS)
    outcomes = [column.call("render", "render/x", {}, 5.0) for _ in range(4)]
    assert all(isinstance(outcome, Failed) for outcome in outcomes)
    assert "not started again" in outcomes[3].message
    column.close()


def test_one_crash_does_not_spoil_the_next_case(tmp_path: Path) -> None:
    body = "os._exit(1) if message['case'] == 'render/bad' else say(seq=seq, result={'token_ids': []})"
    column = Process("mini", program(tmp_path, body))
    assert isinstance(column.call("render", "render/bad", {}, 5.0), Failed)
    assert isinstance(column.call("render", "render/good", {}, 5.0), Ok)
    column.close()


def test_the_first_run_of_an_operation_has_as_long_as_a_load(tmp_path: Path) -> None:
    body = "time.sleep(0.6)\nsay(seq=seq, result={'token_ids': []})"
    column = Process("mini", program(tmp_path, body), LIMITS)
    assert isinstance(column.call("render", "render/x", {}, 0.2), Ok)
    assert isinstance(column.call("render", "render/x", {}, 0.2), Failed)
    column.close()


def test_a_program_that_does_not_read_cannot_hang_its_judge(tmp_path: Path) -> None:
    column = Process("mini", program(tmp_path, "say(seq=seq, result={}); time.sleep(30)"), LIMITS)
    assert isinstance(column.call("render", "render/x", {}, 0.5), Ok)
    outcome = column.call("render", "render/x", {"messages": "x" * 10_000_000}, 0.5)
    assert isinstance(outcome, Failed)
    assert "did not read its request within 0.5 s" in outcome.message
    column.close()


def test_stderr_without_end_keeps_its_tail(tmp_path: Path) -> None:
    body = "sys.stderr.write('x' * 5_000_000 + 'the end'); sys.stderr.flush(); os._exit(1)"
    outcome = answer(tmp_path, body)
    assert isinstance(outcome, Failed)
    assert outcome.message.endswith("the end")
    assert len(outcome.message) < 3000


def test_a_program_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="Check the program's path"):
        Process("cmd:x", str(tmp_path / "none"))
    with pytest.raises(AdapterError, match="ended without answering"):
        Process("cmd:x", f"{sys.executable} -c pass")
    other = program(
        tmp_path,
        "",
        "import json, sys\nsys.stdin.readline()\nprint(json.dumps({'protocol': 9, 'implementation': {'name': 'x', 'version': '1'}, 'capabilities': {}}), flush=True)\nif False:\n    if True:\n        pass\n",
    )
    with pytest.raises(AdapterError, match="speaks protocol 9"):
        Process("cmd:x", other)


def test_the_reference_served_over_the_pipe_judges_like_itself() -> None:
    cells = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=("role-", "render/role-")))
    column = Process("served", f"{sys.executable} -m tokenspec serve --impl reference")
    try:
        results = run_all(Run([column], cells))
    finally:
        column.close()
    assert exit_code(results, frozenset({"served"})) == 0
    assert sum(finding.verdict is Verdict.PASS for result in results for finding in result.findings) > 100
