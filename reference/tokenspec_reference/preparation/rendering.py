"""One conversation, rendered and encoded once; all findings read this.

Tokens are attributed by runs: a conversation of thousands of tokens has some dozens of spans, and a binary search finds
the tokens of each. :func:`runs_by_token` is the readable twin, for the rules and encodings that need every token.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from tokenspec_reference.preparation.conversation import Conversation
from tokenspec_reference.preparation.prepared import MessageSpan, Run
from tokenspec_reference.renderers.attribute import Attribution, encode_and_attribute, token_runs
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.media.expand import ConversationMedia
from tokenspec_reference.renderers.media.medium import kind_of, parts_of, refuse_media
from tokenspec_reference.renderers.segments import Span
from tokenspec_reference.renderers.token_text import byte_ends


class Owned(NamedTuple):
    """Tokens of one owner and kind: half-open, message index or -1."""

    start: int
    end: int
    owner: int
    is_content: bool
    is_sampled: bool


@dataclass(frozen=True)
class Rendering:
    """Text and tokens of a conversation.

    ``spans`` tile the text, ``unclear`` are character ranges of nobody's. ``starts`` and ``ends`` are the characters of
    each token, ``owned`` tiles the tokens; all three are empty where the tokenizer cannot place its tokens. ``media``
    are the token ranges of expanded pictures and videos, from the first to the last placeholder of each.
    """

    conversation: Conversation
    text: str
    spans: Sequence[Span]
    unclear: Sequence[tuple[int, int]]
    token_ids: list[int]
    starts: list[int]
    ends: list[int]
    owned: list[Owned]
    media: list[Run] = field(default_factory=list)

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
        for run in self.owned:
            if run.owner >= 0:
                found[run.owner] = (found.get(run.owner, run)[0], run.end)
        return found

    @property
    def message_spans(self) -> list[MessageSpan]:
        """The same with roles, in the order of the messages."""
        messages = self.conversation.messages
        return [MessageSpan(i, str(messages[i]["role"]), *run) for i, run in sorted(self.message_runs.items())]

    @cached_property
    def trained(self) -> list[Run]:
        """What the model emits, in messages that may be trained."""
        may = self.conversation.may_train
        return joined((run.start, run.end) for run in self.owned if run.is_sampled and may(run.owner))

    @property
    def content(self) -> list[Run]:
        """Bodies, and what the model emits."""
        return joined((run.start, run.end) for run in self.owned if run.is_content)

    def sampled_ids(self, message: int) -> list[int]:
        """The ids a model would have emitted in a turn."""
        runs = [run for run in self.owned if run.is_sampled and run.owner == message]
        return [token for run in runs for token in self.token_ids[run.start : run.end]]

    def token_range(self, start: int, end: int) -> Run:
        """The tokens that begin in a character range."""
        return bisect_left(self.starts, start), bisect_left(self.starts, end)


def expansion_of(renderer: Any, messages: Sequence[dict[str, Any]]) -> ConversationMedia | None:
    """What is written for the pictures and videos of messages; None where there are none.

    Raises:
        UnsupportedByReference: what the model's processor writes for them is not described.
        TokenSpecError: one of them cannot be read, or the processor refuses it.
    """
    if all(kind_of(part) is None for message in messages for part in parts_of(message)):
        return None
    if not hasattr(renderer, "media_of"):
        refuse_media(messages)
    found: ConversationMedia | None = renderer.media_of(messages)
    return found


def text_of(renderer: Any, messages: Sequence[dict[str, Any]], tools: Any, *, prompt: bool, media: bool) -> str:
    """The text of messages; with ``media`` their pictures and videos are expanded.

    Raises:
        TokenSpecError: they are refused.
    """
    found = expansion_of(renderer, messages) if media else None
    if found is None:
        plain: str = renderer.render_text(messages, tools=tools, add_generation_prompt=prompt)
        return plain
    expanded: str = renderer.expanded_parts(messages, found, tools=tools, add_generation_prompt=prompt)[0]
    return expanded


def render(renderer: Any, encoder: Encoder, conversation: Conversation, *, media: bool = False) -> Rendering:
    """Render and encode a conversation; ``encoder`` may be a faster one than the renderer's own.

    With ``media`` pictures and videos are expanded as the model's processor does.

    Raises:
        TokenSpecError: the conversation is refused.
    """
    messages, tools = conversation.messages, conversation.tools
    expansion = expansion_of(renderer, messages) if media else None
    if expansion is not None:
        text, spans, _ = renderer.expanded_parts(messages, expansion, tools=tools)
        unclear = []
    elif hasattr(renderer, "provenance"):
        found = renderer.provenance(messages, tools=tools)
        text, spans, unclear = found.text, found.spans, found.unattributed
    else:
        text, spans, _ = renderer.render_parts(messages, tools=tools, add_generation_prompt=False)
        unclear = []
    asked = (renderer.encoding, renderer.id_profile, renderer.straddle)
    if asked == ("hf", "canonical", "first-char"):
        token_ids, starts, ends = placed(encoder, text)
        owned = [
            Owned(start, end, span.owner, span.is_content, span.is_sampled)
            for start, end, span in token_runs(starts, spans)
            if start < end
        ]
    else:
        tokens = encode_and_attribute(encoder, text, spans, encoding=asked[0], id_profile=asked[1], straddle=asked[2])
        token_ids, owned = tokens.token_ids, list(runs_by_token(tokens))
        starts, ends = [start for start, _ in tokens.char_spans], [end for _, end in tokens.char_spans]
    placed_media = [] if expansion is None else media_ranges(expansion, token_ids, renderer.encoder)
    return Rendering(conversation, text, spans, unclear, token_ids, starts, ends, owned, placed_media)


def media_ranges(media: ConversationMedia, token_ids: list[int], encoder: Encoder) -> list[Run]:
    """The token range of each picture and video, in the order of the text."""
    ranges = media.placed(token_ids, encoder).mm_placeholders
    return sorted((one.offset, one.offset + one.length) for kind in ranges.values() for one in kind)


def placed(encoder: Encoder, text: str) -> tuple[list[int], list[int], list[int]]:
    """Ids, and the first character and the end of each; no places where the tokenizer shows none."""
    if encoder.bytes_by_id is not None and text.isascii():
        token_ids = encoder.ids(text)
        ends = byte_ends(text.encode(), token_ids, encoder.bytes_by_id)
        if ends is not None:
            return token_ids, ends[:-1], ends[1:]
    token_ids, spans = encoder.encode(text)
    return token_ids, [start for start, _ in spans or ()], [end for _, end in spans or ()]


def runs_by_token(tokens: Attribution) -> Iterator[Owned]:
    """The same from the lists that have an entry for each token."""
    position = 0
    for (owner, content, sampled), run in groupby(
        zip(tokens.message_indices, tokens.is_content, tokens.sampled_mask, strict=True)
    ):
        end = position + len(list(run))
        yield Owned(position, end, owner, content, sampled)
        position = end


def joined(runs: Iterator[Run]) -> list[Run]:
    """Runs in order, those that touch made one."""
    found: list[Run] = []
    for start, end in runs:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
