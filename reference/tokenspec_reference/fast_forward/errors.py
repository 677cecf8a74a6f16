"""Typed refusals of fast-forward. The code of each is the rejection code of ``spec/40-fast-forward.md``."""

from __future__ import annotations

from tokenspec_reference.errors import TokenSpecError


class InvalidGrammar(TokenSpecError):
    """A grammar that makes no sense, or has no text at all."""

    rejection_code = "invalid-grammar"


class InvalidPrefix(TokenSpecError):
    """The grammar has no text that begins with this prefix."""

    rejection_code = "invalid-prefix"


class InvalidQuery(TokenSpecError):
    """A setting that does not exist, or a value it cannot have."""

    rejection_code = "invalid-query"


class UnknownSpecialToken(TokenSpecError):
    """The vocabulary has no special token of this name."""

    rejection_code = "unknown-special-token"


class SchemaError(TokenSpecError):
    """The schema is malformed or not understood; ``field`` is the JSON pointer of the keyword."""

    rejection_code = "unsupported-schema"


class MissingEngine(TokenSpecError):
    """The package of an engine is not installed."""

    rejection_code = "missing-engine"
