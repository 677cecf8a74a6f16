"""Programs that break the adapter protocol: one faultless miniature and one edit of its text each.

The miniature knows nothing of rendering. It answers with numbers that depend on the row and the input, which is all
the protocol asks for; whether they are right is the other areas' business.
"""

from __future__ import annotations

import shlex
import sys
from typing import Any

from tokenspec.adapters.conversation import converse
from tokenspec.adapters.pipe import Limits
from tokenspec.areas.mutant import Mutant

LIMITS = Limits(start=5.0, load=5.0, run=2.0, stop=1.0)
FAULTLESS = """
import json, os, subprocess, sys, time

rows = {}

def say(answer):
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()

def start(message):
    say({
        "protocol": 1,
        "implementation": {"name": "miniature", "version": "1"},
        "capabilities": {"render": {}},
    })

def load(message):
    path = os.path.join(message["assets"]["directory"], "tokenizer.json")
    try:
        size = os.path.getsize(path)
    except OSError as error:
        return say({"ok": False, "reason": str(error)})
    rows[message["model"]] = size
    say({"ok": True})

def render(request):
    if "messages" not in request:
        raise KeyError("no-messages")
    return {"token_ids": [rows[request["model"]], len(request["messages"])]}

def run(message):
    answer = {"seq": message["seq"]}
    if message["op"] != "render":
        return say({**answer, "unsupported": {"reason": "no operation " + message["op"]}})
    try:
        say({**answer, "result": render(message["input"])})
    except KeyError as error:
        say({**answer, "rejected": {"code": str(error.args[0]), "message": "the input lacks a field"}})

def stop(message):
    sys.exit(0)

sys.stdin.reconfigure(encoding="utf-8", newline="\\n")
while line := sys.stdin.readline():
    message = json.loads(line)
    {"start": start, "load": load, "run": run, "stop": stop}[message["cmd"]](message)
"""


class Miniature:
    """A program given by its text, spoken to as the suite speaks to any program."""

    def __init__(self, source: str) -> None:
        """``-I -S`` starts Python in a few milliseconds."""
        self.command = f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(source)}"

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "miniature", "version": "1"}

    def converse(self, request: dict[str, Any]) -> dict[str, Any]:
        """Hold the conversation."""
        return converse(self.command, request, LIMITS, LIMITS.run)


def mutant(name: str, breaks: str, note: str, *edits: tuple[str, str]) -> Mutant:
    """The miniature with some of its text replaced; an edit that finds nothing is a mistake in this table."""
    source = FAULTLESS
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"protocol-{name}: {old!r} is {source.count(old)} times in the miniature")
        source = source.replace(old, new)
    return Mutant(f"protocol-{name}", "protocol", (f"ADP-{breaks}",), note, lambda: Miniature(source))


WRITE = '    sys.stdout.write(json.dumps(answer) + "\\n")\n'
FLUSH = "    sys.stdout.flush()\n"
ANSWER = '    answer = {"seq": message["seq"]}\n'
RESULT = 'say({**answer, "result": render(message["input"])})'
STOP = "    sys.exit(0)\n"
CAPABILITIES = '"capabilities": {"render": {}},'
PROTOCOL = '"protocol": 1,'
LOADED = '    say({"ok": True})\n'
READ = 'sys.stdin.reconfigure(encoding="utf-8", newline="\\n")\n'
BOMB = (
    """sys.stdout.write('{"seq": %d, "result": {"a": ' % message["seq"] + "[" * 100000 + "]" * 100000 + "}}\\n"), """
    "sys.stdout.flush()"
)
CHILD = '    subprocess.Popen(["sleep", "60"], stdin=-3, stdout=-3, stderr=-3)\n'

MUTANTS = (
    mutant("banner", "001", "greets people on stdout", (READ, READ + 'print("miniature 1 is ready", flush=True)\n')),
    mutant("pretty", "001", "indents its answers", ("json.dumps(answer)", "json.dumps(answer, indent=2)")),
    mutant("answers-twice", "001", "says every answer twice", (WRITE, WRITE * 2)),
    mutant("answers-stop", "001", "says goodbye on stdout", (STOP, '    say({"ok": True})\n' + STOP)),
    mutant(
        "never-flushes",
        "002",
        "leaves its answers in a buffer",
        (FLUSH, '    if "protocol" in answer:\n        sys.stdout.flush()\n'),
    ),
    mutant("python-repr", "003", "prints the text form of a dict", ("json.dumps(answer)", "repr(answer)")),
    mutant(
        "latin-1",
        "003",
        "encodes as Latin-1",
        (FLUSH, FLUSH),
        (
            WRITE,
            '    sys.stdout.reconfigure(encoding="latin-1")\n    answer.setdefault("implementation", {})["homepage"] = "\u00e9"\n    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\\n")\n',
        ),
    ),
    mutant("ascii-only", "004", "reads its input as ASCII", ('encoding="utf-8"', 'encoding="ascii"')),
    mutant(
        "more-separators",
        "004",
        "cuts lines at U+2028 and U+0085",
        ("    message = json.loads(line)\n", "    message = json.loads(line.splitlines()[0])\n"),
    ),
    mutant(
        "short-lines", "004", "reads lines of at most 64 KiB", ("sys.stdin.readline()", "sys.stdin.readline(65536)")
    ),
    mutant(
        "nests-deeply",
        "005",
        "answers a run with a JSON bomb",
        (RESULT, BOMB),
    ),
    mutant(
        "endless-line", "005", "answers a run with a line of 100 MB", (RESULT, 'sys.stdout.write("x" * 100_000_000)')
    ),
    mutant("hangs-on-run", "006", "does not come back from a run", (RESULT, "time.sleep(60)")),
    mutant("hangs-on-load", "006", "does not come back from a load", (LOADED, "    time.sleep(60)\n")),
    mutant(
        "refuses-unknown-keys",
        "007",
        "takes no key it does not know",
        (
            ANSWER,
            ANSWER + '    if "remark" in message: return say({**answer, "error": {"message": "unknown key remark"}})\n',
        ),
    ),
    mutant(
        "list-of-capabilities", "010", "gives its capabilities as a list", (CAPABILITIES, '"capabilities": ["render"],')
    ),
    mutant("no-version", "010", "does not say its version", ('"version": "1"', '"title": "x"')),
    mutant(
        "echoes-the-version",
        "011",
        "speaks any version it is asked for",
        (PROTOCOL, '"protocol": message["protocol"],'),
    ),
    mutant(
        "errs-on-unknown-operation",
        "014",
        "an unknown operation is an error",
        ('"unsupported": {"reason": "no operation " + message["op"]}', '"error": {"message": "what?"}'),
    ),
    mutant("ok-in-words", "020", "says ok as a word", (LOADED, '    say({"ok": "yes"})\n')),
    mutant("refuses-in-silence", "020", "refuses a row without a reason", ('"reason": str(error)', '"reason": ""')),
    mutant(
        "dies-on-missing-row",
        "021",
        "crashes when a row's files are not there",
        ("    except OSError as error:\n", "    except NotImplementedError as error:\n"),
    ),
    mutant(
        "last-row-only", "022", "uses the row it loaded last", ('rows[request["model"]]', "list(rows.values())[-1]")
    ),
    mutant(
        "writes-a-cache",
        "023",
        "writes a cache beside the tokenizer",
        ("    rows[message", '    open(path + ".cache", "w").close()\n    rows[message'),
    ),
    mutant("wrong-seq", "030", "counts by itself", (ANSWER, '    answer = {"seq": message["seq"] + 1}\n')),
    mutant("no-seq", "030", "leaves seq out", (ANSWER, "    answer = {}\n")),
    mutant(
        "two-outcomes",
        "031",
        "gives a result and an error",
        (RESULT, 'say({**answer, "result": render(message["input"]), "error": {"message": "also"}})'),
    ),
    mutant("no-outcome", "031", "gives neither", (RESULT, "say(answer)")),
    mutant("results", "031", "misspells result", (RESULT, 'say({**answer, "results": render(message["input"])})')),
    mutant(
        "list-result",
        "031",
        "gives the bare ids",
        (RESULT, 'say({**answer, "result": render(message["input"])["token_ids"]})'),
    ),
    mutant("other-fields", "032", "calls its ids something else", ('{"token_ids": [rows', '{"ids": [rows')),
    mutant("floats", "032", "gives its ids as floats", ("len(request[", "float(len(request["), ("])]}\n", "]))]}\n")),
    mutant(
        "dies-on-bad-input",
        "033",
        "crashes on an input without fields",
        ("    except KeyError as error:\n", "    except NotImplementedError as error:\n"),
    ),
    mutant(
        "invents",
        "033",
        "makes a result of nothing",
        (
            '    if "messages" not in request:\n',
            '    if not request: return {"token_ids": []}\n    if "messages" not in request:\n',
        ),
    ),
    mutant(
        "counts-calls",
        "034",
        "its answer depends on how often it was asked",
        ('{"token_ids": [rows', 'rows.setdefault("calls", []).append(1) or {"token_ids": [len(rows["calls"]), rows'),
    ),
    mutant(
        "looks-at-the-case",
        "034",
        "knows its answers by the name of the case",
        (RESULT, 'say({**answer, "result": {"token_ids": [len(message["case"])]}})'),
    ),
    mutant(
        "long-code",
        "035",
        "puts the whole message into the code",
        ('KeyError("no-messages")', 'KeyError("The input has no messages!")'),
    ),
    mutant(
        "place-in-words",
        "035",
        "names the place of a refusal in a notation of its own",
        ('lacks a field"}', 'lacks a field", "place": "messages[0]"}'),
    ),
    mutant("exit-code", "040", "ends with an exit code", (STOP, "    sys.exit(3)\n")),
    mutant("ignores-stop", "040", "goes on after stop", (STOP, "    time.sleep(60)\n")),
    mutant(
        "ignores-the-end",
        "041",
        "waits for more after the end of its input",
        ("while line := sys.stdin.readline():\n", "while True:\n    line = sys.stdin.readline() or time.sleep(60)\n"),
    ),
    mutant("leaves-a-child", "042", "starts a process that outlives it", (STOP, CHILD + STOP)),
    mutant(
        "leaves-a-daemon",
        "042",
        "starts a process outside its group",
        (STOP, CHILD.replace("stderr=-3", "stderr=-3, start_new_session=True") + STOP),
    ),
)

ADVISED = (
    mutant(
        "misspells",
        "012",
        "claims an operation nobody asks for",
        (CAPABILITIES, '"capabilities": {"render": {}, "rendr": {}},'),
    ),
    mutant(
        "claims-what-it-lacks", "013", "claims to align", (CAPABILITIES, '"capabilities": {"render": {}, "align": {}},')
    ),
)
"""Breaches of what is only advised: no mutant counts them, a test does."""
