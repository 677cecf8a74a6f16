"""A completion may be cut anywhere: what every prefix of a turn says, on every row.

Whose characters are in a prefix is the oracle's to say (``tokenspec.oracle.turns``). A call is whole once its block is
closed, begun once its first character is written, and in between it is an attempt that did not succeed; where no control
token announces calls (Llama) a begun one is content still.
"""

import pytest

from tokenspec.areas.parse.oracle.golden import content_is_written_as_thought
from tokenspec.areas.render.cases.build import WEATHER, assistant, call, calling, thinking, user
from tokenspec.models import available, load, specs
from tokenspec.oracle.completion import encode_after_control
from tokenspec.oracle.turns import Conversation, NotApplicable
from tokenspec_reference.errors import UnsupportedByReference
from tokenspec_reference.renderers import create_renderer

ROWS = [
    pytest.param(name, marks=() if name.startswith("toy") else pytest.mark.real)
    for name, spec in specs().items()
    if spec.wire.stop
]
ROME, OSLO = call("get_weather", {"city": "Rome"}, "callrome1"), call("get_weather", {"city": "Osló"}, "calloslo2")
TURNS = {
    "answer": assistant("Lisbon, größer als 東京.\n\n  Indeed."),
    "thought": thinking("Mild winters: the\n\nsouth-west.", "Lisbon."),
    "call": calling(ROME),
    "text and calls": calling(ROME, OSLO, content="Looking both up."),
}


def renderer_of(row):
    return create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("kind", TURNS)
def test_every_prefix_says_what_was_written_so_far(name, kind):
    if reason := available(name):
        pytest.skip(reason)
    row = load(name)
    conversation = Conversation(row, [user("Which city?")], [WEATHER] if "call" in kind else None, {})
    try:
        turn = conversation.turn(with_kimi_ids(TURNS[kind]) if name.startswith("kimi") else TURNS[kind])
        ids, prompt = encode_after_control(row, turn.text), conversation.prompt_ids()
    except NotApplicable as reason:
        pytest.skip(str(reason))
    renderer, tools = renderer_of(row), conversation.tools
    markers = row.tokenizer.get_added_vocab()
    thoughts = [written(turn, "reasoning_content")]
    if "calls" in kind and content_is_written_as_thought(conversation, turn):
        thoughts.append(written(turn, "content"))
    for length in range(len(ids) + 1):
        try:
            found = renderer.parse_response(ids[:length], tools=tools, prompt_ids=prompt)
        except UnsupportedByReference as reason:
            pytest.skip(str(reason))
        cut = len(row.tokenizer.decode(ids[:length], skip_special_tokens=False).rstrip("\ufffd"))
        said = (turn.text[:cut], found)
        is_announced = "call" not in kind or any(marker in turn.text[:cut] for marker in markers)
        assert is_begun(found.content, written(turn, "content") if is_announced else turn.text), said
        assert any(is_begun(found.reasoning_content or "", thought) for thought in thoughts), said
        whole = [call for call in found.tool_calls if call.status == "ok"]
        wanted = (turn.message.get("tool_calls") or [])[: len(whole)]
        assert [(one.name, one.arguments) for one in whole] == [
            (one["function"]["name"], one["function"]["arguments"]) for one in wanted
        ], said
        assert found.tool_calls[: len(whole)] == whole, said
        assert len(found.tool_calls) - len(whole) <= 1, said


def with_kimi_ids(turn):
    """Kimi writes ids in place of names."""
    calls = [
        {**call, "id": f"functions.{call['function']['name']}:{number}"}
        for number, call in enumerate(turn.get("tool_calls", ()))
    ]
    return {**turn, "tool_calls": calls} if calls else turn


def written(turn, key):
    ranges = sorted(span for path, spans in turn.fields.items() if path[0] == key for span in spans)
    return "".join(turn.text[start:end] for start, end in ranges)


def is_begun(text, whole):
    """Whether a text is the beginning of another, but for outer white space and a character that was cut."""
    return whole.strip().startswith(text.strip().rstrip("\ufffd").rstrip())
