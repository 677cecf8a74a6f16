"""What preparation makes of one conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tokenspec_reference.preparation.finding import Finding

Run = tuple[int, int]
"""A half-open range of tokens."""


class MessageSpan(NamedTuple):
    """The outer token range of one message; other messages' tokens may stand in it where a template interleaves."""

    message: int
    role: str
    start: int
    end: int


@dataclass(frozen=True)
class Prepared:
    """Ids of one conversation with its masks as runs.

    ``trained`` are the maximal runs of tokens with loss, ``content`` those of bodies and sampled text, both in order.
    ``token_ids`` are empty where nothing can be trained on: an ``error`` among the findings says why. ``total`` is the
    number of tokens before anything was cut.
    """

    token_ids: list[int] = field(default_factory=list)
    trained: list[Run] = field(default_factory=list)
    content: list[Run] = field(default_factory=list)
    spans: list[MessageSpan] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    total: int = 0

    @property
    def loss_mask(self) -> list[bool]:
        """The loss mask, one entry per token."""
        return spread(self.trained, len(self.token_ids))

    @property
    def is_content(self) -> list[bool]:
        """The content mask, one entry per token."""
        return spread(self.content, len(self.token_ids))

    @property
    def trained_tokens(self) -> int:
        """How many tokens have loss."""
        return sum(end - start for start, end in self.trained)


def spread(runs: list[Run], length: int) -> list[bool]:
    """The mask that runs stand for."""
    mask = [False] * length
    for start, end in runs:
        mask[start:end] = [True] * (end - start)
    return mask


def clipped(runs: list[Run], length: int) -> list[Run]:
    """Runs without what lies at or behind ``length``."""
    return [(start, min(end, length)) for start, end in runs if start < length]
