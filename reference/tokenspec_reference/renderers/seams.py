r"""Contents that merge with the generation prompt: where canonical ids and sampled ids cannot agree.

A sampler starts after the prompt's last token. If the prompt ends in ordinary text (``assistant\n``) and the content
starts with bytes that merge with it (``\n``), one encode of the whole text gives another token at the seam. Both id
profiles are right about what they describe, so the contents where they differ are listed, not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenspec_reference.renderers.renderer import Renderer
    from tokenspec_reference.renderers.template import TemplateRenderer


def merging_contents(renderer: Renderer | TemplateRenderer) -> list[str]:
    """All texts of one ordinary token that merge with the end of the generation prompt, sorted.

    Empty where the prompt ends in a control token. A content merges when it starts with one of these texts (or with
    part of one), so this is the set to draw test contents from. Cost: one short encode per vocabulary entry.
    """
    prompt = renderer.render([{"role": "user", "content": "q"}], add_generation_prompt=True).text
    encoder = renderer.encoder
    ids = encoder.ids(prompt)
    ordinary = next((k for k, token in enumerate(reversed(ids)) if token in encoder.added), len(ids))
    if ordinary == 0:
        return []
    anchor = encoder.added.get(ids[-ordinary - 1], "") if ordinary < len(ids) else ""
    tail = anchor + prompt[prompt.rindex(anchor) + len(anchor) :] if anchor else prompt
    ahead = encoder.ids(tail)
    found = []
    for text in encoder.token_texts():
        joined = encoder.ids(tail + text)
        if joined[: len(ahead)] != ahead:
            found.append(text)
    return sorted(found)
