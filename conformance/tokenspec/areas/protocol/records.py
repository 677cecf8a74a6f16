"""What goes in and comes out of the area ``protocol``, and what its oracle expects."""

from __future__ import annotations

from typing import Literal

import msgspec

Probe = Literal[
    "start",
    "start-later",
    "load",
    "load-second",
    "load-missing",
    "run",
    "run-again",
    "run-unknown-operation",
    "run-empty",
    "run-unknown-key",
    "run-unicode",
    "run-wide",
    "stop",
    "end-of-input",
]


class ProtocolInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said to the program, in order."""

    script: list[Probe]


class ProtocolExpect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing: the requirements say all there is to expect."""
