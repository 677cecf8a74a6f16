r"""The one interface a grammar has to offer, and what follows from it: forced bytes and viable prefixes.

A matcher is an immutable state. Bytes of text are ordinary bytes. A special token is written as the marker byte
0xFF, which never occurs in UTF-8, followed by its id in brackets: ``b"\xff[151644]"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

from tokenspec_reference.errors import TokenSpecError

MARKER = 0xFF
MARKED_ID = re.compile(rb"\xff\[(\d+)\]")
FORCED_LIMIT = 1 << 14


@runtime_checkable
class Matcher(Protocol):
    """A grammar after some bytes. States are values: ``step`` returns a new one and changes nothing.

    A state may offer the methods of ``Foreseeing`` besides: they save time and change no answer.
    """

    def accepting(self) -> bool:
        """Whether the bytes so far are a complete text of the grammar."""
        ...

    def allowed(self) -> Iterable[int]:
        """The bytes (0..255) that may come next; every one of them can be completed to an accepted text."""
        ...

    def step(self, byte: int) -> Matcher | None:
        """The state after ``byte``, or None where it is not allowed."""
        ...


class Foreseeing(Protocol):
    """What a matcher may offer besides: it knows more about what is ahead than the next byte."""

    def texts(self) -> int:
        """How many texts there are from here; never too few, any large number for too many to count."""
        ...

    def literal(self) -> tuple[bytes, Matcher]:
        """Bytes without marker that every text begins with, before any of which it cannot end, and the state after."""
        ...

    def after(self, data: bytes) -> Matcher | None:
        """The state after ``data``, or None where the grammar does not allow it."""
        ...


class Remembering:
    """A matcher that keeps the bytes it forces, and the state after them, once they were asked for."""

    __slots__ = ("forced",)

    def __init__(self) -> None:
        self.forced: tuple[bytes, Matcher] | None = None


class ForcedBytesTooLong(TokenSpecError):
    """The grammar forces more bytes than the limit: an infinite literal, or a mistake in the grammar."""

    rejection_code = "forced-bytes-too-long"


def mark(token_id: int) -> bytes:
    r"""The bytes by which a grammar names a special token.

    >>> mark(151644)
    b'\xff[151644]'
    """
    return b"\xff[%d]" % token_id


def forced_bytes(matcher: Matcher, *, limit: int = FORCED_LIMIT) -> tuple[bytes, Matcher]:
    """The bytes the grammar leaves no choice about, and the state after them.

    Forcing stops where the text may end (the end of sequence is a choice, never forced) and where two bytes are
    possible. A special token is forced whole or not at all: two ids that share their first digits force nothing.

    Raises:
        ForcedBytesTooLong: more than ``limit`` bytes are forced.
    """
    known = matcher.forced if isinstance(matcher, Remembering) else None
    if known is None:
        known = _forced_run(matcher, limit)
        if isinstance(matcher, Remembering):
            matcher.forced = known
    if len(known[0]) > limit:
        raise _too_long(limit)
    return known


def after(matcher: Matcher | None, data: bytes) -> Matcher | None:
    """The state after ``data``, or None where the grammar does not allow it; None stays None."""
    walk: Callable[[bytes], Matcher | None] | None = getattr(matcher, "after", None)
    if walk is not None and data:
        return walk(data)
    state = matcher
    for byte in data:
        if state is None:
            return None
        state = state.step(byte)
    return state


def viable(matcher: Matcher, data: bytes) -> bool:
    """Whether some accepted text starts with ``data``."""
    return after(matcher, data) is not None


def _forced_run(matcher: Matcher, limit: int) -> tuple[bytes, Matcher]:
    forced = bytearray()
    state = matcher
    while True:
        piece, following = _forced_piece(state)
        if following is None:
            return bytes(forced), state
        forced += piece
        state = following
        if len(forced) > limit:
            raise _too_long(limit)


def _too_long(limit: int) -> ForcedBytesTooLong:
    return ForcedBytesTooLong(
        f"the grammar forces more than {limit} bytes; end the literal or raise the limit", field="grammar"
    )


def _forced_piece(state: Matcher) -> tuple[bytes, Matcher | None]:
    """The bytes of a literal, one byte, one special token, or nothing."""
    literal: Callable[[], tuple[bytes, Matcher]] | None = getattr(state, "literal", None)
    if literal is not None:
        known, following = literal()
        if known:
            return known, following
    byte = _only_byte(state)
    if byte is None:
        return b"", None
    return _forced_special(state) if byte == MARKER else (bytes((byte,)), state.step(byte))


def _only_byte(state: Matcher) -> int | None:
    if state.accepting():
        return None
    found: int | None = None
    for byte in state.allowed():
        if found is not None:
            return None
        found = byte
    return found


def _forced_special(state: Matcher) -> tuple[bytes, Matcher | None]:
    """The whole marker ``FF [ id ]`` when exactly one id is possible, else nothing."""
    piece = bytearray()
    current: Matcher | None = state
    while current is not None and (byte := _only_byte(current)) is not None:
        piece.append(byte)
        current = current.step(byte)
        if byte == ord("]"):
            return bytes(piece), current
    return b"", None
