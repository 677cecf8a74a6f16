"""Sampled ids need not be the ones an encoder gives: any split of the bytes is kept by the bridge and read the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toys import byte_level

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers import create_renderer

ASK = [{"role": "user", "content": "hi"}]
NEXT = [{"role": "user", "content": "\nand?\n"}]
PIECES = [
    "do",
    "ne\n",
    "\n\n",
    "é",
    "🙂",
    " ",
    "<think>",
    "</think>",
    "<tool_call>\n",
    '{"a": 1}',
    "\n</tool_call>",
    "hello",
]


def renderer(family):
    return create_renderer(byte_level(), family=family)


def ordinary(r):
    """Ids by the bytes they stand for, control tokens left out."""
    encoder = r.encoder
    return {encoder.token_bytes(i): i for i in encoder.tokenizer.get_vocab().values() if i not in encoder.added}


@st.composite
def resplits(draw, r, token_ids):
    """The same bytes in other ordinary tokens: every run between control tokens is cut anywhere the vocabulary allows."""
    by_bytes = ordinary(r)
    out, run = [], b""

    def spell():
        nonlocal run
        while run:
            sizes = [size for size in range(1, min(len(run), 12) + 1) if run[:size] in by_bytes]
            size = draw(st.sampled_from(sizes))
            out.append(by_bytes[run[:size]])
            run = run[size:]

    for token in token_ids:
        if token in r.encoder.added:
            spell()
            out.append(token)
        else:
            run += r.encoder.token_bytes(token)
    spell()
    return out


@pytest.mark.parametrize("family", ["qwen3", "qwen2.5", "qwen3-vl"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_split_of_the_bytes_is_kept_and_followed_by_the_same_text(family, data):
    r = renderer(family)
    text = "".join(data.draw(st.lists(st.sampled_from(PIECES), max_size=6)))
    stop = data.draw(st.sampled_from(["", "<|im_end|>"]))
    prompt = r.render(ASK, add_generation_prompt=True).token_ids
    canonical = r.encoder.ids(text + stop)
    other = data.draw(resplits(r, canonical))
    assert r.tokenizer.decode(other) == r.tokenizer.decode(canonical)
    left, right = (r.bridge_to_next_turn(prompt, ids, NEXT) for ids in (canonical, other))
    assert (left is None) == (right is None)
    if left is not None and right is not None:
        assert right.token_ids[: len(prompt) + len(other)] == prompt + other
        assert right.token_ids[len(prompt) + len(other) :] == left.token_ids[len(prompt) + len(canonical) :]
        assert not any(right.sampled_mask)
        assert right.is_content[len(prompt) + len(other) :] == left.is_content[len(prompt) + len(canonical) :]
    first, second = (r.parse_response(ids, prompt_ids=prompt) for ids in (canonical, other))
    assert (first.content, first.reasoning_content, first.reasoning_complete) == (
        second.content,
        second.reasoning_content,
        second.reasoning_complete,
    )
    assert [(c.name, c.arguments, c.status) for c in first.tool_calls] == [
        (c.name, c.arguments, c.status) for c in second.tool_calls
    ]


@pytest.mark.parametrize(
    ("prompt", "completion", "messages", "field"),
    [
        ("abc", [1], NEXT, "previous_prompt_ids"),
        (None, [1], NEXT, "previous_prompt_ids"),
        ([1], [-1], NEXT, "previous_completion_ids"),
        ([1], [1.5], NEXT, "previous_completion_ids"),
        ([1], [True], NEXT, "previous_completion_ids"),
    ],
)
def test_what_is_no_list_of_ids_is_refused_by_name(prompt, completion, messages, field):
    with pytest.raises(TokenSpecError, match=field):
        renderer("qwen2.5").bridge_to_next_turn(prompt, completion, messages)


def test_what_is_no_message_is_declined_and_refused_by_name_in_the_render_that_follows():
    assert renderer("qwen2.5").bridge_to_next_turn([1], [2], ["x"]) is None
    with pytest.raises(TokenSpecError, match=r"messages\[1\]"):
        renderer("qwen2.5").render([{"role": "user", "content": "Hi."}, "x"])


@pytest.mark.parametrize(
    ("ids", "prompt", "field"), [("abc", None, "token_ids"), (None, None, "token_ids"), ([1], "x", "prompt_ids")]
)
def test_a_parser_names_what_is_no_list_of_ids(ids, prompt, field):
    with pytest.raises(TokenSpecError, match=field):
        renderer("qwen2.5").parse_response(ids, prompt_ids=prompt)
