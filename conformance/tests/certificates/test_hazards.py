"""What breaks training is named once, with its cause and cure; what is only unusual is a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.certificates.seeded import ANSWER, FAULTLESS, LOOP, OPENER, PROMPT, THOUGHT, TOOLS, row_of
from tests.certificates.test_rows import TEMPLATES, here
from tokenspec.certificate.certify import measure
from tokenspec.certificate.hazards import Found, find, not_there

END = "    {{- '<|im_end|>' -}}\n  {%- else -%}"
WIDE = "{{- '<|im_start|>assistant\\n\\n' -}}"
RIGHT = "{{- '<|im_start|>assistant\\n' -}}"


def hazards_of(folder: Path, template: str) -> Found:
    row = row_of(folder, template)
    return find(row, measure(row, with_tokens=False))


def replaced(old: str, new: str) -> str:
    assert FAULTLESS.count(old) == 1, old
    return FAULTLESS.replace(old, new)


def prompt_where(condition: str) -> str:
    """The generation prompt has a line break more where this holds."""
    return replaced(PROMPT, f"{{%- if {condition} -%}}{WIDE}{{%- else -%}}{RIGHT}{{%- endif -%}}{{%- endif -%}}\n")


def end_where(condition: str) -> str:
    """Assistant turns have their stop token only where this holds."""
    return replaced(END, f"{{%- if {condition} -%}}{END.replace('{%- else -%}', '{%- endif -%}{%- else -%}')}")


def dated(text: str) -> str:
    return replaced(LOOP, f"{text}{LOOP}")


FAULTS = {
    "the prompt has a line break more": (replaced(PROMPT, f"{WIDE}{{%- endif -%}}\n"), "prompt"),
    "only with tools": (prompt_where("tools"), "prompt"),
    "only without tools": (prompt_where("not tools"), "prompt"),
    "only behind a result": (prompt_where("messages[-1].role == 'tool'"), "prompt"),
    "only in a later turn": (prompt_where("messages | length > 2"), "prompt"),
    "only behind a system message": (prompt_where("messages[0].role == 'system'"), "prompt"),
    "only with reasoning on": (prompt_where("enable_thinking is true"), "prompt"),
    "only with reasoning off": (prompt_where("enable_thinking is false"), "prompt"),
    "the turn has a blank more": (replaced(ANSWER, "{{- ' ' -}}" + ANSWER), ""),
    "the turn has another opener": (
        replaced(OPENER, OPENER.replace("message.role ~", "('model' if message.role == 'assistant' else message.role) ~")),
        "prompt",
    ),
    "a turn with reasoning has another opener": (
        replaced(OPENER, OPENER.replace("~ '\\n' -}}", "~ (' thinking\\n' if message.reasoning_content else '\\n') -}}")),
        "prompt",
    ),
    "the prompt opens a thought": (replaced(PROMPT, "{{- '<|im_start|>assistant\\n<think>' -}}{%- endif -%}\n"), "prompt"),
    "a keyword opens the thought, another value does not": (
        replaced(PROMPT, "{{- '<|im_start|>assistant\\n' ~ ('<think>' if enable_thinking is true else '') -}}{%- endif -%}\n"),
        "",
    ),
    "the prompt is forgotten": (replaced(PROMPT, "{%- endif -%}\n"), "prompt"),
    "the prompt changes the start": (replaced(TOOLS, "{{- 'asked: ' if add_generation_prompt -}}" + TOOLS), "prompt"),
    "history changes behind the turn": (
        replaced(THOUGHT, "{%- if message.reasoning_content and loop.last -%}"), ""
    ),
    "today's date": (dated("{{- strftime_now('%d %b %Y') -}}"), "date"),
    "the day of the week": (dated("{{- strftime_now('%A') -}}"), "date"),
    "the hour": (dated("{{- strftime_now('%H') -}}"), "date"),
    "a date only with tools": (dated("{%- if tools -%}{{- strftime_now('%Y') -}}{%- endif -%}"), "date"),
    "a date only with reasoning off": (
        dated("{%- if enable_thinking is false -%}{{- strftime_now('%Y') -}}{%- endif -%}"), "date",
    ),
    "a date unless one is given": (dated("{{- date_string | default(strftime_now('%d %b %Y')) -}}"), "date"),
    "a fixed default": (dated("{{- date_string | default('26 Jul 2024') -}}"), ""),
    "a byte order mark": ("\ufeff" + FAULTLESS, "mark"),
    "text that is drawn": (dated("{{- range(10000) | random -}}"), "random"),
    "no stop token": (end_where("false"), "stop"),
    "a stop token only at the end": (end_where("loop.last"), "stop"),
    "a stop token only before others": (end_where("not loop.last"), "stop"),
    "no stop token behind calls": (end_where("not message.tool_calls"), "stop"),
    "no stop token behind answers": (end_where("message.tool_calls"), "stop"),
    "no stop token behind reasoning": (end_where("not message.reasoning_content"), "stop"),
    "no stop token with tools": (end_where("not tools"), "stop"),
    "no stop token with reasoning off": (end_where("enable_thinking is not false"), "stop"),
    "tools vanish": (replaced(TOOLS, "{%- if false -%}"), "tools"),
    "system messages vanish": (replaced(LOOP, "{%- for message in messages if message.role != 'system' -%}\n"), "role-system"),
    "developer messages vanish": (replaced(LOOP, "{%- for message in messages if message.role != 'developer' -%}\n"), ""),
    "none": (FAULTLESS, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_name_cause_and_cure(name: str, tmp_path: Path) -> None:
    template, expected = FAULTS[name]
    hazards = hazards_of(tmp_path, template).hazards
    assert {hazard.name for hazard in hazards} - {"role-system-later"} == ({expected} if expected else set())
    for hazard in hazards:
        line = str(hazard)
        assert "\n" not in line
        assert line.startswith(f"error: {hazard.name}: ")
        assert f"; cure: {hazard.cure}, or accept it: --accept {hazard.name}" in line


def test_the_message_shows_both_texts(tmp_path: Path) -> None:
    [hazard] = hazards_of(tmp_path, FAULTS["the prompt has a line break more"][0]).hazards
    assert "after a question no turn continues the generation prompt: it is '" in hazard.cause
    assert r"assistant\n\n'" in hazard.cause
    assert r"assistant\nTwo" in hazard.cause


def test_what_is_accepted_blocks_no_more_and_what_is_not_there_cannot_be_accepted(tmp_path: Path) -> None:
    of = hazards_of(tmp_path, FAULTS["today's date"][0])
    assert len(of.blocking(())) == 1
    assert of.blocking(("date",)) == []
    [said] = not_there(("date", "prompt"), of.names)
    assert said == "error: --accept prompt: no template does this; cure: leave it out; found: date"


def test_a_developer_message_that_vanishes_is_a_note(tmp_path: Path) -> None:
    of = hazards_of(tmp_path, FAULTS["developer messages vanish"][0])
    assert of.notes == ["a message vanishes: developer without a word"]
    assert of.blocking(()) == not_there(("role-developer",), of.names) == []


@pytest.mark.parametrize("name", ["strftime_now('%Y')", "now()"])
def test_a_clock_that_no_conversation_shows_is_a_note(name: str, tmp_path: Path) -> None:
    template = dated(f"{{%- if never_given is defined -%}}{{{{- {name} -}}}}{{%- endif -%}}")
    of = hazards_of(tmp_path, template)
    assert of.hazards == []
    clock = name.partition("(")[0]
    assert of.notes == [f"the template reads {clock}, and no conversation that was tried shows a date"]


PUBLISHED = {
    "deepseek-r1": {"prompt", "tools", "calls"},
    "deepseek-v3": {"prompt", "tools"},
    "deepseek-v3-first": {"tools", "calls"},
    "deepseek-v3.1": {"prompt", "tools"},
    "gemma-4": {"role-tool-without-call"},
    "glm-4.5": {"stop"},
    "glm-4.7": {"stop"},
    "glm-5.1": {"stop"},
    "glm-5.3": {"stop"},
    "gpt-oss": {"date", "stop", "role-system-later"},
    "hy3": {"stop"},
    "llama-3.2": {"date"},
    "minimax-m2": {"prompt", "role-system-later"},
    "qwen3-vl": {"role-system-later"},
    "toy-bpe": {"prompt"},
    "toy-metaspace": {"tools", "calls"},
    "toy-ranks": {"prompt", "date"},
}
"""What the templates of the rows do that breaks training; all others pass."""


@pytest.mark.real
@pytest.mark.parametrize("name", TEMPLATES)
def test_what_published_templates_do_is_known(name: str) -> None:
    row = here(name)
    assert {hazard.name for hazard in find(row, measure(row, with_tokens=False)).hazards} == PUBLISHED.get(name, set())
