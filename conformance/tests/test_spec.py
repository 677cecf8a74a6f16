"""Traceability rules: the committed spec obeys them, and each rule notices its violation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenspec import data
from tokenspec import requirements as spec
from tokenspec.traceability import rules

CHAPTER = """# Widgets

### WID-001 MUST: widgets are round {#WID-001}

A widget MUST be round.
"""


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One chapter of one requirement, alone."""
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "10-widgets.md"
    path.write_text(CHAPTER)
    monkeypatch.setattr(data, "data_root", lambda: tmp_path)
    spec.requirements.cache_clear()
    yield path
    spec.requirements.cache_clear()


def test_blocks_are_parsed(chapter: Path) -> None:
    (block,) = spec.requirements().values()
    assert (block.id, block.level, block.title, block.link) == (
        "WID-001",
        "MUST",
        "widgets are round",
        "10-widgets.md#WID-001",
    )
    assert block.untestable is None


def test_white_space_at_line_ends_does_not_change_the_hash(chapter: Path) -> None:
    before = spec.requirements()["WID-001"].text_sha256
    chapter.write_text(CHAPTER.replace("round.", "round.  "))
    spec.requirements.cache_clear()
    assert spec.requirements()["WID-001"].text_sha256 == before
    chapter.write_text(CHAPTER.replace("round.", "square."))
    spec.requirements.cache_clear()
    assert spec.requirements()["WID-001"].text_sha256 != before


@pytest.mark.parametrize(
    ("addition", "rule"),
    [
        ("\n## More\n\nEverything MUST shine.\n", "T1"),
        ("\n### WID-002 SHOULD: shine {#WID-002}\n\nIt MUST shine.\n", "T1"),
        ("\n### WID-002 MUST: shine {#WID-002}\n\nIt shines.\n", "T1"),
        ("\n### WID-002 MUST: shine {#WID-003}\n\nIt MUST shine.\n", "T1"),
        ("\n### WID-001 MUST: shine {#WID-001}\n\nIt MUST shine.\n", "T2"),
        ("\n### WID-000 MUST: shine {#WID-000}\n\nIt MUST shine.\n", "T2"),
        ("\n### WID-002 MUST: shine {#WID-002}\n\nIt MUST shine.\n", "T3"),
    ],
)
def test_rules_one_to_three_notice(chapter: Path, addition: str, rule: str) -> None:
    def count() -> int:
        spec.requirements.cache_clear()
        return sum(
            line.startswith(rule)
            for line in (*rules.keywords_sit_in_blocks(), *rules.ids_are_ordered(), *rules.musts_have_checks())
        )

    before = count()
    chapter.write_text(CHAPTER + addition)
    assert count() > before


def test_an_untestable_requirement_needs_no_check(chapter: Path) -> None:
    chapter.write_text(CHAPTER + "\nUntestable: nobody has seen a widget.\n")
    spec.requirements.cache_clear()
    assert list(rules.musts_have_checks()) == []


def test_keywords_in_fences_are_text(chapter: Path) -> None:
    chapter.write_text(CHAPTER + "\n## More\n\n```\nMUST\n```\n")
    assert list(rules.keywords_sit_in_blocks()) == []


def test_unknown_citations_are_found(chapter: Path) -> None:
    assert any(line.startswith("T4") for line in rules.citations_exist())


def test_a_withdrawn_id_may_not_return(chapter: Path) -> None:
    (chapter.parent / "withdrawn.md").write_text("WID-001 was about squares.\n")
    assert any("withdrawn" in line for line in rules.ids_are_ordered())
