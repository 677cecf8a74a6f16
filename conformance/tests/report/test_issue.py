"""``tokenspec report issue``: one cause of a run as a text to send, with the smallest input that still shows it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tokenspec.cli import group
from tokenspec.errors import UsageError
from tokenspec.report.deviations import Deviation, Reasons
from tokenspec.reproduction.issue import TITLES
from tokenspec.reproduction.shrinking import smallest

BROKEN = """
from tokenspec_reference.adapter import ReferenceAdapter


class Shouting(ReferenceAdapter):
    def info(self):
        return {**super().info(), "name": "shouting", "version": "2.1"}

    def render(self, request):
        shout = lambda one: {**one, "content": "No. " + one["content"]} if "Y" in str(one.get("content")) else one
        return super().render({**request, "messages": [shout(one) for one in request["messages"]]})
"""


def tokenspec(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def test_the_shrinker_leaves_what_the_difference_needs() -> None:
    value = {
        "messages": [{"role": "user", "content": "a long text with Y in it"}, {"role": "assistant", "content": "Hi"}],
        "options": {"date": "today"},
    }
    asked = []

    def fails(candidate: dict) -> bool:
        asked.append(candidate)
        return any("Y" in message.get("content", "") for message in candidate.get("messages", []))

    assert smallest(value, fails, seconds=20) == {"messages": [{"role": "user", "content": "Y"}]}
    assert len(asked) < 400
    assert smallest(value, lambda candidate: candidate == value, seconds=20) == value
    assert smallest(value, fails, seconds=0) == value


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shouting.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "run.jsonl"
    chosen = ["--row", "toy-bpe", "--case", "render/role-system-five-turns"]
    tokenspec("run", "--impl", "shouting:Shouting", *chosen, "--jobs", 1, "--report", path)
    return path


def test_an_issue_is_whole(saved: Path, tmp_path: Path) -> None:
    listed = tokenspec("report", "issue", saved)
    (number,) = re.findall(r"^ +(\d+) +1 x  shouting: RND-001", listed.stdout, re.MULTILINE)[:1]
    done = tokenspec("report", "issue", saved, "--cause", number, "--seconds", 20)
    assert done.exit_code == 0, done.output
    text = done.stdout
    assert text.startswith("# shouting 2.1: RND-001")
    assert TITLES[""] in text
    given = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    assert "".join(message.get("content") or "" for message in given["messages"]) == "Y"
    assert re.search(r"^\+ +\d+ 'N'  content of message \d$", text, re.MULTILINE)
    assert "**RND-001 MUST: the text is the oracle's, byte for byte**" in text
    script = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    (tmp_path / "script.py").write_text(script)
    run = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(run.stdout.splitlines()) == 2


def test_a_reviewed_choice_is_called_none_of_its_bugs(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Deviation(id="no", why="It never says yes.", rows=["*"], checks=["render.*"], verdict="policy", link="x#1")
    monkeypatch.setattr("tokenspec.report.catalog.reasons_of", lambda _impl: Reasons(version="2.1", deviation=[entry]))
    path = saved.with_name("again.jsonl")
    chosen = ["--row", "toy-bpe", "--case", "render/role-system-five-turns", "--jobs", 1, "--report", path]
    tokenspec("run", "--impl", "shouting:Shouting", *chosen)
    text = tokenspec("report", "issue", path, "--cause", "RND-001", "--seconds", 0).stdout
    assert TITLES["policy"] in text
    assert "It never says yes. See x#1." in text


@pytest.mark.parametrize("cause", ["0", "99", "RND-999"])
def test_a_cause_that_is_none_is_refused(saved: Path, cause: str) -> None:
    done = tokenspec("report", "issue", saved, "--cause", cause)
    assert isinstance(done.exception, UsageError)
    assert "Leave it out to see them" in str(done.exception)
