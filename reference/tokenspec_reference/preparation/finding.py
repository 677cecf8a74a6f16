"""One thing that is to be known of one conversation before it is trained on."""

from __future__ import annotations

from dataclasses import dataclass

ENDS_A_RUN = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What is raised to end a program. All else is said of the row: a panic of Rust is no Exception."""


@dataclass(frozen=True)
class Finding:
    """``code`` is a key of :data:`tokenspec_reference.preparation.codes.CODES`; ``detail`` says it of this place.

    ``message`` is the index of the message it is about, None for the whole conversation; ``tokens`` the half-open range
    of its tokens where it has some.
    """

    code: str
    detail: str
    message: int | None = None
    tokens: tuple[int, int] | None = None


def failed(error: BaseException) -> Finding:
    """The finding of a row that could not be prepared for a reason nobody foresaw, or on which a tokenizer panics.

    Raises:
        BaseException: the given one, where it is to end the run.
    """
    if isinstance(error, ENDS_A_RUN):
        raise error
    code = "failed" if isinstance(error, Exception) else "tokenizer-limit"
    return Finding(code, f"{type(error).__name__}: {error}")
