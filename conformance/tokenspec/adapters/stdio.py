"""A program in any language as a column: JSON lines over stdin and stdout (``spec/90-adapter-protocol.md``)."""

from __future__ import annotations

import itertools
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from tokenspec import __version__
from tokenspec.adapters import CONVERSE, PROTOCOL_VERSION, Failed, NotSupported, Ok, Outcome, Refused
from tokenspec.adapters.capability import Capability
from tokenspec.adapters.diagnosis import flaw_of
from tokenspec.adapters.foreign_text import foreign_text, foreign_value
from tokenspec.adapters.messages import Answer, Loaded, Started
from tokenspec.adapters.pipe import Limits, Pipe, PipeBroken
from tokenspec.adapters.reading import Flaw, Malformed, read
from tokenspec.errors import AdapterError

CRASHES_IN_A_ROW = 3
REMEMBERED_ROWS = 2
T = TypeVar("T", bound=msgspec.Struct)


class Process:
    """One program as a column. A crash restarts it; three in a row end the column.

    ``slow`` is the limit all crashes in a row were too slow for: then what is left is too slow as well.
    """

    def __init__(self, name: str, command: str, limits: Limits | None = None) -> None:
        """Start the program and read who it is.

        Raises:
            AdapterError: it does not start, or its first answer breaks the protocol.
        """
        self.name = name
        self.command = command
        self.limits = limits or Limits()
        self.numbers = itertools.count(1)
        self.models: dict[str, dict[str, Any]] = {}
        self.answered: set[str] = set()
        self.crashes = 0
        self.slow = 0.0
        try:
            self.pipe = Pipe(command)
            started = self.start()
        except PipeBroken as broken:
            raise AdapterError(f"--impl {name}: {broken}") from broken
        except Malformed as malformed:
            raise AdapterError(f"--impl {name}: {malformed}") from malformed
        if started.protocol != PROTOCOL_VERSION:
            self.pipe.kill()
            raise AdapterError(
                f"--impl {name}: speaks protocol {started.protocol}, this suite speaks {PROTOCOL_VERSION}. "
                f"Install a suite or an adapter of the other's version; an adapter answers its own (ADP-011)."
            )
        self.info = foreign_value(msgspec.to_builtins(started.implementation))
        self.capabilities = msgspec.convert(
            foreign_value(msgspec.to_builtins(started.capabilities)), dict[str, Capability]
        )
        self.announced = frozenset(self.capabilities)

    def has(self, operation: str) -> bool:
        """Whether the program named an operation; every program converses."""
        return operation == CONVERSE or operation in self.announced

    def start(self) -> Started:
        """The first exchange of a fresh process."""
        return self.exchange(
            {"cmd": "start", "protocol": PROTOCOL_VERSION, "suite": __version__}, Started, self.limits.start
        )

    def exchange(self, message: dict[str, Any], kind: type[T], timeout: float) -> T:
        """One request, one typed answer; a malformed answer ends the process: what follows it is anyone's guess.

        Raises:
            Malformed: with the flaw of whatever went wrong.
        """
        try:
            line = self.pipe.ask(msgspec.json.encode(message), timeout)
        except PipeBroken as broken:
            raise Malformed(flaw_of(broken, message["cmd"])) from broken
        try:
            return read(line, kind)
        except Malformed as malformed:
            flaw = malformed.flaw
            message_of_it = f"to {message['cmd']}: {flaw.message}"
            raise Malformed(Flaw(flaw.requirement, message_of_it, flaw.hint, self.pipe.end())) from malformed

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """Announce a row."""
        self.models.pop(model, None)
        self.models[model] = assets
        if self.crashes >= CRASHES_IN_A_ROW:
            return self.given_up()
        try:
            loaded = self.exchange({"cmd": "load", "model": model, "assets": assets}, Loaded, self.limits.load)
        except Malformed as malformed:
            return self.restart(malformed.flaw)
        return None if loaded.ok else NotSupported(foreign_text(loaded.reason) or f"cannot use the row {model}")

    def given_up(self) -> Outcome:
        """What every case gets after the last crash."""
        if self.slow:
            return Failed(f"slow: {CRASHES_IN_A_ROW} calls in a row were, and it is not asked again", slow=self.slow)
        return Failed(f"crashed {CRASHES_IN_A_ROW} times in a row and is not started again; see its first error")

    def restart(self, flaw: Flaw) -> Outcome:
        """After a crash: start again and load what was loaded, so that the next case gets its chance."""
        self.slow = flaw.slow if flaw.slow and (self.slow or not self.crashes) else 0.0
        self.crashes += 1
        if self.crashes < CRASHES_IN_A_ROW:
            try:
                self.pipe = Pipe(self.command)
                self.start()
                for model, assets in list(self.models.items())[-REMEMBERED_ROWS:]:
                    self.exchange({"cmd": "load", "model": model, "assets": assets}, Loaded, self.limits.load)
            except (PipeBroken, Malformed) as broken:
                self.crashes = CRASHES_IN_A_ROW
                what = broken.flaw.message if isinstance(broken, Malformed) else broken
                self.slow = 0.0
                return Failed(f"{flaw}\n  and it cannot be started again: {what}")
        return Failed(str(flaw), slow=flaw.slow)

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Run one case. The first one of an operation has as long as a load: programs import late."""
        if operation == CONVERSE:
            from tokenspec.adapters.conversation import converse

            try:
                return Ok(converse(self.command, request, self.limits, timeout))
            except Malformed as malformed:
                return Failed(str(malformed), slow=malformed.flaw.slow)
        if not self.has(operation):
            return NotSupported(f"no operation {operation}")
        if self.crashes >= CRASHES_IN_A_ROW:
            return self.given_up()
        seq = next(self.numbers)
        message = {"cmd": "run", "seq": seq, "case": case, "op": operation, "input": request}
        patience = timeout if operation in self.answered else max(timeout, self.limits.load)
        self.answered.add(operation)
        try:
            answer = self.exchange(message, Answer, patience)
        except Malformed as malformed:
            return self.restart(malformed.flaw)
        if answer.seq != seq:
            return self.restart(wrong_seq(answer.seq, seq, self.pipe.end()))
        self.crashes = 0
        return outcome_of(answer)

    def close(self) -> None:
        """Say stop, and make sure."""
        if not self.pipe.over:
            self.pipe.stop(msgspec.json.encode({"cmd": "stop"}), self.limits.stop)


def wrong_seq(got: int, asked: int, stderr: str = "") -> Flaw:
    """The answer to another question."""
    hint = "echo the seq of the message you answer; two answers to one message look like this too"
    return Flaw("ADP-030", f"answered seq {got} to seq {asked}", hint, stderr)


def outcome_of(answer: Answer) -> Outcome:
    """The typed outcome of an answer."""
    if answer.unsupported is not UNSET:
        issue = f" ({answer.unsupported.issue})" if answer.unsupported.issue else ""
        return NotSupported(foreign_text(answer.unsupported.reason + issue))
    if answer.rejected is not UNSET:
        refusal = answer.rejected
        return Refused(*map(foreign_text, (refusal.code, refusal.message, refusal.place)))
    if answer.error is not UNSET:
        return Failed(foreign_text(answer.error.message), foreign_text(answer.error.traceback, lines=True))
    return Ok(answer.result)
