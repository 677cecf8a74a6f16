"""Reading: every line is a row or a finding with its place; nothing is lost."""

import json
import sys

import pytest

from tokenspec.datasets.job import Job
from tokenspec.datasets.looking import tokens_of
from tokenspec.datasets.recipe import of_row
from tokenspec.datasets.shard import prepare
from tokenspec.datasets.source import _of_table, cut, find, read
from tokenspec.errors import UsageError

ASKED = [{"role": "user", "content": "größer?"}, {"role": "assistant", "content": "yes"}]
LINE = json.dumps({"messages": ASKED}, ensure_ascii=False).encode()


def rows_of(path, rows=2, **more):
    source = find(str(path), "train")
    return [given for shard in cut(source, rows) for given in read(source, shard, **more)]


def test_lines_keep_their_number_across_shards_and_blank_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + LINE + b"\n\n" + LINE + b"\r\n" + LINE + b"\n   \n" + LINE)
    rows = rows_of(path)
    assert [(given.row, given.place) for given in rows] == [
        (0, "a.jsonl:1"),
        (1, "a.jsonl:3"),
        (2, "a.jsonl:4"),
        (3, "a.jsonl:6"),
    ]
    assert all(given.record == {"messages": ASKED} for given in rows)


def test_a_folder_of_lines_is_one_source(tmp_path):
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_bytes(LINE + b"\n" + LINE)
    assert [given.place for given in rows_of(tmp_path, 3)] == ["a.jsonl:1", "a.jsonl:2", "b.jsonl:1", "b.jsonl:2"]


BAD = {
    "broken-record": (LINE[:-4], "column"),
    "wrong-encoding": (LINE.decode().encode("latin-1"), "byte 45 (0xf6) is no UTF-8"),
    "too-large": (json.dumps({"messages": [{"role": "user", "content": "x" * 50_000_000}]}).encode(), "bytes"),
    "unknown-shape": (b'{"text": "a"}', "--column"),
    "refused": (b'{"messages": []}', "empty"),
}


def test_what_cannot_be_read_is_a_finding_with_its_place(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join([LINE, *(line for line, _ in BAD.values()), LINE]))
    rows = [prepare(given, of_row("toy-bpe")) for given in rows_of(path, 3)]
    found = {row.codes[0]: row for row in rows if row.codes}
    assert list(found) == list(BAD)
    assert len(rows) == len(BAD) + 2
    for number, (code, (_, words)) in enumerate(BAD.items(), start=2):
        assert found[code].given.place == f"a.jsonl:{number}"
        assert words in found[code].prepared.findings[0].detail
        assert found[code].refusal


def test_deep_and_odd_json_is_a_finding(tmp_path):
    path = tmp_path / "a.jsonl"
    surrogate = json.dumps({"messages": [{"role": "user", "content": "\ud800"}, ASKED[1]]}).encode()
    path.write_bytes(b"\n".join([b"[" * 100_000, surrogate, b"NaN", b'"text"', LINE]))
    rows = [prepare(given, of_row("toy-bpe")) for given in rows_of(path)]
    assert [bool(row.prepared.token_ids) for row in rows] == [False] * 4 + [True]
    assert all(row.codes for row in rows[:4])


def test_a_list_in_a_file(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([ASKED] * 3))
    assert [given.row for given in rows_of(tmp_path / "a.json")] == [0, 1, 2]
    (tmp_path / "b.json").write_text('[\n{"a": 1},\n{"a" 2}]')
    with pytest.raises(UsageError, match=r"line 3, column 6"):
        rows_of(tmp_path / "b.json")


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"x"), ("a.jsonl", b"\xff\xfe{\x00"), ("absent.jsonl", None)])
def test_what_is_no_data_says_why(name, content, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=name):
        rows_of(tmp_path / name)


class Panic(BaseException):
    """As the panics of Rust libraries are: no Exception."""


def test_a_panic_of_one_row_is_a_finding_and_has_no_tokens_to_show(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE)
    job = Job(find(str(path), "train"), of_row("toy-bpe"), str(tmp_path / "out"), keep_ids=False)

    def panics(*_):
        raise Panic("gone")

    monkeypatch.setattr("tokenspec_reference.preparation.rendering.placed", panics)
    (given,) = rows_of(path)
    row = prepare(given, job.recipe)
    assert row.codes == ["tokenizer-limit"]
    assert tokens_of(job, row) is None


def test_a_record_too_deep_to_be_measured_is_a_finding(tmp_path):
    deep = ASKED
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    records = [deep, {"messages": ASKED}]
    found = [_of_table(records, row, f"row {row}", 10**6) for row in (0, 1)]
    assert [given.trouble is None for given in found] == [False, True]
    assert found[0].trouble[0] == "broken-record"
