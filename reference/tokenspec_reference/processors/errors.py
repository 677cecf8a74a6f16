"""What can go wrong with a constraint, each as its own type.

A constraint that cannot be honoured is never dropped in silence: an unreadable tree, a vocabulary of another
width, an empty set of allowed ids and a row whose allowed logits are all ``-inf`` stop the step before a
logit is written.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.processors.defects import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Problem:
    """One defect of a configuration: where (JSON pointer), which rule, and what to do."""

    pointer: str
    rule: Rule
    reason: str

    def __str__(self) -> str:
        """``pointer: reason [rule]``; the pointer of the whole document is printed as ``/``."""
        return f"{self.pointer or '/'}: {self.reason} [{self.rule}]"


class ConfigError(TokenSpecError):
    """A processor's configuration breaks its rules; ``problems`` lists every defect found, its place is the first's."""

    rejection_code = "invalid-config"

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Show the first defects in the message, keep all of them in ``problems``."""
        super().__init__(
            "; ".join(str(problem) for problem in problems[:5])
            + (f"; and {len(problems) - 5} more" if len(problems) > 5 else "")
        )
        self.problems = tuple(problems)
        self.rejection_place = problems[0].pointer


def config_error(pointer: str, rule: Rule, reason: str) -> ConfigError:
    """A ``ConfigError`` with a single defect."""
    return ConfigError([Problem(pointer, rule, reason)])


@contextmanager
def inside(where: str, *, text: bool = False) -> Iterator[None]:
    """What the block refuses lies below this JSON pointer; ``text``: in a text there, into which none leads."""
    try:
        yield
    except TokenSpecError as error:
        place = where if text else where + error.rejection_place
        if isinstance(error, ConfigError):
            problems = [replace(problem, pointer=where + problem.pointer) for problem in error.problems]
            moved = ConfigError(problems)
            moved.rejection_place = place
            raise moved from error
        error.rejection_place = place
        raise


def range_problems(where: str, ids: Sequence[object], vocab_size: int) -> list[Problem]:
    """The entries of a list of ids that are no ids of the vocabulary."""
    return [
        Problem(f"{where}/{place}", Rule.TOKEN_ID_RANGE, f"{token!r} is outside [0, {vocab_size})")
        for place, token in enumerate(ids)
        if type(token) is not int or not 0 <= token < vocab_size
    ]


class VocabMismatch(TokenSpecError):
    """The processor was bound to one vocabulary width and met another."""

    rejection_code = "vocab-mismatch"


class TokenOutOfRange(TokenSpecError):
    """A token id lies outside ``[0, vocab_size)``. ``row`` is the offending row."""

    rejection_code = "token-out-of-range"

    def __init__(self, message: str, *, row: int, field: str) -> None:
        """Keep the row beside the text."""
        super().__init__(message, field=field)
        self.row = row


class SourceRowOutOfRange(TokenSpecError, IndexError):
    """``reorder`` was asked to copy a row that does not exist."""

    rejection_code = "source-row-out-of-range"


class ShapeMismatch(TokenSpecError):
    """Tokens, flags or logits do not have one entry per row of the state."""

    rejection_code = "shape-mismatch"


class UnsupportedDtype(TokenSpecError, TypeError):
    """Logits are not fp16, bf16, fp32 or fp64."""

    rejection_code = "unsupported-dtype"


class EmptyAllowedSet(TokenSpecError):
    """No id is allowed on a row. Raised before any logit is written; ``processors`` are the ones to relax."""

    rejection_code = "empty-allowed-set"

    def __init__(self, row: int, processors: Sequence[str] = ()) -> None:
        """Name the row and, when known, each processor whose removal would leave something to sample."""
        super().__init__(
            f"no token id is allowed on row {row}; removing any one of [{', '.join(processors)}] leaves a choice"
            if processors
            else f"no token id is allowed on row {row}; relax the constraint"
        )
        self.row = row
        self.processors = tuple(processors)


class DeadRow(TokenSpecError):
    """Ids are allowed, but the model gave every one of them ``-inf``. Raised before any logit is written."""

    rejection_code = "dead-row"

    def __init__(self, row: int) -> None:
        """Name the row and the way out."""
        super().__init__(
            'every allowed logit is -inf; sample from the constraint alone with on_dead="zero", or look for '
            "another mask that ran before this one",
            field=f"logits[{row}]",
        )
        self.row = row


class ConstraintViolation(TokenSpecError):
    """A checked processor was advanced over a token it had not allowed."""

    rejection_code = "constraint-violation"

    def __init__(self, row: int, token: int) -> None:
        """Name the row and the token."""
        super().__init__(f"token {token} was not in the allowed set; mask before sampling", field=f"tokens[{row}]")
        self.row = row
        self.token = token


class RollbackOutOfRange(TokenSpecError):
    """``rollback`` was asked for more tokens than the row has, or than are remembered."""

    rejection_code = "rollback-out-of-range"

    def __init__(self, row: int, count: int, known: int) -> None:
        """Name the row and how far it can go."""
        super().__init__(
            f"{count} tokens cannot be taken back; {known} are remembered, replay the row from its tokens",
            field=f"counts[{row}]",
        )
        self.row = row
