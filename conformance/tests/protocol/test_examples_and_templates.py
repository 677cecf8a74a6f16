"""The living examples and what ``tokenspec adapter new`` writes: each is run, and its verdicts are these."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.compilers import needs
from tokenspec.adapters.environment import is_made
from tokenspec.adapters.foreign import foreign_columns
from tokenspec.adapters.reaching import command
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.cli import group
from tokenspec.data import checkout_root
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult, Verdict, exit_code

NODE = shutil.which("node")
needs_node = needs("node")
Chosen = tuple[str, ...]


def example(name: str) -> Path:
    root = checkout_root()
    if root is None:
        pytest.skip("unsupported: examples live in the checkout")
    return root / "conformance" / "examples" / name


def judged(impl: str, areas: Chosen, rows: Chosen = (), cases: Chosen = ()) -> list[CellResult]:
    column = resolve(impl)
    try:
        return run_all(Run([column], select_cells(Selection(areas, rows, cases)), 20.0))
    finally:
        column.close()


def by_level(results: list[CellResult], level: str) -> Counter[str]:
    """How many cells have which verdicts at a level: ``pass``, ``fail`` or ``unsupported``, the worst but unsupported."""
    counted: Counter[str] = Counter()
    for result in results:
        seen = {finding.verdict for finding in result.findings if finding.level == level}
        if seen:
            worst = "unsupported" if seen == {Verdict.UNSUPPORTED} else "fail" if seen - PASSING else "pass"
            counted[worst] += 1
    return counted


OPERATIONS = ("segment", "render", "bridge", "parse")
PASSING = {Verdict.PASS, Verdict.UNSUPPORTED}


def test_the_python_example_speaks_the_protocol_and_renders_what_it_claims() -> None:
    impl = f"cmd:{sys.executable} {shlex.quote(str(example('python/adapter.py')))}"
    assert exit_code(judged(impl, ("protocol",)), frozenset({impl})) == 0
    rendered = judged(impl, ("render",), ("toy-bpe",))
    assert exit_code(rendered, frozenset({impl})) == 0
    text = by_level(rendered, "TEXT")
    assert text["fail"] == 0
    assert text["pass"] > 90
    assert text["unsupported"] > 150
    assert by_level(rendered, "MASKS")["pass"] == 0
    elsewhere = judged(impl, ("render",), ("toy-ranks",), ("role-user",))
    assert {finding.detail for finding in elsewhere[0].findings} == {"only the ChatML turns of toy-bpe"}


@pytest.mark.node
@needs_node
def test_the_node_column_says_what_is_missing_where_its_packages_are_absent(tmp_path: Path) -> None:
    column = foreign_columns()["huggingface-jinja"]
    shutil.copy(column.folder / "adapter.mjs", tmp_path)
    *_, inside, _, name, package = command(column)
    impl = shlex.join([str(NODE), inside, str(tmp_path), name, package])
    results = judged(f"cmd:{impl}", ("render",), ("toy-bpe",), ("role-user",))
    assert {finding.verdict for finding in results[0].findings} == {Verdict.UNSUPPORTED}
    assert "@huggingface/tokenizers is not installed; tokenspec columns make" in results[0].findings[0].detail


@pytest.mark.node
@needs_node
@pytest.mark.parametrize("impl", ["huggingface-jinja", "transformers-js"])
def test_a_node_column_agrees_with_transformers_but_for_its_engine(impl: str) -> None:
    if not is_made(foreign_columns()[impl]):
        pytest.skip(f"npm packages missing; run: tokenspec columns make {impl}")
    assert exit_code(judged(impl, ("protocol",)), frozenset({impl})) == 0
    smooth = judged(impl, ("render",), ("toy-bpe",), ("role-user", "role-system-five-turns", "schema-one-tool"))
    assert by_level(smooth, "TEXT") == Counter({"pass": 3})
    assert by_level(smooth, "IDS") == Counter({"pass": 3})
    engine = judged(impl, ("render",), ("toy-added",), ("call-last-message-generation",))
    assert {finding.verdict for finding in engine[0].findings} - {Verdict.UNSUPPORTED} == {Verdict.REJECTED}
    assert any('Cannot apply filter "join"' in finding.detail for finding in engine[0].findings)


def new(*options: str) -> str:
    done = CliRunner().invoke(group, ["adapter", "new", *options])
    assert done.exit_code == 0, done.output
    return done.output


def compiled(lang: str, compiler: str) -> Any:
    return pytest.param(["--lang", lang], marks=[pytest.mark.compilers, needs(compiler)])


@pytest.mark.parametrize(
    "options",
    [
        ["--lang", "python"],
        ["--lang", "python", "--in-process"],
        pytest.param(["--lang", "node"], marks=[pytest.mark.node, needs_node]),
        compiled("go", "go"),
        compiled("rust", "rustc"),
        compiled("java", "javac"),
        compiled("c", "cc"),
    ],
    ids=" ".join,
)
def test_a_new_adapter_works_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    said = new(*options, *(word for name in OPERATIONS for word in ("--op", name)))
    assert f"it claims {', '.join(OPERATIONS)};" in said
    assert "unsupported until you write them: parse\n" in said
    *builds, smoke = [shlex.split(line.removeprefix("next: ")) for line in said.splitlines() if "next: " in line]
    for build in builds:
        subprocess.run(build, check=True, env={**os.environ, "GOFLAGS": "-mod=mod", "GOCACHE": str(tmp_path / "go")})
    words = [word.replace("cmd:python3", f"cmd:{sys.executable}") for word in smoke[1:]]
    done = CliRunner(env={"COLUMNS": "100"}).invoke(group, words)
    assert done.exit_code == 0, done.output
    assert "smoke passes" in done.output
    impl = words[words.index("--impl") + 1]
    lines = judged(impl, ("engines",), (), ("engines/line-",)) + judged(impl, ("engines",), ("-",), ("engines/fuse-",))
    assert by_level(lines, "SEGMENTS")["fail"] == 0
    assert by_level(lines, "SEGMENTS")["pass"] > 5
    text = by_level(judged(impl, ("render",), ("toy-bpe",)), "TEXT")
    assert text["fail"] == 0
    assert text["pass"] >= 18
    assert by_level(judged(impl, ("bridge",), ("toy-bpe",)), "BRIDGE")["fail"] == 0
    sys.modules.pop("my_adapter", None)


def test_what_is_not_written_yet_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new("--op", "align", "--op", "parse")
    done = CliRunner().invoke(group, ["smoke", "--impl", f"cmd:{sys.executable} adapter.py"])
    assert done.exit_code == 1
    assert "smoke judged nothing: align is not written yet" in done.output
    odd = CliRunner().invoke(group, ["adapter", "new", "--op", "pars", str(tmp_path / "b")])
    assert "no operation 'pars'. Did you mean parse" in str(odd.exception)


def test_nothing_is_overwritten_and_nothing_odd_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a b" / "adapter.py"
    command = shlex.split(new(str(target.parent)).splitlines()[-1])
    assert shlex.split(command[command.index("--impl") + 1].removeprefix("cmd:")) == ["python3", str(target)]
    assert os.access(target, os.X_OK)
    again = CliRunner().invoke(group, ["adapter", "new", str(target.parent)])
    assert "exists and is kept" in str(again.exception)
    odd = CliRunner().invoke(group, ["adapter", "new", "--lang", "node", "--in-process", str(tmp_path)])
    assert "--in-process is for Python" in str(odd.exception)
    assert '      if message.cmd is "start":\n' in CliRunner().invoke(group, ["adapter", "--help"]).output
