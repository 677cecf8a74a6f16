"""``tokenspec serve``: any column spoken over the protocol, so that the protocol is tested against ourselves."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import msgspec

from tokenspec.adapters import PROTOCOL_VERSION, Column, Failed, NotSupported, Ok, Outcome, Refused, said_of
from tokenspec.adapters.messages import Load, RunCase, Start, Stop

NO_LIMIT = 86400.0
KNOWN = ("name", "version", "language", "homepage", "issues")


def serve(column: Column, requests: BinaryIO, replies: BinaryIO, operations: Collection[str]) -> None:
    """Answer JSON lines until ``stop`` or the end of input."""
    for line in requests:
        message = msgspec.json.decode(line, type=Start | Load | RunCase | Stop)
        if isinstance(message, Stop):
            return
        replies.write(answer(column, message, operations) + b"\n")
        replies.flush()


def answer(column: Column, message: Start | Load | RunCase, operations: Collection[str]) -> bytes:
    """One answer; a result that is no plain JSON is an error of the implementation."""
    match message:
        case Start():
            return msgspec.json.encode(start(column, operations))
        case Load(model, _):
            refusal = column.load(model, msgspec.to_builtins(message.assets))
            return msgspec.json.encode({"ok": True} if refusal is None else {"ok": False, "reason": str(refusal)})
        case RunCase(seq, case, operation, request):
            outcome = column.call(operation, case, request, NO_LIMIT)
            try:
                return msgspec.json.encode({"seq": seq, **encode(outcome)})
            except (TypeError, ValueError, RecursionError) as error:
                broken = Failed(f"result of {operation} is no plain JSON: {error}")
                return msgspec.json.encode({"seq": seq, **encode(broken)})


def start(column: Column, operations: Collection[str]) -> dict[str, Any]:
    """Who answers, and what it can do."""
    return {
        "protocol": PROTOCOL_VERSION,
        "implementation": {key: column.info[key] for key in KNOWN if key in column.info},
        "capabilities": {name: said_of(column, name) for name in sorted(operations) if column.has(name)},
    }


def encode(outcome: Outcome) -> dict[str, Any]:
    """An outcome as the one key of the answer."""
    match outcome:
        case Ok(output):
            return {"result": output}
        case Refused(code, message, place):
            return {"rejected": {"code": code, "message": message, **({"place": place} if place else {})}}
        case NotSupported(reason):
            return {"unsupported": {"reason": reason}}
        case Failed(message, trace):
            return {"error": {"message": message, "traceback": trace}}


@contextmanager
def stdout_for_answers() -> Iterator[BinaryIO]:
    """Keep the real stdout for answers; whatever else prints, in Python or below it, prints to stderr."""
    sys.stdout.flush()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        with replies:
            yield replies
    finally:
        sys.stdout.flush()


def serve_stdio(resolve: Callable[[], Column], operations: Collection[str]) -> None:
    """Serve over this process's stdin and stdout; ``resolve`` imports the implementation, which may print.

    ``operations`` are what an implementation may have.
    """
    with stdout_for_answers() as replies:
        column = resolve()
        try:
            serve(column, sys.stdin.buffer, replies, operations)
        finally:
            column.close()
