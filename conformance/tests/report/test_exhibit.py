"""What failing cells keep: the tokens of both sides with their owners, cut around the first difference."""

from __future__ import annotations

from typing import Any

import pytest

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.exhibit import labelled
from tokenspec.areas.render.records import RenderOutput
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.models import load
from tokenspec.report.exhibit import WINDOW, input_text, owner_texts, pieces, tokens
from tokenspec.runner import Run, run_all
from tokenspec.verdict import CellResult
from tokenspec_reference.adapter import ReferenceAdapter


class Edited(ReferenceAdapter):
    """The reference with one edit of its results."""

    def __init__(self, edit: Any) -> None:
        super().__init__()
        self.edit = edit

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        return self.edit(super().render(request))


def judged(edit: Any, case: str = "render/role-user", *, exhibit: bool = True) -> CellResult:
    cells = select_cells(Selection(areas=("render",), rows=("toy-bpe",), cases=(case,)))
    (result,) = run_all(Run([InProcess("mini", Edited(edit))], cells, exhibit=exhibit))
    return result


def test_a_passing_cell_keeps_nothing() -> None:
    assert judged(lambda result: result).exhibit is None
    assert judged(lambda result: {**result, "token_ids": [1]}, exhibit=False).exhibit is None


def test_a_failing_cell_keeps_both_sides() -> None:
    found = judged(lambda result: {**result, "token_ids": [*result["token_ids"][:-1], 7]}).exhibit
    assert found is not None
    assert found.expected is not None
    assert found.got is not None
    assert found.expected.ids[:-1] == found.got.ids[:-1]
    assert "".join(found.expected.pieces).count("What is the time") + 1
    assert [kind for kind, _, _ in found.expected.owners].count("content") == 1
    assert '"role": "user"' in found.input
    assert sum(count for _, _, count in found.got.owners) == len(found.got.ids) == found.got.total


def test_masks_that_are_not_given_are_unattributed() -> None:
    found = judged(lambda result: {"token_ids": result["token_ids"][1:]}).exhibit
    assert found is not None
    assert found.got is not None
    assert {kind for kind, _, _ in found.got.owners} == {"unattributed"}


@pytest.mark.parametrize("ids", [[], [-1], [2**52], [10**6] * 3])
def test_ids_of_no_token_are_shown_as_such(ids: list[int]) -> None:
    found = judged(lambda _: {"token_ids": ids}).exhibit
    assert found is not None
    assert found.got is not None
    assert found.got.pieces == [f"[no token {id_}]" for id_ in ids]


def test_an_implementation_that_broke_shows_what_was_expected() -> None:
    def broken(result: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError("out of cheese")

    found = judged(broken).exhibit
    assert found is not None
    assert found.expected is not None
    assert found.got is None


def test_long_renderings_are_cut_to_a_window_around_the_difference() -> None:
    def edit(result: dict[str, Any]) -> dict[str, Any]:
        ids = list(result["token_ids"])
        ids[1200] += 1
        return {**result, "token_ids": ids}

    found = judged(edit, "render/long-lines").exhibit
    assert found is not None
    for side in (found.expected, found.got):
        assert side is not None
        assert (side.start, len(side.ids)) == (1200 - WINDOW, 2 * WINDOW)
        assert side.total > 2000
        assert sum(count for _, _, count in side.owners) == len(side.ids)


def test_other_areas_show_their_fields() -> None:
    class Wrong(ReferenceAdapter):
        def parse(self, request: dict[str, Any]) -> dict[str, Any]:
            return {**super().parse(request), "content": "something else\nentirely"}

    cells = select_cells(Selection(areas=("parse",), rows=("toy-bpe",)))[:12]
    found = [result.exhibit for result in run_all(Run([InProcess("mini", Wrong())], cells, exhibit=True))]
    shown = [exhibit for exhibit in found if exhibit is not None]
    assert shown
    for exhibit in shown:
        assert 'content:1 = "something else\\n"' in exhibit.got_lines
        assert any(line.startswith("content") for line in exhibit.expected_lines)


def test_characters_split_over_tokens_are_escaped_alone_and_whole_together() -> None:
    tokenizer = load("toy-bpe").tokenizer
    ids = tokenizer.encode("a🌦b", add_special_tokens=False)
    assert "\\xf0" in "".join(pieces(tokenizer, ids))
    output = RenderOutput(token_ids=ids)
    found = labelled(output)
    assert found is not None
    assert owner_texts(tokenizer, tokens(tokenizer, *found)) == ["a🌦b"]


def test_long_inputs_are_cut_and_say_so() -> None:
    assert input_text({"a": 1}) == '{\n "a": 1\n}'
    assert input_text("x" * 50_000).endswith("30002 more characters")
