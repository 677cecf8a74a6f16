"""What preparation says of a message, or of a part of one, that the template does not write or nothing reads."""

import pytest
from small_conversations import TOOL, answer, call, codes, result, user

from tokenspec_reference.preparation import CODES, Conversation, Preparer
from tokenspec_reference.renderers import create_renderer

rows = pytest.importorskip("tokenspec.models")


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ({"function_call": {"name": "find", "arguments": "{}"}}, "unread-call"),
        ({"refusal": "I will not."}, "ignored-input"),
        ({"thought": "greet back"}, "ignored-input"),
        ({"logprobs": [-0.1]}, "ignored-input"),
        ({"generation_token_ids": [0]}, "ignored-input"),
        ({"audio": {"id": "a"}}, "media-not-expanded"),
        ({"images": ["a.png"]}, "media-not-expanded"),
        ({"timestamp": 3}, "unknown-column"),
    ],
)
def test_a_key_of_messages_that_nothing_reads_is_told_once(renderer, key, code):
    messages = [user("hi"), answer("hello", **key), user("more"), answer("yes", **key)]
    prepared = Preparer(renderer)(Conversation(messages))
    (name,) = key
    assert [(f.code, f.detail) for f in prepared.findings] == [(code, f"the key {name} of messages is not read")]
    assert (prepared.token_ids == []) == (CODES[code].level == "error")
    empty = [user("hi"), answer("hello", **{name: None}), user("more"), answer("yes", **{name: []})]
    assert codes(Preparer(renderer)(Conversation(empty))) == []


@pytest.mark.parametrize("read", ["m.mood", "m['mood']", "m.get('mood')", "'mood' in m", "m | tojson", "m.items()"])
def test_a_key_that_the_template_reads_is_no_finding(read):
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{{ READ }}<|im_end|>\n{% endfor %}"
    template += "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    tokenizer = rows.load("toy-bpe").tokenizer
    for given, expected in ((read, False), ("m.role", True)):
        made = create_renderer(tokenizer, chat_template=template.replace("READ", given))
        told = Preparer(made)(Conversation([user("hi"), answer("hello", mood="glad")]))
        assert ("unknown-column" in codes(told)) is expected


def test_what_a_template_leaves_out_is_told():
    row = rows.load("toy-bpe")
    template = "{% for m in messages %}{% if m.role != 'tool' %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    template += "{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    prepare = Preparer(create_renderer(row.tokenizer, chat_template=template))
    loop = [user("a"), answer("", tool_calls=[call()]), result("21 degrees"), answer("b")]
    found = prepare(Conversation(loop, [TOOL])).findings
    assert [(f.code, f.message) for f in found] == [
        ("message-vanished", 1),
        ("message-vanished", 2),
        ("vanished-text", None),
    ]


def test_a_message_of_which_something_is_written_has_not_vanished():
    row = rows.load("toy-bpe")
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    template += "{{ m.tool_calls[0].function.name if m.tool_calls else m.content }}<|im_end|>\n{% endfor %}"
    template += "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    prepare = Preparer(create_renderer(row.tokenizer, chat_template=template))
    loop = [user("a"), answer("Let me see.", tool_calls=[call()]), result("21 degrees"), answer("b")]
    prepared = prepare(Conversation(loop))
    assert ("vanished-text", 1) in [(f.code, f.message) for f in prepared.findings]
    assert "message-vanished" not in codes(prepared)
    assert prepared.token_ids


def test_a_single_message_that_vanishes_leaves_no_ids():
    row = rows.load("toy-bpe")
    template = "{% for m in messages if m.role != 'developer' %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    template += "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    prepare = Preparer(create_renderer(row.tokenizer, chat_template=template))
    prepared = prepare(Conversation([{"role": "developer", "content": "Be brief."}, user("a"), answer("b")]))
    assert "message-vanished" in codes(prepared)
    assert prepared.token_ids == []


OTHER_CONTENT = {
    "integer": 5,
    "fraction": 1.5,
    "true": True,
    "object": {"a": 1},
    "object of a part": {"type": "text", "text": "hi"},
    "list of texts": ["hi"],
    "refusal": [{"type": "refusal", "refusal": "no"}],
    "file": [{"type": "file", "file": {"file_id": "x"}}],
    "unknown part": [{"type": "zzz", "zzz": "some"}],
    "call of another interface": [{"type": "tool_use", "name": "find", "input": {"x": 1}}],
    "deep": [[[["words"]]]],
}


def only_texts():
    """A renderer that writes content where it is a text, as the template of qwen3 does."""
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}<think>\n\n</think>\n\n"
    template += "{% endif %}{{ m.content if m.content is string }}<|im_end|>\n{% endfor %}"
    template += "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n\n</think>\n\n{% endif %}"
    return create_renderer(rows.load("toy-bpe").tokenizer, chat_template=template)


@pytest.mark.parametrize("content", OTHER_CONTENT.values(), ids=OTHER_CONTENT)
@pytest.mark.parametrize("index", [0, 1])
def test_content_of_another_kind_that_vanishes_leaves_no_ids(content, index):
    messages = [user("Who is it?"), answer("The answer.")]
    messages[index]["content"] = content
    prepared = Preparer(only_texts())(Conversation(messages))
    assert ("message-vanished", index) in [(f.code, f.message) for f in prepared.findings]
    assert prepared.token_ids == []


@pytest.mark.parametrize("content", ["hi", "5", "<b>", "think", None, "", []])
def test_content_that_is_written_or_empty_has_not_vanished(content):
    messages = [user(content), answer("The answer.")]
    assert "message-vanished" not in codes(Preparer(only_texts())(Conversation(messages)))


def test_a_part_that_vanishes_beside_a_text_is_told(renderer):
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}{{ m.content }}{% else %}"
    template += "{% for part in m.content %}{{ part.text }}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    template += "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    made = create_renderer(rows.load("toy-bpe").tokenizer, chat_template=template)
    messages = [user([{"type": "text", "text": "What is this?"}, {"type": "file", "file": {"file_id": "x-17"}}])]
    prepared = Preparer(made)(Conversation([*messages, answer("A file.")]))
    assert codes(prepared) == ["vanished-text"]
    assert prepared.token_ids


def test_a_message_that_speaks_under_another_name_only_has_vanished(renderer):
    prepared = Preparer(renderer)(Conversation([user("hi"), answer("", refusal="I will not.")]))
    assert {"message-vanished", "ignored-input"} <= set(codes(prepared))
    assert prepared.token_ids == []


def test_text_that_vanishes_completely_is_an_error(renderer):
    row = rows.load("toy-bpe")
    blind = create_renderer(
        row.tokenizer, chat_template="{% for m in messages %}{{ m.role }}{{ eos_token }}{% endfor %}"
    )
    silent = create_renderer(row.tokenizer, chat_template="{% if false %}{{ messages }}{% endif %}")
    for deaf in (blind, silent):
        prepared = Preparer(deaf)(Conversation([user("hi"), answer("hello")]))
        assert "all-text-vanished" in codes(prepared)
        assert prepared.token_ids == []
    assert "all-text-vanished" not in codes(Preparer(renderer)(Conversation([user("hi"), answer("hello")])))
