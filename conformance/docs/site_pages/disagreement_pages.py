"""The page of disagreements: where a publisher's own library and its template write two texts for one conversation."""

from __future__ import annotations

from tokenspec.data import fixtures_dir
from tokenspec.report.deviations import Deviation, reasons_of
from tokenspec.reproduction.kept import reproductions

from .reproduction_pages import target
from .requirement_pages import cell, table

VERDICT = "sources disagree"
HEAD = """# Where sources disagree

A model's publisher gives a chat template and a library of its own, and the two write different texts for the same
conversation. Neither is called wrong here. Goldens are the template's, and so is the gate of the reference; a library
that follows the publisher's is reviewed as *sources disagree*.
"""


def pages() -> dict[str, str]:
    """One page."""
    parts = [HEAD]
    for one in (one for one in reproductions().values() if one.written.verdict == VERDICT):
        written = one.written
        between = f"{cell(written.package)} and the template of [{written.model}](rows/{written.model}.md)"
        parts += [
            f"## {cell(written.title)}",
            f"{between}. {cell(written.why)} [Its script](reproductions.md#{target(one)}).",
            f"The template:\n\n```text\n{written.expected}\n```",
            f"The library:\n\n```text\n{written.got}\n```",
        ]
    rows = [f"| [{name}](columns/{name}.md) | {', '.join(one.rows)} | {cell(one.why)} |" for name, one in reviewed()]
    parts += ["## Reviewed deviations", table(("library", "rows", "what"), rows)] if rows else []
    return {"sources-disagree.md": "\n\n".join(parts) + "\n"}


def reviewed() -> list[tuple[str, Deviation]]:
    """The deviations of all implementations that were reviewed so."""
    names = sorted(path.stem for path in (fixtures_dir() / "deviations").glob("*.toml"))
    found = ((name, reasons_of(name)) for name in names)
    return [(name, one) for name, reasons in found if reasons for one in reasons.deviation if one.verdict == VERDICT]
