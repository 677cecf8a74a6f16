"""The typed shape of fixtures: a case is an input, a golden is what an oracle made of it on one row."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Outcome = Literal["ok", "raises"]


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A model-independent input.

    ``id`` is ``<area>/<slug>`` and is never reused. ``why`` says what the case pins, ``flags`` what a failure means
    (``fixtures/flags.toml``), ``requires`` which requirements it exercises, ``features`` what a row must declare for
    the case to apply. ``input`` is typed by the area. ``rows`` restricts a case to named rows. ``outcome`` is
    ``raises`` where the specification says that the input must be refused, and ``refusal`` how, where it says that,
    too; ``source`` names where such a statement, or an answer the oracle was held against, comes from.
    """

    id: str
    area: str
    flags: list[str]
    requires: list[str]
    features: list[str] = []
    why: str
    since: str
    issue: str | None = None
    rows: list[str] | None = None
    source: str | None = None
    input: dict[str, Any]
    outcome: Outcome = "ok"
    refusal: dict[str, Any] | None = None

    @property
    def slug(self) -> str:
        """The id without its area."""
        return self.id.split("/", 1)[1]


class Golden(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The expected outcome of one case on one row, made by the oracle named in it.

    ``pins`` are the sha256 of everything of the row that the outcome depends on; ``input_sha256`` is the hash of the
    case's input. ``expect`` is typed by the area; where ``outcome`` is ``raises`` it is None, or says how.
    ``witnesses`` are the outside programs that gave the same answer, ``name version``, each with the levels in which it
    was compared; whoever they are, the expectation stays what it is.
    """

    case: str
    row: str
    input_sha256: str
    pins: dict[str, str]
    oracle: dict[str, str]
    outcome: Outcome
    error: str | None = None
    expect: dict[str, Any] | None = None
    witnesses: dict[str, list[str]] = {}

    @property
    def slug(self) -> str:
        """The case's id without its area."""
        return self.case.split("/", 1)[1]
