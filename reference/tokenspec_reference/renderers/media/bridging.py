"""The next prompt of a conversation with media: earlier ones stay where they are, new ones are expanded behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from tokenspec_reference.errors import InvalidMessages
from tokenspec_reference.renderers.bridge import Bridgeable, Message, bridge
from tokenspec_reference.renderers.media.expand import ConversationMedia, token_types
from tokenspec_reference.renderers.media.medium import KINDS, Kind, Medium
from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens

if TYPE_CHECKING:
    from tokenspec_reference.renderers.chat import Chat
    from tokenspec_reference.renderers.media.format import MediaFormat
    from tokenspec_reference.renderers.rendered import PlaceholderRange
    from tokenspec_reference.renderers.segments import Span

UNSEEN: dict[Kind, Medium] = {"image": Medium("image", 64, 64), "video": Medium("video", 64, 64, frames=4)}
"""Stand for media of the history where only their number matters."""


class Expanding(Bridgeable, Protocol):
    """What a bridge over media needs of a renderer beside what every bridge needs."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Keywords of the template."""
        ...

    def media_of(self, messages: Any, field: str = "messages") -> ConversationMedia | None:
        """The media of messages with what is written for each."""
        ...

    def expanded_parts(
        self,
        messages: Sequence[Message],
        media: ConversationMedia,
        *,
        tools: Any = None,
        add_generation_prompt: bool = False,
    ) -> tuple[str, list[Span], Chat]:
        """Text, spans and normalised conversation with media expanded."""
        ...


def bridge_expanded(
    renderer: Expanding,
    prompt_ids: Sequence[int],
    completion_ids: Sequence[int],
    new_messages: Sequence[Message],
    *,
    tools: Any,
    previous: MultiModalData,
) -> RenderedTokens | None:
    """The next prompt with the media of ``new_messages`` expanded, and the data of all media in it.

    Declines (None) as every bridge does, and where the prompt holds placeholders that ``previous`` leaves out.

    Raises:
        InvalidMessages: a range of ``previous`` is no range of the prompt.
    """
    new = renderer.media_of(new_messages, field="new_messages")
    if new is None:
        return bridge_as_written(renderer, prompt_ids, completion_ids, new_messages, tools=tools)
    prior = [*prompt_ids, *completion_ids]
    if not _accounts_for(previous, prior, renderer, new.format):
        return None
    counts: dict[Kind, int] = {kind: len(previous.mm_placeholders.get(kind, ())) for kind in KINDS}
    history = numbered_history(renderer, counts)
    ahead = [UNSEEN[kind] for kind in KINDS for _ in range(counts[kind])] if history else []
    with_history = ConversationMedia.of(new.format, [*ahead, *new.media])
    render = partial(renderer.expanded_parts, media=with_history)
    found = bridge(renderer, prompt_ids, completion_ids, new_messages, tools=tools, history=history, render=render)
    if found is None:
        return None
    placed = new.placed(found.token_ids[len(prior) :], renderer.encoder, len(prior))
    return replace(
        found,
        multi_modal_data=previous.before(placed),
        mm_token_type_ids=token_types(found.token_ids, new.format, renderer.encoder),
    )


def bridge_as_written(
    renderer: Expanding,
    prompt_ids: Sequence[int],
    completion_ids: Sequence[int],
    new_messages: Sequence[Message],
    *,
    tools: Any,
) -> RenderedTokens | None:
    """The next prompt with one placeholder a medium, as the template writes it.

    Declines also where media are numbered and the prompt's are expanded, so that nobody can count them.
    """
    history: list[Message] = []
    declared = renderer.family.media
    if declared is not None and renderer.options.get("add_vision_id"):
        prior = [*prompt_ids, *completion_ids]
        known = {kind: token for kind, token in declared.pads.items() if renderer.encoder.has(token)}
        pads = {renderer.encoder.id_of(token): kind for kind, token in known.items()}
        if any(one == other and one in pads for one, other in pairwise(prior)):
            return None
        kinds = [pads[token] for token in prior if token in pads]
        history = numbered_history(renderer, {kind: kinds.count(kind) for kind in KINDS})
    return bridge(renderer, prompt_ids, completion_ids, new_messages, tools=tools, history=history)


def numbered_history(renderer: Expanding, counts: Mapping[Kind, int]) -> list[Message]:
    """A short history after which a template that numbers media goes on counting; empty where nothing is numbered."""
    if not renderer.options.get("add_vision_id") or not any(counts.values()):
        return []
    return [{"role": "user", "content": [{"type": kind} for kind in KINDS for _ in range(counts[kind])]}]


def _accounts_for(
    previous: MultiModalData, prior: Sequence[int], renderer: Expanding, media_format: MediaFormat
) -> bool:
    """Whether every placeholder of the prior ids lies in a range of its kind."""
    for kind in KINDS:
        ranges, token = previous.mm_placeholders.get(kind, []), media_format.pads[kind]
        if not ranges and not renderer.encoder.has(token):
            continue
        pad = renderer.encoder.id_of(token)
        runs = [prior[placed.offset : placed.offset + placed.length] for placed in ranges]
        _refuse_other_ranges(kind, ranges, runs, pad)
        if sum(run.count(pad) for run in runs) != prior.count(pad):
            return False
    return True


def _refuse_other_ranges(
    kind: Kind, ranges: Sequence[PlaceholderRange], runs: Sequence[Sequence[int]], pad: int
) -> None:
    """Refuse a range that is none of the prior ids, or does not begin and end with a placeholder."""
    for position, (placed, run) in enumerate(zip(ranges, runs, strict=True)):
        if placed.offset < 0 or len(run) != placed.length or not run or {run[0], run[-1]} != {pad}:
            raise InvalidMessages(
                "the range does not begin and end with a placeholder of the prompt",
                field=f"previous_multi_modal_data.mm_placeholders[{kind!r}][{position}]",
            )
