"""``tokenspec serve``: any column spoken over the protocol, so that the protocol is tested against ourselves."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

import msgspec

from tokenspec.adapters import PROTOCOL_VERSION, Column, Failed, NotSupported, Ok, Outcome, Refused

NO_LIMIT = 86400.0


def serve(column: Column, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer JSON lines until ``stop`` or the end of input. What an adapter prints must not reach ``replies``."""
    for line in requests:
        message = msgspec.json.decode(line)
        command = message.get("cmd")
        if command == "stop":
            return
        reply = ANSWERS[command](column, message) if command in ANSWERS else {"error": f"unknown cmd {command!r}"}
        replies.write(msgspec.json.encode(reply) + b"\n")
        replies.flush()


def start(column: Column, _: dict[str, Any]) -> dict[str, Any]:
    """Who answers, and what it can do."""
    known = ("name", "version", "language", "homepage", "issues")
    return {
        "protocol": PROTOCOL_VERSION,
        "implementation": {key: column.info[key] for key in known if key in column.info},
        "capabilities": {operation: {} for operation in sorted(column.capabilities)},
    }


def load(column: Column, message: dict[str, Any]) -> dict[str, Any]:
    """Make a row available."""
    refusal = column.load(message["model"], message["assets"])
    return {"ok": True} if refusal is None else {"ok": False, "reason": str(refusal)}


def run(column: Column, message: dict[str, Any]) -> dict[str, Any]:
    """Run one case."""
    outcome = column.call(message["op"], message["case"], message["input"], NO_LIMIT)
    return {"seq": message["seq"], **encode(outcome)}


def encode(outcome: Outcome) -> dict[str, Any]:
    """An outcome as the one key of the reply."""
    match outcome:
        case Ok(output):
            return {"result": output}
        case Refused(code, message):
            return {"rejected": {"code": code, "message": message}}
        case NotSupported(reason):
            return {"unsupported": {"reason": reason}}
        case Failed(message, trace):
            return {"error": {"message": message, "traceback": trace}}


ANSWERS = {"start": start, "load": load, "run": run}


def serve_stdio(column: Column) -> None:
    """Serve over this process's stdin and stdout; prints of the implementation go to stderr."""
    replies = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(column, sys.stdin.buffer, replies)
