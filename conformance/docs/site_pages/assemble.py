"""The sources of the site in one folder: written pages, chapters, and the pages that are made."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import (
    api,
    chapters,
    column_pages,
    command_line,
    disagreement_pages,
    finding_pages,
    reproduction_pages,
    requirement_pages,
    row_pages,
    score_pages,
)
from .readme import with_readme

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parents[1]


def assemble(target: Path) -> None:
    """Write the whole source folder."""
    pages = {
        path.relative_to(DOCS / "pages").as_posix(): with_readme(path.read_text(encoding="utf-8"), ROOT / "README.md")
        for path in sorted((DOCS / "pages").rglob("*.md"))
    }
    made = (
        chapters,
        requirement_pages,
        row_pages,
        column_pages,
        command_line,
        disagreement_pages,
        finding_pages,
        reproduction_pages,
        score_pages,
        api,
    )
    for name, text in [*pages.items(), *(item for module in made for item in module.pages().items())]:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(DOCS / "static", target / "static")
    shutil.copy(DOCS / "conf.py", target / "conf.py")
    shutil.copy(ROOT / "CHANGELOG.md", target / "changelog.md")
