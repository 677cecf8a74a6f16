"""The chapters of ``spec/``, as they are, with each requirement linked to its own page."""

from __future__ import annotations

import re

from tokenspec.requirements import HEADING, chapters, requirements

from .links import linked

LEVEL_CLASS = {"MUST": "must", "MUST NOT": "must", "SHOULD": "should", "SHOULD NOT": "should", "MAY": "may"}


def pages() -> dict[str, str]:
    """One page a chapter, and the list of them."""
    made = {f"spec/{path.name}": chapter(path.read_text(encoding="utf-8")) for path in chapters()}
    names = "\n".join(path.stem for path in chapters())
    made["spec/index.md"] = (
        "# The specification\n\nEverything normative. Each requirement has an id, a level, and a page that says which "
        "checks judge it, which cases exercise it, and which broken implementations prove that the checks can fail.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n../requirements/index\n```\n"
    )
    return made


def chapter(text: str) -> str:
    """One chapter: requirement headings get their level as a badge and a way to their page."""
    lines: list[str] = []
    fenced = False
    for line in linked(text, set(requirements()), "../requirements/").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        found = None if fenced else HEADING.match(line)
        if found is None:
            lines.append(relative(line))
            continue
        level = LEVEL_CLASS[found["level"]]
        lines += [
            f"(spec-{found['id']})=",
            f"### {found['id']} {found['title']}",
            "",
            f"[{found['level']}]{{.level .{level}}} [checks, cases, mutants](../requirements/{found['id']}.md){{.way}}",
        ]
    return "\n".join(lines) + "\n"


def relative(line: str) -> str:
    """A link to a requirement's anchor in another chapter leads to that heading here."""
    return re.sub(r"\]\((?:\d\d-[a-z-]+\.md)?#([A-Z]{3}-\d{3})\)", r"](../requirements/\1.md)", line)
