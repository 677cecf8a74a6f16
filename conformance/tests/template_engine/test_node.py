"""The column on node: found, missing, and what it needs."""

import shutil

import pytest

from tokenspec.adapters import NotSupported, Ok, Refused
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.areas.template_engine.area import request
from tokenspec.columns import huggingface_jinja as node_column
from tokenspec.columns import node_packages
from tokenspec.errors import AdapterError

REQUEST = {"template": "{{ x }}", "inputs": {"x": "a"}, "environment": {}, "now": "2024-07-26T12:00:00"}


@pytest.fixture
def modules():
    """The packages on this machine; without them the test is skipped with the reason."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    found = node_packages.modules_folder(node_column.PACKAGE)
    if found is None:
        pytest.skip("npm packages missing; run: tokenspec adapter node-packages")
    return found


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A machine without the packages: the program lies alone, the cache is empty."""
    program = tmp_path / "node" / "adapter.mjs"
    program.parent.mkdir()
    shutil.copy(node_packages.program(), program)
    shutil.copy(node_packages.program().with_name("package.json"), program.parent)
    monkeypatch.setattr(node_packages, "examples_dir", lambda: tmp_path)
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("NODE_PATH", raising=False)
    return tmp_path


def test_without_node_it_is_unsupported(monkeypatch):
    monkeypatch.setattr(node_column.shutil, "which", lambda _: None)
    outcome = resolve("huggingface-jinja").call("render_template", "c", REQUEST, 10)
    assert outcome == NotSupported("node is not installed")


def test_without_packages_it_says_how_to_get_them(nowhere, monkeypatch):
    monkeypatch.setattr(node_column.shutil, "which", lambda _: "node")
    column = resolve("huggingface-jinja")
    assert column.info["version"] == "not installed"
    outcome = column.call("render_template", "c", REQUEST, 10)
    assert outcome == NotSupported("npm packages missing; run: tokenspec adapter node-packages")


def test_installing_without_npm_or_with_a_broken_one_is_told(nowhere, monkeypatch, tmp_path):
    monkeypatch.setattr(node_packages.shutil, "which", lambda _: None)
    with pytest.raises(AdapterError, match="npm is not installed"):
        node_packages.install()
    broken = tmp_path / "npm"
    broken.write_text("#!/bin/sh\necho first >&2; echo no network >&2; exit 7\n")
    broken.chmod(0o755)
    monkeypatch.setattr(node_packages.shutil, "which", lambda _: str(broken))
    with pytest.raises(AdapterError, match="npm install failed: no network"):
        node_packages.install()


@pytest.mark.node
def test_packages_in_the_cache_folder_are_found(modules, nowhere):
    shutil.copytree(modules, nowhere / "cache" / "node" / "node_modules")
    column = resolve("huggingface-jinja")
    assert column.call("render_template", "c", REQUEST, 10) == Ok({"text": "a"})
    column.close()


@pytest.mark.node
@pytest.mark.usefixtures("modules")
def test_it_answers_and_refuses():
    column = resolve("huggingface-jinja")
    cells = {cell.case.slug: cell for cell in select_cells(Selection(areas=("template-engine",), rows=("-",)))}

    def ask(slug):
        return column.call("render_template", slug, request(cells[slug].case, "-"), 10)

    assert ask("plain-text") == Ok({"text": "<|user|>Ada<|end|>"})
    assert ask("strftime-now") == Ok({"text": "2024-07-26 26 Jul 2024 July 26, 2024"})
    assert ask("unclosed-block").code == "invalid-template"
    assert isinstance(ask("raise-exception"), Refused)
    assert "\ufffd" in ask("slice-text").output["text"]
    assert column.info["version"][0].isdigit()
    column.close()
