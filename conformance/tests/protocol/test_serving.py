"""``tokenspec serve``: a Python adapter as a program, whatever it prints and whatever it returns."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tokenspec.adapters import Failed, NotSupported, Ok, Refused
from tokenspec.adapters.pipe import Limits
from tokenspec.adapters.stdio import Process
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run, run_all
from tokenspec.verdict import Verdict

TALKATIVE = """
import os, sys
print("imported, says Python")
os.write(1, b"imported, says C\\n")
import numpy
from tokenspec.adapters import Rejected, Unsupported

class Talkative:
    def info(self):
        print("asked who I am")
        return {"name": "talkative", "version": "3", "homepage": "x", "mood": "chatty"}

    def load(self, model, assets):
        print("loading", model)
        if model != "toy-bpe":
            raise Unsupported("only toy-bpe")

    def render(self, request):
        os.write(1, b"rendering\\n")
        return {"answer": 42, "refuse": 0, "array": numpy.int64(1)}[request["what"]] and {
            "answer": {"token_ids": [42]},
            "array": {"token_ids": [numpy.int64(1)]},
        }.get(request["what"]) or self.refuse()

    def refuse(self):
        raise Rejected("not-now", "because")
"""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Process:
    (tmp_path / "talkative.py").write_text(TALKATIVE)
    monkeypatch.chdir(tmp_path)
    command = f"{shlex.quote(sys.executable)} -m tokenspec serve --impl talkative:Talkative"
    column = Process("served", command, Limits(start=60, load=60, run=30))
    yield column
    column.close()


def test_what_an_adapter_prints_does_not_reach_its_answers(served: Process) -> None:
    assert served.info == {"name": "talkative", "version": "3", "homepage": "x"}
    assert (
        served.load("toy-bpe", {"directory": "", "family": "", "status": "", "chat_template": "", "wire": WIRE}) is None
    )
    assert served.call("render", "render/x", {"what": "answer"}, 30.0) == Ok({"token_ids": [42]})
    served.pipe.stop(b'{"cmd": "stop"}', 10.0)
    said = served.pipe.errors.text()
    for line in ("imported, says Python", "imported, says C", "asked who I am", "loading toy-bpe", "rendering"):
        assert line in said


WIRE = {"assistant_open": [], "assistant_close": [], "stop": [], "placeholder": [], "straddle": "first-char"}


def test_outcomes_cross_the_pipe_unchanged(served: Process) -> None:
    nowhere = {"directory": "", "family": "", "status": "", "chat_template": "", "wire": WIRE}
    refusal = served.load("qwen3", nowhere)
    assert isinstance(refusal, NotSupported)
    assert "only toy-bpe" in refusal.reason
    assert served.call("render", "render/x", {"what": "refuse"}, 30.0) == Refused("not-now", "because")
    assert isinstance(served.call("parse", "parse/x", {}, 30.0), NotSupported)
    array = served.call("render", "render/x", {"what": "array"}, 30.0)
    assert isinstance(array, Failed)
    assert "no plain JSON" in array.message
    missing = served.call("render", "render/x", {}, 30.0)
    assert isinstance(missing, Failed)
    assert "KeyError" in missing.message


def test_the_reference_served_speaks_the_protocol() -> None:
    column = Process("served", f"{shlex.quote(sys.executable)} -m tokenspec serve --impl reference", Limits(run=60.0))
    try:
        cells = select_cells(Selection(areas=("protocol",), cases=("greeting", "later-version", "end-of-input")))
        results = run_all(Run([column], cells, 60.0))
    finally:
        column.close()
    assert {finding.verdict for result in results for finding in result.findings} == {Verdict.PASS}
