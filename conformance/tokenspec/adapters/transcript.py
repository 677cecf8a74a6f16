"""A conversation with a program, written down: the lines as they came, and how it ended."""

from __future__ import annotations

import msgspec


class Exchange(msgspec.Struct, forbid_unknown_fields=True):
    """One message and the line that came back, kept as text; undecodable bytes are escaped.

    ``basic`` is the case whose input was sent, whatever the message called it.
    """

    probe: str
    cmd: str
    op: str
    basic: str
    seq: int
    line: str


class Break(msgspec.Struct, forbid_unknown_fields=True):
    """Why the conversation ended before its script: at which probe, and the flaw as requirement, message, hint."""

    probe: str
    requirement: str
    message: str
    hint: str


class Ending(msgspec.Struct, forbid_unknown_fields=True):
    """What happened after the last message.

    Attributes:
        how: ``stop`` or ``end-of-input``.
        by_itself: whether the process ended in time.
        exit_code: its exit code, negative for a signal; None when it had to be killed.
        said: what it wrote to stdout after its last answer.
        survivors: how many processes it left behind.
    """

    how: str
    by_itself: bool
    exit_code: int | None
    said: str
    survivors: int


class Transcript(msgspec.Struct, forbid_unknown_fields=True):
    """A conversation; ``changed`` are the files of the handed-over rows that are not as they were."""

    exchanges: list[Exchange]
    broke: Break | None
    ending: Ending | None
    changed: list[str]
    stderr: str
