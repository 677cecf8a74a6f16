"""Expand the placeholders of a conversation once, and find them again among its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import InvalidMessages, TokenSpecError
from tokenspec_reference.renderers.media.medium import KINDS, Kind, Medium
from tokenspec_reference.renderers.rendered import MultiModalData, PlaceholderRange
from tokenspec_reference.renderers.segments import Block, Segment

if TYPE_CHECKING:
    from tokenspec_reference.renderers.encode import Encoder
    from tokenspec_reference.renderers.media.format import Expansion, MediaFormat

TYPE_IDS: Mapping[Kind, int] = {"image": 1, "video": 2}
"""What ``mm_token_type_ids`` says of a placeholder; 0 is everything else."""


@dataclass(frozen=True)
class ConversationMedia:
    """The media of one conversation with what is written for each, in order."""

    format: MediaFormat
    media: tuple[Medium, ...]
    expansions: tuple[Expansion, ...]

    @classmethod
    def of(cls, media_format: MediaFormat, media: Iterable[Medium]) -> ConversationMedia:
        """Apply the family's rules.

        Raises:
            MediaRefused, UnsupportedByReference: see :meth:`MediaFormat.expansion`.
        """
        found = tuple(media)
        return cls(media_format, found, tuple(map(media_format.expansion, found)))

    def expand(self, blocks: Iterable[Block]) -> list[Block]:
        """The blocks with every placeholder of the template replaced by what stands for its medium.

        Raises:
            InvalidMessages: the template leaves a medium out, or writes more placeholders than there are media.
        """
        waiting = {kind: iter(self._of(kind)) for kind in KINDS}
        kind_of = {token: kind for kind, token in self.format.pads.items()}

        def expanded(segments: Iterable[Segment]) -> Iterator[Segment]:
            for segment in segments:
                kind = kind_of.get(segment.text) if segment.is_body and not segment.is_supplied else None
                if kind is None:
                    yield segment
                    continue
                found = next(waiting[kind], None)
                if found is None:
                    raise InvalidMessages(
                        f"the template writes more {kind} placeholders than messages hold", field="messages"
                    )
                yield from found.segments

        built = [
            block._replace(
                opener=tuple(expanded(block.opener)),
                sampled=tuple(expanded(block.sampled)),
                closer=tuple(expanded(block.closer)),
            )
            for block in blocks
        ]
        for kind, left in waiting.items():
            if next(left, None) is not None:
                raise InvalidMessages(
                    f"the template leaves media of kind {kind} out; move them to a message whose media it writes",
                    field="messages",
                )
        return built

    def refuse_typed(self, blocks: Iterable[Block], tools: Any) -> None:
        """Refuse text of a caller that spells a placeholder: nobody could tell it from one.

        Raises:
            InvalidMessages: names the message, or the tools, which may stand in a message's block.
        """
        for block in blocks:
            for run in (block.opener, block.sampled, block.closer):
                supplied = "".join(segment.text if segment.is_supplied else "\0" for segment in run)
                for token in self.format.pads.values():
                    if token in supplied:
                        raise InvalidMessages(
                            f"the text spells the placeholder {token!r}; take it out, or use encoding='isolated'",
                            field="tools" if block.owner < 0 or token in repr(tools) else f"messages[{block.owner}]",
                        )

    def _of(self, kind: Kind) -> Iterator[Expansion]:
        return (found for medium, found in zip(self.media, self.expansions, strict=True) if medium.kind == kind)

    def placed(self, token_ids: Sequence[int], encoder: Encoder, offset: int = 0) -> MultiModalData:
        """Where the media are: each from its first to its last placeholder, counted from ``offset``.

        Raises:
            TokenSpecError: the ids do not hold the placeholders that were written.
        """
        items: dict[str, list[Any]] = {}
        ranges: dict[str, list[PlaceholderRange]] = {}
        digests: dict[str, list[str | None]] = {}
        for kind in KINDS:
            written = [(m, e) for m, e in zip(self.media, self.expansions, strict=True) if m.kind == kind]
            if not written:
                continue
            pad_id = encoder.id_of(self.format.pads[kind])
            places = [place for place, token in enumerate(token_ids) if token == pad_id]
            if len(places) != sum(expansion.item["placeholders"] for _, expansion in written):
                raise TokenSpecError(
                    f"the ids hold {len(places)} placeholders of {kind}s, other than the text", field="tokenizer"
                )
            own = iter(places)
            runs = [list(islice(own, expansion.item["placeholders"])) for _, expansion in written]
            items[kind] = [expansion.item for _, expansion in written]
            ranges[kind] = [PlaceholderRange(offset + run[0], run[-1] + 1 - run[0]) for run in runs]
            digests[kind] = [medium.digest for medium, _ in written]
        return MultiModalData(items, ranges, digests)


def token_types(token_ids: Sequence[int], media_format: MediaFormat, encoder: Encoder) -> list[int]:
    """Per token 1 for a placeholder of a picture, 2 for one of a video, else 0."""
    known = {encoder.id_of(token): TYPE_IDS[kind] for kind, token in media_format.pads.items() if encoder.has(token)}
    return [known.get(token, 0) for token in token_ids]
