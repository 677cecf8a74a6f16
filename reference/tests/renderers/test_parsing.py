"""Completions are read in the order thought, content, calls; nothing is lost, ordinary tokens are no markers."""

import pytest
from toys import byte_level

from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.parsing.bare_calls import read_bare_calls
from tokenspec_reference.renderers.parsing.call_formats import (
    ToolSchemas,
    read_fenced_json,
    read_invocations,
    read_key_values,
    read_kimi,
    read_xml_function,
)
from tokenspec_reference.renderers.parsing.gemma_calls import read_gemma

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "properties": {
                    "text": {"type": "string"},
                    "count": {"type": "integer"},
                    "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "flag": {"type": "boolean"},
                    "choice": {"enum": ["true", "b"]},
                }
            },
        },
    }
]


def ids(text):
    return byte_level().encode(text, add_special_tokens=False)


def plain_ids(text):
    """Ordinary tokens only, one per byte."""
    vocabulary = byte_level().get_vocab()
    from tokenspec_reference.renderers.token_text import byte_alphabet

    spelled = {byte: character for character, byte in byte_alphabet().items()}
    return [vocabulary[spelled[byte]] for byte in text.encode()]


def parse(token_ids, **options):
    return create_renderer(byte_level(), family="qwen3").parse_response(token_ids, **options)


def test_thought_content_and_calls_without_the_templates_white_space():
    found = parse(
        ids(
            '<think>\n\nbecause \n</think>\n\n hi\n\n<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>'
        )
    )
    assert (found.reasoning_content, found.reasoning_complete) == ("\nbecause ", True)
    assert found.content == " hi\n"
    assert [(c.name, c.arguments, c.status) for c in found.tool_calls] == [("f", {"x": 1}, "ok")]
    raw = found.tool_calls[0]
    assert raw.raw.startswith("<tool_call>")
    assert raw.raw.endswith("</tool_call>")


def test_token_spans_point_at_the_call():
    token_ids = ids('hi <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\nbroken\n</tool_call>')
    found = parse(token_ids, tools=TOOLS)
    assert [byte_level().decode(token_ids[slice(*c.token_span)]) for c in found.tool_calls] == [
        c.raw for c in found.tool_calls
    ]
    assert [c.status for c in found.tool_calls] == ["ok", "invalid_json"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('<tool_call>\n{"name": "f", "arguments": {}', "unclosed_block"),
        ('<tool_call>\n{"arguments": {}}\n</tool_call>', "missing_name"),
        ('<tool_call>\n{"name": "f"}\n</tool_call>', "malformed_structure"),
        ("<tool_call>\n[1]\n</tool_call>", "malformed_structure"),
        ('<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>', "unknown_tool"),
        ('<tool_call>\n{"name": "f", "arguments": "{"}\n</tool_call>', "invalid_json"),
        ('<tool_call>\n{"name": "f", "arguments": {"a": "</tool_call>"}}\n</tool_call>', "ok"),
    ],
)
def test_every_attempt_has_a_status(text, status):
    found = parse(ids("a" + text), tools=TOOLS)
    assert [c.status for c in found.tool_calls] == [status]
    assert found.content == "a"


def test_a_draft_inside_a_thought_is_no_call():
    found = parse(ids('<think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n</think>\n\nno'))
    assert (found.tool_calls, found.content) == ([], "no")


def test_cut_thoughts_and_prompt_thoughts():
    cut = parse(ids("<think>\nbecau"))
    assert (cut.reasoning_content, cut.reasoning_complete, cut.content) == ("becau", False, "")
    prompt = ids("<|im_start|>assistant\n<think>\n")
    inside = parse(ids("because\n</think>\n\nhi"), prompt_ids=prompt)
    assert (inside.reasoning_content, inside.content) == ("because", "hi")
    closed = parse(ids("hi"), prompt_ids=ids("<|im_start|>assistant\n<think>\n\n</think>\n\n"))
    assert (closed.reasoning_content, closed.content) == (None, "hi")


def test_ordinary_tokens_that_spell_markers_are_text():
    text = "<think>x</think><tool_call>y</tool_call><|im_end|>"
    found = parse(plain_ids(text))
    assert (found.content, found.reasoning_content, found.tool_calls) == (text, None, [])


def test_equal_bytes_parse_equally():
    text = "hi hi\n\n\nuser é🙂"
    assert parse(ids(text)) == parse(plain_ids(text))
    assert parse(ids(text)).content == text


def test_incomplete_characters_and_empty_completions():
    assert parse(plain_ids("a🙂")[:-1]).content == "a\ufffd"
    assert parse([]).content == ""
    assert parse(ids("<|im_end|>")).content == ""


def test_values_written_as_text_follow_their_schema():
    schemas = ToolSchemas(TOOLS)
    assert schemas.value("f", "text", "42") == "42"
    assert schemas.value("f", "maybe", "null") == "null"
    assert schemas.value("f", "count", "42") == 42
    assert schemas.value("f", "flag", "True") is True
    assert schemas.value("f", "choice", "true") == "true"
    assert schemas.value("f", "other", "[1, 2]") == [1, 2]
    assert schemas.value("f", "other", "plain") == "plain"


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (
            read_xml_function,
            "\n<function=f>\n<parameter=text>\n1\n2\n</parameter>\n<parameter=count>\n3\n</parameter>\n</function>\n",
        ),
        (
            read_key_values,
            "f\n<arg_key>text</arg_key>\n<arg_value>1\n2</arg_value>\n<arg_key>count</arg_key><arg_value>3</arg_value>",
        ),
        (
            read_invocations,
            '\n<invoke name="f">\n<parameter name="text">1\n2</parameter>\n<parameter name="count">3</parameter>\n</invoke>\n',
        ),
        (read_kimi, 'functions.f:0<|tool_call_argument_begin|>{"text": "1\\n2", "count": 3}'),
        (read_fenced_json, 'function<｜tool▁sep｜>f\n```json\n{"text": "1\\n2", "count": 3}\n```'),
        (read_gemma, 'call:f{count:3,text:<|"|>1\n2<|"|>}'),
    ],
)
def test_every_notation_gives_name_and_values(reader, text):
    (attempt,) = reader(text, ToolSchemas(TOOLS))
    assert (attempt.name, attempt.arguments, attempt.status) == ("f", {"text": "1\n2", "count": 3}, "ok")
    for cut in range(len(text)):
        for partial in reader(text[:cut], ToolSchemas(TOOLS)):
            assert partial.status in {
                "ok",
                "invalid_json",
                "missing_name",
                "malformed_structure",
                "unclosed_block",
                "unknown_tool",
            }


def bare(text):
    found = read_bare_calls(text, ToolSchemas(TOOLS))
    return [(call.arguments, call.status) for _, _, call in found.calls], text[found.words :]


def test_a_bare_call_is_told_from_json_content():
    assert bare('{"name": "f", "parameters": {"count": 1}}') == ([({"count": 1}, "ok")], "")
    assert bare('{"name": "f", "parameters": {') == ([(None, "unclosed_block")], "")
    for content in ('{"name": "Bob", "age": 3}', "hello", ' ; {"name": "f", "parameters": {}}'):
        assert bare(content) == ([], content)


@pytest.mark.parametrize("between", ["; ", ";", "\n", "\n\n", " ;\n<|python_tag|>"])
def test_bare_calls_stand_side_by_side(between):
    one, other = '{"name": "f", "parameters": {"count": 1}}', '{"name": "f", "parameters": {"text": "; {"}}'
    assert bare(one + between + other) == ([({"count": 1}, "ok"), ({"text": "; {"}, "ok")], "")
    broken = '{"name": "f", "parameters": {"count": }}'
    assert bare(broken + ";" + other) == ([(None, "invalid_json"), ({"text": "; {"}, "ok")], "")
    assert bare(one + between + "Done. {") == ([({"count": 1}, "ok")], between + "Done. {")
