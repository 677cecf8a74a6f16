"""Build the documentation site: ``python conformance/docs/build.py [OUT]``, by default into ``site/``.

Sphinx builds what ``site_pages.assemble`` puts together; a warning is an error. Neither torch nor transformers is
needed: they are imported as names only.
"""
# ruff: noqa: INP001 - a script beside its Sphinx configuration, not a package

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from site_pages.assemble import ROOT, assemble
from sphinx.cmd.build import build_main
from sphinx.ext.autodoc.mock import mock

LOADED = re.compile(r"""(?:\bsrc|<link[^>]*\bhref)=["']((?:https?:)?//[^"']+)""")
FETCHED = re.compile(r"""(?:url\(|@import\s+)["']?((?:https?:)?//[^"')]+)""")
SEARCHED = {
    "docker": "in-your-ci",
    "github action": "in-your-ci",
    "pre-commit": "in-your-ci",
    "vllm": "columns/vllm",
    "qwen3": "rows/qwen3",
}
"""What people look for, as the search stems it, and the page whose title or headings have it."""
HEAVY = ["torch", "transformers", "tokenizers", "numpy", "ijson"]


def loads_from_elsewhere(out: Path) -> list[str]:
    """Pages that load a script, style, font or picture from another host: the site works from disk."""
    return [
        f"{path.relative_to(out)}: loads {found}"
        for path in sorted(out.rglob("*.html"))
        for found in LOADED.findall(path.read_text(encoding="utf-8"))
    ] + [
        f"{path.relative_to(out)}: loads {found}"
        for path in sorted(out.rglob("*.css"))
        for found in FETCHED.findall(path.read_text(encoding="utf-8"))
    ]


def not_found(out: Path) -> list[str]:
    """Searches that do not lead to their page by its title or headings."""
    written = (out / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(written.removeprefix("Search.setIndex(").rstrip(")"))

    def pages(word: str) -> set[str]:
        found: Any = index["titleterms"].get(word, [])
        return {index["docnames"][number] for number in ([found] if isinstance(found, int) else found)}

    wanted = {words: re.findall(r"[a-z0-9]+", words) for words in SEARCHED}
    return [
        f"{page}: a search for {words!r} does not find it"
        for words, page in SEARCHED.items()
        if any(page not in pages(word) for word in wanted[words])
    ]


def main(out: Path) -> int:
    """Assemble and build; the exit code is Sphinx's."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        with mock(HEAVY):
            assemble(source)
        code: int = build_main(
            ["-b", "html", "-W", "--keep-going", "-q", "-d", f"{folder}/doctrees", str(source), str(out)]
        )
    if code:
        return code
    for line in (found := [*loads_from_elsewhere(out), *not_found(out)]):
        print(line)
    if not found:
        print(f"wrote {out}. Open {out / 'index.html'} in a browser.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"))
