"""A turn without a stop token: what ends it is known where words end it, and nobody's where white space does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.curation.blessing import ask_oracle
from tokenspec.store.records import Case, Golden

QUOTES = "{% for message in messages %}{{ '<|im_start|>' ~ message.role ~ '\\n' ~ message.content }}"


@pytest.fixture(scope="module")
def cell() -> Cell:
    (found,) = select_cells(Selection(cases=("render/given-lines-without-a-stop",), areas=("render",)))
    return found


def golden_of(cell: Cell, template: str, **changed: Any) -> Golden:
    options = {"chat_template": template, **changed.pop("options", {})}
    given = {**cell.case.input, **changed, "options": options}
    case: Case = msgspec.structs.replace(cell.case, input=given)
    return ask_oracle(replace(cell, case=case, golden=None))


@pytest.mark.parametrize(("ending", "is_known"), [("", True), ("|", True), ("<|im_end|>\\n", True), ("\\n", False)])
def test_only_white_space_leaves_the_end_open(cell: Cell, ending: str, is_known: bool) -> None:
    expect = golden_of(cell, f"{QUOTES}{{{{ '{ending}' }}}}{{% endfor %}}").expect
    assert expect is not None
    assert ("unattributed" not in expect) == is_known


@pytest.mark.parametrize("goes_on", [True, False])
def test_an_answer_that_goes_on_needs_no_stop_token(cell: Cell, goes_on: bool) -> None:
    template = QUOTES.replace("~ message.content }}", "~ '[\\n\\n]\\n\\n' ~ message.content }}{% endfor %}")
    messages = [{"role": "user", "content": "Which city?"}, {"role": "assistant", "content": ""}]
    expect = golden_of(cell, template, messages=messages, options={"continue_final_message": goes_on}).expect
    assert expect is not None
    assert ("unattributed" not in expect) == goes_on
