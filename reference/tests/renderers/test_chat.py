"""Bad conversations are refused with the field that is wrong; good ones are normalised as transformers does it."""

import copy
import dataclasses
import enum

import pytest
from toys import byte_level, gpt2_like

from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.errors import InvalidMessages, TemplateRejects, TokenSpecError, UnknownFamily
from tokenspec_reference.renderers import create_renderer, family_names
from tokenspec_reference.renderers.chat import build_chat, normalise, plain, tool_names

cycle: list = []
cycle.append(cycle)


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ("hello", "messages"),
        ({"role": "user"}, "messages"),
        (None, "messages"),
        ([], "messages"),
        (["hello"], "messages[0]"),
        ([[{"role": "user", "content": "batched"}]], "messages[0]"),
        ([{"content": "x"}], "messages[0].role"),
        ([{"role": 3, "content": "x"}], "messages[0].role"),
        ([{"role": "user", "content": b"bytes"}], "messages[0].content"),
        ([{"role": "user", "content": {"a", "b"}}], "messages[0].content"),
        ([{"role": "user", "content": "ok"}, {"role": "user", "content": "bad \ud800"}], "messages[1].content"),
        ([{"role": "user", "content": cycle}], "messages[0].content[0]"),
        ([{"role": "user", "content": {1: "x"}}], "messages[0].content"),
        ([{"role": "user", "content": "x", "\udfff": 1}], "messages[0] key"),
        (
            [{"role": "assistant", "content": "x", "tool_calls": [{"function": {"name": object()}}]}],
            "messages[0].tool_calls[0].function.name",
        ),
    ],
)
def test_malformed_conversations_name_the_field(messages, field):
    with pytest.raises(InvalidMessages) as caught:
        create_renderer(byte_level(), family="qwen3").render(messages)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tools", "field"), [("x", "tools"), ({"a": 1}, "tools"), (["x"], "tools[0]"), ([{"a": "\ud800"}], "tools[0].a")]
)
def test_malformed_tools_name_the_field(tools, field):
    with pytest.raises(InvalidMessages) as caught:
        create_renderer(byte_level(), family="qwen3").render([{"role": "user", "content": "x"}], tools=tools)
    assert caught.value.field == field


def test_deep_nesting_is_refused_not_a_crash():
    deep = "x"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InvalidMessages, match="nested deeper"):
        create_renderer(byte_level(), family="qwen3").render([{"role": "user", "content": deep}])


def test_what_the_template_refuses_is_a_template_rejection():
    with pytest.raises(TemplateRejects):
        create_renderer(byte_level(), family="qwen2.5").render([{"role": "user"}])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("qwen33", "unknown family 'qwen33'; did you mean 'qwen3'?"),
        ("QWEN3-vl", "unknown family 'QWEN3-vl'; did you mean 'qwen3-vl'?"),
        ("", "unknown family ''. Known: qwen2.5, "),
        ("nothing like it", "unknown family 'nothing like it'. Known: qwen2.5, "),
    ],
)
def test_an_unknown_family_is_refused_with_the_nearest_name(name, said):
    for refused in (
        lambda: create_renderer(byte_level(), family=name, chat_template="{{ messages[0].content }}"),
        lambda: ReferenceAdapter().load("row", {"family": name, "chat_template": "{{ messages[0].content }}"}),
    ):
        with pytest.raises(UnknownFamily) as caught:
            refused()
        assert caught.value.field == "family"
        assert said in str(caught.value)
        assert caught.value.known == tuple(family_names())


def test_unknown_options():
    for name in ("encoding", "id_profile", "straddle", "normalisation"):
        with pytest.raises(TokenSpecError) as caught:
            create_renderer(byte_level(), family="qwen3", **{name: "nonsense"})
        assert caught.value.field == name
    with pytest.raises(TokenSpecError) as caught:
        create_renderer(object(), family="qwen3")
    assert caught.value.field == "tokenizer"
    with pytest.raises(TokenSpecError, match="no added token") as caught:
        create_renderer(gpt2_like(), family="llama-3")
    assert caught.value.field == "tokenizer"


def test_normalisations():
    message = {"role": "assistant", "content": None, "reasoning": "r"}
    assert normalise(message, "hf4") == message
    assert normalise(message, "hf5") == {
        "role": "assistant",
        "reasoning": "r",
        "reasoning_content": "r",
        "thinking": "r",
    }
    both = {"role": "assistant", "thinking": "t", "reasoning": "r"}
    assert normalise(both, "hf5") == {**both, "reasoning_content": "t"}


def test_rich_values_become_plain():
    class Colour(enum.StrEnum):
        RED = "red"

    @dataclasses.dataclass
    class Message:
        role: str
        content: object

    rendered = create_renderer(byte_level(), family="qwen3").render([Message("user", Colour.RED)])
    assert "red" in rendered.text
    assert plain({"type": "image", "image": object()}, "x") == {"type": "image", "image": "<object>"}


def test_inputs_are_not_mutated():
    messages = [
        {
            "role": "assistant",
            "content": None,
            "reasoning": "r",
            "tool_calls": [{"function": {"name": "f", "arguments": {}}}],
        }
    ]
    tools = [{"type": "function", "function": {"name": "f"}}]
    before = copy.deepcopy((messages, tools))
    renderer = create_renderer(byte_level(), family="qwen3", continue_final_message="reasoning")
    for _ in range(2):
        with pytest.raises(TemplateRejects):
            renderer.render(messages, tools=tools)
    create_renderer(byte_level(), family="qwen2.5").render(messages, tools=tools)
    assert (messages, tools) == before


def test_tool_names_join_calls_and_results():
    messages = [
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "function": {"name": "f"}}, {"id": "b", "name": "g"}, "x"],
        },
        {"role": "tool", "tool_call_id": "a"},
        {"role": "tool", "tool_call_id": "b"},
        {"role": "tool", "tool_call_id": "b", "name": "named"},
        {"role": "tool", "tool_call_id": "missing"},
        {"role": "user", "name": "bob"},
    ]
    chat = build_chat(messages, options={}, add_generation_prompt=False, normalisation="hf5")
    assert tool_names(chat.turns) == [None, "f", "g", "named", None, None]


def test_continue_final_message():
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "Sure: "}]
    tokens = create_renderer(byte_level(), family="qwen2.5", continue_final_message=True).render(messages)
    assert tokens.text.endswith("<|im_start|>assistant\nSure: ")
    with pytest.raises(InvalidMessages) as caught:
        create_renderer(byte_level(), family="qwen2.5", continue_final_message=True).render(
            messages, add_generation_prompt=True
        )
    assert caught.value.field == "continue_final_message"
