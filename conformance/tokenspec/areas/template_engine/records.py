"""What goes in and comes out of the area ``template-engine``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class TemplateInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A template, its variables, and how much it may build where the case bounds that."""

    template: str
    inputs: dict[str, Any] = {}
    limits: dict[Literal["characters", "steps"], int] = {}


class TemplateRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked.

    Attributes:
        template: the source of a chat template.
        inputs: its variables.
        environment: how templates are read: the options of the engine, as the chapter fixes them.
        now: the time that ``strftime_now`` reads, ISO 8601 without zone.
        limits: how much may be built, where the case bounds that.
    """

    template: str
    inputs: dict[str, Any]
    environment: dict[str, Any]
    now: str
    limits: dict[Literal["characters", "steps"], int] | msgspec.UnsetType = msgspec.UNSET


class TemplateOutput(msgspec.Struct, forbid_unknown_fields=True):
    """The rendered text."""

    text: str


class TemplateExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The oracle's text."""

    text: str
