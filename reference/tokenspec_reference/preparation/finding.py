"""One thing that is to be known of one conversation before it is trained on."""

from __future__ import annotations

from dataclasses import dataclass


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
