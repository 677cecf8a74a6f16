"""What goes in and comes out of the area ``template-engine``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class TemplateInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A template, its variables, and how much it may build where the case bounds that."""

    template: str
    inputs: dict[str, Any] = {}
    limits: dict[Literal["characters", "steps"], int] = {}


class TemplateOutput(msgspec.Struct, forbid_unknown_fields=True):
    """The rendered text."""

    text: str


class TemplateExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The oracle's text."""

    text: str
