"""The page of reproductions: divergences that a short script shows, by column, each with its verdict."""

from __future__ import annotations

from itertools import groupby

from tokenspec.reproduction.kept import Reproduction, reproductions

from .requirement_pages import cell

HEAD = """# Reproductions

Each is a script that needs the judged library, and where it says so transformers. It prints what is right and what the
library gives; a test runs all of them in the versions named here. *Real* breaks what the library means to do, *policy*
is its documented choice and no bug, *sources disagree* where a publisher's own library and its template do. What a run
of yours finds becomes such a text with `tokenspec report issue`.
"""


def pages() -> dict[str, str]:
    """One page."""
    parts = [HEAD]
    for column, found in groupby(reproductions().values(), key=lambda one: one.column):
        parts += [f"## {column}", *map(section, found)]
    return {"reproductions.md": "\n\n".join(parts) + "\n"}


def target(one: Reproduction) -> str:
    """The name its section is linked by."""
    return f"reproduction-{one.column}-{one.slug}"


def section(one: Reproduction) -> str:
    """One reproduction: what goes wrong, what comes of it, the script and what it prints."""
    written = one.written
    cites = ", ".join(f"[{id_}](requirements/{id_}.md)" for id_ in written.cites)
    facts = [f"*{written.verdict}*", f"`{written.package}`", *(f"`{other}`" for other in written.needs), cites]
    argument = f" Its argument is the folder of [{written.model}](rows/{written.model}.md)." if written.model else ""
    return "\n\n".join(
        [
            f"({target(one)})=\n### {cell(written.title)}",
            f"{' · '.join(facts)}",
            f"{cell(written.why)}{argument}",
            f"```{written.language}\n{written.script.strip()}\n```",
            f"```text\n{one.prints.rstrip()}\n```",
        ]
    )
