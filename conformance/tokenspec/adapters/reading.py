"""One line of an adapter, read strictly: what is wrong with it, which requirement it breaks, what to do."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.adapters.messages import OUTCOMES, Answer, Loaded, Started
from tokenspec.adapters.pipe import MAX_CONTAINERS

T = TypeVar("T", bound=msgspec.Struct)

SHAPES: dict[type[msgspec.Struct], str] = {
    Started: '{"protocol": 1, "implementation": {"name": "mylib", "version": "1.0"}, "capabilities": {"render": {}}}',
    Loaded: '{"ok": true}, or {"ok": false, "reason": "no tokenizer of this kind"}',
    Answer: (
        '{"seq": 7, "result": {...}}; instead of result: "unsupported": {"reason": "..."}, '
        '"rejected": {"code": "...", "message": "..."}, or "error": {"message": "..."}'
    ),
}
REQUIREMENT: dict[type[msgspec.Struct], str] = {Started: "ADP-010", Loaded: "ADP-020", Answer: "ADP-031"}
SEVERAL_LINES = "write each answer on one line: json.dumps(answer), JSON.stringify(answer), no indentation"
NOT_FOR_PEOPLE = "stdout carries answers only; print for people to stderr"
NOT_A_NUMBER = re.compile(rb"[\[:,]\s*-?(NaN|Infinity)\b")
UNKNOWN_FIELD = re.compile(r"unknown field `(?P<name>[^`]+)`(?: - at `\$\.?(?P<at>[^`]*)`)?")


@dataclass(frozen=True)
class Flaw:
    """What is wrong with an adapter. ``requirement`` is the id it breaks, ``hint`` what to do.

    ``slow`` is the limit in seconds of a run that was too slow: it breaks nothing; the requirement says what counts.
    """

    requirement: str
    message: str
    hint: str
    stderr: str = ""
    slow: float = 0.0

    def __str__(self) -> str:
        """Ready to print: what, which requirement, what to do, and what the adapter wrote to stderr."""
        says = "see      " if self.slow else "breaks   "
        lines = [self.message, f"  {says}{self.requirement}", f"  hint     {self.hint}"]
        if self.stderr:
            lines.append("  stderr   " + self.stderr.replace("\n", "\n           "))
        return "\n".join(lines)


class Malformed(Exception):
    """An answer that cannot be read; ``flaw`` says why."""

    def __init__(self, flaw: Flaw) -> None:
        """Keep the flaw: checks cite its requirement."""
        super().__init__(str(flaw))
        self.flaw = flaw


def read(line: bytes, kind: type[T]) -> T:
    """One answer, typed.

    Raises:
        Malformed: it is no answer of this kind.
    """
    if line.count(b"[") + line.count(b"{") > MAX_CONTAINERS:
        raise Malformed(too_deep(f"holds more than {MAX_CONTAINERS:,} lists and objects"))
    try:
        return msgspec.json.decode(line, type=kind)
    except RecursionError as error:
        raise Malformed(too_deep("nests deeper than a reader can follow")) from error
    except msgspec.ValidationError as error:
        raise Malformed(wrong_shape(line, kind, foreign_text(str(error)))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(no_json(line, kind, str(error))) from error


def too_deep(what: str) -> Flaw:
    """A JSON bomb."""
    return Flaw("ADP-005", f"the answer {what}", "an answer is one flat object; its result has the operation's fields")


def no_json(line: bytes, kind: type[msgspec.Struct], error: str) -> Flaw:
    """Not JSON at all: the usual reasons, most frequent first."""
    text = line.strip()
    seen = f"the line begins {shown(line)}"
    if not text:
        return Flaw("ADP-001", "sent an empty line instead of an answer", SEVERAL_LINES)
    if NOT_A_NUMBER.search(line):
        hint = 'JSON has no NaN and no Infinity; minus infinity is the string "-inf"'
        return Flaw("ADP-003", f"sent NaN or Infinity; {seen}", hint)
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as undecoded:
        hint = 'encode answers as UTF-8; bytes that are no text are {"hex": "..."}'
        return Flaw("ADP-003", f"sent bytes that are not UTF-8 ({undecoded.reason} at {undecoded.start}); {seen}", hint)
    if text[:2] in {b"{'", b"['"}:
        return Flaw("ADP-003", f"sent the text form of a dict, which is no JSON; {seen}", "print json.dumps(answer)")
    if text[:1] in {b"{", b"["} and text[-1:] not in {b"}", b"]"}:
        return Flaw("ADP-001", f"sent an answer that does not end where its line ends; {seen}", SEVERAL_LINES)
    if text[:1] not in {b"{", b"["}:
        return Flaw("ADP-001", f"sent a line that is no answer; {seen}", NOT_FOR_PEOPLE)
    return Flaw("ADP-003", f"sent a line that is no JSON: {error}; {seen}", f"the answer looks like {SHAPES[kind]}")


def wrong_shape(line: bytes, kind: type[msgspec.Struct], error: str) -> Flaw:
    """JSON, but not the answer to this message."""
    requirement, hint = REQUIREMENT[kind], f"the answer looks like {SHAPES[kind]}"
    if line.strip()[:1] != b"{":
        return Flaw("ADP-003", f"answered with {shown(line)}, not with an object", hint)
    if kind is Answer and "seq" in error:
        return Flaw("ADP-030", f"did not echo seq: {error}; the line begins {shown(line)}", hint)
    unknown = UNKNOWN_FIELD.search(error)
    if unknown is not None and not unknown["at"]:
        known = OUTCOMES if kind is Answer else [field.name for field in msgspec.structs.fields(kind)]
        close = difflib.get_close_matches(unknown["name"], known, n=1, cutoff=0.5)
        meant = f"did you mean {close[0]!r}? " if close else ""
        hint = f"{meant}{hint}"
    return Flaw(requirement, f"answered in another shape: {error}; the line begins {shown(line)}", hint)


def shown(line: bytes) -> str:
    """The beginning of a line, as a printable literal."""
    return repr(line[:120].decode("utf-8", "backslashreplace")) + ("..." if len(line) > 120 else "")
