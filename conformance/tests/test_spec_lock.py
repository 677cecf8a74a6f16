"""The hash lock: a changed requirement sends its checks back to review, and nothing is acknowledged by accident."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tokenspec import data
from tokenspec import requirements as spec
from tokenspec.cli import group
from tokenspec.errors import FixtureError, UsageError
from tokenspec.traceability import rules
from tokenspec.traceability.lock import read_lock, write_lock

TWO = """# Widgets

### WID-001 MUST: widgets are round {#WID-001}

A widget MUST be round.

### WID-002 SHOULD: widgets are red {#WID-002}

A widget SHOULD be red.
"""


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One chapter of two requirements, acknowledged."""
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "10-widgets.md"
    path.write_text(TWO)
    monkeypatch.setattr(data, "data_root", lambda: tmp_path)
    spec.requirements.cache_clear()
    write_lock(None, {"WID-001": {"widget-square": "widgets/-/square"}})
    yield path
    spec.requirements.cache_clear()


def rewrite(chapter: Path, old: str, new: str) -> None:
    text = chapter.read_text()
    assert old in text
    chapter.write_text(text.replace(old, new))
    spec.requirements.cache_clear()


def unreviewed() -> list[str]:
    return [line.split(":")[0] for line in rules.text_is_reviewed()]


def test_an_unchanged_text_is_reviewed(chapter: Path) -> None:
    rewrite(chapter, "round.\n", "round.   \n\n")
    assert unreviewed() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("MUST be round", "MUST be rather round"),
        ("MUST: widgets are round", "MUST: widgets are wide"),
        ("MUST: widgets", "MUST NOT: widgets"),
    ],
    ids=["body", "title", "level"],
)
def test_a_changed_requirement_is_to_be_reviewed_until_it_is_acknowledged(chapter: Path, old: str, new: str) -> None:
    rewrite(chapter, old, new)
    assert unreviewed() == ["T7 10-widgets.md#WID-001"]
    assert write_lock({"WID-002"}) == []
    assert unreviewed() == ["T7 10-widgets.md#WID-001"]
    assert write_lock({"WID-001"}) == ["WID-001"]
    assert unreviewed() == []


def test_acknowledging_one_says_nothing_of_a_new_one(chapter: Path) -> None:
    chapter.write_text(TWO + "\n### WID-003 MUST: widgets are new {#WID-003}\n\nA widget MUST be new.\n")
    spec.requirements.cache_clear()
    write_lock({"WID-001"})
    write_lock(set(), {"WID-003": {"widget-old"}})
    assert unreviewed() == ["T7 10-widgets.md#WID-003"]
    write_lock({"WID-003"})
    assert unreviewed() == []


def test_a_requirement_that_is_gone_is_remembered_until_it_is_withdrawn(chapter: Path) -> None:
    chapter.write_text(TWO.partition("### WID-002")[0])
    spec.requirements.cache_clear()
    for acknowledged in ({"WID-001"}, None):
        write_lock(acknowledged)
        assert unreviewed() == ["T7 WID-002"]
    (chapter.parent / "withdrawn.md").write_text("WID-002: colours are free.\n")
    write_lock(None)
    assert unreviewed() == []
    assert set(read_lock()) == {"WID-001"}


def test_acknowledging_keeps_what_the_mutants_proved(chapter: Path) -> None:
    rewrite(chapter, "round.", "quite round.")
    write_lock({"WID-001"})
    assert read_lock()["WID-001"].mutants == {"widget-square": "widgets/-/square"}


@pytest.mark.parametrize(
    ("ran", "left"),
    [
        ({"widget-oval"}, {"widget-oval": "widgets/-/oval", "widget-square": "widgets/-/square"}),
        ({"widget-square"}, {}),
        (None, {}),
    ],
    ids=["another", "itself", "all"],
)
def test_a_part_of_the_mutants_changes_its_own_entries_only(
    ran: set[str] | None, left: dict[str, str], chapter: Path
) -> None:
    write_lock(set(), {"WID-001": {"widget-oval": "widgets/-/oval"} if "widget-oval" in (ran or ()) else {}}, ran)
    assert read_lock()["WID-001"].mutants == left


def test_a_lock_that_is_missing_or_malformed_is_said(chapter: Path) -> None:
    lock = chapter.parent / "requirements.lock.json"
    lock.write_text('[{"id": "WID-001"}]')
    with pytest.raises(FixtureError, match="missing required field"):
        read_lock()
    lock.unlink()
    assert "spec ack --all" in next(iter(rules.text_is_reviewed()))


def test_the_verb_names_what_it_acknowledged(chapter: Path) -> None:
    rewrite(chapter, "round.", "quite round.")
    done = CliRunner().invoke(group, ["spec", "ack", "WID-001", "WID-002"])
    assert done.output == "acknowledged 1: WID-001\n"
    assert CliRunner().invoke(group, ["spec", "ack", "--all"]).output == "acknowledged 0: nothing had changed\n"
    assert isinstance(CliRunner().invoke(group, ["spec", "ack", "WID-009"]).exception, UsageError)
