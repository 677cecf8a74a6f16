"""Completions that make no sense: nothing raises, no word is lost (``RND-082``), a stream ends like the whole (``RND-085``).

Soak runs 10,000 a row.
"""

import json
import os
import random
from math import ceil

import pytest

from tokenspec.models import available, load, specs
from tokenspec_reference.errors import UnsupportedByReference
from tokenspec_reference.renderers import create_renderer

COMPLETIONS = ceil(10_000 * float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1")))
WORDS = ("quokka", "walrus", "lynx", "otter", "Rome")
NOTATION = (
    *(" ", "\n", "\n\n", "{", "}", '"', "[", "]", ",", ":", "assistant", "analysis", "final", " json", "null"),
    *('{"city": "Rome"}', '{"name": "get_weather", "arguments": {"city": "Rome"}}', '{"name": "get_weather"'),
    *("<think>", "</think>", "</thin", "<tool_call>", "</tool_call>", "<function=get_weather>", "</function>"),
    *("<parameter=city>\n", "\n</parameter>", "<arg_key>city</arg_key>", "<arg_value>", "</arg_value>"),
    *('<invoke name="get_weather">', "</invoke>", '<parameter name="city">', "</parameter>"),
    *("functions.get_weather:0", " to=functions.get_weather", " to=python", "call:get_weather{", "```json\n", "\n```"),
)


def completion(row, rng):
    """A random completion: its text and ids."""
    special = sorted(row.tokenizer.get_added_vocab())
    markers = [token for token in special if any(letter.isalpha() for letter in token)][:60]
    parts = [rng.choice(rng.choice((WORDS, NOTATION, markers or NOTATION))) for _ in range(rng.randint(1, 16))]
    return "".join(parts), row.tokenizer.encode("".join(parts), add_special_tokens=False)


def lost(row, renderer, rng):
    """A random completion with a word of it that is nowhere in the answer, or None."""
    text, ids = completion(row, rng)
    found = renderer.parse_response(ids)
    read = row.tokenizer.decode(ids[: stop_of(renderer, ids)], skip_special_tokens=False)
    said = [found.content, found.reasoning_content or ""]
    said += [f"{one.name} {one.raw} {json.dumps(one.arguments)}" for one in found.tool_calls]
    pool = " ".join(said)
    return next(((text, word, found) for word in WORDS if read.count(word) > pool.count(word)), None)


def streamed_otherwise(row, renderer, rng):
    """A random completion of which a stream says, in chunks of up to three ids, something else than of the whole."""
    text, ids = completion(row, rng)
    found, stream = renderer.parse_response(ids), renderer.stream_parser()
    deltas, left = [], ids
    while left:
        count = rng.randint(1, 3)
        deltas.append(stream.feed(left[:count]))
        left = left[count:]
    deltas.append(stream.finish())
    said = tuple("".join(getattr(delta, name) for delta in deltas) for name in ("content", "reasoning_content"))
    calls = [(call.name, call.status) for delta in deltas for call in delta.tool_calls]
    whole = (found.content, found.reasoning_content or "")
    same = said == whole and calls == [(call.name, call.status) for call in found.tool_calls]
    return None if same else (text, deltas, found)


def stop_of(renderer, ids):
    """Where the first stop token stands; what follows it is no completion."""
    stops = set(renderer.get_stop_token_ids())
    return next((place for place, token in enumerate(ids) if token in stops), len(ids))


def run(name, count, fault):
    if reason := available(name):
        pytest.skip(reason)
    row = load(name)
    renderer = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    rng = random.Random(82)
    try:
        found = [said for _ in range(count) if (said := fault(row, renderer, rng)) is not None]
    except UnsupportedByReference as reason:
        pytest.skip(str(reason))
    assert not found[:3], f"{len(found)} of {count}"


FAULTS = pytest.mark.parametrize("fault", [lost, streamed_otherwise])


@FAULTS
@pytest.mark.parametrize("name", ["toy-bpe", "toy-ranks"])
def test_random_toy_completions_have_no_fault(name, fault):
    run(name, 300, fault)


@pytest.mark.soak
@FAULTS
@pytest.mark.parametrize("name", [name for name, spec in specs().items() if spec.wire.stop])
def test_random_completions_have_no_fault(name, fault):
    run(name, COMPLETIONS, fault)
