"""A program in any language as a column: JSON lines over stdin and stdout (``spec/90-adapter-protocol.md``)."""

from __future__ import annotations

import itertools
from typing import Any, TypeVar

import msgspec

from tokenspec import __version__
from tokenspec.adapters import PROTOCOL_VERSION, Failed, NotSupported, Ok, Outcome, Refused
from tokenspec.adapters.messages import Answer, Loaded, Started
from tokenspec.adapters.pipe import Pipe, PipeBroken
from tokenspec.errors import AdapterError

START_TIMEOUT = 30.0
LOAD_TIMEOUT = 60.0
CRASHES_IN_A_ROW = 3
T = TypeVar("T")


class Process:
    """One program as a column. A crash restarts it; three in a row end the column."""

    def __init__(self, name: str, command: str) -> None:
        """Start the program and read who it is."""
        self.name = name
        self.command = command
        self.numbers = itertools.count(1)
        self.models: dict[str, dict[str, Any]] = {}
        self.crashes = 0
        try:
            self.pipe = Pipe(command)
            started = self.exchange(
                {"cmd": "start", "protocol": PROTOCOL_VERSION, "suite": __version__}, Started, START_TIMEOUT
            )
        except PipeBroken as broken:
            raise AdapterError(f"--impl {name}: {broken}") from broken
        if started.protocol != PROTOCOL_VERSION:
            self.pipe.kill()
            raise AdapterError(
                f"--impl {name}: speaks protocol {started.protocol}, this suite speaks {PROTOCOL_VERSION}"
            )
        self.info = msgspec.to_builtins(started.implementation)
        self.capabilities = frozenset(started.capabilities)

    def exchange(self, message: dict[str, Any], kind: type[T], timeout: float) -> T:
        """One request, one typed reply; a malformed reply breaks the pipe: what follows it is anyone's guess."""
        line = self.pipe.ask(msgspec.json.encode(message), timeout)
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            shown = line[:160].decode("utf-8", "backslashreplace")
            raise self.pipe.broken(
                f"answered {message['cmd']!r} with a malformed line: {error}; the line begins {shown!r}"
            ) from error

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """Announce a row."""
        self.models[model] = assets
        if self.crashes >= CRASHES_IN_A_ROW:
            return Failed(f"crashed {CRASHES_IN_A_ROW} times in a row and is not started again")
        try:
            loaded = self.exchange({"cmd": "load", "model": model, "assets": assets}, Loaded, LOAD_TIMEOUT)
        except PipeBroken as broken:
            return self.restart(str(broken))
        return None if loaded.ok else NotSupported(loaded.reason or f"cannot use the row {model}")

    def restart(self, reason: str) -> Outcome:
        """After a crash: start again and load what was loaded, so that the next case gets its chance."""
        self.crashes += 1
        if self.crashes < CRASHES_IN_A_ROW:
            try:
                self.pipe = Pipe(self.command)
                self.exchange(
                    {"cmd": "start", "protocol": PROTOCOL_VERSION, "suite": __version__}, Started, START_TIMEOUT
                )
                for model, assets in list(self.models.items())[-2:]:
                    self.exchange({"cmd": "load", "model": model, "assets": assets}, Loaded, LOAD_TIMEOUT)
            except PipeBroken as broken:
                self.crashes = CRASHES_IN_A_ROW
                return Failed(f"{reason}; and it cannot be started again: {broken}")
        return Failed(reason)

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Run one case."""
        if operation not in self.capabilities:
            return NotSupported(f"no operation {operation}")
        if self.crashes >= CRASHES_IN_A_ROW:
            return Failed(f"crashed {CRASHES_IN_A_ROW} times in a row and is not started again")
        seq = next(self.numbers)
        message = {"cmd": "run", "seq": seq, "case": case, "op": operation, "input": request}
        try:
            answer = self.exchange(message, Answer, timeout)
            if answer.seq != seq:
                raise self.pipe.broken(f"answered seq {answer.seq} to seq {seq}; echo the number you were given")
        except PipeBroken as broken:
            return self.restart(str(broken))
        self.crashes = 0
        return outcome_of(answer)

    def close(self) -> None:
        """Say stop, and make sure."""
        if self.pipe.process.poll() is None:
            self.pipe.stop(msgspec.json.encode({"cmd": "stop"}))


def outcome_of(answer: Answer) -> Outcome:
    """The typed outcome of a reply."""
    if answer.unsupported is not None:
        issue = f" ({answer.unsupported.issue})" if answer.unsupported.issue else ""
        return NotSupported(answer.unsupported.reason + issue)
    if answer.rejected is not None:
        return Refused(answer.rejected.code, answer.rejected.message)
    if answer.error is not None:
        return Failed(answer.error.message, answer.error.traceback)
    return Ok(answer.result)
