"""What goes in and comes out of the area ``fast-forward``, and what its oracle expects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Hex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bytes that are not UTF-8."""

    hex: str

    def __post_init__(self) -> None:
        """Digits in pairs."""
        bytes.fromhex(self.hex)


Bytes = str | Hex


def data_of(value: Bytes) -> bytes:
    """The bytes behind their JSON form."""
    return value.encode(errors="surrogatepass") if isinstance(value, str) else bytes.fromhex(value.hex)


class InlineVocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """256 byte tokens, then merged tokens in order of priority, then special tokens."""

    merged: list[Bytes]
    special: list[str] = []


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question: which tokens are forced here, and how carefully."""

    mode: Literal["llguidance", "strict"] = "llguidance"
    max_tokens: int | None = 4
    max_length: int | None = None
    grammar_check: bool = True

    @property
    def upstream(self) -> bool:
        """Whether it is what llguidance itself asks."""
        return (self.mode, self.max_tokens, self.max_length, self.grammar_check) == ("llguidance", 4, None, True)


class FastForwardInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A grammar after a prefix. Pieces of the prefix are tokenised each for itself; ``vocabulary`` replaces the row.

    ``probes`` are texts of which the grammar is asked whether they belong to it, after the prefix. Implementations do
    not see ``names``, a word the message of a refusal has to contain, and ``alike``, a grammar that has the same texts
    and that the oracle's automaton understands.
    """

    grammar: dict[str, Any]
    prefix: list[str | dict[str, str]] = []
    queries: list[dict[str, Any]]
    probes: list[Bytes] = []
    vocabulary: InlineVocabulary | None = None
    names: str | None = None
    alike: dict[str, Any] | None = None


class FastForwardRequest(msgspec.Struct, kw_only=True):
    """What an implementation is asked of a case; ``model`` is the row, null beside a vocabulary."""

    model: str | None
    vocabulary: InlineVocabulary | None
    grammar: dict[str, Any]
    prefix: list[str | dict[str, str]]
    queries: list[dict[str, Any]]
    probes: list[Bytes] = []


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """What the grammar makes of one text: how many of its bytes it allows, and whether the whole is complete."""

    allowed: int
    complete: bool


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The answer to one query, or why there is none.

    Attributes:
        tokens: the forced tokens.
        leftover: forced bytes they do not cover.
        consumed: how many of them the implementation's own matcher accepted.
        first_in_mask: whether the mask before them allows the first; given when there are tokens.
        forced_after: the bytes forced once they are consumed; given when all were accepted.
        next_tokens: some ids of the mask after them, at most 16; given when all were accepted.
        unsupported: the implementation has no such setting.
    """

    tokens: list[int] | None = None
    leftover: Bytes | None = None
    consumed: int | None = None
    first_in_mask: bool | None = None
    forced_after: Bytes | None = None
    next_tokens: list[int] | None = None
    unsupported: str | None = None

    def __post_init__(self) -> None:
        """Either tokens or a reason."""
        if (self.tokens is None) == (self.unsupported is None):
            raise ValueError("an answer has tokens or says unsupported")


class FastForwardOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an implementation returns: the prefix as ids, the forced bytes, one answer a query and one a probe."""

    prefix_tokens: list[int]
    answers: list[Answer]
    forced_bytes: Bytes | None = None
    accepting: bool | None = None
    probes: list[Probe] | None = None


class Beginning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One canonical way to go on: tokens that cover the forced bytes, and a text after them that leads to it."""

    tokens: list[int]
    text: Bytes


class FastForwardExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The oracles' answer.

    Attributes:
        prefix_tokens: the pieces of the prefix, tokenised by the row's tokenizer.
        forced_bytes: by llguidance's automaton over single bytes.
        accepting: by the same.
        llguidance: what llguidance returns on this vocabulary; None where it cannot load it.
        beginnings: canonical ways to go on, by re-encoding texts of the grammar: every different one where they are
            few, else those that rule out most.
        texts: how many texts the grammar has from here; None where they have no end.
        depth: how many bytes after the forced ones all texts of an endless grammar were tokenised; None where they
            are all known, or where they were sampled.
        longest: what all ways to go on share, within the forced bytes; the most that may be forced.
        probes: what the grammar makes of each probe, by llguidance's automaton and by Python's regular expressions or
            ``jsonschema``.
    """

    prefix_tokens: list[int]
    forced_bytes: Bytes
    accepting: bool
    llguidance: list[int] | None = None
    beginnings: list[Beginning]
    texts: int | None = None
    depth: int | None = None
    longest: list[int] | None = None
    probes: list[Probe] = []
