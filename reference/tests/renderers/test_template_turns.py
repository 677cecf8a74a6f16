"""Parsing and bridging over a template nobody wrote a family for: its notation is found by asking it."""

import pytest
from toys import byte_level

from tokenspec_reference.errors import UnsupportedByReference
from tokenspec_reference.renderers.parsing.call_formats import JSON_CALLS
from tokenspec_reference.renderers.template import TemplateRenderer
from tokenspec_reference.renderers.template_turns import turns_of_template

HEAD = """{%- for m in messages -%}
{%- if m.role == 'assistant' -%}
<|im_start|>assistant
{{ '' }}{%- if m.reasoning_content -%}THOUGHT{%- endif -%}{{ m.content }}
{%- for c in m.tool_calls or [] -%}CALL{%- endfor -%}
<|im_end|>
{% else -%}
<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}"""
THOUGHT = "{{- '<think>' ~ m.reasoning_content ~ '</think>\\n' -}}"
CALL = """{{- '\\n<tool_call>{"name": "' ~ c.function.name ~ '", "arguments": ' ~ (c.function.arguments | tojson) ~ '}</tool_call>' -}}"""


def turns(thought=THOUGHT, call=CALL):
    template = HEAD.replace("THOUGHT", thought).replace("CALL", call)
    return turns_of_template(TemplateRenderer(byte_level(), template), closers=("<|im_end|>",))


def ids(text):
    return byte_level().encode(text, add_special_tokens=False)


def test_markers_and_white_space_are_found():
    response = turns().family.response
    assert (response.thought.open, response.thought.close) == ("<think>", "</think>")
    assert (response.thought.after_open, response.thought.before_close, response.thought.after_close) == ("", "", "\n")
    assert (response.calls.begin, response.calls.read, response.calls.separator) == (
        "<tool_call>",
        JSON_CALLS.read,
        "\n",
    )
    found = turns().parse_response(
        ids('<think> a</think>\n hi\n<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call><|im_end|>')
    )
    assert (found.reasoning_content, found.content) == (" a", " hi")
    assert [(c.name, c.arguments, c.status) for c in found.tool_calls] == [("f", {"x": 1}, "ok")]


def test_the_bridge_equals_a_full_render():
    renderer = turns()
    ask, new = {"role": "user", "content": "q"}, [{"role": "user", "content": "\nhi"}]
    prompt = renderer.render([ask], add_generation_prompt=True).token_ids
    bridged = renderer.bridge_to_next_turn(prompt, ids("done<|im_end|>"), new)
    whole = renderer.render([ask, {"role": "assistant", "content": "done"}, *new], add_generation_prompt=True)
    assert bridged.token_ids == whole.token_ids
    assert (
        bridged.is_content[len(prompt) :]
        == [False] * len(ids("done<|im_end|>")) + whole.is_content[len(prompt) + len(ids("done<|im_end|>")) :]
    )


@pytest.mark.parametrize(
    "parts", [{"thought": "{{- '(' ~ m.reasoning_content ~ ')' -}}"}, {"call": "{{- ' calls ' ~ c.function.name -}}"}]
)
def test_an_unknown_notation_is_unsupported_not_guessed(parts):
    with pytest.raises(UnsupportedByReference, match="no known notation"):
        turns(**parts)


def test_a_template_without_thoughts_and_calls_is_plain():
    response = turns(thought="", call="").family.response
    assert (response.thought, response.calls) == (None, None)
    with pytest.raises(UnsupportedByReference, match="no control token"):
        turns_of_template(TemplateRenderer(byte_level(), HEAD), closers=("</s>",))
