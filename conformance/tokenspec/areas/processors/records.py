"""What goes in and comes out of the area ``processors``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Tokens = list[int | list[int]]
Logit = float | Literal["nan", "inf", "-inf"]


class Allow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="allow"):
    """Ask for the sets."""


class Advance(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="advance", omit_defaults=True
):
    """Commit tokens: per row one id, or a list of ids of the same length."""

    tokens: Tokens
    active: list[bool] | None = None


class Reorder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="reorder"):
    """New row i = old row ``src[i]``."""

    src: list[int]


class Finish(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="finish"):
    """Set the finished flags."""

    finished: list[bool]


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="status"):
    """Ask for the derived status."""


class Bitmask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="bitmask"):
    """Ask for the packed form."""


class Apply(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="apply", omit_defaults=True):
    """Write the mask into logits given as hexadecimal bit patterns, one string per row."""

    dtype: str
    logits: list[str]
    layout: Literal["contiguous", "strided"] = "contiguous"
    on_dead: Literal["raise", "zero"] = "raise"


class Select(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="select"):
    """Ask for the sets with the rules that look at logits."""

    logits: list[list[Logit]]


class Masks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="masks"):
    """Ask for the sets before and behind the drafts of every row."""

    drafts: list[list[int]]


class Commit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="commit"):
    """Commit tokens: per row any number of ids."""

    tokens: list[list[int]]


class Rollback(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="rollback"):
    """Take the last tokens back, per row so many."""

    counts: list[int]


class Forced(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="forced", omit_defaults=True):
    """Ask for the forced run of every row."""

    limit: int
    stop_ids: list[int] = []


Step = Allow | Advance | Reorder | Finish | Status | Bitmask | Apply | Select | Masks | Commit | Rollback | Forced


class ProcessorsInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One script. ``processors`` are configurations with a ``kind``; their other fields are the spec's."""

    processors: list[dict[str, Any]]
    vocab_size: int
    rows: int = 1
    checked: bool = False
    steps: list[Step]


class ProcessorsRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked: the script. ``processors`` are configurations with a ``kind``."""

    processors: list[dict[str, Any]]
    vocab_size: int
    rows: int
    checked: bool
    steps: list[Step]


class StepError(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A typed error inside a step. ``processors`` are the members to relax, for ``empty-allowed-set``.

    ``place`` is what is to blame, a JSON pointer into the request.
    """

    code: str
    row: int | None = None
    processors: list[str] = []
    place: str = ""


class StepAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer to one step; which field it has follows from the step's ``op``."""

    allowed: list[list[int] | Literal["ALL"]] | None = None
    status: list[str] | None = None
    words: list[list[int]] | None = None
    bits: list[str] | None = None
    masks: list[list[list[int] | Literal["ALL"]]] | None = None
    forced: list[list[int]] | None = None
    error: StepError | None = None


class ProcessorsOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer per step; an error is the last one."""

    steps: list[StepAnswer]


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a configuration is refused: the code, and the JSON pointers the message names.

    They lead into the first configuration, or the document of its tree; ``places`` lead into the request.
    """

    code: str
    pointers: list[str] = []
    places: list[str] = []


class ProcessorsExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The oracle's answer, or the refusal."""

    steps: list[StepAnswer] | None = None
    refusal: Refusal | None = None
