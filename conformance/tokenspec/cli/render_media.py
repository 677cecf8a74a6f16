"""The media of a rendered conversation in words: which is where, and how many placeholders it has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tokenspec.areas.media.records import MediaOutput
from tokenspec.cli.screen import say

TYPE_OF = {"image": 1, "video": 2}


@dataclass(frozen=True)
class PlacedMedium:
    """One medium: the first of its placeholders, how many tokens it goes on, and how many of them are placeholders."""

    kind: str
    first: int
    length: int
    placeholders: int
    hash: str | None


def placed(output: MediaOutput) -> list[PlacedMedium]:
    """The media of an answer in the order of the text; what it does not give of them is taken as read."""
    hashes, types = output.mm_hashes or {}, output.mm_token_type_ids
    found = [
        PlacedMedium(
            kind,
            first,
            length,
            length if types is None else types[first : first + length].count(TYPE_OF[kind]),
            (hashes.get(kind) or [None] * (number + 1))[number],
        )
        for kind, ranges in (output.mm_placeholders or {}).items()
        for number, (first, length) in enumerate(ranges)
    ]
    return sorted(found, key=lambda medium: medium.first)


def echo_media(media: Iterable[PlacedMedium]) -> None:
    """One line for each medium."""
    for medium in media:
        last = medium.first + medium.length
        name = f", {medium.hash[:12]}" if medium.hash else ""
        say(f"{medium.kind}: {medium.placeholders} placeholders in tokens {medium.first} to {last}{name}")
