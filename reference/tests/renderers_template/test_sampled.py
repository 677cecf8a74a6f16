"""Openers and stops of assistant turns, found without being told."""

from __future__ import annotations

import warnings

import pytest
from turns import CHATML, PROMPT, ROUNDS, THINKING, Marked, owners, sampled, unattributed

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.rendered import UnattributedTokens
from tokenspec_reference.renderers.template import TemplateRenderer, Wire, tracking
from tokenspec_reference.renderers.template.printer import Printer


def test_the_turn_starts_behind_the_generation_prompt_and_ends_with_its_closer():
    assert sampled(CHATML + PROMPT, ROUNDS) == ["two<|im_end|>", "four<|im_end|>"]
    assert sampled(CHATML + PROMPT, ROUNDS, prompt=True) == ["two<|im_end|>", "four<|im_end|>"]


def test_a_prefilled_thought_is_not_sampled_where_the_turn_begins_with_all_of_it():
    turn = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>\nhm</think>a"}]
    assert sampled(CHATML + THINKING, turn) == ["hm</think>a<|im_end|>"]
    assert sampled(CHATML + THINKING, ROUNDS) == ["two<|im_end|>", "four<|im_end|>"]
    other = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>hm</think>a"}]
    assert sampled(CHATML + THINKING, other) == ["<think>hm</think>a<|im_end|>"]


def test_a_tag_that_begins_like_the_prompt_is_sampled_whole():
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}<tool>{% endif %}"
        "{{ m.content }}<|im_end|>\n{% endfor %}" + THINKING
    )
    assert sampled(template, ROUNDS)[0] == "<tool>two<|im_end|>"


def test_a_body_that_repeats_the_prompt_is_body():
    turn = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<|im_start|>assistant\nx"}]
    assert sampled(CHATML + PROMPT, turn) == ["<|im_start|>assistant\nx<|im_end|>"]


def test_a_closer_typed_in_the_body_does_not_end_the_turn():
    turn = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a<|im_end|>b"}]
    assert sampled(CHATML + PROMPT, turn) == ["a<|im_end|>b<|im_end|>"]


def test_an_empty_answer_is_its_closer():
    turn = [{"role": "user", "content": "q"}, {"role": "assistant", "content": ""}, {"role": "user", "content": "r"}]
    assert sampled(CHATML + PROMPT, turn) == ["<|im_end|>"]


MARKERS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"


def test_without_a_closer_the_marker_of_the_next_turn_is_the_stop():
    assert sampled(MARKERS, ROUNDS) == ["two<|user|>", "four"]
    assert sampled(MARKERS, ROUNDS, prompt=True) == ["two<|user|>", "four"]
    found = TemplateRenderer(Marked(), MARKERS).provenance(ROUNDS)
    of_first = "".join(found.text[s.start : s.end] for s in found.spans if s.owner == 1)
    assert of_first == "<|assistant|>two<|user|>"


def test_a_row_states_what_cannot_be_seen():
    plain = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n#\n{% endfor %}"
    assert sampled(plain, ROUNDS) == ["two\n#", "four\n#"]
    wire = Wire(assistant_open=("assistant: ",), assistant_close=("#",))
    assert sampled(plain, ROUNDS, wire=wire) == ["two\n#", "four\n#"]


def test_a_turn_starts_where_the_prompt_of_its_own_prefix_ends():
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
        "{% if not loop.last or add_generation_prompt %}<|im_end|>\n{% endif %}{% endfor %}" + PROMPT
    )
    assert sampled(template, ROUNDS) == ["two<|im_end|>", "four"]
    by_content = (
        "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' and 'one' not in messages[0].content %}"
        "<think></think>{% endif %}{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>"
        "{% if 'one' not in messages[0].content %}<think></think>{% endif %}{% endif %}"
    )
    assert sampled(by_content, ROUNDS) == ["two<|end|>", "four<|end|>"]
    other = [{"role": "user", "content": "q"}, *ROUNDS[1:]]
    assert sampled(by_content, other) == ["two<|end|>", "four<|end|>"]


def test_a_prompt_that_stands_at_the_end_of_every_text_is_nobodys():
    template = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>"
    assert sampled(template, ROUNDS) == ["two<|end|>", "four<|end|>"]
    assert owners(template, ROUNDS)[-1] == ("<|assistant|>", -1)
    assert unattributed(template, ROUNDS) == []


def test_where_a_template_never_prompts_its_history_shows_the_header():
    assert sampled(CHATML, ROUNDS) == ["two<|im_end|>", "four<|im_end|>"]
    assert unattributed(CHATML, ROUNDS) == []


AFTER_RESULTS = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt and messages[-1].role == 'user' %}<|assistant|>{% endif %}"
)
WITH_RESULT = [*ROUNDS[:2], {"role": "tool", "content": "42"}, *ROUNDS[3:]]


def test_a_header_behind_a_result_that_prompts_for_nothing_is_unattributed():
    assert unattributed(AFTER_RESULTS, WITH_RESULT) == ["<|assistant|>"]
    assert sampled(AFTER_RESULTS, WITH_RESULT) == ["two<|end|>", "four<|end|>"]


def test_unattributed_tokens_are_told_once_and_never_trained():
    renderer = TemplateRenderer(Marked(), AFTER_RESULTS)
    with pytest.warns(UnattributedTokens, match=r"<\|assistant\|>"):
        found = renderer.render(WITH_RESULT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        renderer.render(WITH_RESULT)
    ((start, end),) = found.unattributed
    assert found.text[start:end] == "<|assistant|>"
    assert not any(found.sampled_mask[k] or found.is_content[k] for k in range(start, end))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wire = Wire(assistant_open=("<|assistant|>",))
        assert TemplateRenderer(Marked(), AFTER_RESULTS, wire=wire).render(WITH_RESULT).unattributed == []


def test_a_prompt_inside_the_loop_is_still_the_prompt():
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
        "{% if loop.last and add_generation_prompt %}<|im_start|>assistant\n{% endif %}{% endfor %}"
    )
    found = TemplateRenderer(Marked(), template).provenance(ROUNDS, add_generation_prompt=True)
    assert [(found.text[s.start : s.end], s.owner) for s in found.spans][-1] == ("<|im_start|>assistant\n", -1)
    assert sampled(template, ROUNDS, prompt=True) == ["two<|im_end|>", "four<|im_end|>"]


def test_a_text_that_ends_differently_without_prompt_shares_no_character_with_it():
    template = (
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>{% else %}</s>{% endif %}"
    )
    found = TemplateRenderer(Marked(), template).provenance(ROUNDS, add_generation_prompt=True)
    assert [found.text[s.start : s.end] for s in found.spans if s.owner == -1] == ["<|assistant|>"]
    assert sampled(template, ROUNDS) == ["two<|end|>", "four<|end|>"]


def test_the_last_turn_may_end_with_another_token():
    template = (
        "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ '<|return|>' if loop.last and not add_generation_prompt"
        " else '<|end|>' }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    assert sampled(template, ROUNDS) == ["two<|end|>", "four<|return|>"]
    assert sampled(template, ROUNDS, prompt=True) == ["two<|end|>", "four<|end|>"]


def test_an_injected_system_turn_belongs_to_no_message():
    template = (
        "{% for m in messages %}{% if loop.first and m.role != 'system' %}<|im_start|>system\nBe kind.<|im_end|>\n{% endif %}"
        "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" + PROMPT
    )
    assert owners(template, ROUNDS)[0] == ("<|im_start|>system\nBe kind.<|im_end|>\n", -1)
    assert sampled(template, ROUNDS[1:2]) == ["two<|im_end|>"]


def test_hoisted_turns_are_told_apart_by_their_closer():
    template = (
        "<s><|im_start|>system\n{{ messages[0].content }}<|im_end|>\n<|im_start|>user\n{{ messages[1].content }}<|im_end|>\n"
        "{% for m in messages[2:] %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" + PROMPT
    )
    system = [{"role": "system", "content": "be"}, *ROUNDS]
    assert owners(template, system)[:6] == [
        ("<s>", -1),
        ("<|im_start|>system\n", 0),
        ("be", 0),
        ("<|im_end|>\n", 0),
        ("<|im_start|>user\n", 1),
        ("one", 1),
    ]


def test_a_quoted_tool_name_belongs_to_the_turn_that_quotes_it():
    template = "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'tool' %}{{ messages[loop.index0 - 1].tool_calls[0].name }}={% endif %}{{ m.content }}<|end|>{% endfor %}"
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "tool_calls": [{"name": "look", "arguments": {}}]},
        {"role": "tool", "content": "42"},
    ]
    assert owners(template, messages)[-4:] == [("look", 2), ("=", 2), ("42", 2), ("<|end|>", 2)]


def test_index_loops_nest_in_message_loops():
    template = (
        "{% for m in messages %}{% if m.role != 'tool' %}<|{{ m.role }}|>{{ m.content }}<|end|>"
        "{% for k in range(loop.index0 + 1, messages | length) %}{% set f = messages[k] %}"
        "{% if f.role == 'tool' %}<|tool|>{{ f.content }}<|end|>{% endif %}{% endfor %}{% endif %}{% endfor %}"
    )
    messages = [{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}]
    assert owners(template, messages)[-3:] == [("<|tool|>", 1), ("b", 1), ("<|end|>", 1)]


@pytest.mark.parametrize("pad", ["<|image_pad|>", "<|kimi_k25_video_placeholder|>"])  # the second is no token
def test_media_placeholders_are_body_and_their_wraps_are_not(pad):
    wrapped = f"<|wrap|>{pad}<|wrap|>"
    template = f"{{% for m in messages %}}<|user|>{{% for p in m.content %}}{wrapped}{{{{ p.text }}}}{{% endfor %}}<|end|>{{% endfor %}}"
    found = TemplateRenderer(Marked(), template).provenance(
        [{"role": "user", "content": [{"type": "image", "text": "t"}]}]
    )
    assert [found.text[s.start : s.end] for s in found.spans if s.is_content] == [pad, "t"]


@pytest.mark.parametrize("turns", [4, 40, 400])
def test_renders_do_not_grow_with_turns(monkeypatch, turns):
    calls = []
    original = Printer.__call__
    monkeypatch.setattr(Printer, "__call__", lambda *a, **k: calls.append(1) or original(*a, **k))
    renderer = TemplateRenderer(Marked(), CHATML + PROMPT)
    renderer.render(ROUNDS)
    calls.clear()
    renderer.render(ROUNDS * (turns // 4), add_generation_prompt=True)
    assert len(calls) == 2
    calls.clear()
    renderer.render(ROUNDS * (turns // 4))
    assert len(calls) == 1


def test_a_template_is_compiled_once(monkeypatch):
    built = []
    original = tracking.TrackingSandbox.__init__
    monkeypatch.setattr(tracking.TrackingSandbox, "__init__", lambda *a: built.append(1) or original(*a))
    template = "{# compiled once #}" + CHATML
    for _ in range(3):
        TemplateRenderer(Marked(), template).render(ROUNDS)
    assert len(built) == 1


def test_an_empty_system_prompt_still_owns_its_tags():
    template = "<|im_start|>system\n{{ messages[0].content }}<|im_end|>\n{% for m in messages[1:] %}<|user|>{{ m.content }}{% endfor %}"
    found = owners(template, [{"role": "system", "content": ""}, {"role": "user", "content": "q"}])
    assert {owner for _, owner in found} == {0, 1}


def test_the_parts_of_a_hoisted_message_own_its_tags():
    template = "<|im_start|>system\n{% for p in messages[0].content %}{{ p.text }}{% endfor %}<|im_end|>\n{% for m in messages[1:] %}<|user|>{{ m.content }}{% endfor %}"
    found = owners(template, [{"role": "system", "content": [{"text": "be"}]}, {"role": "user", "content": "q"}])
    assert [owner for _, owner in found] == [0, 0, 0, 1, 1]


def test_a_named_speaker_has_the_rest_of_the_opener():
    template = (
        "{% for m in messages %}<|im_start|>{{ m.name or m.role }}<|wrap|>{{ m.content }}<|im_end|>{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant<|wrap|>{% endif %}"
    )
    turn = [{"role": "user", "content": "q"}, {"role": "assistant", "name": "helper", "content": "a"}]
    assert sampled(template, turn) == ["a<|im_end|>"]


@pytest.mark.parametrize("name", ["assistant_open", "assistant_close", "placeholders", "stops"])
def test_an_empty_text_of_a_wire_format_is_refused_by_its_place(name: str) -> None:
    with pytest.raises(TokenSpecError) as caught:
        Wire(**{name: ("<|im_end|>", "")})
    assert caught.value.field == f"wire.{name}[1]"


def test_words_ahead_of_a_header_that_users_are_followed_by_are_unattributed():
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}{{ '<|user|>' ~ m.content ~ '<|end|>' }}"
        "{{ '<|assistant|>\\n' if loop.last }}{% else %}{{ '~ ' if loop.index0 == 3 }}{{ '<|assistant|>\\n' }}"
        "{{ m.content ~ '<|end|>' }}{% endif %}{% endfor %}"
    )
    assert unattributed(template, ROUNDS) == ["~ <|assistant|>\n"]
