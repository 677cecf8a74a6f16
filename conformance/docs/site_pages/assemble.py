"""The sources of the site in one folder: written pages, chapters, and the pages that are made."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import api, chapters, command_line, finding_pages, requirement_pages
from .readme import with_readme

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parents[1]


def assemble(target: Path) -> None:
    """Write the whole source folder."""
    pages = {
        path.relative_to(DOCS / "pages").as_posix(): with_readme(path.read_text(encoding="utf-8"), ROOT / "README.md")
        for path in sorted((DOCS / "pages").rglob("*.md"))
    }
    made = (chapters.pages(), requirement_pages.pages(), command_line.pages(), finding_pages.pages(), api.pages())
    for name, text in [*pages.items(), *(item for group in made for item in group.items())]:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(DOCS / "static", target / "static")
    shutil.copy(DOCS / "conf.py", target / "conf.py")
    shutil.copy(ROOT / "CHANGELOG.md", target / "changelog.md")
