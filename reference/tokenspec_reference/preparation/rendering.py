"""One conversation, rendered and encoded once; all findings read this."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

from tokenspec_reference.preparation.conversation import Conversation
from tokenspec_reference.preparation.prepared import MessageSpan, Run
from tokenspec_reference.renderers.attribute import Attribution, encode_and_attribute
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.segments import Span


@dataclass(frozen=True)
class Rendering:
    """Text and tokens of a conversation. ``spans`` tile the text, ``unclear`` are character ranges of nobody's."""

    conversation: Conversation
    text: str
    spans: list[Span]
    unclear: list[tuple[int, int]]
    tokens: Attribution

    @cached_property
    def regions(self) -> dict[int, str]:
        """The text of each message, header and closer included, joined where it stands in several places."""
        found: dict[int, list[str]] = {}
        for span in self.spans:
            found.setdefault(span.owner, []).append(self.text[span.start : span.end])
        return {owner: "".join(pieces) for owner, pieces in found.items()}

    @cached_property
    def message_runs(self) -> dict[int, Run]:
        """The outer token range of each message that has tokens."""
        found: dict[int, Run] = {}
        position = 0
        for owner, run in groupby(self.tokens.message_indices):
            end = position + len(list(run))
            if owner >= 0:
                found[owner] = (found.get(owner, (position, end))[0], end)
            position = end
        return found

    @property
    def message_spans(self) -> list[MessageSpan]:
        """The same with roles, in the order of the messages."""
        messages = self.conversation.messages
        return [MessageSpan(i, str(messages[i]["role"]), *run) for i, run in sorted(self.message_runs.items())]

    def token_range(self, start: int, end: int) -> Run:
        """The tokens that begin in a character range."""
        placed = self.tokens.char_spans
        return bisect_left(placed, start, key=itemgetter(0)), bisect_left(placed, end, key=itemgetter(0))

    def loss_mask(self) -> list[bool]:
        """What the model emits, in messages that may be trained."""
        if all(self.conversation.trained):
            return self.tokens.sampled_mask
        may = self.conversation.trained
        pairs = zip(self.tokens.sampled_mask, self.tokens.message_indices, strict=True)
        return [sampled and may[index] for sampled, index in pairs]


def render(renderer: Any, encoder: Encoder, conversation: Conversation) -> Rendering:
    """Render and encode a conversation; ``encoder`` may be a faster one than the renderer's own.

    Raises:
        TokenSpecError: the conversation is refused.
    """
    messages, tools = conversation.messages, conversation.tools
    if hasattr(renderer, "provenance"):
        found = renderer.provenance(messages, tools=tools)
        text, spans, unclear = found.text, found.spans, found.unattributed
    else:
        text, spans, _ = renderer.render_parts(messages, tools=tools, add_generation_prompt=False)
        unclear = []
    tokens = encode_and_attribute(
        encoder,
        text,
        spans,
        encoding=renderer.encoding,
        id_profile=renderer.id_profile,
        straddle=renderer.straddle,
    )
    return Rendering(conversation, text, spans, unclear, tokens)
