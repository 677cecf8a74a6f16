"""Conversations that are too long: where they are cut is chosen and said, never guessed."""

from __future__ import annotations

from typing import Literal

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.rendering import Rendering

Overlong = Literal["turns", "tokens", "drop"]
"""``turns``: cut behind the last whole message that fits and leaves something trained, else drop; ``tokens``: cut at
the bound, wherever that is; ``drop``: leave the conversation out."""


def cut(found: Rendering, max_length: int, overlong: Overlong) -> tuple[int, Finding]:
    """How many tokens stay of a conversation that has more than ``max_length``, and what is to be said of it."""
    total = len(found.token_ids)
    first = found.trained[0][0] if found.trained else total
    spans = found.message_spans
    counted = f"{total} tokens, {max_length} allowed"
    if overlong == "tokens" and first < max_length:
        inside = next((s.message for s in spans if s.start < max_length < s.end), None)
        place = "between two messages" if inside is None else f"INSIDE message {inside} of {len(spans)}"
        return max_length, Finding("over-length", f"{counted}: cut at the bound, {place}", inside, (max_length, total))
    if overlong == "turns":
        ends = [span.end for span in spans if span.end <= max_length]
        whole = max((end for end in ends if all(s.end <= end or s.start >= end for s in spans)), default=0)
        if first < whole:
            kept = sum(span.end <= whole for span in spans)
            detail = f"{counted}: cut behind message {kept} of {len(spans)}, no body is cut"
            return whole, Finding("over-length", detail, None, (whole, total))
    return 0, Finding("over-length", f"{counted}: left out", None, (0, total))
