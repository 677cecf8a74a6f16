"""The published schemas of the messages accept what is said over the pipe, and refuse what the suite refuses."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Any

import jsonschema
import pytest

from tokenspec.adapters.messages import MESSAGES, schemas
from tokenspec.adapters.pipe import Pipe
from tokenspec.adapters.reading import Malformed, read
from tokenspec.adapters.stdio import Process
from tokenspec.areas import areas, operations
from tokenspec.areas.protocol.area import material
from tokenspec.areas.protocol.mutants.programs import FAULTLESS
from tokenspec.areas.selection import Selection, load_cases, select_cells
from tokenspec.data import spec_dir

ANSWERS: list[tuple[str, Any, bool]] = [
    ("started", {"protocol": 1, "implementation": {"name": "x", "version": "1"}, "capabilities": {}}, True),
    ("started", {"protocol": 1, "implementation": {"name": "x"}, "capabilities": {}}, False),
    ("started", {"protocol": "1", "implementation": {"name": "x", "version": "1"}, "capabilities": {}}, False),
    ("started", {"protocol": 1, "implementation": {"name": "x", "version": "1"}, "capabilities": ["render"]}, False),
    ("loaded", {"ok": True}, True),
    ("loaded", {"ok": False, "reason": "no"}, True),
    ("loaded", {"ok": "yes"}, False),
    ("loaded", {"ok": True, "why": ""}, False),
    ("answer", {"seq": 1, "result": {}}, True),
    ("answer", {"seq": 1, "unsupported": {"reason": "r", "issue": "#1"}}, True),
    ("answer", {"seq": 1, "rejected": {"code": "c"}}, True),
    ("answer", {"seq": 1, "error": {"message": "m", "traceback": "t"}}, True),
    ("answer", {"seq": 1}, False),
    ("answer", {"result": {}}, False),
    ("answer", {"seq": 1, "result": None}, False),
    ("answer", {"seq": 1, "result": []}, False),
    ("answer", {"seq": 1, "result": {}, "error": {"message": "m"}}, False),
    ("answer", {"seq": 1, "results": {}}, False),
    ("answer", {"seq": 1.5, "result": {}}, False),
    ("answer", {"seq": 1, "error": "m"}, False),
]


@pytest.mark.parametrize(("name", "value", "valid"), ANSWERS)
def test_schema_and_reader_agree(name: str, value: Any, valid: bool) -> None:
    assert jsonschema.Draft202012Validator(schemas()[name]).is_valid(value) is valid
    if valid:
        read(json.dumps(value).encode(), MESSAGES[name])
    else:
        with pytest.raises(Malformed, match="hint"):
            read(json.dumps(value).encode(), MESSAGES[name])


def test_what_the_suite_sends_fits_its_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    real = Pipe.ask

    def ask(self: Pipe, line: bytes, timeout: float) -> bytes:
        said.append(json.loads(line))
        return real(self, line, timeout)

    monkeypatch.setattr(Pipe, "ask", ask)
    column = Process("mini", f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(FAULTLESS)}")
    column.load("toy-bpe", material()["rows"]["toy-bpe"])
    column.call("render", "render/x", {"model": "toy-bpe", "messages": []}, 10.0)
    column.close()
    assert [message["cmd"] for message in said] == ["start", "load", "run"]
    for message in [*said, {"cmd": "stop"}]:
        jsonschema.Draft202012Validator(schemas()[message["cmd"]]).validate(message)


@pytest.mark.parametrize(
    ("line", "requirement"),
    [
        (b"", "ADP-001"),
        (b"ready", "ADP-001"),
        (b"{", "ADP-001"),
        (b"{'seq': 1}", "ADP-003"),
        (b"[1]", "ADP-003"),
        (b'"text"', "ADP-003"),
        (b'{"seq": 1, "result": {"x": NaN}}', "ADP-003"),
        (b'{"seq": 1, "result": {"x": "\xff"}}', "ADP-003"),
        (b'{"seq": 1, "result": {"x": 1,}}', "ADP-003"),
        (b'{"seq": "1", "result": {}}', "ADP-030"),
        (b'{"seq": 1}', "ADP-031"),
        (b'{"seq": 1, "result": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}", "ADP-005"),
        (b'{"seq": 1, "result": {"x": [' + b"[]," * 2_500_000 + b"0]}}", "ADP-005"),
    ],
    ids=lambda value: repr(value[:32]) if isinstance(value, bytes) else value,
)
def test_every_bad_line_breaks_one_requirement(line: bytes, requirement: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(line, MESSAGES["answer"])
    assert caught.value.flaw.requirement == requirement
    assert caught.value.flaw.hint


def test_the_chapter_lists_the_fields_of_every_input() -> None:
    lines = (spec_dir() / "90-adapter-protocol.md").read_text(encoding="utf-8").splitlines()
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    listed = {row[0].strip("`"): set(row[2].split("`")[1].split()) for row in rows if len(row) == 3}
    assert set(listed) == set(operations())
    for operation, cases in material()["cases"].items():
        sent = {field for case in cases for field in case["input"]}
        if operation == "render_media":  # no toy row has media, so none is among the basic examples
            sent = {field for cell in select_cells(Selection(areas=("media",))) for field in cell.request()}
        open_ended = operation == "align"
        assert sent <= listed[operation] or open_ended, operation
        if operation == "render":  # sent where the oracle prepares messages in another way
            sent.add("normalisation")
        if operation == "render_template":  # its cases' inputs are its requests; the basic ones bring no bounds
            sent |= {field for case in load_cases(areas()["template-engine"]) for field in case.input}
        assert listed[operation] <= sent | {"model"}, operation
