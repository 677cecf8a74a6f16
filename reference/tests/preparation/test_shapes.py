"""Records of data sets, as conversations."""

import json

import pytest

from tokenspec_reference.preparation import UnknownShape, conversation_of

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
