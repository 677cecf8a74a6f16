"""The JSON-lines messages of the adapter protocol, typed. Unknown keys are errors on both sides."""

from __future__ import annotations

from typing import Any

import msgspec


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who answers."""

    name: str
    version: str
    language: str = ""
    homepage: str = ""
    issues: str = ""


class Started(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Reply to ``start``: the protocol spoken, who answers, and the operations it has."""

    protocol: int
    implementation: Implementation
    capabilities: dict[str, dict[str, Any]]


class Loaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Reply to ``load``: whether the row can be used; ``reason`` says why not."""

    ok: bool
    reason: str = ""


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why an input is unsupported."""

    reason: str
    issue: str = ""


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A refusal of the input."""

    code: str
    message: str = ""


class Trouble(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An error of the implementation."""

    message: str
    traceback: str = ""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Reply to ``run``: ``seq`` echoed, and exactly one of the four outcomes."""

    seq: int
    result: dict[str, Any] | None = None
    unsupported: Reason | None = None
    rejected: Refusal | None = None
    error: Trouble | None = None

    def __post_init__(self) -> None:
        """One outcome, not none and not two."""
        given = [name for name in ("result", "unsupported", "rejected", "error") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of result, unsupported, rejected, error; got {given or 'none'}")
