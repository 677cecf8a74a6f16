"""A ChatML-like template end to end: text, ids and masks."""

from __future__ import annotations

from types import SimpleNamespace

from tokenspec_reference.renderers.template import TemplateRenderer

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class Characters:
    """A tokenizer with one token per character."""

    all_special_tokens = ("<|im_end|>",)

    def encode(self, text, add_special_tokens=True):
        return SimpleNamespace(ids=[ord(c) for c in text], offsets=[(k, k + 1) for k in range(len(text))])


def marked(out, mask):
    return "".join(c if bit else "." for c, bit in zip(out.text, mask, strict=True))


def test_chatml_text_ids_and_masks():
    out = TemplateRenderer(Characters(), CHATML).render(
        [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "cd"}], add_generation_prompt=True
    )
    assert out.text == "<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\ncd<|im_end|>\n<|im_start|>assistant\n"
    assert out.token_ids == [ord(c) for c in out.text]
    assert marked(out, out.is_content).replace(".", "") == "abcd<|im_end|>"
    assert marked(out, out.sampled_mask).replace(".", "") == "cd<|im_end|>"
    assert [out.message_indices.count(k) for k in (0, 1, -1)] == [30, 35, 22]
