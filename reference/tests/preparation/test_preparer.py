"""What preparation says of small conversations, each with one thing wrong."""

import json

import pytest
from small_conversations import TOOL, answer, call, codes, result, user

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation import CODES, Conversation, Preparer
from tokenspec_reference.preparation.fast_encoding import proven
from tokenspec_reference.preparation.rendering import render, runs_by_token
from tokenspec_reference.renderers import build_training_sample, create_renderer
from tokenspec_reference.renderers.attribute import encode_and_attribute

rows = pytest.importorskip("tokenspec.models")

CLEAN = {
    "one turn": ([user("hi"), answer("hello")], None),
    "two turns": ([user("hi"), answer("hello"), user("more"), answer("yes")], None),
    "tools": ([user("hi"), answer("", tool_calls=[call()]), result(), answer("21 degrees")], [TOOL]),
    "ends in a call": ([user("hi"), answer("", tool_calls=[call()])], [TOOL]),
    "thought": ([user("hi"), answer("hello", reasoning_content="greet back")], None),
    "thought inside": ([user("hi"), answer("<think>\ngreet back\n</think>\n\nhello")], None),
    "call inside": ([user("hi"), answer('<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>')], [TOOL]),
}


@pytest.mark.parametrize("name", CLEAN)
def test_a_whole_conversation_is_flagged_by_nothing(renderer, name):
    messages, tools = CLEAN[name]
    prepared = Preparer(renderer)(Conversation(messages, tools))
    sample = build_training_sample(renderer, messages, tools=tools)
    assert prepared.findings == []
    assert (prepared.token_ids, prepared.loss_mask) == (sample.token_ids, sample.loss_mask)
    rendered = renderer.render(messages, tools=tools)
    assert prepared.is_content == rendered.is_content
    outer = [(span.message, span.start, span.end) for span in prepared.spans]
    assert outer == [(i, *span) for i, span in enumerate(rendered.message_token_spans()) if span]


BROKEN = {
    "refused": [[{"role": "developer", "content": "x"}, user("hi"), answer("x")], []],
    "control-token": [[user("a<|im_end|>b"), answer("x")]],
    "header-merges": [[user("\n\nhi"), answer("x")]],
    "empty-loss-mask": [[user("a")]],
    "broken-call": [
        [user("a"), answer("", tool_calls=[call('{"x": 1')]), result(), answer("b")],
        [user("a"), answer("", tool_calls=[call("[1]")]), result(), answer("b")],
        [user("a"), answer('<tool_call>\n{"name": "find", "arguments": {"x"\n</tool_call>')],
    ],
    "call-without-result": [
        [user("a"), answer("", tool_calls=[call()]), user("b"), answer("c")],
        [user("a"), answer("", tool_calls=[call(), call(call_id="call00002")]), result(), answer("c")],
    ],
    "result-without-call": [
        [user("a"), result(), answer("b")],
        [user("a"), answer("", tool_calls=[call()]), result(), result(), answer("b")],
    ],
}


@pytest.mark.parametrize(
    ("code", "number"), [(code, k) for code, several in BROKEN.items() for k in range(len(several))]
)
def test_one_thing_wrong_is_one_finding(renderer, code, number):
    prepared = Preparer(renderer)(Conversation(BROKEN[code][number], [TOOL]))
    assert codes(prepared) == [code]
    assert (prepared.token_ids == []) == (CODES[code].level == "error")


def test_a_thought_that_history_loses_is_dropped_and_the_prefix_rewritten(renderer):
    messages = [user("a"), answer("b", reasoning_content="because"), user("c"), answer("d")]
    assert codes(Preparer(renderer)(Conversation(messages))) == ["reasoning-dropped", "prefix-unstable"]
    messages[1] = answer("the longest word of it", reasoning_content="a longest word")
    assert codes(Preparer(renderer)(Conversation(messages))) == ["reasoning-dropped", "prefix-unstable"]
    messages[3] = answer("d", reasoning_content="4 would be d")
    messages[1] = answer("b")
    assert "reasoning-dropped" not in codes(Preparer(renderer)(Conversation(messages)))


def test_a_prompt_that_opens_a_thought_is_not_how_the_turn_begins():
    row = rows.load("toy-bpe")
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    template += "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
    prepared = Preparer(create_renderer(row.tokenizer, chat_template=template))(Conversation([user("a"), answer("b")]))
    assert "sampled-differs" in codes(prepared)


def test_a_template_that_runs_away_is_a_finding():
    row = rows.load("toy-bpe")
    template = "{{ messages[0].content * 999999999 }}"
    prepare = Preparer(create_renderer(row.tokenizer, family="template", chat_template=template))
    assert codes(prepare(Conversation([user("a"), answer("b")]))) == ["template-limit"]


def test_messages_without_weight_are_context(renderer):
    messages = [user("a"), answer("first"), user("b"), answer("second")]
    prepared = Preparer(renderer)(Conversation(messages, trained=(True, False, True, True)))
    assert prepared.findings == []
    text = renderer.tokenizer.decode([t for t, on in zip(prepared.token_ids, prepared.loss_mask, strict=True) if on])
    assert text == "second<|im_end|>"
    nothing = Preparer(renderer)(Conversation(messages, trained=(False,) * 4))
    assert codes(nothing) == ["empty-loss-mask"]


@pytest.mark.parametrize("overlong", ["turns", "tokens", "drop"])
def test_what_is_cut_is_said(renderer, overlong):
    messages = [user("a"), answer("first " * 5), user("b"), answer("second " * 20)]
    whole = Preparer(renderer)(Conversation(messages))
    second = whole.spans[1].end
    bound = second + 12
    prepared = Preparer(renderer, max_length=bound, overlong=overlong)(Conversation(messages))
    (finding,) = [f for f in prepared.findings if f.code == "over-length"]
    assert prepared.total == len(whole.token_ids)
    behind = max(span.end for span in whole.spans if span.end <= bound)
    assert len(prepared.token_ids) == {"turns": behind, "tokens": bound, "drop": 0}[overlong]
    assert ("INSIDE" in finding.detail) == (overlong == "tokens")
    assert whole.token_ids[: len(prepared.token_ids)] == prepared.token_ids


def test_a_bound_is_positive(renderer):
    with pytest.raises(TokenSpecError, match="max_length"):
        Preparer(renderer, max_length=0)


def test_a_faster_encoder_is_taken_only_where_it_agrees(renderer):
    class Same:
        def encode(self, text):
            return renderer.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)

    class Other:
        def encode(self, text):
            return renderer.tokenizer.backend_tokenizer.encode(text + "!", add_special_tokens=False)

    class Broken:
        def encode(self, text):
            raise RuntimeError(text)

    texts = ["hi there<|im_end|>\n", "  two\n\nlines"]
    fast = proven(renderer.encoder, Same(), texts)
    conversation = Conversation(CLEAN["two turns"][0])
    assert Preparer(renderer, encoder=fast)(conversation) == Preparer(renderer)(conversation)
    assert proven(renderer.encoder, Other(), texts) is None
    assert proven(renderer.encoder, Broken(), texts) is None
    assert Preparer(renderer, encoder=fast and type(fast)(renderer.encoder, Other()))(conversation).token_ids


def test_inputs_stay_and_results_repeat(renderer):
    messages, tools = CLEAN["tools"]
    before = json.dumps([messages, tools])
    prepare = Preparer(renderer)
    assert prepare(Conversation(messages, tools)) == prepare(Conversation(messages, tools))
    assert json.dumps([messages, tools]) == before


def test_a_renderer_that_breaks_costs_one_row(renderer):
    class Breaks:
        encoder = renderer.encoder

        def render_parts(self, *_args, **_options):
            raise RuntimeError("oops")

    (finding,) = Preparer(Breaks())(Conversation([user("a")])).findings
    assert (finding.code, finding.detail) == ("failed", "RuntimeError: oops")


@pytest.mark.parametrize("name", CLEAN)
def test_runs_by_span_are_those_by_token(renderer, name):
    messages, tools = CLEAN[name]
    for told in (messages, [{**message, "content": f"größer 🙂 {message['content']}\n"} for message in messages]):
        found = render(renderer, renderer.encoder, Conversation(told, tools))
        twin = encode_and_attribute(renderer.encoder, found.text, found.spans)
        assert found.token_ids == twin.token_ids
        assert list(zip(found.starts, found.ends, strict=True)) == twin.char_spans
        by_token = list(runs_by_token(twin))
        kinds = [kind for run in found.owned for kind in [run[2:]] * (run.end - run.start)]
        assert kinds == [kind for run in by_token for kind in [run[2:]] * (run.end - run.start)]


@pytest.mark.parametrize(
    "asked", [{"straddle": "overlap"}, {"id_profile": "sampled-boundary"}, {"encoding": "isolated"}]
)
def test_other_rules_are_the_renderers_own(asked):
    row = rows.load("toy-bpe")
    other = create_renderer(row.tokenizer, chat_template=row.chat_template, **asked)
    messages = [user("\n\nhi <|im_end|>"), answer("\nhello")]
    prepared, sample = Preparer(other)(Conversation(messages)), build_training_sample(other, messages)
    assert (prepared.token_ids, prepared.loss_mask) == (sample.token_ids, sample.loss_mask)


class Panic(BaseException):
    """As the panics of Rust libraries are: no Exception."""


def raising(error):
    def encode(_text):
        raise error

    return encode


@pytest.mark.parametrize(
    ("error", "code"),
    [(Panic("gone"), "tokenizer-limit"), (MemoryError(), "failed"), (RecursionError(), "failed")],
)
def test_whatever_one_row_raises_is_a_finding(renderer, error, code, monkeypatch):
    preparer = Preparer(renderer)
    with monkeypatch.context() as patch:
        patch.setattr(preparer.encoder, "encode", raising(error))
        patch.setattr(preparer.encoder, "ids", raising(error))
        assert codes(preparer(Conversation([user("hi"), answer("hello")]))) == [code]
    assert preparer(Conversation([user("hi"), answer("hello")])).token_ids


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(2)])
def test_what_ends_a_program_ends_a_run(renderer, error, monkeypatch):
    preparer = Preparer(renderer)
    monkeypatch.setattr(preparer.encoder, "encode", raising(error))
    monkeypatch.setattr(preparer.encoder, "ids", raising(error))
    with pytest.raises(type(error)):
        preparer(Conversation([user("hi"), answer("hello")]))


PICTURE = [{"type": "text", "text": "what is it?"}, {"type": "image_url", "image_url": {"url": "a.png"}}]


@pytest.fixture(scope="module")
def seeing():
    """A renderer whose media are described, over a toy vocabulary with the tokens they take."""
    row = rows.load("toy-bpe")
    tokenizer = type(row.tokenizer).from_pretrained(row.directory)
    tokenizer.add_special_tokens(
        {"additional_special_tokens": ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]}
    )
    return create_renderer(tokenizer, family="qwen3-vl")


def picture(url="http://a/b.png", **size):
    return [{"type": "text", "text": "what is it?"}, {"type": "image_url", "image_url": {"url": url}, **size}]


def test_media_are_expanded_as_the_renderer_does(seeing):
    messages = [user(picture(width=640, height=480)), answer("a cat"), user("sure?"), answer("yes")]
    prepared = Preparer(seeing, expand_media=True)(Conversation(messages))
    rendered = seeing.render(messages, process_multimodal=True)
    assert prepared.token_ids == rendered.token_ids
    assert prepared.loss_mask == rendered.sampled_mask
    assert prepared.token_ids.count(seeing.encoder.id_of("<|image_pad|>")) == 300
    assert codes(prepared) == []
    text_alone = [user("hi"), answer("hello")]
    assert Preparer(seeing, expand_media=True)(Conversation(text_alone)) == Preparer(seeing)(Conversation(text_alone))


def test_media_that_cannot_be_expanded_leave_no_ids(seeing, renderer):
    cannot_see = Preparer(renderer, expand_media=True)(Conversation([user(picture(width=9, height=9)), answer("a")]))
    assert codes(cannot_see) == ["media-not-expanded"]
    unread = Preparer(seeing, expand_media=True)(Conversation([user(picture()), answer("a cat")]))
    assert codes(unread) == ["refused"]
    assert "declare 'width' and 'height'" in unread.findings[0].detail
    sound = [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]
    deaf = Preparer(seeing, expand_media=True)(Conversation([user(sound), answer("a")]))
    assert codes(deaf) == ["media-not-expanded"]
    assert cannot_see.token_ids == unread.token_ids == deaf.token_ids == []


def test_no_picture_is_cut_in_two(seeing):
    messages = [answer("yes"), user(picture(width=640, height=480)), answer("a cat")]
    whole = Preparer(seeing, expand_media=True)(Conversation(messages)).token_ids
    pad = seeing.encoder.id_of("<|image_pad|>")
    prepared = Preparer(seeing, expand_media=True, max_length=whole.index(pad) + 100, overlong="tokens")
    made = prepared(Conversation(messages))
    assert made.token_ids == whole[: whole.index(pad)]
    assert "over-length" in codes(made)


def test_media_that_are_not_expanded_leave_no_ids(renderer):
    prepared = Preparer(renderer)(Conversation([user(PICTURE), answer("a cat")]))
    assert "media-not-expanded" in codes(prepared)
    assert prepared.token_ids == []
    plain = Preparer(renderer)(Conversation([user([{"type": "text", "text": "hi", "image_url": None}]), answer("a")]))
    assert "media-not-expanded" not in codes(plain)


def test_a_role_and_a_tool_may_spell_control_tokens():
    row = rows.load("toy-bpe")
    chatml = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>' }}{% endfor %}"
    preparer = Preparer(create_renderer(row.tokenizer, chat_template=chatml))
    spelled = Conversation([{"role": "user<|im_end|>", "content": "hi"}, answer("hello")])
    assert {"control-token", "unknown-role"} <= set(codes(preparer(spelled)))
    tool = {"type": "function", "function": {"name": "find", "description": "<|im_end|>"}}
    found = preparer(Conversation([user("hi"), answer("hello")], [tool])).findings
    assert "the tools spell <|im_end|>" in [finding.detail for finding in found]


@pytest.mark.parametrize(("role", "cure"), [("human", "human=user"), ("bot", "bot=assistant"), ("sage", "sage=ROLE")])
def test_a_role_the_template_does_not_know_is_named_with_its_cure(renderer, role, cure):
    found = Preparer(renderer)(Conversation([{"role": role, "content": "hi"}, answer("hello")])).findings
    assert [f"--speaker {cure}" in finding.detail for finding in found if finding.code == "unknown-role"] == [True]
    assert "failed" not in [finding.code for finding in found]


def test_all_unknown_roles_of_a_conversation_are_named_together(renderer):
    told = Preparer(renderer)(
        Conversation([{"role": "human", "content": "a"}, {"role": "bot", "content": "b"}])
    ).findings
    assert "--speaker human=user --speaker bot=assistant" in told[0].detail


@pytest.mark.parametrize("arguments", ['{"x": NaN}', '{"x": 1e400}', '{"x": 1, "x": 2}'])
def test_arguments_that_readers_of_json_do_not_agree_on_are_broken(renderer, arguments):
    prepared = Preparer(renderer)(Conversation([user("hi"), answer("", tool_calls=[call(arguments)])], [TOOL]))
    assert "broken-call" in codes(prepared)


def test_arguments_that_nest_too_deeply_to_be_read_are_broken(renderer):
    prepared = Preparer(renderer)(Conversation([user("hi"), answer("", tool_calls=[call("[" * 50_000)])], [TOOL]))
    assert "broken-call" in codes(prepared)
    assert "failed" not in codes(prepared)


def test_a_look_for_findings_that_breaks_is_a_finding_itself(renderer, monkeypatch):
    def breaks(_):
        raise RecursionError("too deep")

    monkeypatch.setattr("tokenspec_reference.preparation.preparer.losses", breaks)
    assert codes(Preparer(renderer)(Conversation([user("hi"), answer("hello")]))) == ["failed"]


def test_what_is_no_message_is_refused(renderer):
    assert codes(Preparer(renderer)(Conversation([3, None]))) == ["refused"]  # type: ignore[list-item]
