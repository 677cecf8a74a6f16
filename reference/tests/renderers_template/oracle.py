"""What the renderer is judged by, made without it: transformers' own text, and attribution by differential rendering.

Differential oracle: shift every ASCII letter of one text field of one message, render again with plain Jinja, and see
which characters of the output changed. Those, and only those, came from that field (a letter never shifts to itself, so a
copied letter always changes).
"""

from __future__ import annotations

import copy
from datetime import datetime

from transformers.utils import chat_template_utils

FROZEN = datetime(2024, 7, 26, 12, 0)
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


class _Clock(datetime):
    @classmethod
    def now(cls, tz=None):
        return FROZEN


chat_template_utils.datetime = _Clock


def hf_text(template, messages, tools=None, add_generation_prompt=False, **options):
    """``apply_chat_template(tokenize=False)`` of the installed transformers without a tokenizer."""
    messages = [{k: v for k, v in m.items() if v is not None} for m in messages]
    rendered, _ = chat_template_utils.render_jinja_template(
        [messages],
        tools=tools,
        chat_template=template,
        add_generation_prompt=add_generation_prompt,
        **{**SPECIAL, **options},
    )
    return rendered[0]


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


def bodies(message):
    """``(path, text)`` of every text that the oracle shifts: content (also in parts) and reasoning."""
    for name in ("content", "reasoning_content"):
        value = message.get(name)
        if isinstance(value, str):
            yield (name,), value
        elif isinstance(value, list):
            for k, part in enumerate(value):
                if isinstance(part, dict) and isinstance(part.get("text"), str):
                    yield (name, k, "text"), part["text"]
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, str):
                    yield (name, key), item


def changed_positions(template, messages, tools, agp, index, path, **options):
    """Positions of the output that change when one field shifts, or None when its length changes too."""
    before = hf_text(template, messages, tools, agp, **options)
    other = copy.deepcopy(messages)
    holder = other[index]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = shifted_body(holder[path[-1]])
    try:
        after = hf_text(template, other, tools, agp, **options)
    except Exception:  # noqa: BLE001 - any refusal means this field steers the template
        return None
    if len(before) != len(after):
        return None
    return {k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b}
