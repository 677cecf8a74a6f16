"""Inputs that tell an edit from the reference are found, made small, and written as cases."""

from __future__ import annotations

import copy
import json
import random
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tokenspec.areas import area_of
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, all_cases, load_golden, unwritten
from tokenspec.cli.power import Asked, measure_power, tell_search
from tokenspec.curation.promote import read_counterexample
from tokenspec.errors import UsageError
from tokenspec.models import load
from tokenspec.power.judging import Fate
from tokenspec.power.lists import Lists
from tokenspec.power.measuring import Measuring
from tokenspec.power.parts import chosen_parts
from tokenspec.power.searching import Sought, varied
from tokenspec.power.variation import Variation, kind_of, places

pytestmark = pytest.mark.tools

ENGINE, TEXT = "renderers/template/engine.py", "render_text"
TOLD_APART = "return ''.join(limits.printed(compiled.root_render_func(context)))", "return ''"
THE_SAME = "limits or Limits()", "Limits()"
INPUTS = [
    {"messages": [{"role": "user", "content": "Hi"}, {"role": "tool", "content": [{"type": "text"}]}], "cut": 3},
    {"messages": [], "options": {"chat_template": "{% for m in messages %}{{ 'A' ~ m }}{% endfor %}"}, "last": True},
]


@pytest.fixture(scope="module")
def measuring(tmp_path_factory: pytest.TempPathFactory) -> Measuring:
    selection = Selection(rows=("-",), cases=("template-engine/tojson-",))
    found = Measuring(chosen_parts(["template"]), Lists([], []), selection, tmp_path_factory.mktemp("power"))
    found.prepare(2, lambda *_: None)
    return found


def survivor(measuring: Measuring, shown: tuple[str, str]) -> Fate:
    (source,) = (source for source in measuring.sources if source.file == ENGINE)
    return Fate(next(edit for edit in source.edits_within(TEXT) if edit.shown == shown), what="survived")


def test_an_edit_that_an_input_shows_is_told_apart(measuring: Measuring, tmp_path: Path) -> None:
    pytest.importorskip("hypothesis")
    fates = [survivor(measuring, TOLD_APART), survivor(measuring, THE_SAME)]
    came: dict[str, Sought] = {}
    for fate, seconds in zip(fates, (30.0, 2.0), strict=True):  # what is found is made small in the same time
        measuring.search([fate], seconds, 5, 2, lambda fate, sought: came.update({fate.edit.id: sought}))
    shown, same = (came[fate.edit.id] for fate in fates)
    assert shown.found is not None
    assert shown.found.by == "template-engine.text"
    assert len(shown.found.cell.case.input["template"]) == 1, "a text of one character shows it"
    assert same.found is None
    assert same.tries > same.differing == 0

    told = Console(file=StringIO(), width=80)
    tell_search(asked(into=tmp_path), told, fates[0], shown)
    written = read_counterexample(tmp_path / f"{fates[0].edit.id}.json", area_of("template-engine"))
    assert written.told["input"] == shown.found.cell.case.input
    assert written.told["requires"] == shown.found.cell.case.requires


@pytest.mark.parametrize("area", ["parse", "stream"])
def test_another_completion_is_asked_with_the_ids_it_has(area: str) -> None:
    case = all_cases()[f"{area}/cut-mid-text"]
    cell = Cell(area_of(area), case, "toy-bpe", load_golden("toy-bpe", case))
    turn = {"turn": {"role": "assistant", "content": "Porto."}}
    found = varied(cell, {**case.input, "completion": [turn]}, {"toy-bpe": load("toy-bpe")})
    assert found is not None
    assert found.golden is not None
    with unwritten(found.golden):
        request = found.request()
    ids = request.get("token_ids") or [token for chunk in request["chunks"] for token in chunk["token_ids"]]
    assert load("toy-bpe").vocabulary.decode(ids).startswith("Porto.")


def asked(into: Path, search: float = 2.0) -> Asked:
    return Asked((), (), (), (), (), (), (), 0, 0, 1, 0.0, search, into, False)


def test_a_folder_without_a_search_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--search SECONDS"):
        measure_power(asked(tmp_path, search=0.0))


def test_a_variation_is_another_value_and_leaves_the_input_alone() -> None:
    vary, kept = Variation(INPUTS), copy.deepcopy(INPUTS)
    found = [json.dumps(vary.of(INPUTS[n % 2], random.Random(n))) for n in range(400)]
    assert kept == INPUTS
    assert found == [json.dumps(vary.of(INPUTS[n % 2], random.Random(n))) for n in range(400)], "the seed decides"
    assert len(set(found)) > 100
    assert any(json.loads(one).get("options") and json.loads(one)["messages"] for one in found), "of both inputs"


def test_values_of_one_kind_stand_at_the_same_place_but_for_indices() -> None:
    kinds = [kind_of(place) for place in places(INPUTS[0])]
    assert kinds.count(("messages", "", "role")) == 2
    assert ("messages", "", "content", "", "type") in kinds
