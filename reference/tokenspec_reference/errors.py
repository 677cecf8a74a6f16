"""Typed errors. Every error names the offending field and says what to do.

The suite never imports this module: it recognises a refusal by the attribute ``rejection_code`` and a missing
capability by ``unsupported_reason`` (see ``spec/90-adapter-protocol.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches


class TokenSpecError(ValueError):
    """Bad input. ``field`` is the path of the offending value, e.g. ``messages[2].content``.

    Where the input is a request of the adapter protocol, ``rejection_place`` is the JSON pointer into it.
    """

    rejection_code = "invalid-input"
    rejection_place = ""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        """Store the field beside the text so that callers can point at it without parsing the message."""
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field


class UnknownFamily(TokenSpecError):
    """No renderer family has this name. ``known`` are the names there are."""

    rejection_code = "unknown-family"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        """Suggest the known name that is spelled most like ``name``."""
        nearest = get_close_matches(str(name).lower(), known, n=1)
        meant = f"; did you mean {nearest[0]!r}?" if nearest else "."
        super().__init__(f"unknown family {name!r}{meant} Known: {', '.join(known)}", field="family")
        self.known = tuple(known)


class InvalidMessages(TokenSpecError):
    """The conversation is not a list of messages this format can express."""

    rejection_code = "invalid-messages"


class TemplateRejects(TokenSpecError):
    """The chat template itself refuses this conversation (``raise_exception``, a type error inside the template)."""

    rejection_code = "template-raises"


class UnsupportedByReference(TokenSpecError):
    """The reference does not have this capability; never a silent pass."""

    @property
    def unsupported_reason(self) -> str:
        """The reason printed in the matrix."""
        return str(self)


@contextmanager
def placed(where: str | Callable[[TokenSpecError], str]) -> Iterator[None]:
    """Give errors of the block their place in the request, unless they have one."""
    try:
        yield
    except TokenSpecError as error:
        error.rejection_place = error.rejection_place or (where if isinstance(where, str) else where(error))
        raise
