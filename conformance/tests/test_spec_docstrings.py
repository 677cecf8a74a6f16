"""Chapters include docstrings: the committed ones are current, and a difference is named and cured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tokenspec.data import checkout_root
from tokenspec.errors import UsageError
from tokenspec.traceability import docstrings, rules
from tokenspec_reference.renderers.families import FAMILIES

MODULE = '''r"""Widgets: round, ``<tag>`` and ``\\n``.

Wire::

    <round>

      {width}

Quirks: ``none``.
"""
'''
TEXT = "Widgets: round, `<tag>` and `\\n`.\n\nWire:\n\n```text\n<round>\n\n  {width}\n```\n\nQuirks: `none`.\n"
OPENER, END = "<!-- docstring of widgets.py -->\n", "<!-- end of docstring -->\n"


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one chapter of a checkout with one module, included twice."""
    monkeypatch.setattr(rules, "checkout_root", lambda: tmp_path)
    (tmp_path / "widgets.py").write_text(MODULE)
    (tmp_path / "spec").mkdir()
    path = tmp_path / "spec" / "11-widgets.md"
    path.write_text(f"# Widgets\n\n{OPENER}old\n{END}\nBetween.\n\n{OPENER}{END}\nAfter.\n")
    return path


def test_a_difference_is_named_and_written_once(chapter: Path) -> None:
    said = list(rules.docstrings_are_included())
    assert [line.partition(": ")[0] for line in said] == ["T10 11-widgets.md:3", "T10 11-widgets.md:9"]
    assert all(line.endswith("differs from the docstring of widgets.py; run: tokenspec spec include") for line in said)
    root = chapter.parent.parent
    assert docstrings.include(root) == ["11-widgets.md"]
    written = f"# Widgets\n\n{OPENER}{TEXT}{END}\nBetween.\n\n{OPENER}{TEXT}{END}\nAfter.\n"
    assert chapter.read_text() == written
    assert list(rules.docstrings_are_included()) == []
    assert docstrings.include(root) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (f"{OPENER}text\n", "11-widgets.md:1: no <!-- end of docstring -->"),
        (f"{OPENER}text\n{OPENER}{END}", "11-widgets.md:1: no <!-- end of docstring -->"),
        (f"\n<!-- docstring of gone.py -->\n{END}", "11-widgets.md:2: there is no file gone.py"),
    ],
)
def test_a_comment_that_includes_nothing_is_named_and_nothing_is_written(chapter: Path, broken: str, said: str) -> None:
    chapter.write_text(broken)
    (line,) = rules.docstrings_are_included()
    assert said in line
    with pytest.raises(UsageError, match=re.escape(said)):
        docstrings.include(chapter.parent.parent)
    assert chapter.read_text() == broken


def test_every_family_has_the_section_its_module_writes() -> None:
    root = checkout_root()
    assert root is not None
    modules: dict[str, list[str]] = {}
    for name, module in FAMILIES.items():
        modules.setdefault(module, []).append(name)
    text = (root / "spec" / "11-renderer-families.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)\n\n<!-- docstring of \S+/families/(\w+)\.py -->$", text, re.MULTILINE)
    assert {module: re.split(", | and ", names) for names, module in sections} == modules
    assert len(sections) == text.count("\n## ") - text.count("\n## Names of the upstream\n")
