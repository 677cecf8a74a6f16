"""The same judgement over real templates: every ``*.jinja`` below the folder TOKENSPEC_TEMPLATE_DIR."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from oracle import Letters, outcome_of_renderer, outcome_of_transformers
from scenarios import SCENARIOS
from test_attribution import judge

from tokenspec_reference.renderers.template import TemplateRenderer

pytestmark = pytest.mark.real

FOLDER = os.environ.get("TOKENSPEC_TEMPLATE_DIR")
FILES = sorted(Path(FOLDER).rglob("*.jinja")) if FOLDER else []


@pytest.mark.skipif(not FILES, reason="set TOKENSPEC_TEMPLATE_DIR to a folder of chat templates")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_template(path):
    with path.open(encoding="utf-8", newline="") as file:
        template = file.read()
    renderer = TemplateRenderer(Letters(), template)
    for name, (messages, tools) in SCENARIOS.items():
        for prompt in (False, True):
            theirs = outcome_of_transformers(template, messages, tools, prompt)
            assert outcome_of_renderer(renderer, messages, tools, prompt) == theirs, (name, prompt)
            judge(template, renderer, messages, tools, prompt)
