"""What engines are handed is what transformers hands to Jinja."""

import copy

import pytest

from tokenspec.areas.selection import Selection, select_cells
from tokenspec.areas.template_engine.oracle.golden import render
from tokenspec.areas.template_engine.oracle.inputs import normalised, reaches_the_template, special_tokens
from tokenspec.models import AssetsMissing, load
from tokenspec.oracle.clock import FROZEN

ROWS = ("toy-bpe", "toy-metaspace", "gemma-4", "kimi-k2.5")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": None, "tool_calls": None},
        {"role": "assistant", "content": "a", "reasoning": "r"},
        {"role": "assistant", "content": "a", "thinking": "t", "reasoning_content": None},
        {"role": "assistant", "content": "a", "thinking": "t", "reasoning_content": "r", "reasoning": "q"},
        {"role": "assistant", "content": "a", "reasoning_content": ""},
    ],
)
def test_messages_are_normalised_as_upstream_does(message):
    upstream = pytest.importorskip("transformers.utils.chat_template_utils")
    before = copy.deepcopy(message)
    kept = {key: value for key, value in message.items() if value is not None}
    assert normalised(message) == upstream._alias_reasoning_fields([kept])[0]
    assert message == before


@pytest.mark.parametrize(
    "given",
    [
        {"messages": []},
        {"messages": ["text"]},
        {"messages": [{"role": "user"}], "tools": ["f"]},
        {"messages": [{"role": "user"}], "options": {"documents": ["d"]}},
        {"messages": [{"role": "user"}], "options": {"continue_final_message": True}},
    ],
)
def test_what_is_refused_before_the_template_is_not_asked_of_engines(given):
    assert not reaches_the_template(given)


@pytest.mark.parametrize("row", ROWS)
def test_special_tokens_are_the_tokenizers(row):
    try:
        loaded = load(row)
    except AssetsMissing as missing:
        pytest.skip(str(missing))
    assert special_tokens(loaded.directory) == dict(loaded.tokenizer.special_tokens_map)


@pytest.mark.parametrize("row", ROWS)
def test_the_oracles_sandbox_makes_the_lenders_goldens_of_these_inputs(row):
    pytest.importorskip("transformers")
    for cell in select_cells(Selection(areas=("template-engine",), rows=(row,))):
        if not cell.borrowed:
            continue
        try:
            request = cell.area.request(cell.case, cell.row)
        except AssetsMissing as missing:
            pytest.skip(str(missing))
        try:
            got = render(request["template"], request["inputs"], FROZEN)
        except Exception as error:  # noqa: BLE001 - whatever a template raises
            got = type(error).__name__
        assert got == (cell.golden.expect["text"] if cell.golden.expect else cell.golden.error), cell.name
