"""What the oracle of masks claims of templates that others gave, and what it leaves open.

A turn without a stop token ends where words do; white space at its end is nobody's. A body that decides about other
text is found by the part of it that does not, else nobody says where it is.
"""

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


@pytest.mark.parametrize("name", ["striptags", "truncate(9)"])
def test_what_a_filter_makes_of_a_body_is_no_body(cell: Cell, name: str) -> None:
    template = QUOTES.replace("content", f"content|{name}")
    expect = golden_of(cell, f"{template}{{{{ '<|im_end|>' }}}}{{% endfor %}}").expect
    assert expect is not None
    assert "makes another text" in expect["unattributed"]


ASKS = "{{ '<think>' if messages[0].content.startswith('Think') }}"
EQUALS = "{{ '<think>' if messages[0].content == 'Think' }}"


def asking(condition: str) -> str:
    answer = f"{{{{ '<|im_start|>assistant\\n' }}}}{condition}"
    turn = "{{ '<|im_start|>user\\n' ~ message.content }}"
    turns = f"{{% if message.role == 'user' %}}{turn}{{% else %}}{answer}{{{{ message.content }}}}{{% endif %}}"
    prompt = f"{{% if add_generation_prompt %}}{answer}{{% endif %}}"
    return f"{{% for message in messages %}}{turns}{{{{ '<|im_end|>\\n' }}}}{{% endfor %}}{prompt}"


def test_words_that_ask_for_a_thought_are_content_and_the_prompt_is_not_sampled(cell: Cell) -> None:
    messages = [{"role": "user", "content": "Think: why?"}, {"role": "assistant", "content": "So."}]
    expect = golden_of(cell, asking(ASKS), messages=messages).expect
    assert expect is not None
    said = [(kind, text) for kind, _, _, text in expect["spans"] if kind in ("content", "sampled")]
    assert said == [("content", "Think: why?"), ("sampled", "So.<|im_end|>")]


def test_a_body_of_which_every_character_decides_is_not_placed(cell: Cell) -> None:
    messages = [{"role": "user", "content": "Think"}, {"role": "assistant", "content": "So."}]
    expect = golden_of(cell, asking(EQUALS), messages=messages).expect
    assert expect is not None
    assert "decides about other text" in expect["unattributed"]
