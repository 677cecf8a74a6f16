"""DeepSeek-V3.2 and V4 against their publisher's encoders, which stand in a template's place; how both are found."""

import json
import random
from types import SimpleNamespace

import pytest
from conversations import conversation, ours

from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.resolve import resolve_without_template

rows = pytest.importorskip("tokenspec.models")


def asked(rng):
    """A random conversation with what only these formats know."""
    messages, tools, prompted, options = conversation(rng)
    options = {name: value for name, value in options.items() if name == "enable_thinking"}
    for name, values in {
        "enable_thinking": [True],
        "drop_thinking": [True, False],
        "reasoning_effort": ["low", "high", "max", "x"],
    }.items():
        if rng.random() < 0.3:
            options[name] = rng.choice(values)
    for message in messages:
        if rng.random() < 0.05:
            message["role"] = rng.choice(["latest_reminder", "developer", "nobody"])
        if message["role"] == "tool":
            message["tool_call_id"] = f"call_{rng.randrange(3)}"
        for call in message.get("tool_calls") or ():
            function = call.get("function", call)
            if isinstance(function.get("arguments"), dict) and rng.random() < 0.5:
                function["arguments"] = json.dumps(function["arguments"])
    return messages, tools, prompted, options


def answered(rng):
    """A random conversation in which calls get some, all or too many results."""
    messages, tools, prompted, options = asked(rng)
    for index in range(len(messages) - 1, -1, -1):
        if (calls := messages[index].get("tool_calls")) and rng.random() < 0.8:
            count = rng.choice([len(calls), len(calls), rng.randrange(4)])
            results = [{"role": "tool", "content": rng.choice(["warm", None, ["dry"]])} for _ in range(count)]
            messages[index + 1 : index + 1] = results
            messages[index]["tool_calls"] = [{"function": call.get("function", call)} for call in calls]
    return messages, tools, prompted, options


@pytest.mark.real
@pytest.mark.parametrize("make", [asked, answered])
@pytest.mark.parametrize("id_", ["deepseek-v3.2", "deepseek-v4"])
def test_text_ids_and_refusals_equal_the_encoder(id_, make):
    from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle

    try:
        row = rows.load(id_)
    except rows.ModelError as missing:
        pytest.skip(str(missing))
    renderer, oracle, rng = create_renderer(row.tokenizer), TransformersOracle(row), random.Random(4)
    accepted = 0
    for _ in range(200):
        messages, tools, prompted, options = make(rng)
        told = json.dumps([messages, tools, prompted, options], ensure_ascii=False)
        try:
            expected = oracle.text(messages, tools, {**options, "add_generation_prompt": prompted})
        except OracleRefuses:
            expected = None
        got = ours(renderer, messages, tools, prompted, options)
        assert (got and got.text) == expected, told
        if got is not None:
            assert got.token_ids == row.tokenizer(expected, add_special_tokens=False)["input_ids"], told
            accepted += 1
    assert accepted > 50


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("deepseek-ai/DeepSeek-V4-Flash-0731", "deepseek-v4"),
        ("deepseek-ai/DeepSeek-V4.1-Flash", None),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"),
        ("deepseek-ai/DeepSeek-V3.2-Speciale", "deepseek-v3.2"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", None),
        ("deepseek-ai/DeepSeek-V3.1", None),
        ("", None),
    ],
)
def test_a_tokenizer_without_a_template_is_known_by_its_name(name, family):
    found = resolve_without_template(name)
    assert (found and found.family) == family


def test_without_a_template_and_a_name_there_is_nothing_to_render_with():
    with pytest.raises(ValueError, match="no family and no chat template"):
        create_renderer(SimpleNamespace(name_or_path="unknown", encode=None))
