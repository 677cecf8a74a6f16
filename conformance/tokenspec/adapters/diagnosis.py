"""How a conversation broke, as the requirement an adapter's author broke and what to do about it."""

from __future__ import annotations

from tokenspec.adapters.pipe import MAX_LINE, PipeBroken
from tokenspec.adapters.reading import NOT_FOR_PEOPLE, Flaw, shown

TRY_BY_HAND = """echo '{"cmd": "start", "protocol": 1, "suite": "0"}' | PROGRAM"""
IN_TIME = {
    "start": "answer start at once, and do what takes long in load",
    "load": "a load has 60 s: fetch nothing, and read only the row's own files",
    "run": "does it wait for a second line of input? If it needs the time, allow more: tokenspec run --timeout SECONDS",
    "stop": "end when stop comes, and when stdin ends",
}
SLOW = "allow more: tokenspec run --timeout SECONDS; nothing is said of what it would have answered"


def flaw_of(broken: PipeBroken, command: str) -> Flaw:
    """The flaw behind a broken pipe; ``command`` is the message that was to be answered."""
    asked = f"to {command}: {broken}" if command else str(broken)
    match broken.kind:
        case "not-flushed":
            hint = "flush stdout after every answer: print(..., flush=True), fflush(stdout), $stdout.sync = true"
            return Flaw("ADP-002", asked, hint, broken.stderr)
        case "slow" if command == "run":
            return Flaw("ADP-006", str(broken), SLOW, broken.stderr, slow=broken.limit)
        case "timed-out" | "slow":
            return Flaw("ADP-006", asked, IN_TIME.get(command, IN_TIME["run"]), broken.stderr)
        case "too-long":
            hint = f"an answer has at most {MAX_LINE // 2**20} MiB and ends with a newline"
            return Flaw("ADP-005", asked, hint, broken.stderr)
        case "unasked":
            seen = f"{asked}: {shown(broken.line)}"
            return Flaw("ADP-001", seen, f"one answer line a message, none for stop; {NOT_FOR_PEOPLE}", broken.stderr)
        case "ended" if command == "start":
            return Flaw("ADP-010", asked, f"see what it says when run by hand: {TRY_BY_HAND}", broken.stderr)
        case "ended" if command == "load":
            hint = 'a row it cannot use is answered {"ok": false, "reason": "..."}'
            return Flaw("ADP-021", asked, hint, broken.stderr)
        case "ended":
            hint = 'catch what an input raises and answer {"seq": ..., "error": {"message": "..."}}'
            return Flaw("ADP-033", asked, hint, broken.stderr)
        case _:
            return Flaw("ADP-010", str(broken), "the program starts and reads lines from stdin", broken.stderr)
