"""Implementations as columns: one protocol for a Python object, an entry point, or a process in any language.

An adapter is any object with ``info()``, optionally ``load(model, assets)``, and any subset of the operations. The
operations it has are its capabilities. Every operation takes one plain-JSON request and returns one plain-JSON result:

    class MyAdapter:
        def info(self): return {"name": "mylib", "version": "1.2.0", "language": "python"}
        capabilities = {"render": {"claim": {"levels": ["TEXT", "IDS"]}}}    # optional: what it promises, in which form
        needs = {"load": ["torch"], "segment": ["numpy"]}    # optional: modules that are looked for before the run
        def prepare(self, operation): ...            # optional: imports that take longer than an answer may
        def load(self, model, assets): ...           # optional: assets: directory, family, status, chat_template, wire
        def render(self, request): return {"token_ids": [...], "is_content": [...]}

``tokenspec adapter new`` writes one that works at once; ``tokenspec.suite.Conformance`` judges it in your repository.
A program in any language has a pipe instead of methods: ``spec/90-adapter-protocol.md``.

An exception with a string attribute ``rejection_code`` is a refusal of the input (``rejection_place`` may say where),
one with ``unsupported_reason`` a missing capability; any other exception is an error of the adapter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tokenspec.adapters.capability import NOTHING_SAID, Capability

CONVERSE = "converse"
"""Not an operation of an adapter: what the suite does with a program to judge how it speaks the protocol."""
PROTOCOL_VERSION = 1


class Rejected(Exception):
    """Raise it to refuse an input the specification says must be refused."""

    def __init__(self, code: str, message: str = "", place: str = "") -> None:
        """``code`` is a short stable word, ``message`` is for people, ``place`` is a JSON pointer into the request."""
        super().__init__(message or code)
        self.rejection_code = code
        self.rejection_place = place


class Unsupported(Exception):
    """Raise it for an input the implementation does not claim to handle."""

    def __init__(self, reason: str, *, issue: str | None = None) -> None:
        """``reason`` is printed in the matrix; ``issue`` may link a tracker."""
        super().__init__(reason if issue is None else f"{reason} ({issue})")
        self.unsupported_reason = str(self)


@runtime_checkable
class Adapter(Protocol):
    """The least an adapter is: it says who it is. Operations are optional methods, one an area."""

    def info(self) -> dict[str, str]:
        """``name`` and ``version`` are required; ``language``, ``homepage`` and ``issues`` are printed when given."""
        ...


@dataclass(frozen=True)
class Ok:
    """The implementation answered; ``output`` is typed by the area."""

    output: Any


@dataclass(frozen=True)
class Refused:
    """The implementation refused the input; ``place`` is a JSON pointer into the request, where it says one."""

    code: str
    message: str
    place: str = ""

    def __str__(self) -> str:
        """``rejected template-raises: roles must alternate``."""
        return f"rejected {self.code}{self.place and f' at {self.place}'}: {self.message}"


@dataclass(frozen=True)
class NotSupported:
    """The implementation does not claim this."""

    reason: str

    def __str__(self) -> str:
        """``unsupported: not installed``."""
        return f"unsupported: {self.reason}"


@dataclass(frozen=True)
class Failed:
    """The adapter broke: an exception, a time-out, a malformed result.

    ``slow`` is the limit in seconds it was too slow for: nothing is known of what it would have answered. 0: not so.
    """

    message: str
    trace: str = field(default="", compare=False)
    slow: float = 0.0

    def __str__(self) -> str:
        """``error: timed out after 10 s``."""
        return f"error: {self.message}"


Outcome = Ok | Refused | NotSupported | Failed


class Column(Protocol):
    """What the runner talks to: one implementation, however it is reached."""

    name: str
    info: dict[str, str]
    announced: frozenset[str]
    """The operations a program named; an object announces none, it has them."""
    capabilities: dict[str, Capability]
    """What the implementation says of its operations; of one that is not here it says nothing."""

    def has(self, operation: str) -> bool:
        """Whether the implementation has an operation."""
        ...

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """Make a row available to later requests; None means it went well."""
        ...

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Run one operation. ``Ok.output`` holds the raw JSON result here; the runner types it."""
        ...

    def close(self) -> None:
        """Stop processes, drop caches."""
        ...


def said_of(column: Column, operation: str) -> Capability:
    """What a column says of an operation."""
    return column.capabilities.get(operation, NOTHING_SAID)
