"""Programs over the pipe: the reference served, and processes that misbehave."""

from __future__ import annotations

import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tokenspec.adapters import Failed, NotSupported, Ok, Refused
from tokenspec.adapters.diagnosis import flaw_of
from tokenspec.adapters.pipe import Limits, Pipe, PipeBroken, marked
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
    return shlex.join([sys.executable, str(path)])


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
    body = "time.sleep(3)\nsay(seq=seq, result={'token_ids': []})"
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


def test_a_process_that_ends_while_others_are_looked_for_is_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    ended.wait()
    source, pipe = "print(flush=True); input()", subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", source], stdin=pipe, stdout=pipe, env={"MARK": "x"})
    child.stdout.readline()  # its environment can be read once it runs
    listed = [str(ended.pid), "self", str(child.pid)]
    monkeypatch.setattr(Path, "iterdir", lambda _: map(Path, listed))
    assert marked("MARK=x") == [child.pid]
    child.communicate(b"\n")


def test_a_program_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="Check the program's path"):
        Process("cmd:x", shlex.quote(str(tmp_path / "none")))
    with pytest.raises(AdapterError, match="ended without answering"):
        Process("cmd:x", f"{sys.executable} -c pass")
    other = program(
        tmp_path,
        "",
        "import json, sys\nsys.stdin.readline()\nprint(json.dumps({'protocol': 9, 'implementation': {'name': 'x', 'version': '1'}, 'capabilities': {}}), flush=True)\nif False:\n    if True:\n        pass\n",
    )
    with pytest.raises(AdapterError, match="speaks protocol 9"):
        Process("cmd:x", other)


@pytest.mark.parametrize("reads", [False, True], ids=["before it read", "after it read"])
def test_a_program_that_ends_without_an_answer_is_told_of_in_one_way(reads: bool) -> None:
    pipe = Pipe(f"{sys.executable} -I -S -c '{'import sys; sys.stdin.readline()' if reads else ''}'")
    if not reads:
        pipe.process.wait()
    with pytest.raises(PipeBroken) as caught:
        pipe.ask(b'{"cmd": "start"}', 30.0)
    assert (caught.value.kind, str(caught.value)) == ("ended", "the process ended without answering (exit code 0)")
    assert flaw_of(caught.value, "start").requirement == "ADP-010"


@pytest.mark.parametrize("asked", [False, True], ids=["before it was asked", "after it was asked"])
def test_a_program_that_complains_and_ends_is_read(asked: bool) -> None:
    source = f"import sys; {asked} and sys.stdin.readline(); print(sys.argv, flush=True)"
    pipe = Pipe(f'{sys.executable} -I -S -c "{source}"')
    if not asked:
        pipe.process.wait()
    assert pipe.ask(b'{"cmd": "start"}', 30.0).startswith(b"['-c'")
    pipe.kill()


def test_a_program_that_closes_its_stdin_and_lives_is_no_ended_one() -> None:
    source = "import os, time; os.close(0); print(flush=True); time.sleep(60)"
    pipe = Pipe(f'{sys.executable} -I -S -c "{source}"')
    pipe.ask(b"", 30.0)
    with pytest.raises(PipeBroken, match="the process closed its stdin"):
        pipe.ask(b"", 0.2)


BUSY = "while True: pass"


def test_a_program_that_computes_too_long_is_slow_and_not_hanging(tmp_path: Path) -> None:
    outcome = answer(tmp_path, BUSY, timeout=0.3)
    assert isinstance(outcome, Failed)
    assert outcome.slow == 0.3
    assert outcome.message.startswith("slow: no answer within 0.3 s (it computed for 0.")
    assert "--timeout" in outcome.message
    waiting = answer(tmp_path, "time.sleep(60)", timeout=0.3)
    assert isinstance(waiting, Failed)
    assert waiting.slow == 0.0


def test_a_child_that_computes_counts_as_the_program(tmp_path: Path) -> None:
    child = f"import subprocess; subprocess.run([sys.executable, '-I', '-S', '-c', {BUSY!r}])"
    outcome = answer(tmp_path, child, timeout=1.0)
    assert isinstance(outcome, Failed)
    assert outcome.slow == 1.0


def test_after_three_slow_calls_the_rest_is_slow_too(tmp_path: Path) -> None:
    column = Process("mini", program(tmp_path, BUSY), Limits(start=10, load=0.2, run=0.2, stop=1))
    outcomes = [column.call("render", "render/x", {}, 0.2) for _ in range(4)]
    column.close()
    slow = [outcome.slow for outcome in outcomes if isinstance(outcome, Failed)]
    assert slow == [0.2] * 4, [str(outcome) for outcome in outcomes]
    assert "not asked again" in str(outcomes[3])


def test_the_reference_served_over_the_pipe_judges_like_itself() -> None:
    cells = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=("render/role-",)))
    column = Process("served", f"{sys.executable} -m tokenspec serve --impl reference")
    try:
        results = run_all(Run([column], cells))
    finally:
        column.close()
    assert exit_code(results, frozenset({"served"})) == 0
    assert sum(finding.verdict is Verdict.PASS for result in results for finding in result.findings) > 100
