"""No completion raises; what is broken costs its own call, in every notation."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notations import STOP, STOP_IDS, CharacterEncoder, formats, markers_of

from tokenspec_reference.renderers.parsing.call_formats import ToolSchemas
from tokenspec_reference.renderers.parsing.completion import read_completion
from tokenspec_reference.renderers.parsing.json_values import MAX_DEPTH, decode_at, loads
from tokenspec_reference.renderers.parsing.parse import parse_completion
from tokenspec_reference.renderers.parsing.streaming import ResponseStream
from tokenspec_reference.renderers.parsing.thought import PromptThought

TOOLS = ToolSchemas([{"name": name, "parameters": {"properties": {"a": {"type": "number"}}}} for name in ("f", "g")])
ENCODER = CharacterEncoder(())

WRITTEN = {
    "read_json_object": '\n{{"name": "{name}", "arguments": {{"a": {value}}}}}\n',
    "read_json_list": '[{{"name": "{name}", "arguments": {{"a": {value}}}}}]',
    "read_named_json": '{name} {{"a": {value}}}',
    "read_xml_function": "\n<function={name}>\n<parameter=a>\n{value}\n</parameter>\n</function>\n",
    "read_key_values": "{name}\n<arg_key>a</arg_key>\n<arg_value>{value}</arg_value>\n",
    "read_separated_values": "{name}<tool_sep:opensource>\n<arg_key:opensource>a</arg_key:opensource>\n"
    "<arg_value:opensource>{value}</arg_value:opensource>\n",
    "read_invocations": '\n<invoke name="{name}">\n<parameter name="a">{value}</parameter>\n</invoke>\n',
    "read_dsml": '\n<｜DSML｜invoke name="{name}">\n<｜DSML｜parameter name="a" string="false">{value}'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n",
    "read_kimi": 'functions.{name}:0<|tool_call_argument_begin|>{{"a": {value}}}',
    "read_fenced_json": 'function<｜tool▁sep｜>{name}\n```json\n{{"a": {value}}}\n```',
    "read_separated_json": '{name}<｜tool▁sep｜>{{"a": {value}}}',
    "read_gemma": "call:{name}{{a:{value}}}",
}
NOTATIONS = {name: form.calls for name, form in formats().items() if form.calls is not None}


def written(form, value, name="f"):
    return WRITTEN[form.read.__name__].format(name=name, value=value)


def calls_in(name, text, *, stopped=True):
    form = formats()[name]
    view = read_completion(ENCODER, ENCODER.ids([text, STOP] if stopped else [text]), STOP_IDS)
    found = parse_completion(view, form, TOOLS, PromptThought(closed=""))
    return [(call.name, call.arguments, call.status) for call in found.tool_calls]


@pytest.mark.parametrize("name", sorted(NOTATIONS))
def test_a_call_is_read_as_these_tests_write_it(name):
    form = NOTATIONS[name]
    assert calls_in(name, form.begin + written(form, 1) + form.end) == [("f", {"a": 1}, "ok")]


@pytest.mark.parametrize("name", sorted(name for name, form in NOTATIONS.items() if form.end))
def test_a_missing_close_costs_its_own_call_alone(name):
    form = NOTATIONS[name]
    text = form.begin + written(form, 1) + form.begin + written(form, 2, "g") + form.end
    first, second = calls_in(name, text)
    assert (first[0], second) == ("f", ("g", {"a": 2}, "ok"))
    assert first[2] == "unclosed_block"
    cut = written(form, 1)[: len(written(form, 1)) // 2]
    *_, last = calls_in(name, form.begin + cut + form.begin + written(form, 2, "g") + form.end)
    assert last == ("g", {"a": 2}, "ok")


@pytest.mark.parametrize("name", sorted(NOTATIONS))
@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "[NaN]", "9" * 4301, "[" * 1000, '"\\ud800"']
)
def test_what_is_no_json_value_is_no_whole_call(name, value):
    form = NOTATIONS[name]
    ((_, _, status),) = calls_in(name, form.begin + written(form, value) + form.end)
    assert status not in {"ok", "unknown_tool"}


@pytest.mark.parametrize("name", sorted(formats()))
def test_depth_is_no_exception(name):
    form = formats()[name]
    for count in (MAX_DEPTH - 2, MAX_DEPTH + 1, 1_500):
        for bracket in ("[", '{"a":'):
            head = "".join(markers_of(form)[:1]) + '{"name": "f", "parameters": {"a": ' * bool(form.bare_calls)
            view = read_completion(ENCODER, ENCODER.ids([head + bracket * count, STOP]), STOP_IDS)
            parse_completion(view, form, TOOLS, PromptThought())


def test_depth_is_the_same_wherever_the_reader_is_called_from():
    whole = "[" * MAX_DEPTH + "]" * MAX_DEPTH

    def deeper(levels):
        return loads(whole) if levels == 0 else deeper(levels - 1)

    assert deeper(1) == deeper(sys.getrecursionlimit() // 3)
    with pytest.raises(json.JSONDecodeError, match="brackets are open"):
        loads(f"[{whole}]")
    assert loads('"' + "[" * 999 + '"') == "[" * 999
    assert decode_at("1 " + "[" * 999, 0) == (1, 1)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.sampled_from(["", " ", "\n\t"]))
def test_json_reads_as_it_was_written(value, blank):
    assert loads(blank + json.dumps(value) + blank) == value


PIECES = ('"', "'", ":", ",", "{", "}", "[", "]", " ", "\n", "a", "NaN", "1e999", "9" * 4301, "[" * 60, "\\ud800", "\\", '<|"|>',
          "call:f{", "f", "name", '{"name": "f", "arguments": {', "functions.f:0", "```json\n", "\n```", "true", "\x00", "\ud800")  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_no_completion_raises(data):
    form = formats()[data.draw(st.sampled_from(sorted(formats())))]
    own = markers_of(form)
    pieces = data.draw(st.lists(st.sampled_from((*PIECES, *own, *own, STOP)), max_size=30))
    encoder = CharacterEncoder(own if data.draw(st.booleans()) else ())
    ids = encoder.ids(pieces)
    prompt = data.draw(st.sampled_from([PromptThought(), PromptThought(opened=""), PromptThought(closed="")]))
    parse_completion(read_completion(encoder, ids, STOP_IDS), form, TOOLS, prompt)
    stream = ResponseStream(encoder, STOP_IDS, form, TOOLS, prompt)
    for token in ids:
        stream.feed([token])
    stream.finish()


@pytest.mark.parametrize("name", sorted(NOTATIONS))
def test_a_call_that_is_cut_behind_an_empty_name_is_not_whole(name):
    text = NOTATIONS[name].begin + '\n{"name": "", "arguments'
    assert all(status != "ok" for _, _, status in calls_in(name, text, stopped=False))
