"""``models check``: each way in which a merged row can be out of order is said, with its exit code."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.test_add import tokenspec
from tokenspec.curation.manifest import write_manifest
from tokenspec.models import load
from tokenspec.models.rows import committed_specs
from tokenspec.store.canonical import canonical_json

GOLDEN, CERTIFICATE = "golden/toy-bpe/render.json", "certificates/toy-bpe.json"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def row(own_fixtures: Path) -> Path:
    """The toy row of the small fixtures, in order."""
    shutil.copy(ROOT / "fixtures" / "models" / "vectors.json", own_fixtures / "models" / "vectors.json")
    write_manifest()
    return own_fixtures


def edit(root: Path, name: str, change: Callable[[Any], object]) -> None:
    found = json.loads((root / name).read_text())
    change(found)
    (root / name).write_text(canonical_json(found))


def other_ids(file: Any) -> None:
    file["cases"]["role-user"]["expect"]["token_ids"][0] += 1


def another_template(root: Path) -> None:
    path = root / "toy" / "toy-bpe" / "chat_template.jinja"
    path.write_text(path.read_text().replace("careful", "careless"))
    load.cache_clear()


def renumbered(root: Path) -> None:
    path = root / "models" / "toy-bpe.toml"
    path.write_text(path.read_text().replace('"<|im_end|>" = 738', '"<|im_end|>" = 739'))
    committed_specs.cache_clear()
    load.cache_clear()


DISORDER: dict[str, tuple[Callable[[Path], object], str]] = {
    "another template": (another_template, "template.sha256 of toy/toy-bpe is"),
    "a renumbered control token": (renumbered, "control token '<|im_end|>' encodes to [738], the row says [739]"),
    "a golden is missing": (
        lambda root: edit(root, GOLDEN, lambda file: file["cases"].pop("role-user")),
        "render/toy-bpe/role-user have none",
    ),
    "a golden is not the oracle's": (lambda root: edit(root, GOLDEN, other_ids), "render/toy-bpe/role-user differ"),
    "the certificate says otherwise": (
        lambda root: edit(root, CERTIFICATE, lambda found: found["facts"].update(prefix_stable=True)),
        "prefix_stable: was True, is False",
    ),
    "there is no certificate": (lambda root: (root / CERTIFICATE).unlink(), "there is none"),
    "a file the manifest does not know": (
        lambda root: edit(root, CERTIFICATE, lambda found: found["reviewed"][0].update(reason="other")),
        f"{CERTIFICATE}; run: tokenspec fixtures lint --write-manifest",
    ),
}


def test_a_row_in_order_is_fit_to_merge(row: Path, tmp_path: Path) -> None:
    code, said = tokenspec("models", "check", "toy-bpe", "--sheet", tmp_path / "sheet.md")
    assert code == 0, said
    assert "1 of 1 rows are fit to merge" in said
    assert "# Review of toy-bpe" in (tmp_path / "sheet.md").read_text()


@pytest.mark.parametrize("name", DISORDER)
def test_disorder_is_said(name: str, row: Path, tmp_path: Path) -> None:
    break_it, says = DISORDER[name]
    break_it(row)
    code, said = tokenspec("models", "check", "toy-bpe", "--sheet", tmp_path / "sheet.md")
    assert code == 4, said
    assert says in said
    assert "0 of 1 rows are fit to merge" in said
    assert "# Review of toy-bpe" in (tmp_path / "sheet.md").read_text()


class Wrong:
    """A reference that forgets the last token."""

    def __init__(self) -> None:
        from tokenspec_reference.adapter import ReferenceAdapter

        self.inner = ReferenceAdapter()

    def info(self) -> Any:
        return self.inner.info()

    def load(self, model: str, assets: Any) -> Any:
        return self.inner.load(model, assets)

    def render(self, request: Any) -> Any:
        found = self.inner.render(request)
        return {"token_ids": found["token_ids"][:-1]}


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenspec.adapters import resolve as module

    right = module.resolve
    monkeypatch.setattr(module, "resolve", lambda _: right(f"{__name__}:Wrong"))


def test_a_reference_that_fails_is_non_conformance(row: Path, wrong: None) -> None:
    code, said = tokenspec("models", "check", "toy-bpe")
    assert code == 1, said
    assert "FAIL toy-bpe: the reference passes every MUST, or the row says why not: render/toy-bpe/" in said
    assert "tokenspec run --impl reference --row toy-bpe" in said


def test_a_declared_exemption_excuses(row: Path, wrong: None) -> None:
    code, said = tokenspec("models", "check", "toy-bpe")
    path = row / "models" / "toy-bpe.toml"
    ids = {
        word
        for line in said.splitlines()
        if "FAIL" in line
        for word in line.replace("/", " ").split()
        if "RND-" in word
    }
    named = "".join(
        f'\n[[exemption]]\nrequirement = "{id_.strip(",;")}"\nreason = "the last token is forgotten on purpose"\n'
        for id_ in sorted(ids)
    )
    path.write_text(path.read_text() + named)
    committed_specs.cache_clear()
    load.cache_clear()
    write_manifest()
    again = tokenspec("models", "check", "toy-bpe")
    assert (again[0], code) == (0, 1), again[1]


def test_an_unknown_row_names_its_neighbours(row: Path) -> None:
    code, said = tokenspec("models", "check", "toy-bpee")
    assert code == 2
    assert "did you mean: toy-bpe" in said


def script(name: str) -> str:
    """The shell script of a step of the workflow."""
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load((ROOT / ".github/workflows/models.yml").read_text())["jobs"]["check"]["steps"]
    return next(step["run"] for step in steps if step.get("name") == name)


def test_the_workflow_finds_the_changed_rows(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    models = tmp_path / "fixtures" / "models"
    (models / "carriers").mkdir(parents=True)
    git("init", "-q")
    for name in ("kept", "changed", "removed"):
        (models / f"{name}.toml").write_text(name)
    git("add", ".")
    git("commit", "-q", "-m", "base")
    base = git("rev-parse", "HEAD")
    for name in ("changed", "new-1.5", "carriers/other", "-x", "a b"):
        (models / f"{name}.toml").write_text("other")
    (models / "removed.toml").unlink()
    git("add", "-A")
    git("commit", "-q", "-m", "head")
    output = tmp_path / "output"
    environment = {"BASE": base, "GITHUB_OUTPUT": str(output), "PATH": "/usr/bin:/bin"}
    subprocess.run(["bash", "-e", "-c", script("Which rows changed")], cwd=tmp_path, env=environment, check=True)
    assert output.read_text() == "rows=changed new-1.5\n"
