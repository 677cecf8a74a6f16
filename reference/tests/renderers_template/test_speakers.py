"""Whose words stand where: templates in another order, judges that quote, turns that are taken apart."""

from __future__ import annotations

import pytest
from turns import CHATML, PROMPT, ROUNDS, Marked, sampled, unattributed

from tokenspec_reference.renderers.template import TemplateRenderer
from tokenspec_reference.renderers.template.sampled import is_another_speaker

CALL = {"name": "look", "arguments": {"at": "sky"}}


@pytest.mark.parametrize(
    "turn",
    [
        "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n",
        "{{ m.role }}: {{ m.content }}\n",
        "{{ m.content }} ",
    ],
)
@pytest.mark.parametrize("prompt", ["", "<|im_start|>assistant\n", "assistant: "])
def test_in_reverse_order_nobody_elses_word_is_sampled(turn, prompt):
    template = "{% for m in messages | reverse %}" + turn + "{% endfor %}{% if add_generation_prompt %}" + prompt
    found = TemplateRenderer(Marked(), template + "{% endif %}").provenance([*ROUNDS, ROUNDS[0]])
    assert not [s for s in found.spans if s.is_sampled and s.owner % 2 == 0]
    assert {s.owner for s in found.spans if s.is_content and not s.is_sampled} == {0, 2, 4}
    assert not [s for s in found.spans for start, end in found.unattributed if s.is_content and start <= s.start < end]


def test_reversed_turns_are_sampled_as_others_are():
    template = CHATML.replace("in messages", "in messages | reverse") + PROMPT
    assert sampled(template, ROUNDS) == ["four<|im_end|>", "two<|im_end|>"]
    assert unattributed(template, ROUNDS) == []


JUDGE = (
    "<|user|>Is this kind?\n{% for m in messages %}{{ m.role }} said: {{ m.content }}\n{% endfor %}"
    "{{ 'Say yes or no.' if messages[-1].role == 'assistant' else 'What was asked?' }}<|end|>"
)


@pytest.mark.parametrize("prompt", ["{% if add_generation_prompt %}<|assistant|>{% endif %}", "\n<|assistant|>"])
def test_who_is_quoted_for_another_speaker_is_sampled_by_nobody(prompt):
    assert sampled(JUDGE + prompt, ROUNDS) == []
    assert unattributed(JUDGE + prompt, ROUNDS) == ["two", "four"]


def test_words_before_an_answer_where_the_standing_prompt_is_anothers_are_nobodys():
    template = (
        "<|user|>{% for m in messages %}{% if m.role == 'assistant' and m.content is not string %}answer: {% endif %}"
        "{{ m.content if m.content is string else m.content[0].text }}\n{% endfor %}Is it kind?<|end|>\n<|model|>\n"
    )
    parts = [ROUNDS[0], {"role": "assistant", "content": [{"type": "text", "text": "two"}]}]
    assert sampled(template, parts) == ["two"]
    assert unattributed(template, parts) == ["answer: "]


def test_a_judge_of_the_last_answer_alone():
    template = (
        "{% set last = messages[-1] %}<|user|>{% if last.role == 'assistant' %}Answer: {% endif %}{{ last.content }}"
        "\nIs it kind?<|end|>{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    assert sampled(template, ROUNDS) == []
    assert unattributed(template, ROUNDS) == ["four"]


@pytest.mark.parametrize(
    ("prompt", "in_front", "expected"),
    [
        ("<|assistant|>", "<|end|><|assistant|>", False),
        ("<|assistant|><think>", "<|assistant|>", False),
        ("<|start|>assistant", "<|end|><|start|>assistant to=user", False),
        ("<|end|><|start|>assistant", "<|start|>assistant to=user", False),
        ("assistant\nTo: user\n", "From: assistant\n", False),
        ("Assistant:", "assistant:", False),
        ("<|A1|><|THINK|>", "<|A1|><|TEXT|>", False),
        ("\n", "Answered: ", False),
        ("]", "Answered: ", False),
        ("<|assistant|>", "", False),
        ("<|assistant|>", "Answered: ", True),
        ("<|start|>assistant\n<reason>\n", "<|end|>\n<|start|>assistant\nA: ", False),
        ("<|start|>judge", "<|start|>assistant", True),
    ],
)
def test_another_speaker_shares_no_name_with_who_is_prompted(prompt, in_front, expected):
    assert is_another_speaker(prompt, in_front) is expected


def test_a_token_that_ends_every_text_prompts_nobody():
    plain = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}<|return|>"
    assert sampled(plain, ROUNDS) == ["two", "four"]


def test_a_call_quoted_by_its_result_is_not_sampled_again():
    template = (
        "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'tool' %}{% for c in messages[loop.index0 - 1].tool_calls %}"
        "for a call: {% endfor %}{% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.arguments.at }}{% endfor %}"
        "<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    turns = [ROUNDS[0], {"role": "assistant", "content": "", "tool_calls": [CALL]}, {"role": "tool", "content": "42"}]
    assert sampled(template, turns) == ["sky<|end|>"]


def test_a_turn_whose_words_stand_behind_those_of_others_begins_with_its_words():
    template = (
        "{% for m in messages %}{% if m.role == 'assistant' %}<|assistant|>noting {{ messages[0].content }} "
        "{% else %}<|{{ m.role }}|>{% endif %}{{ m.content }}<|end|>{% endfor %}"
    )
    assert sampled(template, ROUNDS[:2]) == ["two<|end|>"]


def test_an_answer_that_nothing_could_have_prompted_is_unattributed():
    template = "{% for m in messages %}{{ m.content }}</s>{% endfor %}"
    assert sampled(template, ROUNDS[1:]) == ["four</s>"]
    assert unattributed(template, ROUNDS[1:]) == ["two</s>"]


def test_white_space_behind_the_words_of_a_prompt_may_differ():
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}\nUSER: {% else %}\nASSISTANT:{{ '\n<call>' if m.tool_calls }}"
        "{% endif %}{{ m.content }}</s>{% endfor %}{% if add_generation_prompt %}\nASSISTANT: \n{% endif %}"
    )
    turns = [ROUNDS[0], {"role": "assistant", "content": "two", "tool_calls": [CALL]}]
    assert sampled(template, turns) == ["\n<call>two</s>"]


def test_tools_that_are_printed_behind_the_last_answer_are_not_sampled():
    template = (
        "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if loop.last and tools %}; {{ tools }}{% endif %}\n"
        "{% endfor %}"
    )
    tool = {"type": "function", "function": {"name": "look", "description": "d", "parameters": {}}}
    found = TemplateRenderer(Marked(), template).provenance(ROUNDS, tools=[tool])
    last = max(s.end for s in found.spans if s.is_sampled)
    assert found.text[:last].endswith("four; [{'")


def test_a_header_behind_what_results_prompt_with_is_unattributed():
    template = (
        "{% for m in messages %}{% if m.role == 'assistant' and messages[loop.index0 - 1].role == 'tool' %}<|wrap|>"
        "{% endif %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|assistant|>' if messages[-1].role == 'user' else '<|wrap|>' }}{% endif %}"
    )
    turns = [*ROUNDS[:2], {"role": "tool", "content": "42"}, *ROUNDS[3:]]
    assert unattributed(template, turns) == ["<|assistant|>"]
    assert sampled(template, turns) == ["two<|end|>", "four<|end|>"]


def test_white_space_in_front_of_the_next_marker_does_not_hide_it():
    template = "{% for m in messages %}{{ '\n' }}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    assert sampled(template, ROUNDS) == ["two\n<|user|>", "four"]


def test_the_end_of_sequence_ends_a_turn_whatever_stands_behind_it():
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}{{ '' if loop.first else '<s><|wrap|>' }}{{ m.content }}<|user|>"
        "{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"
    )
    assert sampled(template, ROUNDS) == ["two</s>", "four</s>"]
