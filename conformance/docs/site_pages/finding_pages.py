"""The page of findings: a section for each, from the table that the code itself reads."""

from __future__ import annotations

from tokenspec_reference.preparation import CODES, Code

HEAD = """# Findings

What `tokenspec audit` and `tokenspec prepare` say of a row. An *error* leaves nothing of the row to train; a *warning*
says that something else is trained than was meant; a *note* is a fact to know. `tokenspec explain header-merges` prints
the same.
"""


def pages() -> dict[str, str]:
    """One page."""
    return {"findings.md": "\n".join([HEAD, *map(section, CODES.values())])}


def section(code: Code) -> str:
    """A finding: what it means, what it does to training, how to mend it, what it rests on."""
    rests = ", ".join(f"[{id_}](requirements/{id_}.md)" for id_ in code.requirements)
    lines = [f"(finding-{code.name})=", f"## {code.name}", "", f"*{code.level}* {code.meaning}", ""]
    lines += ["In training", f": {code.effect}", "", "To mend it", f": {code.cure}", ""]
    return "\n".join([*lines, *(["Rests on", f": {rests}", ""] if rests else [])])
