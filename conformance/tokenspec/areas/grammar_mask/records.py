"""What goes in and comes out of the area ``grammar-mask``, and what its oracle expects."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.fast_forward.records import InlineVocabulary

Range = tuple[int, int]


class Mask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="mask"):
    """Ask for the mask."""


class Accept(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="accept"):
    """Give tokens, of which the leading allowed ones are taken."""

    tokens: list[int]


class Rollback(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="rollback"):
    """Take accepted tokens back."""

    count: int


class GrammarMaskInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A script behind a prefix, whose pieces are tokenised each for itself; ``vocabulary`` replaces the row's."""

    grammar: dict[str, Any]
    prefix: list[str | dict[str, str]] = []
    vocabulary: InlineVocabulary | None = None
    steps: list[Mask | Accept | Rollback]


class GrammarMaskRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked: the case; ``model`` is the row, null beside a vocabulary."""

    model: str | None
    vocabulary: InlineVocabulary | None
    grammar: dict[str, Any]
    prefix: list[str | dict[str, str]]
    steps: list[Mask | Accept | Rollback]


class StepAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer to one step.

    Attributes:
        ranges: the ids of a mask as first and last ids of runs, ascending; ids that end the sequence are left out.
        may_end: whether the mask has the ids that end the sequence.
        accepted: how many leading tokens were taken.
        refused: why nothing was taken back.
    """

    ranges: list[Range] | None = None
    may_end: bool | None = None
    accepted: int | None = None
    refused: str | None = None


class GrammarMaskOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer a step."""

    steps: list[StepAnswer]


class StepExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The oracle's answer to one step: a mask of many runs by their number and the hash of what it would write."""

    ranges: list[Range] | None = None
    count: int | None = None
    sha256: str | None = None
    may_end: bool | None = None
    accepted: int | None = None
    refused: str | None = None


class GrammarMaskExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The oracle's answers."""

    steps: list[StepExpect]
