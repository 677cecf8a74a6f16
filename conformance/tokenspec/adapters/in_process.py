"""A Python object as a column: exceptions become outcomes, a hanging call is interrupted."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec

from tokenspec.adapters import CONVERSE, Failed, NotSupported, Ok, Outcome, Refused
from tokenspec.adapters.capability import Capability
from tokenspec.adapters.foreign_text import foreign_text, foreign_value
from tokenspec.adapters.patience import Patience, own_seconds
from tokenspec.errors import AdapterError, extra_of, installing


class TimedOut(BaseException):
    """Not an Exception: an adapter's ``except Exception`` must not swallow the time-out."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[Patience]:
    """Interrupt the block when its time is up. Works where SIGALRM does: the main thread of a Unix process."""
    begun = own_seconds()
    patience = Patience(seconds, lambda: own_seconds() - begun)
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield patience
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        left = patience.left()
        if not left:
            raise TimedOut
        signal.setitimer(signal.ITIMER_REAL, left)

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield patience
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def outcome_of(error: BaseException) -> Outcome:
    """Refusal, missing capability or error, by the attributes of the protocol.

    A module that is not installed is a missing capability: nothing of the implementation was compared.
    """
    code = getattr(error, "rejection_code", None)
    reason = getattr(error, "unsupported_reason", None)
    if isinstance(reason, str):
        return NotSupported(foreign_text(reason))
    if isinstance(code, str):
        place = getattr(error, "rejection_place", None)
        return Refused(*map(foreign_text, (code, str(error), place if isinstance(place, str) else "")))
    if isinstance(error, ModuleNotFoundError):
        missing = foreign_text(str(error.name or error))
        cure = f"; run: {installing(missing)}" if extra_of(missing) else ""
        return NotSupported(f"the module {missing} is not installed here{cure}")
    text = str(error).splitlines()
    trace = foreign_text("".join(traceback.format_exception(error)), lines=True)
    return Failed(f"{type(error).__name__}: {foreign_text(text[0] if text else '')}", trace)


def capabilities_of(name: str, adapter: object) -> dict[str, Capability]:
    """What an object says of its operations, in its attribute ``capabilities``.

    Raises:
        AdapterError: it is not of the form of the protocol.
    """
    try:
        return msgspec.convert(foreign_value(getattr(adapter, "capabilities", {})), dict[str, Capability])
    except msgspec.ValidationError as error:
        raise AdapterError(
            f"--impl {name}: capabilities: {foreign_text(str(error))}. "
            'Write them like {"render": {"claim": {"levels": ["TEXT"]}, "profile": {"ending": "stop"}}}.'
        ) from error


class InProcess:
    """One adapter object as a column of the matrix."""

    def __init__(self, name: str, adapter: object) -> None:
        """Ask the adapter who it is; an adapter without a name and a version is an AdapterError."""
        self.name = name
        self.adapter = adapter
        self.announced: frozenset[str] = frozenset()
        self.prepared: set[str] = set()
        self.capabilities = capabilities_of(name, adapter)
        try:
            self.info = foreign_value(dict(adapter.info()))  # type: ignore[attr-defined]
        except Exception as error:
            raise AdapterError(
                f"--impl {name}: info() failed with {type(error).__name__}: {foreign_text(str(error))}. "
                'Give the adapter a method info() that returns {"name": ..., "version": ...}.'
            ) from error
        missing = [key for key in ("name", "version") if not isinstance(self.info.get(key), str)]
        if missing:
            raise AdapterError(
                f"--impl {name}: info() lacks the text field {missing[0]!r}; got keys: {', '.join(self.info)}"
            )

    def has(self, operation: str) -> bool:
        """Whether the object has a method of that name."""
        return callable(getattr(self.adapter, operation, None))

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """Hand a row to the adapter, if it wants to know."""
        load = getattr(self.adapter, "load", None)
        if load is None:
            return None
        try:
            load(model, dict(assets))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of a library in Rust is no Exception, and an outcome
            return outcome_of(error)
        return None

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Run one operation in this process."""
        del case  # identifies the request over a pipe; an object is called directly
        if not self.has(operation):
            what = "not a program behind a pipe" if operation == CONVERSE else f"no operation {operation}"
            return NotSupported(what)
        try:
            self.prepare(operation)
            with interrupted_after(timeout) as patience:
                return Ok(getattr(self.adapter, operation)(request))
        except TimedOut:
            return Failed(patience.verdict(), slow=timeout if patience.slow else 0.0)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - as in load
            return outcome_of(error)

    def prepare(self, operation: str) -> None:
        """Let the adapter import what an operation needs, before the clock of its first call starts."""
        if operation not in self.prepared:
            self.prepared.add(operation)
            prepare = getattr(self.adapter, "prepare", None)
            if prepare is not None:
                prepare(operation)

    def close(self) -> None:
        """Let the adapter drop what it holds."""
        close = getattr(self.adapter, "close", None)
        if close is not None:
            close()
