"""Columns in an environment of their own: made whole or not at all, found, served, and missed with a reason."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tokenspec.adapters import NotSupported, Ok, foreign
from tokenspec.adapters.environment import NotMakeable, environments, make, place, steps
from tokenspec.adapters.foreign import Foreign, foreign_columns, not_obtainable
from tokenspec.adapters.latest import with_latest
from tokenspec.adapters.resolve import resolve
from tokenspec.areas import operations
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.cli import group
from tokenspec.errors import AdapterError, UsageError

ADAPTER = """
import sys
from tokenspec.adapters import Unsupported
class Adapter:
    def load(self, model, assets):
        if model != "toy-bpe": raise Unsupported("only toy-bpe")
    def render(self, request):
        print("printed")
        return {"modules": sorted({"click", "torch", "transformers", "tokenspec", "msgspec"} & set(sys.modules))}
"""
DESCRIPTION = """
package = "msgspec"
what = "nothing but what is here"
operations = ["render"]
"""
CASES = ("template-engine/strip-none-argument", "template-engine/capitalize-digraph")
TELLER = """
import json
import answers
class Adapter:
    def load(self, model, assets): pass
    def render_template(self, request):
        return {"text": json.loads(answers.TEXTS)[request["template"]]}
"""
TELLS = 'package = "answers"\nwhat = "what it was told"\noperations = ["render_template"]\n'
WIRE = {"assistant_open": [], "assistant_close": [], "stop": [], "placeholder": [], "straddle": "first-char"}
ASSETS = {"directory": "", "family": "", "status": "", "chat_template": "", "wire": WIRE}


def wheel(folder: Path, package: str) -> str:
    """A wheel of what is installed here, so that nothing is downloaded; its requirement."""
    found = importlib.metadata.distribution(package)
    tag = next(line.split()[1] for line in found.read_text("WHEEL").splitlines() if line.startswith("Tag:"))
    path = folder / f"{package}-{found.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in found.files:
            if "__pycache__" not in file.parts and ".." not in file.parts:
                archive.write(file.locate(), str(file))
    return f"--no-index\n--find-links {folder}\n{package}=={found.version}\n"


def column(folder: Path, requirements: str) -> Foreign:
    folder.mkdir()
    for name, text in (("column.toml", DESCRIPTION), ("adapter.py", ADAPTER), ("requirements.txt", requirements)):
        (folder / name).write_text(text)
    return Foreign(folder)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(tmp_path / "cache"))


def test_a_column_is_made_and_answers_from_its_own_environment(tmp_path: Path) -> None:
    mine = column(tmp_path / "my_own", wheel(tmp_path, "msgspec"))
    before = resolve(str(mine.folder))
    assert before.info["version"] == "not installed"
    reason = f"not installed; run: tokenspec columns make {mine.folder}"
    assert before.call("render", "c", {}, 10) == before.load("toy-bpe", ASSETS) == NotSupported(reason)

    done = CliRunner().invoke(group, ["columns", "make", str(mine.folder)])
    assert done.exit_code == 0, done.output
    assert [path.name for path in environments().iterdir()] == [place(mine).name]
    heard: list[str] = []
    assert make(mine, heard.append) == place(mine)
    assert heard == [], "what is made is left alone"

    reached = resolve(str(mine.folder))
    version = importlib.metadata.version("msgspec")
    assert reached.info == {"name": "my-own", "version": version, "language": "python"}
    assert reached.load("toy-bpe", ASSETS) is None
    assert reached.load("qwen3", ASSETS) == NotSupported("unsupported: only toy-bpe")
    assert reached.call("render", "c", {}, 30) == Ok({"modules": ["msgspec", "tokenspec"]})
    assert not reached.has("parse")
    reached.close()
    (mine.folder / "requirements.txt").write_text("msgspec==0.0.1\n")
    assert resolve(str(mine.folder)).info["version"] == "not installed", "other pins are another environment"


def test_what_cannot_be_made_leaves_nothing_and_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = column(tmp_path / "mine", "msgspec==0.0.1\n")
    monkeypatch.setattr(
        "tokenspec.adapters.environment.steps",
        lambda _, folder: [("x", ["sh", "-c", f"ls {folder}; echo no net; exit 7"])],
    )
    with pytest.raises(NotMakeable, match=r"mine: no net\n  failed: sh -c (.|\n)*then: tokenspec columns make mine"):
        make(mine)
    assert list(environments().iterdir()) == []
    done = CliRunner().invoke(group, ["columns", "make", str(mine.folder)])
    assert done.exit_code == NotMakeable.exit_code
    assert "no net" in done.output


@pytest.mark.parametrize(
    ("description", "said"),
    [("package = 1", "package"), ("package =", "Invalid value"), ("", "missing required field")],
)
def test_a_broken_description_is_told(tmp_path: Path, description: str, said: str) -> None:
    mine = column(tmp_path / "mine", "")
    (mine.folder / "column.toml").write_text(description)
    with pytest.raises(AdapterError, match=said):
        resolve(str(mine.folder))


def test_a_python_that_is_not_there_is_told(tmp_path: Path) -> None:
    mine = column(tmp_path / "mine", "")
    (mine.folder / "column.toml").write_text(DESCRIPTION + 'python = "2.1"\n')
    with pytest.raises(NotMakeable, match=r"failed: python2\.1"):
        make(mine)


@pytest.mark.parametrize("name", foreign_columns())
def test_a_column_of_the_package_is_described_and_pinned(name: str) -> None:
    one = foreign_columns()[name]
    assert set(one.description.operations) <= set(operations())
    assert one.version != "unpinned"
    assert one.description.adapter or (one.folder / ("adapter.mjs" if one.on_node else "adapter.py")).is_file()
    assert all(version[0].isdigit() for version in one.versions.values())
    if not one.on_node:
        lines = [line for line in one.pins.read_text().splitlines() if line and not line.startswith("#")]
        assert len(one.versions) == len(lines), "every line is a pin"


def test_columns_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    done = CliRunner().invoke(group, ["columns", "list"])
    assert done.exit_code == 0, done.output
    for named in (*foreign_columns(), "reference", "minijinja", *(one.command for one in not_obtainable())):
        assert named in done.output


def test_a_made_column_that_is_named_too_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenspec.cli.run.made_columns", lambda: ["jinja2"])
    done = CliRunner().invoke(group, ["run", "--columns", "--impl", "jinja2", "--case", CASES[0], "--json"])
    assert done.exit_code == 0, done.output
    assert list(json.loads(done.output)["findings"]) == ["jinja2"]


@pytest.mark.parametrize(("given", "said"), [(["make"], "name columns, or all"), (["make", "nobody"], "no column")])
def test_what_is_to_be_made_is_named(given: list[str], said: str) -> None:
    done: Any = CliRunner().invoke(group, ["columns", *given])
    assert said in str(done.exception)


def released(folder: Path, version: str, texts: dict[str, str]) -> None:
    """A version of a package that answers templates with texts."""
    files = {
        "answers.py": f"TEXTS = {json.dumps(texts)!r}\n",
        f"answers-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: answers\nVersion: {version}\n",
        f"answers-{version}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"answers-{version}-py3-none-any.whl", "w") as archive:
        record = ""
        for name, text in files.items():
            archive.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
        archive.writestr(f"answers-{version}.dist-info/RECORD", record)


def test_what_changed_is_named_and_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "home", lambda: tmp_path / "columns")
    (tmp_path / "columns").mkdir()
    second, first = select_cells(Selection(cases=CASES))
    texts = {str(cell.case.input["template"]): cell.golden.expect["text"] for cell in (first, second)}
    told = column(tmp_path / "columns/told", f"{wheel(tmp_path, 'msgspec')}answers==1.0\n")
    (told.folder / "column.toml").write_text(TELLS)
    (told.folder / "adapter.py").write_text(TELLER)
    released(tmp_path, "1.0", texts)
    released(tmp_path, "2.0", texts | {str(second.case.input["template"]): "other"})

    chosen = [option for case in CASES for option in ("--case", case)]
    done = CliRunner().invoke(group, ["columns", "latest", "told", *chosen])
    assert done.exit_code == 1, done.output
    assert "* told: 1.0 to 2.0\n" in done.output
    assert f"| regression | told | `{second.name}` | `template-engine.text` | pass | fail |\n" in done.output
    assert first.name not in done.output
    assert len(list(environments().iterdir())) == 1, "the pinned one"
    done = CliRunner().invoke(group, ["columns", "latest", "told", "--sample", "1", *chosen])
    assert (done.exit_code, second.name in done.output) == (0, False), "the sample is the other cell"
    assert "* asked was a sample: 1 of 2 cells, at most 1 of an area on a row\n" in done.output

    told.pins.write_text(told.pins.read_text().replace("1.0", "3.0"))
    done = CliRunner().invoke(group, ["columns", "latest", "told", *chosen])
    assert done.exit_code == 1
    assert "failed: " in done.output


def test_only_the_pin_of_the_judged_package_goes(tmp_path: Path) -> None:
    mine = column(tmp_path / "mine", "# who\nmsgspec[toml]==1.0\nmsgspec-extra==2.0\n")
    newer = with_latest(mine, tmp_path / "copy", date(2026, 1, 2))
    assert newer.pins.read_text() == "# who\nmsgspec[toml]\nmsgspec-extra==2.0\n# msgspec of 2026-01-02\n"
    assert (newer.name, newer.description) == (mine.name, mine.description)

    (mine.folder / "requirements.txt").write_text("msgspec-extra==2.0\n")
    with pytest.raises(UsageError, match=r"takes msgspec by no version; pin it as msgspec==VERSION"):
        with_latest(Foreign(mine.folder), tmp_path / "other", date(2026, 1, 2))


def test_on_node_the_latest_is_asked_for(tmp_path: Path) -> None:
    one = foreign.foreign_columns()["huggingface-jinja"]
    needs = json.loads(with_latest(one, tmp_path, date(2026, 1, 2)).pins.read_text())
    assert needs["dependencies"] == one.versions | {one.description.package: "latest"}


def test_torch_comes_with_what_its_build_needs_and_nothing_else_does(tmp_path: Path) -> None:
    found = {word: "--no-deps" in command for word, command in steps(foreign_columns()["verl"], tmp_path)}
    assert found == {"virtual environment": False, "torch": False, "packages": True}
    assert "torch" not in dict(steps(foreign_columns()["openai-harmony"], tmp_path))
