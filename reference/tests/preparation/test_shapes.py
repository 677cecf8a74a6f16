"""Records of data sets, as conversations."""

import json

import pytest

from tokenspec_reference.preparation import UnknownShape, conversation_of
from tokenspec_reference.preparation.json_text import parse

ASKED = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


@pytest.mark.parametrize(
    "record",
    [
        ASKED,
        {"messages": ASKED},
        {"conversations": ASKED},
        {"messages": json.dumps(ASKED)},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]},
    ],
)
def test_messages_are_recognised(record):
    found = conversation_of(record)
    assert (found.messages, found.tools, found.trained) == (ASKED, None, ())


@pytest.mark.parametrize(
    "record",
    [
        {"prompt": "a", "completion": "b"},
        {"instruction": "a", "input": "", "output": "b"},
        {"prompt": ASKED[:1], "completion": ASKED[1:]},
    ],
)
def test_of_a_pair_the_completion_is_trained(record):
    found = conversation_of(record)
    assert (found.messages, found.trained) == (ASKED, (False, True))


def test_columns_are_named():
    assert conversation_of({"chat": ASKED}, {"messages": "chat"}).messages == ASKED
    assert conversation_of({"q": "a", "r": "b"}, {"prompt": "q", "completion": "r"}).messages == ASKED
    tools = [{"name": "f"}]
    assert conversation_of({"messages": ASKED, "t": json.dumps(tools)}, {"tools": "t"}).tools == tools


def test_a_system_prompt_may_stand_beside():
    found = conversation_of({"system": "s", "conversations": [{"from": "human", "value": "a"}]})
    assert found.messages[0] == {"role": "system", "content": "s"}


def test_weights_are_read_and_not_rendered():
    found = conversation_of({"messages": [ASKED[0], {**ASKED[1], "weight": 0}, {**ASKED[1], "train": True}]})
    assert found.trained == (True, False, True)
    assert found.messages == [*ASKED, ASKED[1]]


@pytest.mark.parametrize("record", [3, "text", None, {}, {"text": "a"}, {"messages": [1]}, {"prompt": "a"}, [[]]])
def test_other_records_say_what_they_have(record):
    with pytest.raises(UnknownShape):
        conversation_of(record)


def test_equal_conversations_have_equal_digests():
    one, other = conversation_of({"messages": ASKED}), conversation_of({"messages": list(map(dict, ASKED)), "id": 7})
    assert one.digest == other.digest != conversation_of({"messages": ASKED[:1]}).digest


def told(record, **more):
    return [(finding.code, finding.detail) for finding in conversation_of(record, **more).findings]


@pytest.mark.parametrize(
    "field",
    [
        *({"weight": 0.5}, {"weight": "0"}, {"weight": -1}, {"loss_weight": 0}, {"training": False}, {"train": "no"}),
        *({"masked": True}, {"mask": [0, 1]}, {"mask": True}, {"train_on_turn": False}, {"train_on_turn": "no"}),
    ],
)
def test_a_weight_that_is_not_read_is_told(field):
    ((code, detail),) = told([ASKED[0], {**ASKED[1], **field}])
    (name,) = field
    assert (code, name in detail) == ("ignored-weight", True)
    assert conversation_of({"messages": ASKED, **field}).findings[0].code == "ignored-weight"


@pytest.mark.parametrize(
    "field",
    [
        {"weight": 0},
        {"weight": 1.0},
        {"train": False},
        {"train": None},
        {"training": True},
        {"masked": False},
        {"train_on_turn": True},
    ],
)
def test_a_weight_that_is_read_is_not_told(field):
    assert told([ASKED[0], {**ASKED[1], **field}]) == []


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ({"chat_template_kwargs": {"enable_thinking": False}}, "ignored-input"),
        ({"input_ids": [1, 2]}, "ignored-input"),
        ({"tools": '{"name": "f"}'}, "ignored-input"),
        ({"images": ["a.png"]}, "media-not-expanded"),
        ({"source": "here"}, "unknown-column"),
        ({"prompt": "a"}, "unknown-column"),
    ],
)
def test_a_column_that_is_not_read_is_told(field, code):
    assert [found for found, _ in told({"messages": ASKED, **field})] == [code]
    assert told({"messages": ASKED, **dict.fromkeys(field)}) == []


def test_a_system_prompt_beside_a_pair_is_told():
    assert [code for code, _ in told({"prompt": "a", "completion": "b", "system": "s"})] == ["ignored-input"]
    assert told({"system": "s", "conversations": ASKED}) == []


@pytest.mark.parametrize("odd", ["NaN", "1e400", "-Infinity", '{"a": 1, "a": 2}'])
def test_what_readers_of_json_do_not_agree_on_is_told(odd):
    call = f'[{{"role": "assistant", "tool_calls": [{{"name": "f", "arguments": {{"x": {odd}}}}}]}}]'
    for record in (parse(call), parse(f'{{"messages": {call}}}'), {"messages": call}):
        ((code, detail),) = told(record)
        assert code == "odd-json"
        assert "[0].tool_calls[0].arguments.x" in detail


def test_speakers_are_mapped():
    given = [{"role": "human", "content": "a"}, {"role": "bot", "content": "b"}]
    assert conversation_of(given, speakers={"human": "user", "bot": "assistant"}).messages == ASKED
