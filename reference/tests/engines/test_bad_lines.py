"""A bad line of many costs itself alone, and a run that goes on passes it."""

import json

import pytest
from click.testing import CliRunner

from tokenspec_reference.engines.__main__ import main
from tokenspec_reference.engines.service import segment_lines

GOOD = json.dumps({"id": 1, "trace": "One. Two."}).encode()
BAD = {
    "bytes": b'{"id": 2, "trace": "\xff"}',
    "surrogate": b'{"id": 2, "trace": "a \\ud800 b."}',
    "depth": b"[" * 100_000,
    "no-json": b"{",
    "no-text": b'{"trace": 1}',
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_bad_line_gets_its_error_and_the_others_go_on(name, tmp_path):
    source, output = tmp_path / "traces.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join([GOOD, GOOD, BAD[name], GOOD]) + b"\n")
    command = [str(source), "--engine", "new-line", "--output", str(output), "--no-progress"]
    assert CliRunner().invoke(main, command).exit_code == 0
    written = output.read_bytes()
    found = [json.loads(line) for line in written.splitlines()]
    assert ["error" in line for line in found] == [False, False, True, False]
    output.write_bytes(b"".join(written.splitlines(keepends=True)[:3]))
    assert CliRunner().invoke(main, [*command, "--resume"]).exit_code == 0
    assert output.read_bytes() == written


def test_half_of_a_surrogate_pair_beside_the_text_comes_back_as_it_was(tmp_path):
    source, output = tmp_path / "traces.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'{"id": "\\ud83d", "trace": "One. Two."}\n' + GOOD)
    result = CliRunner().invoke(main, [str(source), "--engine", "new-line", "--output", str(output), "--no-progress"])
    assert result.exit_code == 0
    first, second = map(json.loads, output.read_text().splitlines())
    assert first["id"] == "\ud83d"
    assert first["offsets"] == second["offsets"]


def test_a_model_that_breaks_on_one_trace_is_named_on_its_line():
    def segment_many(texts):
        if "bad" in texts:
            raise IndexError("out of range")
        raise AssertionError

    (line,) = segment_lines(['"bad"'], segment_many)
    assert json.loads(line) == {"error": "IndexError: out of range", "code": "engine-failed"}
