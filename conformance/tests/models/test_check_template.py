"""``tokenspec check-template``: what breaks training ends it with exit code 1 and one line of cause and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.certificates.seeded import FAULTLESS, LOOP, PROMPT, TOOLS, row_of
from tests.models.test_add import tokenspec
from tokenspec.models import available, load

pytestmark = pytest.mark.tools

WIDE = FAULTLESS.replace(PROMPT, PROMPT.replace("assistant\\n", "assistant\\n\\n"))
DATED = FAULTLESS.replace(LOOP, "{{- strftime_now('%A') -}}" + LOOP)
ENDLESS = FAULTLESS.replace("{{- '<|im_end|>' -}}\n  {%- else", "{%- else")
TOOLLESS = FAULTLESS.replace(TOOLS, "{%- if false -%}")


def checked(folder: Path, template: str, *options: str) -> tuple[int, list[str]]:
    """Exit code and the lines of a check, of a template beside the files of a toy tokenizer."""
    code, said = tokenspec("check-template", row_of(folder, template).directory / "chat_template.jinja", *options)
    return code, said.splitlines()


@pytest.mark.parametrize(
    ("name", "template"), [("prompt", WIDE), ("date", DATED), ("stop", ENDLESS), ("tools", TOOLLESS)]
)
def test_what_breaks_training_blocks_until_it_is_accepted(name: str, template: str, tmp_path: Path) -> None:
    code, lines = checked(tmp_path, template)
    assert code == 1
    [error] = [line for line in lines if line.startswith("error: ")]
    assert error.startswith(f"error: {name}: ")
    assert "; cure: " in error
    assert lines[-1] == "0 of 1 templates are in order"
    code, lines = checked(tmp_path, template, "--accept", name)
    assert code == 0
    assert lines[-1] == "1 of 1 templates are in order"


def test_a_name_that_no_template_has_is_an_error(tmp_path: Path) -> None:
    code, lines = checked(tmp_path, FAULTLESS, "--accept", "dates")
    assert code == 1
    assert "error: --accept dates: no template does this; cure: leave it out; found: nothing" in lines


def test_a_name_that_one_of_several_templates_has_is_none(tmp_path: Path) -> None:
    plain, dated = (row_of(tmp_path / name, text).directory for name, text in (("a", FAULTLESS), ("b", DATED)))
    files = [folder / "chat_template.jinja" for folder in (plain, dated)]
    code, said = tokenspec("check-template", *files, "--accept", "date")
    assert code == 0, said
    assert said.endswith("2 of 2 templates are in order\n")


@pytest.mark.real
def test_the_published_template_of_qwen3_passes_with_notes() -> None:
    if (reason := available("qwen3")) is not None:
        pytest.skip(reason)
    code, said = tokenspec("check-template", load("qwen3").directory / "chat_template.jinja")
    assert code == 0, said
    assert "note: a message vanishes: developer without a word" in said
    assert "error: " not in said
