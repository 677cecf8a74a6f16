"""What the masks leave out: merged headers, turns without loss, tokens of nobody's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.rendering import Rendering


def merged_headers(found: Rendering) -> Iterator[Finding]:
    """``header-merges``: a token begins in scaffold and ends in a body."""
    for before, span in pairwise(found.spans):
        if not span.is_content or before.is_content:
            continue
        token = bisect_right(found.starts, span.start) - 1
        start, end = found.starts[token], found.ends[token]
        if start < span.start < end:
            shared = found.text[start:end]
            detail = f"message {span.owner} begins inside the token {shared!r}"
            yield Finding("header-merges", detail, span.owner, (token, token + 1))


def untrained(found: Rendering) -> Iterator[Finding]:
    """``empty-loss-mask``, ``untrained-turn`` and ``unattributed``."""
    conversation, runs = found.conversation, found.message_runs
    for start, end in found.unclear:
        tokens = found.token_range(start, end)
        index = next((run.owner for run in found.owned if run.start <= tokens[0] < run.end), -1)
        shown = found.text[start:end][:40]
        yield Finding("unattributed", f"{shown!r}", index if index >= 0 else None, tokens)
    if not found.trained:
        yield Finding("empty-loss-mask", _reason(found))
        return
    emitted = {run.owner for run in found.owned if run.is_sampled}
    for index, message in enumerate(conversation.messages):
        if message["role"] == "assistant" and conversation.may_train(index) and index not in emitted:
            yield Finding("untrained-turn", f"message {index}", index, runs.get(index))


def _reason(found: Rendering) -> str:
    messages = found.conversation.messages
    turns = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    if not turns:
        return "there is no assistant turn"
    if not any(map(found.conversation.may_train, turns)):
        return "no assistant turn may be trained"
    return "no token of an assistant turn is sampled"
