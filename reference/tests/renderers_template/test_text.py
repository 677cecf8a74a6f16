"""The text is byte for byte what transformers renders, and a refusal is a refusal there too."""

from __future__ import annotations

import pytest
from constructs import CONSTRUCTS
from oracle import Letters, outcome_of_renderer, outcome_of_transformers
from scenarios import SCENARIOS

from tokenspec_reference.renderers.template import TemplateRenderer


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_renders_as_in_transformers(construct):
    template = CONSTRUCTS[construct]
    renderer = TemplateRenderer(Letters(), template)
    for name, (messages, tools) in SCENARIOS.items():
        for prompt in (False, True):
            theirs = outcome_of_transformers(template, messages, tools, prompt)
            ours = outcome_of_renderer(renderer, messages, tools, prompt)
            assert ours == theirs, (construct, name, prompt)


def test_constructs_are_accepted_somewhere():
    refused = set()
    for name, template in CONSTRUCTS.items():
        kinds = {outcome_of_transformers(template, m, t, False)[0] for m, t in SCENARIOS.values()}
        if kinds == {"raises"}:
            refused.add(name)
    assert refused == {"attribute-of-undefined", "append"}
