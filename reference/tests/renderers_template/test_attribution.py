"""Attribution against the differential oracle, which knows nothing of provenance."""

from __future__ import annotations

import pytest
from constructs import CONSTRUCTS
from oracle import Letters, changed_positions, escapes, hf_text, shiftable
from scenarios import SCENARIOS

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.template import TemplateRenderer

REASONING = ("thinking", "reasoning")


def claimed(found):
    """``(message, path)`` -> positions claimed to come from that value (keys left out)."""
    positions = {}
    for span, origin in zip(found.spans, found.origins, strict=True):
        if origin and not origin.key:
            path = ("reasoning_content", *origin.path[1:]) if origin.path[0] in REASONING else origin.path
            positions.setdefault((origin.message, path), set()).update(range(span.start, span.end))
    return positions


def judge(template, renderer, messages, tools, prompt):
    """Compare every string of a conversation with the oracle; the number of strings it could judge."""
    try:
        found = renderer.provenance(messages, tools=tools, add_generation_prompt=prompt)
    except TokenSpecError:
        return 0
    text, positions, judged = found.text, claimed(found), 0
    unknown = {k for start, end in found.computed for k in range(start, end)}
    for index, path, value in shiftable(messages, tools):
        changed = changed_positions(template, messages, tools, prompt, index, path)
        if changed is None:
            continue
        judged += 1
        ours = {k for k in positions.get((index, path), ()) if text[k].isascii() and text[k].isalpha()}
        assert changed - ours <= unknown, (index, path, "".join(text[k] for k in sorted(changed - ours)))
        assert not ours - changed or escapes(value), (index, path, "".join(text[k] for k in sorted(ours - changed)))
    return judged


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_keeps_provenance(construct):
    template = CONSTRUCTS[construct]
    renderer = TemplateRenderer(Letters(), template)
    judged = sum(judge(template, renderer, m, t, prompt=False) for m, t in SCENARIOS.values())
    assert judged or construct in {"append", "attribute-of-undefined"}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_spans_tile_the_text(construct):
    renderer = TemplateRenderer(Letters(), CONSTRUCTS[construct])
    for messages, tools in SCENARIOS.values():
        try:
            found = renderer.provenance(messages, tools=tools)
        except TokenSpecError:
            continue
        assert [s.start for s in found.spans] == [0, *(s.end for s in found.spans)][: len(found.spans)]
        assert (found.spans[-1].end if found.spans else 0) == len(found.text)


FULLY_ATTRIBUTED = {
    "print", "print-message", "print-list", "plus", "plus-order", "times", "percent", "percent-named", "format",
    "format-named", "join-attribute", "strip", "index", "split", "rsplit", "splitlines", "partition", "think", "characters",
    "case", "case-mixed", "replace", "replace-empty", "replace-needle", "pad", "indent", "tabs", "escape", "tojson",
    "tojson-indent", "tojson-separators", "tojson-sorted", "tojson-ascii", "set-block", "set-block-loop",
    "filter-block", "namespace", "macro", "macro-loop", "call-block", "generation", "dict-update", "hoisted", "reversed",
}  # fmt: skip
"""Constructs that only move characters: nothing of their output may be computed."""


@pytest.mark.parametrize("construct", sorted(FULLY_ATTRIBUTED))
def test_moving_characters_computes_nothing(construct):
    renderer = TemplateRenderer(Letters(), CONSTRUCTS[construct])
    for messages, tools in SCENARIOS.values():
        try:
            found = renderer.provenance(messages, tools=tools)
        except TokenSpecError:
            continue
        assert found.computed == [], [found.text[a:b] for a, b in found.computed]


def test_computed_text_is_reported_and_not_claimed():
    renderer = TemplateRenderer(
        Letters(), "{{ messages | length }}|{{ messages[0].content | wordwrap(5) }}|{{ not messages }}"
    )
    found = renderer.provenance([{"role": "user", "content": "ab cd ef"}])
    assert [found.text[a:b] for a, b in found.computed] == ["1", "ab cd\nef", "False"]
    assert not any(span.is_content for span in found.spans)


def test_truth_values_of_containers_are_attributed_by_their_place():
    messages = [{"role": "tool", "content": {"ok": True, "none": None, "n": 1}}]
    found = TemplateRenderer(Letters(), "{{ messages[0].content }}{{ messages[0].content | tojson }}").provenance(
        messages
    )
    values = [found.text[s.start : s.end] for s, o in zip(found.spans, found.origins, strict=True) if o and not o.key]
    assert values == ["True", "None", "1", "true", "null", "1"]
    assert found.computed == []


def test_an_escape_belongs_to_its_character():
    messages = [{"role": "user", "content": "é<'\"\n"}]
    template = (
        "{{ messages[0].content | tojson(ensure_ascii=true) }}{{ [messages[0].content] }}{{ messages[0].content | e }}"
    )
    found = TemplateRenderer(Letters(), template).provenance(messages)
    body = [found.text[s.start : s.end] for s in found.spans if s.is_content]
    assert body == ["\\u00e9<'\\\"\\n", "é<\\'\"\\n", "é&lt;&#39;&#34;\n"]
    assert hf_text(template, messages) == found.text
