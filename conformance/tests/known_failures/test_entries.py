"""The file format: every mistake is named with its line and its cure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec.errors import UsageError
from tokenspec.known_failures import KnownFailures, load_known_failures
from tokenspec.known_failures.entries import parse_known_failures
from tokenspec.known_failures.writing import text_of

sys.path.insert(0, str(Path(__file__).parent))
from listed_runs import entry

HEAD = 'implementation = "mini"\n\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("= 3", "k.toml: not TOML"),
        ("", 'k.toml: say whose failures these are in the first line: implementation = "NAME"'),
        ("implementation = 3", "say whose failures"),
        ('implementation = "m"\nfailures = []', "unknown key 'failures'"),
        ('implementation = "m"\nfailure = 3', "head each entry with"),
        (HEAD + entry(case=None), "k.toml:3: Object missing required field `case`"),
        (HEAD + entry(reason=None), "k.toml:3: Object missing required field `reason`"),
        (HEAD + entry(issue=None), "k.toml:3: Object missing required field `issue`"),
        (HEAD + entry() + entry(reason="  ", case="render/x"), "k.toml:10: reason is empty; say in one line why"),
        (HEAD + entry(issue=""), "k.toml:3: issue is empty; link where it is tracked"),
        (HEAD + entry(issue="some day"), "k.toml:3: issue 'some day' is no link"),
        (HEAD + entry(row=" "), "k.toml:3: row is empty; name a row"),
        (HEAD + entry(**{"class": "xfail"}), "k.toml:3: Invalid enum value 'xfail'"),
        (HEAD + entry(check="render.ids"), "k.toml:3: give requirement"),
        (HEAD + entry(requirement=None), "k.toml:3: give requirement"),
        (HEAD + entry(model="qwen3"), "k.toml:3: Object contains unknown field `model`"),
        (HEAD + entry(impl="1.0 or so"), "k.toml:3: impl = '1.0 or so' is no version range; write it like"),
        (HEAD + entry(transformers="new"), "k.toml:3: transformers = 'new' is no version range"),
        (HEAD + entry() + entry(), "k.toml:10: lists render/role-user on toy-bpe, RND-010 again, after k.toml:3"),
        (HEAD + 'failure = [{case = "a"}]', "k.toml, failure 1: Object missing required field `row`"),
    ],
)
def test_mistakes_are_named_with_line_and_cure(text: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_known_failures(text, "k.toml")
    assert says in str(error.value)


@pytest.mark.parametrize("issue", ["https://example.org/x/1", "#12", "owner/re.po-2#12"])
def test_links_are_urls_or_issue_numbers(issue: str) -> None:
    assert parse_known_failures(HEAD + entry(issue=issue), "k.toml").entries[0].failure.issue == issue


def test_a_heading_inside_a_string_is_no_entry() -> None:
    text = (
        HEAD + entry().replace('"ids are joined piecewise"', '"""\n[[failure]]\nstill the reason"""') + entry(row="x")
    )
    assert [one.line for one in parse_known_failures(text, "k.toml").entries] == [3, 12]


def test_the_same_place_may_be_listed_for_two_ranges() -> None:
    assert len(parse_known_failures(HEAD + entry(impl="<1") + entry(impl=">=1"), "k.toml").entries) == 2


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--write-known-failures"):
        load_known_failures(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="cannot be read"):
        load_known_failures(tmp_path / "bad.toml")


@given(st.text(min_size=1).filter(lambda text: text.strip() and not any("\ud800" <= c <= "\udfff" for c in text)))
def test_any_reason_survives_being_written(reason: str) -> None:
    known = parse_known_failures(HEAD + entry(), "k.toml")
    from msgspec.structs import replace

    text = text_of(KnownFailures("k.toml", reason), [replace(known.entries[0].failure, reason=reason, wontfix=True)])
    read = parse_known_failures(text, "k.toml")
    assert (read.implementation, read.entries[0].failure.reason) == (reason, reason)
    assert read.entries[0].failure.wontfix
