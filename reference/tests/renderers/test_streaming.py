"""A stream says what the whole says, tells nothing before its plain twin, and costs in proportion to its length."""

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notations import STOP, STOP_IDS, CharacterEncoder, formats, markers_of
from test_hostile_completions import NOTATIONS, written

from tokenspec_reference.renderers.parsing import streaming
from tokenspec_reference.renderers.parsing.call_formats import ToolSchemas
from tokenspec_reference.renderers.parsing.completion import read_completion
from tokenspec_reference.renderers.parsing.deltas import call_delta
from tokenspec_reference.renderers.parsing.parse import parse_completion
from tokenspec_reference.renderers.parsing.plain_stream import PlainStream
from tokenspec_reference.renderers.parsing.streaming import ResponseStream
from tokenspec_reference.renderers.parsing.thought import PromptThought

TOOLS = ToolSchemas([{"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}])
CALL = '{"name": "f", "arguments": {"a": "x"}}'
WORDS = (
    "Hi", " ", "\n", "\n\n", "there.", "<", "<tool", ";", "]", "{", "}", '"', "</", "é", "\ufffd", CALL, f"[{CALL}]",
    '{"name": "f", "parameters": {"a": 1}}', "call:f{a:1}", 'f {"a": 1}', "functions.f:0<|tool_call_argument_begin|>{}",
    "<function=f>\n<parameter=a>\nx\n</parameter>\n</function>", "f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>",
    '<invoke name="f">\n<parameter name="a">x</parameter>\n</invoke>', " to=functions.f", "analysis", "final", "assistant",
    '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>',
)  # fmt: skip
PROMPTS = (PromptThought(), PromptThought(opened=""), PromptThought(opened="\n"), PromptThought(closed="\n\n"))


def chunked(ids, seed):
    draw = random.Random(seed)
    while ids:
        size = draw.choice((1, 1, 2, 5, 30))
        yield ids[:size]
        ids = ids[size:]


def joined(deltas):
    calls = [call for delta in deltas for call in delta.tool_calls]
    return "".join(d.content for d in deltas), "".join(d.reasoning_content for d in deltas), calls


def whole_of(form, prompt, encoder, ids):
    """Content, reasoning and calls of a completion that is parsed at once."""
    whole = parse_completion(read_completion(encoder, ids, STOP_IDS), form, TOOLS, prompt)
    calls = [call_delta(index, call) for index, call in enumerate(whole.tool_calls)]
    return whole.content, whole.reasoning_content or "", calls


@st.composite
def completions(draw):
    name = draw(st.sampled_from(sorted(formats())))
    form = formats()[name]
    own = markers_of(form)
    pieces = draw(st.lists(st.sampled_from((*WORDS, *own, *own)), max_size=24))
    pieces += [STOP] if draw(st.booleans()) else []
    encoder = CharacterEncoder(own if draw(st.booleans()) else ())
    return form, draw(st.sampled_from(PROMPTS)), encoder, encoder.ids(pieces), draw(st.integers(0, 9))


@settings(deadline=None, max_examples=200)
@given(completions())
def test_joined_deltas_are_the_parse_and_nothing_is_told_before_the_plain_twin(completion):
    form, prompt, encoder, ids, seed = completion
    fast, plain = (kind(encoder, STOP_IDS, form, TOOLS, prompt) for kind in (ResponseStream, PlainStream))
    told, due = [], []
    for chunk in chunked(ids, seed):
        told.append(fast.feed(chunk))
        due.append(plain.feed(chunk))
        for mine, its in zip(joined(told), joined(due), strict=True):
            assert its[: len(mine)] == mine
    told.append(fast.finish())
    assert joined(told) == whole_of(form, prompt, encoder, ids)


PARTS = re.compile(r"<[^<>]*>|\w+|.", re.DOTALL)


@st.composite
def edited_calls(draw):
    """Two written calls with text around them, a few of whose words and markers were dropped, doubled, or put in."""
    name = draw(st.sampled_from(sorted(NOTATIONS)))
    form, calls = formats()[name], NOTATIONS[name]
    own = markers_of(form)
    around = [draw(st.sampled_from(("", "cc", "<", "\n", " x ", "tail", *own))) for _ in range(3)]
    one, two = (calls.begin + written(calls, 1, tool) + calls.end for tool in ("f", "g"))
    parts = PARTS.findall(around[0] + one + around[1] + two + around[2])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(parts) - 1))
        parts[at : at + 1] = draw(st.sampled_from(([], [parts[at]] * 2, ["\n", parts[at]], ["<", parts[at]])))
        parts = parts or ["x"]
    encoder = CharacterEncoder(own if draw(st.booleans()) else ())
    ids = encoder.ids(["".join(parts)])
    return form, draw(st.sampled_from(PROMPTS)), encoder, ids, draw(st.integers(0, 9))


@settings(deadline=None, max_examples=400)
@given(edited_calls())
def test_a_stream_of_edited_calls_says_what_the_whole_says(completion):
    form, prompt, encoder, ids, seed = completion
    stream = ResponseStream(encoder, STOP_IDS, form, TOOLS, prompt)
    told = [stream.feed(chunk) for chunk in chunked(ids, seed)] + [stream.finish()]
    assert joined(told) == whole_of(form, prompt, encoder, ids)


@pytest.mark.parametrize("name", sorted(NOTATIONS))
@pytest.mark.parametrize("ahead", ["1 <", "<\n", "{section}\n"])
def test_what_stands_in_front_of_a_call_is_told_once(name, ahead):
    form, calls = formats()[name], NOTATIONS[name]
    one, two = (calls.begin + written(calls, 1, tool) + calls.end for tool in ("f", "g"))
    section = calls.sections[0] if calls.sections else ""
    encoder = CharacterEncoder(())
    for text in (ahead.format(section=section) + one, one + ahead.format(section=section) + two):
        ids = encoder.ids([text])
        stream = ResponseStream(encoder, STOP_IDS, form, TOOLS, PROMPTS[3])
        told = [stream.feed([token]) for token in ids] + [stream.finish()]
        assert joined(told) == whole_of(form, PROMPTS[3], encoder, ids)


@settings(deadline=None, max_examples=100)
@given(completions())
def test_the_deltas_of_short_completions_are_those_of_the_plain_twin(completion):
    form, prompt, encoder, ids, seed = completion
    ids = ids[:160]
    fast, plain = (kind(encoder, STOP_IDS, form, TOOLS, prompt) for kind in (ResponseStream, PlainStream))
    for chunk in chunked(ids, seed):
        mine, its = fast.feed(chunk), plain.feed(chunk)
        if fast._tries < streaming.FREE_TRIES and "\ufffd" not in "".join(map(chr, [i for i in ids if i < 0x110000])):
            assert mine == its


def shapes(form):
    """Long completions: one answer, one thought, many calls, one long call, values full of markers, blanks."""
    yield "answer", lambda n: ["word " * (n // 5)]
    yield "blanks", lambda n: ["Hi", "\n" * n, "there"]
    yield "doubts", lambda n: ["< " * (n // 2)]
    if form.thought is not None:
        yield "thought", lambda n: [form.thought.open, "word " * (n // 5), form.thought.close, "Hi"]
    if form.calls is not None:
        own = form.calls
        yield "calls", lambda n: [own.begin, CALL, own.end] * (n // (len(CALL) + 20))
        yield (
            "long call",
            lambda n: [own.begin, json.dumps({"name": "f", "arguments": {"a": "word " * (n // 5)}}), own.end],
        )
        yield (
            "markers",
            lambda n: [own.begin, '{"name": "f", "arguments": {"a": "', *([own.end or "]", "x "] * (n // 20))],
        )


def characters_parsed(form, pieces, monkeypatch):
    """How many characters of text a stream looks at, one character a chunk."""
    encoder = CharacterEncoder(markers_of(form))
    seen = 0

    def counting(view, *rest, **options):
        nonlocal seen
        seen += len(view.text)
        return parse_completion(view, *rest, **options)

    monkeypatch.setattr(streaming, "parse_completion", counting)
    stream = ResponseStream(
        encoder, STOP_IDS, form, TOOLS, PromptThought(opened="") if form.thought else PromptThought()
    )
    ids = encoder.ids(pieces)
    for token in ids:
        stream.feed([token])
    stream.finish()
    return seen


CASES = [(name, shape) for name, form in formats().items() for shape, _ in shapes(form)]


@pytest.mark.parametrize(("name", "shape"), CASES, ids=[f"{name}-{shape}" for name, shape in CASES])
def test_what_a_stream_parses_grows_with_its_length(name, shape, monkeypatch):
    form = formats()[name]
    make = dict(shapes(form))[shape]
    small, large = (characters_parsed(form, make(n), monkeypatch) for n in (500, 2_500))
    assert large <= 5 * 1.5 * small + 2_000
