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


def turns_of(template, *closers):
    def made(normalisation="hf5"):
        return TemplateRenderer(byte_level(), template, normalisation=normalisation)

    return turns_of_template(
        made(), closers=closers, stops=(), by_next_marker=False, earlier=lambda: made(normalisation="hf4")
    )


def turns(thought=THOUGHT, call=CALL):
    template = HEAD.replace("THOUGHT", thought).replace("CALL", call)
    return turns_of(template, "<|im_end|>")


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


TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {}}}]


def test_an_unknown_notation_is_unsupported_not_guessed_where_it_is_needed():
    odd_thoughts = turns(thought="{{- '(' ~ m.reasoning_content ~ ')' -}}")
    with pytest.raises(UnsupportedByReference, match="thoughts in no known notation"):
        odd_thoughts.parse_response(ids("hi<|im_end|>"))
    odd_calls = turns(call="{{- ' calls ' ~ c.function.name -}}")
    with pytest.raises(UnsupportedByReference, match="calls in no known notation"):
        odd_calls.parse_response(ids("hi<|im_end|>"), tools=TOOLS)
    with pytest.raises(UnsupportedByReference, match="calls in no known notation"):
        odd_calls.bridge_to_next_turn(ids("q"), ids("hi<|im_end|>"), [{"role": "user", "content": "r"}], tools=TOOLS)
    assert odd_calls.parse_response(ids("<think>a</think>\nhi<|im_end|>")).content == "hi"
    for renderer in (odd_thoughts, odd_calls):
        assert renderer.get_stop_token_ids() == ids("<|im_end|>")


def test_a_template_without_thoughts_and_calls_is_plain():
    response = turns(thought="", call="").family.response
    assert (response.thought, response.calls) == (None, None)


def test_without_a_closer_there_is_no_stop_and_no_bridge():
    renderer = turns_of(HEAD)
    with pytest.raises(UnsupportedByReference, match="no control token"):
        renderer.get_stop_token_ids()
    with pytest.raises(UnsupportedByReference, match="no control token"):
        renderer.bridge_to_next_turn(ids("q"), ids("hi"), [{"role": "user", "content": "r"}])


def test_the_marker_of_the_next_turn_ends_one_that_has_no_closer():
    template = (
        "{% for m in messages %}{{ '<|im_start|>' if m.role == 'user' else '<|endoftext|>' }}{{ m.content }}{% endfor %}"
        "{% if add_generation_prompt %}<|endoftext|>{% endif %}"
    )
    renderer = TemplateRenderer(byte_level(), template)
    assert renderer.get_stop_token_ids() == ids("<|im_start|>") + ids("<|endoftext|>")
    ask, new = {"role": "user", "content": "q"}, [{"role": "user", "content": "r"}]
    prompt = renderer.render_ids([ask], add_generation_prompt=True)
    whole = renderer.render_ids([ask, {"role": "assistant", "content": "a"}, *new], add_generation_prompt=True)
    assert renderer.bridge_to_next_turn(prompt, ids("a<|im_start|>"), new).token_ids == whole
    assert renderer.bridge_to_next_turn(prompt, ids("a"), new).token_ids == whole


def test_a_question_in_parts_or_with_tools_is_asked_where_text_is_refused():
    template = HEAD.replace(
        "{%- for m in messages -%}", "{%- for m in messages -%}{%- for t in tools -%}{%- endfor -%}", 1
    )
    renderer = TemplateRenderer(byte_level(), template.replace("THOUGHT", THOUGHT).replace("CALL", CALL))
    assert renderer.get_stop_token_ids() == ids("<|im_end|>")
    assert renderer.parse_response(ids("<think>a</think>\nhi<|im_end|>"), tools=TOOLS).reasoning_content == "a"


def test_a_marker_of_thoughts_may_have_a_word_behind_it():
    template = (
        "{% for m in messages %}{% if m.role == 'assistant' %}<|im_start|>model\n{% if m.reasoning_content %}"
        "<think>thought\n{{ m.reasoning_content }}\n</think>{% endif %}{{ m.content }}<|im_end|>\n{% else %}"
        "<|im_start|>user\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    )
    found = TemplateRenderer(byte_level(), template).parse_response(ids("<think>thought\na\n</think>hi<|im_end|>"))
    assert (found.reasoning_content, found.content) == ("a", "hi")


def test_what_is_not_read_back_as_it_is_written_is_unsupported():
    behind_words = turns(thought="{{- 'So: <think>' ~ m.reasoning_content ~ '</think>' -}}")
    with pytest.raises(UnsupportedByReference, match="thoughts are not read back"):
        behind_words.parse_response(ids("hi<|im_end|>"))
    inside_words = turns(call=CALL.replace("\\n<tool_call>", "Calls: <tool_call>"))
    assert inside_words.parse_response(ids("hi<|im_end|>")).content == "hi"
    with pytest.raises(UnsupportedByReference, match="calls are not read back"):
        inside_words.parse_response(ids("hi<|im_end|>"), tools=TOOLS)
    written_anew = turns_of("{{ 'To be answered: ' if add_generation_prompt }}" + HEAD, "<|im_end|>")
    with pytest.raises(UnsupportedByReference, match="does not go on from the question"):
        written_anew.parse_response(ids("hi<|im_end|>"))


def test_a_result_that_the_template_leaves_out_is_declined():
    template = (
        "{% for m in messages %}{% if m.role != 'tool' or messages[loop.index0 - 1].tool_calls %}"
        "{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content ~ '<|im_end|>\\n' }}{% endif %}{% endfor %}"
        "{{ '<|im_start|>assistant\\n' if add_generation_prompt }}"
    )
    renderer = turns_of(template, "<|im_end|>")
    result, question = {"role": "tool", "content": "1"}, {"role": "user", "content": "q"}
    assert renderer.bridge_to_next_turn(ids("q"), ids("hi<|im_end|>"), [question]) is not None
    for new in ([result], [result, question], [question, result]):
        assert renderer.bridge_to_next_turn(ids("q"), ids("hi<|im_end|>"), new) is None
