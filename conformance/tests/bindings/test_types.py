"""The generated types compile, and take real requests and results: read strictly and written again, they are the same."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.compilers import cargo_run, needs, needs_serde, type_checked
from tokenspec.adapters import Ok
from tokenspec.adapters.resolve import resolve
from tokenspec.areas import areas
from tokenspec.areas.protocol.area import material
from tokenspec.bindings.shapes import Words, definitions
from tokenspec.bindings.words import pascal
from tokenspec.cli import group

RUST = """
fn main() {
    for line in std::io::stdin().lines() {
        let (name, text) = line.as_ref().unwrap().split_once(' ').map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
        let written = match name.as_str() {
%s            _ => panic!("{name}"),
        };
        println!("{written}");
    }
}
"""
GO = """package tokenspec

import ("bufio"; "bytes"; "encoding/json"; "fmt"; "os"; "strings"; "testing")

func TestAll(t *testing.T) {
	makers := map[string]func() any{
%s	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value := makers[name]()
		reader := json.NewDecoder(bytes.NewReader([]byte(text)))
		reader.DisallowUnknownFields()
		if err := reader.Decode(value); err != nil {
			t.Fatal(name, err)
		}
		written, _ := json.Marshal(value)
		fmt.Println("=" + string(written))
	}
}
"""


def types(lang: str, *options: str) -> str:
    done = CliRunner().invoke(group, ["adapter", "types", "--lang", lang, *options])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def spoken() -> list[tuple[str, Any]]:
    """Requests of basic cases and the reference's results, each with the name of its type."""
    column, found = resolve("reference"), []
    for area in areas().values():
        for one in material()["cases"].get(area.operation, ())[:4]:
            for row in one["rows"]:
                assert column.load(row, material()["rows"][row]) is None
            found.append((area.request_type.__name__, one["input"]))
            outcome = column.call(area.operation, one["case"], one["input"], 60.0)
            if isinstance(outcome, Ok):
                found.append((area.output_type.__name__, outcome.output))
    column.close()
    assert len({name for name, _ in found}) >= 16
    return found


def bare(value: Any) -> Any:
    """Without what is null or empty: absence means both; integers and floats of the same value are alike."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := bare(item)) not in (None, [], {})}
    if isinstance(value, list | tuple):
        return [bare(item) for item in value]
    return value


def lines(spoken: list[tuple[str, Any]]) -> str:
    return "".join(f"{name} {json.dumps(value)}\n" for name, value in spoken)


def same(written: list[str], spoken: list[tuple[str, Any]]) -> None:
    assert [bare(json.loads(line)) for line in written] == [bare(value) for _, value in spoken]


@pytest.mark.parametrize("lang", ["rust", "go", "typescript"])
def test_types_are_named_once_and_of_what_was_asked(lang: str) -> None:
    text = types(lang, "--op", "process_logits", "--op", "grammar_mask")
    names = [one.name for one in definitions(("process_logits", "grammar_mask"))]
    assert len(names) == len(set(names))
    for name in ("ProcessorsRequest", "ProcessLogitsStepAnswer", "GrammarMaskStepAnswer", "Answer", "Refusal"):
        assert f" {name}" in text
    assert "RenderRequest" not in text


def words(shape: Any) -> list[Words]:
    """Return every enumeration inside a shape."""
    if isinstance(shape, Words):
        return [shape]
    inner = [getattr(shape, field.name) for field in dataclasses.fields(shape)]
    parts = [part for one in inner for part in (one if isinstance(one, tuple) else (one,))]
    return [found for part in parts if dataclasses.is_dataclass(part) for found in words(part)]


def test_every_word_of_an_enumeration_has_a_name_of_its_own() -> None:
    found = [one for made in definitions([area.operation for area in areas().values()]) for one in words(made)]
    assert ("-inf", "inf", "nan") in {one.words for one in found}
    for one in found:
        for names in ([pascal(word) for word in one.words], [pascal(word.lower()) for word in one.words]):
            assert len(set(names)) == len(names), one.words


@pytest.mark.compilers
@needs("go")
def test_go_reads_and_writes_what_is_spoken(tmp_path: Path, spoken: list[tuple[str, Any]]) -> None:
    (tmp_path / "types.go").write_text(types("go"))
    made = "".join(f'\t\t"{name}": func() any {{ return new({name}) }},\n' for name in {name for name, _ in spoken})
    (tmp_path / "types_test.go").write_text(GO % made)
    (tmp_path / "go.mod").write_text("module tokenspec\n\ngo 1.18\n")
    environment = {**os.environ, "GOCACHE": str(tmp_path / "cache"), "GOFLAGS": "-mod=mod"}
    done = subprocess.run(
        ["go", "test", "-c", "-o", "all", "."],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ran = subprocess.run(["./all"], cwd=tmp_path, input=lines(spoken), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    same([line[1:] for line in ran.stdout.splitlines() if line.startswith("=")], spoken)


@pytest.mark.compilers
@needs("rustc")
def test_rust_needs_no_crate_without_its_feature(tmp_path: Path) -> None:
    (tmp_path / "types.rs").write_text(types("rust"))
    command = ["rustc", "--crate-type", "lib", "--edition", "2021", "-D", "warnings", "types.rs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.compilers
@needs("cargo")
@needs_serde
def test_rust_reads_and_writes_what_is_spoken(tmp_path: Path, spoken: list[tuple[str, Any]]) -> None:
    arm = '            "{0}" => serde_json::to_string(&serde_json::from_str::<wire::{0}>(&text).expect("{0}")).unwrap(),\n'
    arms = "".join(arm.format(name) for name in {name for name, _ in spoken})
    manifest = (
        '[features]\ndefault = ["serde"]\nserde = ["dep:serde", "dep:serde_json"]\n[dependencies]\n'
        'serde = { version = "1", features = ["derive"], optional = true }\nserde_json = { version = "1", optional = true }\n'
    )
    sources = {"wire.rs": types("rust"), "main.rs": "#[allow(dead_code)]\nmod wire;\n" + RUST % arms}
    same(cargo_run(tmp_path, manifest, sources, lines(spoken)).splitlines(), spoken)


@pytest.mark.compilers
@needs("npm")
def test_typescript_takes_what_is_spoken(tmp_path: Path, spoken: list[tuple[str, Any]]) -> None:
    (tmp_path / "types.ts").write_text(types("typescript"))
    used = "\n".join(f"export const v{at}: t.{name} = {json.dumps(value)};" for at, (name, value) in enumerate(spoken))
    (tmp_path / "used.ts").write_text(f'import type * as t from "./types";\n{used}\n')
    type_checked(tmp_path, "used.ts")
