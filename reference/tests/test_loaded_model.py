"""Rows stay loaded: the last ones that were asked for, not the last ones that were new."""

from __future__ import annotations

from typing import Any

import pytest

from tokenspec_reference.loaded_model import KEPT_MODELS, LoadedModel, load_into


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that tokenizers were read from."""
    folders: list[str] = []
    monkeypatch.setattr(LoadedModel, "tokenizer", property(lambda self: folders.append(self.directory)))
    return folders


def asset(name: str) -> dict[str, Any]:
    return {"directory": name, "family": "template", "chat_template": "", "status": "toy"}


def test_a_row_that_is_loaded_again_is_the_youngest(read: list[str]) -> None:
    models: dict[str, LoadedModel] = {}
    for name in "abcd"[:KEPT_MODELS]:
        load_into(models, name, asset(name))
    load_into(models, "a", asset("a"))
    load_into(models, "e", asset("e"))
    assert list(models) == ["c", "d", "a", "e"]
    assert read == ["a", "b", "c", "d", "a", "e"]


def test_a_row_whose_files_moved_is_another(read: list[str]) -> None:
    models: dict[str, LoadedModel] = {}
    load_into(models, "a", asset("a"))
    first = models["a"]
    load_into(models, "a", asset("a"))
    assert models["a"] is first
    load_into(models, "a", asset("moved"))
    assert models["a"].directory == "moved"
    assert read[-1] == "moved"
