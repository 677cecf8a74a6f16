"""What goes in and comes out of the area ``template-engine``, and what its oracle expects."""

from __future__ import annotations

from typing import Any

import msgspec


class TemplateInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A template and its variables."""

    template: str
    inputs: dict[str, Any] = {}


class TemplateOutput(msgspec.Struct, forbid_unknown_fields=True):
    """The rendered text."""

    text: str


class TemplateExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The oracle's text."""

    text: str
