"""Small wire formats, and what a template that writes one shows of its turns."""

from __future__ import annotations

from oracle import Letters

from tokenspec_reference.renderers.template import TemplateRenderer


class Special:
    """An added token as tokenizers show it."""

    def __init__(self, content):
        self.content = content
        self.special = True


class Marked(Letters):
    """One token per character, with the added tokens of the wire formats below."""

    names = (
        "<|im_start|>", "<|im_end|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|return|>", "<|end|>", "<s>", "</s>",
        "<think>", "</think>", "<|image_pad|>", "<|wrap|>",
    )  # fmt: skip
    all_special_tokens = tuple(name for name in names if "think" not in name)
    added_tokens_decoder = {k: Special(name) for k, name in enumerate(names)}  # noqa: RUF012


CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
PROMPT = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
THINKING = "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
ROUNDS = [
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": "two"},
    {"role": "user", "content": "three"},
    {"role": "assistant", "content": "four"},
]


def sampled(template, messages, prompt=False, wire=None, **options):
    found = TemplateRenderer(Marked(), template, wire=wire, **options).provenance(
        messages, add_generation_prompt=prompt
    )
    parts, last = [], None
    for span in found.spans:
        if span.is_sampled:
            piece = found.text[span.start : span.end]
            parts = [*parts[:-1], parts[-1] + piece] if last == (span.owner, span.start) else [*parts, piece]
            last = (span.owner, span.end)
    return parts


def unattributed(template, messages):
    found = TemplateRenderer(Marked(), template).provenance(messages)
    return [found.text[start:end] for start, end in found.unattributed]


def owners(template, messages, **options):
    found = TemplateRenderer(Marked(), template, **options).provenance(messages)
    return [(found.text[s.start : s.end], s.owner) for s in found.spans]
