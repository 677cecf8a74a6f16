"""The messages of the adapter protocol, typed: the suite's own, and an adapter's answers.

An adapter ignores keys it does not know, so that later suites can say more; a suite refuses keys it does not know, so
that a misspelt one is noticed.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from tokenspec.adapters.capability import Capability


class Start(msgspec.Struct, frozen=True, tag_field="cmd", tag="start"):
    """The first message: the protocol spoken, and the version of the suite."""

    protocol: int
    suite: str


class Wire(msgspec.Struct, frozen=True):
    """What a row declares of its template's wire format."""

    assistant_open: list[str]
    assistant_close: list[str]
    stop: list[str]
    placeholder: list[str]
    straddle: str


class Assets(msgspec.Struct, frozen=True):
    """A row: its folder with ``tokenizer.json`` and ``tokenizer_config.json``, and its chat template."""

    directory: str
    family: str
    status: str
    chat_template: str
    wire: Wire


class Load(msgspec.Struct, frozen=True, tag_field="cmd", tag="load"):
    """Make a row available to later runs."""

    model: str
    assets: Assets


class RunCase(msgspec.Struct, frozen=True, tag_field="cmd", tag="run"):
    """Answer one case. ``input`` is the operation's request; it names rows by the ``model`` of their load."""

    seq: int
    case: str
    op: str
    input: dict[str, Any]


class Stop(msgspec.Struct, frozen=True, tag_field="cmd", tag="stop"):
    """The last message; it has no answer."""


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who answers."""

    name: str
    version: str
    language: str = ""
    homepage: str = ""
    issues: str = ""


class Started(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to ``start``: the protocol spoken, who answers, and the operations it has with what it says of each."""

    protocol: int
    implementation: Implementation
    capabilities: dict[str, Capability]


class Loaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Answer to ``load``: whether the row can be used; ``reason`` says why not."""

    ok: bool
    reason: str = ""


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why an input is unsupported."""

    reason: str
    issue: str = ""


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A refusal of the input; ``code`` is a short stable word, ``place`` a JSON pointer into the input."""

    code: str
    message: str = ""
    place: str = ""


class Trouble(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An error of the implementation."""

    message: str
    traceback: str = ""


OUTCOMES = ("result", "unsupported", "rejected", "error")


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Answer to ``run``: ``seq`` echoed, and exactly one of the four outcomes."""

    seq: int
    result: dict[str, Any] | UnsetType = UNSET
    unsupported: Reason | UnsetType = UNSET
    rejected: Refusal | UnsetType = UNSET
    error: Trouble | UnsetType = UNSET

    def __post_init__(self) -> None:
        """One outcome, not none and not two."""
        given = [name for name in OUTCOMES if getattr(self, name) is not UNSET]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(OUTCOMES)}; got {' and '.join(given) or 'none'}")


MESSAGES: dict[str, type[msgspec.Struct]] = {
    "start": Start,
    "started": Started,
    "load": Load,
    "loaded": Loaded,
    "run": RunCase,
    "answer": Answer,
    "stop": Stop,
}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas by message; of an answer's four outcomes exactly one is required."""
    found = {name: msgspec.json.schema(kind) for name, kind in MESSAGES.items()}
    found["answer"]["$defs"]["Answer"]["oneOf"] = [{"required": [name]} for name in OUTCOMES]
    return found
