"""A model of the user's own is judged from its folder, and nothing of the package changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.models.test_add import tokenspec, tree, world  # noqa: F401 - a fixture
from tokenspec.areas.render.oracle.golden import placeholders
from tokenspec.models import load, specs
from tokenspec.models.rows import Row
from tokenspec.oracle.attribution import Owners, Undecidable
from tokenspec.verdict import CellResult, given_as


def test_a_folder_is_judged_and_nothing_is_added(world: Path, own_fixtures: Path) -> None:  # noqa: F811
    before = tree(own_fixtures)
    code, said = tokenspec("run", "--impl", "reference", "--row", world, "--area", "render", "--jobs", "1")
    assert code == 0, said
    assert "unproven rows" in said
    assert "reference: conformant on all" in said
    assert tree(own_fixtures) == before
    assert "little" not in specs()


def test_the_command_that_repeats_a_failure_names_the_folder() -> None:
    result = CellResult(impl="a", area="render", row="little", case="render/b", seconds=0.0, findings=[])
    with given_as({"little": "./little"}):
        assert result.again == "tokenspec run --impl a --case render/b --row ./little"
    assert result.again.endswith(" --row little")


def test_media_of_a_model_nobody_described_belong_to_nobody() -> None:
    toy = load("toy-bpe")
    message = {"role": "user", "content": [{"type": "image", "image": "a"}]}
    owners = Owners("<|image_pad|>", [None] * len("<|image_pad|>"))
    assert list(placeholders(toy, owners, [message]))
    bare = replace(toy.spec, status="unproven", wire=replace(toy.spec.wire, placeholder=()))
    with pytest.raises(Undecidable, match="no placeholder is stated"):
        list(placeholders(Row(bare, toy.directory), owners, [message]))


def test_a_model_that_prints_the_date_is_judged_as_it_is(world: Path) -> None:  # noqa: F811
    template = world / "chat_template.jinja"
    template.write_text("{{- strftime_now('%d %b %Y') ~ '\\n' -}}" + template.read_text())
    code, said = tokenspec("run", "--impl", "reference", "--row", world, "--case", "render/role-user", "--jobs", "1")
    assert code == 0, said


def test_goldens_are_made_once(world: Path, tmp_path: Path) -> None:  # noqa: F811
    words = ("run", "--impl", "reference", "--row", world, "--area", "render", "--jobs", "1")
    assert tokenspec(*words)[0] == 0
    (made,) = (tmp_path / "cache" / "models" / "own").glob("*/little/render.json")
    written = made.stat().st_mtime_ns
    assert tokenspec(*words)[0] == 0
    assert made.stat().st_mtime_ns == written


def test_what_is_no_model_says_so(world: Path) -> None:  # noqa: F811
    code, said = tokenspec("run", "--impl", "reference", "--row", "org/model")
    assert code == 2
    assert "org/model: no such folder; a model of the hub is OWNER/NAME@REVISION" in said
    code, said = tokenspec("run", "--impl", "reference", "--row", world, "--row", "./other")
    assert code == 2
    assert "one model of your own a run" in said
    (world / "chat_template.jinja").write_text("{% for %}")
    code, said = tokenspec("smoke", "--impl", "reference", "--row", world)
    assert code != 0
    assert "the chat template does not parse" in said
