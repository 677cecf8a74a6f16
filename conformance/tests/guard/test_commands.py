"""Each command that may run a stranger's template, given one that never ends: one line, an exit code, little memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.guard.conftest import SOUND
from tests.guard.template_bombs import BOMBS
from tokenspec.report.jsonl import read_report

TOKENSPEC = [sys.executable, "-W", "ignore", "-m", "tokenspec"]
GIGABYTE = 2**30


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TOKENSPEC, *words], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder whose template is sound but for what is put behind it."""
    return Path(shutil.copytree(SOUND, tmp_path / "model"))


def arm(model: Path, bomb: str) -> None:
    file = model / "chat_template.jinja"
    file.write_text(f"{file.read_text()}\n{bomb}")


COMMANDS = {
    "check-template": ["check-template", "model/chat_template.jinja"],
    "run": ["run", "--impl", "reference", "--row", "./model", "--area", "render"],
    "models add": ["models", "add", "--id", "a-bomb", "--dry-run", "--from-dir", "model"],
    "audit": ["audit", "data.jsonl", "--tokenizer", "model"],
    "prepare": ["prepare", "data.jsonl", "--tokenizer", "model", "-o", "prepared"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("bomb", ["loops-nested", "text-times-printed", "folded-power"])
def test_a_bomb_ends_with_a_named_error(tmp_path: Path, model: Path, command: str, bomb: str) -> None:
    arm(model, BOMBS[bomb])
    (tmp_path / "data.jsonl").write_text(json.dumps({"messages": [{"role": "user", "content": "Hi."}]}))
    done = run(*COMMANDS[command], cwd=tmp_path)
    said = done.stdout + done.stderr
    ends_without_harm = bomb == "folded-power" and command in {"audit", "prepare"}  # the reference folds nothing
    assert ("template-limit" in said or "runs away" in said) != ends_without_harm, said
    assert (done.returncode in {1, 2}) != ends_without_harm
    assert "Traceback" not in said
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < GIGABYTE


def test_one_template_does_not_take_the_others_along(tmp_path: Path, model: Path) -> None:
    other = tmp_path / "bomb.jinja"
    other.write_text(BOMBS["loops-nested"])
    done = run(
        "check-template",
        str(other),
        "model/chat_template.jinja",
        "--tokenizer",
        "model",
        "--accept",
        "prompt",
        cwd=tmp_path,
    )
    assert "bomb.jinja: template, line 1: template-limit" in done.stdout
    assert "1 of 2 templates are in order" in done.stdout


def test_a_row_on_which_the_template_runs_away_is_a_finding(tmp_path: Path, model: Path) -> None:
    arm(model, "{% if messages[0].content == 'bomb' %}" + BOMBS["text-listed"] + BOMBS["loops-nested"] + "{% endif %}")
    rows = [{"messages": [{"role": "user", "content": text}]} for text in ("a", "bomb", "b")]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("audit", "data.jsonl", "--tokenizer", "model", cwd=tmp_path)
    assert done.returncode == 0
    assert "3 rows" in done.stdout
    assert "template-limit" in done.stdout
    assert "row 1 (data.jsonl:2)" in done.stdout


def test_a_tokenizer_that_panics_is_a_finding_of_the_row(tmp_path: Path, model: Path) -> None:
    file = model / "tokenizer.json"
    document = json.loads(file.read_text())
    document["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": r"(z+)+y|(.+)+\u0000z|."}
    file.write_text(json.dumps(document))
    rows = [{"messages": [{"role": "user", "content": text}]} for text in ("a", "b")]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("audit", "data.jsonl", "--tokenizer", "model", "--encoder", "tokenizers", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 rows, 0 with ids" in done.stdout
    assert "tokenizer-limit" in done.stdout


def test_the_parent_leaves_with_the_exit_code_of_its_child(tmp_path: Path) -> None:
    assert run("render", "none.json", "--row", "toy-bpe", cwd=tmp_path).returncode == 2
    assert (
        run("run", "--impl", "reference", "--row", "toy-bpe", "--case", "render/role-user", cwd=tmp_path).returncode
        == 0
    )


SLOW = """
import pathlib, time

class Slow:
    def info(self):
        return {"name": "slow", "version": "1"}

    def render(self, request):
        time.sleep(0.05)
        pathlib.Path("begun").touch()
        return {"text": "", "token_ids": []}
"""


def started(tmp_path: Path, *words: str) -> subprocess.Popen[bytes]:
    """A run of an implementation that takes its time, and has begun to judge."""
    (tmp_path / "slow.py").write_text(SLOW)
    command = [*TOKENSPEC, "run", "--impl", "slow:Slow", "--status", "toy", "--area", "render", *words]
    found = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=hears_of_everything,  # noqa: PLW1509 - no thread of a test runs now
    )
    while not (tmp_path / "begun").exists():
        time.sleep(0.05)
    return found


def children_of(parent: subprocess.Popen[bytes]) -> list[int]:
    """The processes that a process has started and that still run."""
    return [int(word) for word in Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()]


def hears_of_everything() -> None:
    """A shell has what it starts in the background ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_stopped_keeps_what_was_judged(
    tmp_path: Path, sent: signal.Signals, code: int, jobs: str
) -> None:
    stopped = started(tmp_path, "--jobs", jobs, "--report", "r.jsonl")
    stopped.send_signal(sent)
    assert stopped.wait(timeout=20) == code
    assert read_report(tmp_path / "r.jsonl").header["fixtures"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_a_run_that_is_killed_leaves_what_was_judged(tmp_path: Path) -> None:
    killed = started(tmp_path, "--jobs", "1", "--report", "r.jsonl")
    part = tmp_path / "r.jsonl.part"
    while part.read_bytes().count(b"\n") < 3:
        time.sleep(0.05)
    os.kill(children_of(killed)[0], signal.SIGKILL)
    killed.wait(timeout=20)
    assert not (tmp_path / "r.jsonl").exists()
    assert read_report(part).results


def test_a_report_goes_through_a_pipe_and_a_link(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").write_text("old")
    words = ("run", "--impl", "reference", "--row", "toy-bpe", "--case", "render/role-user", "--report")
    with subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        assert run(*words, "pipe", cwd=tmp_path).returncode == 0
        said, _ = reader.communicate(timeout=20)
    assert (tmp_path / "pipe").is_fifo()
    assert run(*words, "link", cwd=tmp_path).returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert len((tmp_path / "target").read_bytes().splitlines()) == len(said.splitlines()) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_the_child_ends_with_its_parent(tmp_path: Path, sent: signal.Signals) -> None:
    parent = started(tmp_path, "--jobs", "1")
    found = children_of(parent)
    os.kill(parent.pid, sent)
    parent.wait(timeout=30)
    deadline = time.monotonic() + 10
    while (left := Path("/proc", str(found[0]))).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left.exists()
