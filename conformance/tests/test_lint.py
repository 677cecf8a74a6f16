"""Seeded defects: fixtures lint finds each, names the file, and says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tokenspec.curation.lint import problems
from tokenspec.curation.manifest import write_manifest
from tokenspec.store.canonical import canonical_json

SLUG = "role-user"
CASE = "cases/render/role.json"
CERTIFICATE = "certificates/toy-bpe.json"
GOLDEN = "golden/toy-bpe/render.json"
FLIPS = "flips/4.57.6/toy-bpe/render.json"


def edit(name: str, change: Callable[[dict], object]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        value = json.loads((root / name).read_text())
        change(value)
        (root / name).write_text(canonical_json(value))

    return apply


def edit_case(change: Callable[[dict], object]) -> Callable[[Path], None]:
    return edit(CASE, lambda file: change(file["cases"][SLUG]))


def edit_golden(change: Callable[[dict], object]) -> Callable[[Path], None]:
    return edit(GOLDEN, lambda file: change(file["cases"][SLUG]))


def rename_golden(file: dict) -> None:
    file["cases"]["nobody"] = file["cases"].pop("call-parallel")


def append(name: str, text: str) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        (root / name).write_text((root / name).read_text() + text)

    return apply


def duplicate_key(root: Path) -> None:
    text = (root / GOLDEN).read_text()
    (root / GOLDEN).write_text(text.replace('"outcome"', '"outcome": "ok",\n      "outcome"', 1))


def duplicate_slug(root: Path) -> None:
    text = (root / GOLDEN).read_text()
    (root / GOLDEN).write_text(text.replace('"call-parallel": {', '"role-user": {', 1))


def case_in_two_files(root: Path) -> None:
    (root / "cases/render/again.json").write_text((root / CASE).read_text())


def flip(slug: str, transformers: str) -> Callable[[Path], None]:
    """The current oracle's answer to role-user, said to be another version's, under the name of another case."""

    def apply(root: Path) -> None:
        file = json.loads((root / GOLDEN).read_text())
        file["oracle"]["transformers"] = transformers
        file["cases"] = {slug: file["cases"][SLUG]}
        (root / FLIPS).parent.mkdir(parents=True)
        (root / FLIPS).write_text(canonical_json(file))

    return apply


def truncate(root: Path) -> None:
    text = (root / GOLDEN).read_text()
    (root / GOLDEN).write_text(text[: len(text) // 2])


DEFECTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "unknown field in a golden": (edit_golden(lambda golden: golden.update(surprise=1)), "surprise"),
    "unknown field in a case": (edit_case(lambda case: case.update(surprise=1)), "surprise"),
    "duplicate key": (duplicate_key, "duplicate JSON key 'outcome'"),
    "duplicate slug": (duplicate_slug, "duplicate JSON key 'role-user'"),
    "one slug in two files": (case_in_two_files, "case 'role-user' is also in again.json"),
    "truncated golden": (truncate, GOLDEN),
    "not canonical": (append(GOLDEN, "\n"), "not in canonical form"),
    "a flip that is none": (flip("role-user", "4.57.6"), "is no flip"),
    "a flip of no case": (flip("nobody-asks", "4.57.6"), "belongs to no row and area"),
    "a flip by another oracle": (flip("role-user", "4.44.0"), "made of another row or oracle"),
    "file of another area": (edit(CASE, lambda file: file.update(area="parse")), "says area 'parse'"),
    "file of another row": (edit(GOLDEN, lambda file: file.update(row="qwen3")), "of row 'qwen3'"),
    "changed input": (
        edit_case(lambda case: case["input"]["messages"].append({"role": "user", "content": "x"})),
        "another input",
    ),
    "other template": (
        edit(GOLDEN, lambda golden: golden["pins"].update(template="0" * 64)),
        "another template or tokenizer",
    ),
    "weasel words": (edit_case(lambda case: case.update(why="It should test that roles work.")), "plain words"),
    "later version": (edit_case(lambda case: case.update(since="1.0")), "is no spec version up to 0.1"),
    "no version": (edit_case(lambda case: case.update(since="soon")), "is no spec version"),
    "no flag": (edit_case(lambda case: case.update(flags=[])), "carries no flag"),
    "no row": (edit_case(lambda case: case.update(features=["telepathy"])), "applies to no row"),
    "lost token": (edit_golden(lambda golden: golden["expect"]["token_ids"].pop()), "the spans count"),
    "mask and spans differ": (edit_golden(lambda golden: golden["expect"].update(sampled="T1")), "the spans say"),
    "nothing expected": (edit_golden(lambda golden: golden.pop("expect")), "the golden expects nothing"),
    "answered refusal": (
        edit_case(lambda case: case.update(outcome="raises", refusal={"code": "no"}, source="spec/10-renderers.md")),
        "is to be refused as no, but the oracle answers",
    ),
    "refusal of nothing said": (
        edit_case(lambda case: case.update(refusal={"code": "", "places": []})),
        "states a refusal with neither a code nor a place",
    ),
    "refusal without a source": (
        edit_case(lambda case: case.update(refusal={"code": "no", "places": []})),
        "states a refusal; its outcome is raises",
    ),
    "missing golden": (
        edit(GOLDEN, lambda file: file["cases"].pop(SLUG)),
        "role-user is missing; run: tokenspec bless --row toy-bpe --case render/role-user",
    ),
    "missing file": (lambda root: (root / GOLDEN).unlink(), "role-user is missing; run: tokenspec bless"),
    "orphan golden": (edit(GOLDEN, rename_golden), "nobody belongs to no case of this row"),
    "orphan file": (
        lambda root: (root / GOLDEN).rename(root / "golden/toy-bpe/parse.json"),
        "says area 'render' of row 'toy-bpe', but lies at toy-bpe/parse",
    ),
    "missing certificate": (lambda root: (root / CERTIFICATE).unlink(), "missing; run: tokenspec models certify"),
    "orphan certificate": (
        lambda root: (root / "certificates/nobody.json").write_text((root / CERTIFICATE).read_text()),
        "belongs to no row with a chat template",
    ),
    "certificate of another row": (edit(CERTIFICATE, lambda found: found.update(row="qwen3")), "named after its row"),
    "certificate of another template": (
        edit(CERTIFICATE, lambda found: found["pins"].update(template="0" * 64)),
        "measured on another template",
    ),
    "certificate of other options": (
        edit(CERTIFICATE, lambda found: found["options"].update(enable_thinking=False)),
        "measured on another template, tokenizer or options",
    ),
    "certificate nobody reviewed": (edit(CERTIFICATE, lambda found: found.update(reviewed=[])), "nobody reviewed it"),
    "certificate with an unknown fact": (
        edit(CERTIFICATE, lambda found: found["facts"]["prompt"].update(surprise=1)),
        "surprise",
    ),
    "stale schema": (append("schema/cases.schema.json", " "), "out of date"),
    "smoke of nothing": (append("smoke.toml", 'nobody = "gone"\n'), "smoke.toml: render/nobody is no case"),
    "broken errata": (append("ERRATA.toml", "[[erratum"), "ERRATA.toml"),
}


def test_the_unbroken_copy_is_clean(own_fixtures: Path) -> None:
    write_manifest()
    assert list(problems()) == []


@pytest.mark.parametrize("name", DEFECTS)
def test_each_defect_is_found(name: str, own_fixtures: Path) -> None:
    apply, says = DEFECTS[name]
    write_manifest()
    apply(own_fixtures)
    found = list(problems())
    assert any(says in line for line in found), found


def test_any_changed_file_makes_the_manifest_stale(own_fixtures: Path) -> None:
    write_manifest()
    (own_fixtures / "flags.toml").write_text((own_fixtures / "flags.toml").read_text() + "\n")
    assert any("MANIFEST.json: out of date" in line for line in problems())
