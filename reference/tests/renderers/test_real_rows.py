"""Every hand-written family against its own template and against provenance, on rows that are at hand.

The rows come from the suite's cache; the reference itself never imports the suite.
"""

import os
import random
from itertools import groupby
from math import ceil

import pytest
from conversations import PIECES, ROWS, compare, freeze_clock, text

from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers.families import FAMILIES
from tokenspec_reference.renderers.template import TemplateRenderer, Wire

rows = pytest.importorskip("tokenspec.models")

pytestmark = pytest.mark.real
SHARE = float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1"))
CONVERSATIONS, COMPLETIONS = ceil(10_000 * SHARE), ceil(2_000 * SHARE)


@pytest.fixture(scope="module", params=ROWS)
def row(request):
    try:
        return rows.load(request.param)
    except Exception as missing:  # noqa: BLE001 - whatever keeps the row away is the reason to print
        pytest.skip(f"row {request.param}: {missing}")


@pytest.fixture(autouse=True)
def frozen_clock(monkeypatch):
    freeze_clock(monkeypatch)


def test_text_ids_and_refusals_equal_the_template(row):
    """100 random conversations, newline-heavy, with think tags, control tokens and odd JSON; the soak runs more."""
    assert row.spec.family in FAMILIES
    base = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    rng = random.Random(20261120)
    assert sum(compare(row, base, rng) for _ in range(100)) > 20


@pytest.mark.soak
@pytest.mark.parametrize("row", [*ROWS, "mistral-nemo"], indirect=True)
@pytest.mark.parametrize("by", ["family", "template"])
def test_soak(row, by):
    """10,000 random conversations per row, by the hand-written family and by provenance; prints the count."""
    if by == "family" and row.spec.family == "template":
        pytest.skip("nobody wrote a renderer for this row")
    family = row.spec.family if by == "family" else "template"
    base = create_renderer(row.tokenizer, family=family, chat_template=row.chat_template)
    rng = random.Random(7)
    answered = sum(compare(row, base, rng) for _ in range(CONVERSATIONS))
    print(
        f"{row.spec.id} by {by}: {CONVERSATIONS} conversations, {answered} rendered, "
        f"{CONVERSATIONS - answered} refused by both, 0 mismatches"
    )


PLAIN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "\nWhich city?\n"},
    {"role": "assistant", "content": "Lisbon."},
    {"role": "user", "content": "Sure? é日🙂"},
    {"role": "assistant", "content": "Yes."},
]


@pytest.mark.parametrize("add_generation_prompt", [False, True])
def test_masks_equal_provenance(row, add_generation_prompt):
    family = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    wire = Wire(row.spec.wire.assistant_open, row.spec.wire.assistant_close)
    template = TemplateRenderer(row.tokenizer, row.chat_template, wire=wire, straddle=row.spec.wire.straddle)
    one, other = (
        renderer.render(PLAIN, add_generation_prompt=add_generation_prompt) for renderer in (family, template)
    )
    assert one.is_content == other.is_content
    assert one.sampled_mask == other.sampled_mask
    assert one.text == other.text


def test_isolated_encoding_counts_control_tokens_of_the_scaffold_only(row):
    control = [token for token in row.spec.wire.stop if token in row.tokenizer.get_added_vocab()]
    messages = [{"role": "user", "content": "a" + "".join(control) + "b"}]
    clean = [{"role": "user", "content": "ab"}]
    renderer = create_renderer(
        row.tokenizer, family=row.spec.family, chat_template=row.chat_template, encoding="isolated"
    )
    wanted = renderer.encoder.control_ids

    def count(conversation):
        tokens = renderer.render(conversation, add_generation_prompt=True)
        return sum(token in wanted for token in tokens.token_ids)

    assert count(messages) == count(clean)


def test_the_bridge_equals_a_full_render_where_the_format_is_stable(row):
    renderer = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    history, turn, follow = PLAIN[1:2], PLAIN[2], PLAIN[3:4]
    prompt = renderer.render(history, add_generation_prompt=True)
    whole = renderer.render([*history, turn, *follow], add_generation_prompt=True)
    if not whole.text.startswith(prompt.text):
        pytest.skip("the history form of this turn does not continue its own prompt")
    emitted = [
        k for k, (i, on) in enumerate(zip(whole.message_indices, whole.sampled_mask, strict=True)) if on and i == 1
    ]
    end = max(emitted) + 1
    if whole.token_ids[: len(prompt.token_ids)] != prompt.token_ids:
        pytest.skip("the seam of this content merges with the prompt")
    bridged = renderer.bridge_to_next_turn(prompt.token_ids, whole.token_ids[len(prompt.token_ids) : end], follow)
    assert bridged is not None
    assert bridged.token_ids == whole.token_ids


@pytest.mark.soak
def test_soak_of_resplit_completions(row):
    """2,000 completions per row in another split of their bytes: kept, and followed by the same text."""
    base = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    encoder, rng = base.encoder, random.Random(11)
    by_bytes = {encoder.token_bytes(i): i for i in row.tokenizer.get_vocab().values() if i not in encoder.added}
    prompt = base.render([{"role": "user", "content": "hi"}], add_generation_prompt=True).token_ids
    new = [{"role": "user", "content": "\nand?\n"}]
    bridged = 0
    for _ in range(COMPLETIONS):
        canonical = encoder.ids("Sure.\n\n" + text(rng))
        other = resplit(encoder, by_bytes, canonical, rng)
        left, right = (base.bridge_to_next_turn(prompt, ids, new) for ids in (canonical, other))
        assert (left is None) == (right is None), (canonical, other)
        if left is not None:
            assert right.token_ids[: len(prompt) + len(other)] == prompt + other
            assert right.token_ids[len(prompt) + len(other) :] == left.token_ids[len(prompt) + len(canonical) :]
            bridged += 1
    print(
        f"{row.spec.id}: {COMPLETIONS} completions split anew, {bridged} bridged, {COMPLETIONS - bridged} declined, "
        "0 mismatches"
    )


def resplit(encoder, by_bytes, token_ids, rng):
    """The same bytes in other ordinary tokens; runs between control tokens are cut anywhere the vocabulary allows."""
    out = []
    for is_control, run in groupby(token_ids, key=lambda token: token in encoder.added):
        if is_control:
            out += run
            continue
        rest = b"".join(map(encoder.token_bytes, run))
        while rest:
            sizes = [size for size in range(1, min(len(rest), 12) + 1) if rest[:size] in by_bytes]
            if not sizes:
                return list(token_ids)  # a vocabulary without this byte
            size = rng.choice(sizes)
            out.append(by_bytes[rest[:size]])
            rest = rest[size:]
    return out


NEXT = [
    [{"role": "user", "content": "\nand?"}],
    [{"role": "tool", "content": "21", "tool_call_id": "functions.f:0"}],
    [{"role": "system", "content": "Shout."}, {"role": "user", "content": "and?"}],
]


def test_no_completion_raises_at_any_end(row):
    """Control tokens and pieces of calls in any order: parsed, streamed, and followed by what may come next."""
    renderer = create_renderer(row.tokenizer, family=row.spec.family, chat_template=row.chat_template)
    prompt = renderer.render([{"role": "user", "content": "hi"}], add_generation_prompt=True).token_ids
    control, rng = sorted(renderer.encoder.added), random.Random(5)
    words = [
        renderer.encoder.ids(word) for word in (*PIECES, '{"name": "f", "arguments": {', "functions.f:0", "[" * 300)
    ]
    for _ in range(ceil(COMPLETIONS / 50)):
        drawn = (rng.choice(([rng.choice(control)], rng.choice(words))) for _ in range(rng.randrange(12)))
        completion = [token for piece in drawn for token in piece]
        parsed = renderer.parse_response(completion)
        stream = renderer.stream_parser()
        for token in completion:
            stream.feed([token])
        stream.finish()
        bridged = renderer.bridge_to_next_turn(prompt, completion, rng.choice(NEXT))
        assert parsed.content is not None
        assert bridged is None or bridged.token_ids[: len(prompt + completion)] == prompt + completion


HARMONY_PIECES = (
    *("<|start|>", "assistant", "<|channel|>", "analysis", "final", "commentary", "<|message|>", "<|end|>", "\n"),
    *(" to=functions.get_weather", " to=browser.search", " to=python", " json", "<|constrain|>", '{"city": "Rome"}'),
    *(" hello", " quokka walrus", " lynx", "otter"),
)
HARMONY_WORDS = ("hello", "quokka", "walrus", "lynx", "otter", "Rome", "get_weather", "search")


@pytest.mark.parametrize("row", ["gpt-oss"], indirect=True)
def test_no_word_of_a_harmony_completion_is_lost(row):
    """RND-082 on completions put together at random."""
    renderer = create_renderer(row.tokenizer, family="gpt-oss", chat_template=row.chat_template)
    for seed in range(400):
        drawn = random.Random(seed)
        text = "".join(drawn.choice(HARMONY_PIECES) for _ in range(drawn.randint(1, 14)))
        found = renderer.parse_response(row.tokenizer(text, add_special_tokens=False)["input_ids"])
        calls = [f"{call.name} {call.raw} {call.arguments}" for call in found.tool_calls]
        said = " ".join([found.content, found.reasoning_content or "", *calls])
        assert all(text.count(word) <= said.count(word) for word in HARMONY_WORDS), text
