"""What the renderer is judged by, made without it: transformers' own text, and attribution by differential rendering.

Differential oracle: shift every ASCII letter of one text field of one message, render again with plain Jinja, and see
which characters of the output changed. Those, and only those, came from that field (a letter never shifts to itself, so a
copied letter always changes).
"""

from __future__ import annotations

import copy
import re
from datetime import datetime
from types import SimpleNamespace
from unittest import mock

import pytest
from transformers.utils import chat_template_utils

from tokenspec_reference.errors import TemplateRejects

FROZEN = datetime(2024, 7, 26, 12, 0)  # noqa: DTZ001 - a wall time
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


class _Clock(datetime):
    @classmethod
    def now(cls, tz=None):
        return FROZEN


class Letters:
    """A tokenizer with one token per character, whose special tokens are those of the tests."""

    special_tokens_map = SPECIAL
    all_special_tokens = tuple(SPECIAL.values())

    def encode(self, text, add_special_tokens=True):
        return SimpleNamespace(ids=[ord(c) for c in text], offsets=[(k, k + 1) for k in range(len(text))])


def hf_text(template, messages, tools=None, add_generation_prompt=False, **options):
    """``apply_chat_template(tokenize=False)`` of the installed transformers without a tokenizer."""
    messages = [{k: v for k, v in m.items() if v is not None} for m in messages]
    with mock.patch.object(chat_template_utils, "datetime", _Clock):
        rendered, _ = chat_template_utils.render_jinja_template(
            [messages],
            tools=tools,
            chat_template=template,
            add_generation_prompt=add_generation_prompt,
            **{**SPECIAL, **options},
        )
    return rendered[0]


def outcome_of_transformers(template, messages, tools, add_generation_prompt, **options):
    """``("text", text)``, or ``("raises", class name)``."""
    try:
        return "text", hf_text(template, messages, tools, add_generation_prompt, **options)
    except Exception as error:  # noqa: BLE001 - a template can raise anything
        return "raises", type(error).__name__


def outcome_of_renderer(renderer, messages, tools, add_generation_prompt, **options):
    """The same of a renderer; a refusal is told by the class the template raised. Without tracking the text is the same."""
    asked = {"tools": tools, "add_generation_prompt": add_generation_prompt}
    try:
        found = renderer.provenance(messages, **asked, **options)
    except TemplateRejects as error:
        if not options:
            with pytest.raises(TemplateRejects, match=re.escape(str(error))):
                renderer.render_text(messages, **asked)
        return "raises", type(error.__cause__).__name__
    assert options or renderer.render_text(messages, **asked) == found.text
    return "text", found.text


def shifted(text):
    """The next letter of the alphabet for every ASCII letter, keeping its case."""
    return "".join(_next(c) for c in text)


def _next(c):
    if "a" <= c <= "z":
        return chr((ord(c) - 97 + 1) % 26 + 97)
    if "A" <= c <= "Z":
        return chr((ord(c) - 65 + 1) % 26 + 65)
    return c


MARKUP = ("<think>", "</think>", "<tool_response>", "</tool_response>")


def shifted_body(text):
    """Shift letters outside reasoning tags, which templates look for."""
    for tag in MARKUP:
        if tag in text:
            return tag.join(shifted_body(part) for part in text.split(tag))
    return shifted(text)


def leaves(value, path=()):
    """``(path, text)`` of every string in a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from leaves(item, (*path, k))


STEERING = {"role", "type", "tool_call_id", "id"}
"""Fields whose value templates compare with constants; shifting them changes what is printed around them."""


def shiftable(messages, tools):
    """``(message index or -1, path, text)`` of every string the oracle shifts."""
    for index, message in enumerate(messages):
        for path, text in leaves(message):
            if path[-1] not in STEERING:
                yield index, path, text
    for path, text in leaves(tools or [], ("tools",)):
        if path[-1] in {"description", "name"} and "properties" not in path[-2:-1]:
            yield -1, path, text


def changed_positions(template, messages, tools, agp, index, path, **options):
    """Positions of the output that change when one string shifts, or None when the output's length changes too."""
    before = hf_text(template, messages, tools, agp, **options)
    other = copy.deepcopy({"messages": messages, "tools": tools})
    holder = other["messages"][index] if index >= 0 else other
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = shifted_body(holder[path[-1]])
    try:
        after = hf_text(template, other["messages"], other["tools"], agp, **options)
    except Exception:  # noqa: BLE001 - any refusal means this field steers the template
        return None
    if len(before) != len(after):
        return None
    return {k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b}


def escapes(text):
    """Whether an escape of ``text`` can hold letters that no shift reaches (``\\u00e9``, ``&lt;``)."""
    return not text.isascii() or any(c in text for c in "<>&'\"\\\n\t") or not text.isprintable()
