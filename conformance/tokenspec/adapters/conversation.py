"""A whole conversation with a program, written down: what ``areas/protocol.py`` judges.

A script is a list of probes; the table in ``spec/90-adapter-protocol.md`` says what each sends. Nothing is judged
here: a transcript holds the lines as they came and how it ended.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tokenspec import __version__
from tokenspec.adapters import PROTOCOL_VERSION
from tokenspec.adapters.diagnosis import flaw_of
from tokenspec.adapters.messages import Answer, Loaded, Started
from tokenspec.adapters.pipe import Limits, Pipe, PipeBroken
from tokenspec.adapters.reading import Flaw, Malformed, read
from tokenspec.adapters.transcript import Break, Ending, Exchange, Transcript

LATER_VERSION = 999
UNKNOWN_OPERATION = "levitate"
WIDE = 8 * 1024 * 1024
OTHER_NAME = "protocol/other-name"
UNICODE_NAME = "protocol/\u00e9\u2028\u0085\ufeff\U0001d11e"
Message = dict[str, Any]
KINDS: dict[str, type[msgspec.Struct]] = {"start": Started, "load": Loaded, "run": Answer}


def converse(command: str, request: dict[str, Any], limits: Limits, run_seconds: float) -> dict[str, Any]:
    """Play ``request["script"]`` to a fresh process and write down what it does.

    The rows it is given are copies: an adapter that writes beside a tokenizer does not write into the fixtures.

    Raises:
        Malformed: a run was too slow, so nothing can be said of what it speaks.
    """
    with tempfile.TemporaryDirectory(prefix="tokenspec-") as folder:
        assets = {row: copied(row, one, Path(folder)) for row, one in request["rows"].items()}
        before = digests(Path(folder))
        conversation = Conversation(command, request["cases"], assets, limits, run_seconds)
        conversation.play(request["script"])
        after = digests(Path(folder))
        changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if conversation.slow is not None:
        raise Malformed(conversation.slow)
    found = Transcript(
        conversation.exchanges, conversation.broke, conversation.ending, changed, conversation.pipe_stderr()
    )
    return dict(msgspec.to_builtins(found))


def copied(row: str, assets: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The assets of a row, its files copied."""
    shutil.copytree(assets["directory"], folder / row)
    return {**assets, "directory": str(folder / row)}


def digests(folder: Path) -> dict[str, str]:
    """The sha256 of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Conversation:
    """One process and what was said so far."""

    def __init__(
        self,
        command: str,
        cases: dict[str, list[Message]],
        assets: dict[str, Message],
        limits: Limits,
        run_seconds: float,
    ) -> None:
        """``cases`` are basic cases by operation, ``assets`` the rows by id."""
        self.command, self.cases, self.assets = command, cases, assets
        self.limits, self.run_seconds = limits, run_seconds
        self.numbers = itertools.count(101, 7)
        self.loaded: set[str] = set()
        self.claimed: list[str] = []
        self.chosen: dict[str, Message] = {}
        self.asked: set[str] = set()
        self.exchanges: list[Exchange] = []
        self.broke: Break | None = None
        self.slow: Flaw | None = None
        self.ending: Ending | None = None
        self.pipe: Pipe | None = None

    def pipe_stderr(self) -> str:
        """The end of what the process wrote to stderr."""
        return self.pipe.errors.text() if self.pipe is not None else ""

    def play(self, script: list[str]) -> None:
        """One probe after the other, until the script or the conversation ends."""
        probe, command = "start", "start"
        try:
            self.pipe = Pipe(self.command)
            for probe in script:
                if probe in {"stop", "end-of-input"}:
                    command = "stop"
                    self.end(self.pipe, probe)
                    return
                for message in self.messages(probe):
                    command = message["cmd"]
                    self.exchange(self.pipe, probe, message)
        except PipeBroken as broken:
            flaw = flaw_of(broken, command)
            self.slow = flaw if flaw.slow else None
            self.broke = Break(probe, flaw.requirement, flaw.message, flaw.hint)
        except Malformed as malformed:
            flaw = malformed.flaw
            self.broke = Break(probe, flaw.requirement, f"to {command}: {flaw.message}", flaw.hint)
        finally:
            if self.pipe is not None:
                self.pipe.kill()

    def messages(self, probe: str) -> Iterator[Message]:
        """What a probe sends."""
        rows = list(self.assets)
        match probe:
            case "start":
                yield {"cmd": "start", "protocol": PROTOCOL_VERSION, "suite": __version__}
            case "start-later":
                yield {"cmd": "start", "protocol": LATER_VERSION, "suite": __version__}
            case "load":
                yield {"cmd": "load", "model": rows[0], "assets": self.assets[rows[0]]}
            case "load-second":
                yield {"cmd": "load", "model": rows[1], "assets": self.assets[rows[1]]}
            case "load-missing":
                nowhere = {**self.assets[rows[0]], "directory": str(Path(self.assets[rows[0]]["directory"]) / "gone")}
                yield {"cmd": "load", "model": "no-such-row", "assets": nowhere}
            case "run":
                for operation in self.claimed:
                    yield from self.first_runs(operation)
            case "run-again":
                for operation in self.usable():
                    yield {**self.run(operation), "case": OTHER_NAME}
            case "run-unknown-operation":
                yield {**self.run(UNKNOWN_OPERATION), "input": {}}
            case "run-empty":
                for operation in self.usable():
                    yield {**self.run(operation), "input": {}}
            case "run-unknown-key":
                for operation in self.usable()[:1]:
                    yield {**self.run(operation), "remark": {"since": "a later suite"}}
            case "run-unicode":
                for operation in self.usable()[:1]:
                    yield {**self.run(operation), "case": UNICODE_NAME}
            case "run-wide":
                for operation in self.usable()[:1]:
                    yield {**self.run(operation), "padding": "x" * WIDE}

    def first_runs(self, operation: str) -> Iterator[Message]:
        """Basic cases until one has a result; that one is used from then on."""
        if operation in self.chosen:
            yield self.run(operation)
            return
        for basic in self.cases[operation]:
            if self.loaded.issuperset(basic["rows"]):
                self.chosen[operation] = basic
                yield self.run(operation)
                if msgspec.json.decode(self.exchanges[-1].line, type=dict[str, Any]).get("result") is not None:
                    return

    def usable(self) -> list[str]:
        """The claimed operations that could be asked."""
        return [name for name in self.claimed if name in self.chosen]

    def run(self, operation: str) -> Message:
        """The chosen case of an operation, under a number of its own."""
        basic = self.chosen.get(operation, {"case": "protocol/unknown", "input": {}})
        return {
            "cmd": "run",
            "seq": next(self.numbers),
            "case": basic["case"],
            "op": operation,
            "input": basic["input"],
        }

    def exchange(self, pipe: Pipe, probe: str, message: Message) -> None:
        """Send, receive, write down; learn from the answers to start and load what can be asked next."""
        line = pipe.ask(msgspec.json.encode(message), self.seconds(message))
        text = line.decode("utf-8", "backslashreplace")
        operation, seq = message.get("op", ""), message.get("seq", 0)
        basic = self.chosen[operation]["case"] if message.get("input") and operation in self.chosen else ""
        self.exchanges.append(Exchange(probe, message["cmd"], operation, basic, seq, text))
        read(line, KINDS[message["cmd"]])
        if message["cmd"] == "start":
            self.claimed = [name for name in read(line, Started).capabilities if name in self.cases]
        elif message["cmd"] == "load" and read(line, Loaded).ok:
            self.loaded.add(message["model"])

    def seconds(self, message: Message) -> float:
        """How long an answer may take; the first run of an operation has as long as a load."""
        if message["cmd"] == "start":
            return self.limits.start
        first = message.get("op") not in self.asked
        self.asked.add(message.get("op", ""))
        return self.limits.load if message["cmd"] == "load" or first else self.run_seconds

    def end(self, pipe: Pipe, how: str) -> None:
        """Stop, or close stdin without a word."""
        if pipe.unasked():
            raise pipe.broken("unasked", "wrote to stdout before it was asked", bytes(pipe.buffer))
        farewell = msgspec.json.encode({"cmd": "stop"}) if how == "stop" else b""
        by_itself = pipe.stop(farewell, self.limits.stop)
        code = pipe.process.returncode if by_itself else None
        said = bytes(pipe.buffer[:200]).decode("utf-8", "backslashreplace")
        self.ending = Ending(how, by_itself, code, said, pipe.survivors)
