"""``python -m tokenspec_reference.engines``: JSON, text, picture, and friendly failures."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tokenspec_reference.engines.__main__ import main

from .conftest import LONG_TRACE


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "trace.txt"
    path.write_text(LONG_TRACE, encoding="utf-8")
    return path


@pytest.fixture
def model_directory(tmp_path, tiny):
    folder = tmp_path / "model"
    options = tiny(seed=3)
    options["model"].save_pretrained(folder)
    options["tokenizer"].save_pretrained(folder)
    return folder


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_json_of_a_model_on_disk(trace_file, model_directory, tmp_path):
    output = tmp_path / "offsets.json"
    result = run(trace_file, "--model", model_directory, "--quantile", 75, "--device", "cpu", "--output", output)
    assert result.exit_code == 0, result.output
    written = json.loads(output.read_text(encoding="utf-8"))
    assert "".join(LONG_TRACE[start:end] for start, end in written["offsets"]) == LONG_TRACE
    assert written["engines"] == ["forced-decoder"]
    assert written["forwards"] < 60
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "offsets.json", "trace.txt"]


def test_rules_need_no_model_and_no_torch(trace_file):
    code = (
        "import sys; from tokenspec_reference.engines.__main__ import main\n"
        f"main([{str(trace_file)!r}, '--engine', 'rule-regex', '--engine', 'new-line', '--fusion', 'merge'],"
        " standalone_mode=False)\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["offsets"][0][0] == 0


def test_text(trace_file):
    result = run(trace_file, "--engine", "new-line", "--text")
    assert result.output.splitlines()[0] == f"[0, 66) {LONG_TRACE[:66]!r}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "model"),
        (("--model", "/nowhere/at/all"), "cannot load"),
        (("--engine", "new-line", "--engine", "plain"), "aligner"),
        (("--engine", "new-line", "--quantile", "3"), "quantile"),
    ],
)
def test_failures_are_one_line(trace_file, arguments, message):
    result = run(trace_file, *arguments)
    assert result.exit_code == 1
    assert result.output.strip().startswith("Error: ")
    assert message in result.output
    assert "Traceback" not in result.output


def test_not_utf8(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"caf\xe9")
    result = run(path, "--engine", "new-line")
    assert (result.exit_code, "not UTF-8" in result.output) == (1, True)


def test_picture(trace_file, model_directory, tmp_path):
    pytest.importorskip("matplotlib")
    for suffix in ("png", "svg"):
        picture = tmp_path / f"trace.{suffix}"
        result = run(trace_file, "--model", model_directory, "--device", "cpu", "--picture", picture)
        assert result.exit_code == 0, result.output
        assert picture.stat().st_size > 5000
    drawn = (tmp_path / "trace.svg").read_text(encoding="utf-8")
    assert "</svg>" in drawn
    assert not list(tmp_path.glob(".*"))


def test_lines_of_the_picture_keep_their_offsets():
    from tokenspec_reference.engines.picture import text_lines

    text = "ab\n\ncdefg\n"
    lines = text_lines(text, columns=3)
    assert lines == [(0, "ab"), (3, ""), (4, "cde"), (7, "fg"), (10, "")]
    assert all(text.startswith(line, offset) for offset, line in lines)


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_lines_in_lines_out_and_on_again(model_directory, tmp_path):
    traces = tmp_path / "traces.jsonl"
    given = [{"id": number, "trace": LONG_TRACE[: 40 * number]} for number in range(6)]
    broken = ["no json", json.dumps({"id": 7}), json.dumps("A b. C.")]
    traces.write_text("".join(json.dumps(each) + "\n" for each in given) + "\n".join(broken) + "\n", encoding="utf-8")
    whole, again = tmp_path / "whole.jsonl", tmp_path / "again.jsonl"
    options = ("--model", model_directory, "--device", "cpu", "--quantile", 75)
    result = run(traces, *options, "--output", whole)
    assert result.exit_code == 0, result.output
    written = lines_of(whole)
    assert [each.get("id") for each in written[:6]] == list(range(6))
    assert [each.get("code") for each in written[6:]] == ["invalid-parameter", "invalid-parameter", None]
    for each, source in zip(written[:6], given, strict=True):
        assert "".join(source["trace"][start:end] for start, end in each["offsets"]) == source["trace"]
        assert len(each["token_spans"]) == len(each["offsets"])
    content = whole.read_bytes()
    again.write_bytes(content[: content.index(b"\n", 400) + 20])  # killed in the middle of a line
    assert run(traces, *options, "--output", again, "--resume").exit_code == 0
    kept = [[each.get(name) for name in ("id", "code", "offsets", "token_spans")] for each in written]
    assert [[each.get(name) for name in ("id", "code", "offsets", "token_spans")] for each in lines_of(again)] == kept


def test_lines_of_standard_input(tmp_path):
    given = json.dumps({"text": "a\n\nb", "name": "x"}) + "\n"
    result = CliRunner().invoke(main, ["-", "--jsonl", "--field", "text", "--engine", "new-line"], input=given)
    assert json.loads(result.stdout)["offsets"] == [[0, 3], [3, 4]]
    assert json.loads(result.stdout)["name"] == "x"
    assert CliRunner().invoke(main, ["-", "--engine", "new-line", "--text"], input="a\n\nb").stdout.count("\n") == 2
    assert run(tmp_path, "--resume").exit_code == 2
