"""The typed shape of fixtures: a case is an input, a golden is what an oracle made of it on one row."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Outcome = Literal["ok", "raises"]
Source = Literal["publisher"]
"""Who answers beside the oracle of a golden."""


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


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What another source makes of a golden's case, where that is something else (CNV-008).

    ``by`` is the library that said so, ``name version``, and ``levels`` are those in which it differs. ``expect`` is
    typed like the golden's; where ``outcome`` is ``raises`` it is None, and ``error`` is what the library said.
    """

    by: str
    levels: list[str]
    outcome: Outcome = "ok"
    error: str | None = None
    expect: dict[str, Any] | None = None


class Golden(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The expected outcome of one case on one row, made by the oracle named in it.

    ``pins`` are the sha256 of everything of the row that the outcome depends on; ``input_sha256`` is the hash of the
    case's input. ``expect`` is typed by the area; where ``outcome`` is ``raises`` it is None, or says how.
    ``witnesses`` are the outside programs that gave the same answer, ``name version``, each with the levels in which it
    was compared. ``answers`` are those of other sources that differ. Whoever speaks, the expectation stays what it is.
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
    answers: dict[Source, Answer] = {}

    @property
    def slug(self) -> str:
        """The case's id without its area."""
        return self.case.split("/", 1)[1]
