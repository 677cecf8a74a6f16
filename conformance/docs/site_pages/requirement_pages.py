"""A page for each requirement: its text, checks that judge it, mutants they caught, cases that exercise it."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable

from tokenspec.areas import areas
from tokenspec.areas.check import Check, all_checks
from tokenspec.areas.selection import load_cases
from tokenspec.data import fixtures_dir
from tokenspec.mutation import load_mutants
from tokenspec.requirements import Requirement, chapters, requirements
from tokenspec.store.records import Case
from tokenspec.traceability.lock import read_lock

from .chapters import LEVEL_CLASS
from .links import linked

SHOWN_CASES = 12


def pages() -> dict[str, str]:
    """One page each, and the table of all."""
    cases = [case for area in areas().values() for case in load_cases(area)]
    notes = {mutant.id: mutant.note for mutant in load_mutants()}
    flags = tomllib.loads((fixtures_dir() / "flags.toml").read_text(encoding="utf-8"))
    made = {
        f"requirements/{block.id}.md": page(block, [case for case in cases if block.id in case.requires], notes, flags)
        for block in requirements().values()
    }
    made["requirements/index.md"] = index()
    return made


def page(block: Requirement, cases: list[Case], notes: dict[str, str], flags: dict[str, dict[str, str]]) -> str:
    """One requirement."""
    checks = [check for check in all_checks().values() if block.id in check.requires]
    locked = read_lock().get(block.id)
    mutants = {id_: notes.get(id_, "") for id_ in (locked.mutants if locked else ())}
    parts = [
        "---\norphan: true\n---",
        f"# {block.id}: {block.title}",
        badge(block) + f" [in its chapter](../spec/{block.chapter}#spec-{block.id.lower()}){{.way}}",
        linked(block.text.strip(), set(requirements()), ""),
        "## Checks",
        checks_table(checks) if checks else no_check(block),
        "## Mutants",
        mutants_table(mutants)
        if mutants
        else "None recorded: only requirements of the strongest level with a check need one.",
        "## Cases",
        cases_part(cases, flags),
        "## On the command line",
        f"```sh\ntokenspec explain {block.id}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def badge(block: Requirement) -> str:
    """Its level, in its colour."""
    return f"[{block.level}]{{.level .{LEVEL_CLASS[block.level]}}}"


def checks_table(checks: Iterable[Check]) -> str:
    """Name, grade, kind and what it looks at."""
    rows = (f"| `{check.name}` | {check.level} | {check.kind} | {cell(check.doc)} |" for check in checks)
    return table(("check", "grade", "kind", "judges"), rows)


def no_check(block: Requirement) -> str:
    """Why nothing judges it."""
    return f"No check: {block.untestable}" if block.untestable else "No check judges it; it is shown, not enforced."


def cases_part(cases: list[Case], flags: dict[str, dict[str, str]]) -> str:
    """How many, what their failures mean, and the first of them."""
    if not cases:
        return "No case names it; checks that hold of every output judge it on all cases of the area."
    counted = Counter(flag for case in cases for flag in case.flags)
    meant = [
        f"| `{flag}` | {count} | {cell(flags[flag]['description'])} | {cell(flags[flag]['effect'])} |"
        for flag, count in counted.most_common()
    ]
    pinned = [f"| `{case.id}` | {cell(case.why)} |" for case in cases]
    said = "1 case names it" if len(cases) == 1 else f"{len(cases)} cases name it"
    return "\n\n".join(
        [
            f"{said}. What a failure means:",
            folded(["| flag | cases | an input with | a failure means |", "|---|---:|---|---|"], meant, 5),
            "The cases:",
            folded(["| case | pins |", "|---|---|"], pinned, SHOWN_CASES),
        ]
    )


def folded(head: list[str], rows: list[str], shown: int) -> str:
    """A table of which the first rows are seen and the others come with a click."""
    if len(rows) <= shown + 2:
        return "\n".join([*head, *rows])
    first, rest = "\n".join([*head, *rows[:shown]]), "\n".join([*head, *rows[shown:]])
    return f"{first}\n\n<details><summary>{len(rows) - shown} more</summary>\n\n{rest}\n\n</details>"


def mutants_table(mutants: dict[str, str]) -> str:
    """The broken implementations that a check citing the requirement caught."""
    rows = (f"| `{id_}` | {cell(note)} |" for id_, note in mutants.items())
    said = "Deliberately broken implementations, each caught by a check above:"
    return f"{said}\n\n{table(('mutant', 'its one edit'), rows)}"


def table(head: Iterable[str], rows: Iterable[str]) -> str:
    """A Markdown table; the rows are written already."""
    names = list(head)
    return "\n".join([f"| {' | '.join(names)} |", "|---" * len(names) + "|", *rows])


def cell(text: str) -> str:
    """Text in a table: no bars, no line ends, nothing that Markdown or HTML would read."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    for character in "<>*_[]{}$":
        escaped = escaped.replace(character, f"\\{character}") if "`" not in text else escaped
    return escaped


def index() -> str:
    """All requirements in a table, by chapter."""
    locked = read_lock()
    lines = ["# All requirements", ""]
    for path in chapters():
        blocks = [block for block in requirements().values() if block.chapter == path.name]
        if not blocks:
            continue
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        lines += [f"## {title}", "", "| id | level | requirement | checks | mutants |", "|---|---|---|---:|---:|"]
        for block in blocks:
            entry = locked.get(block.id)
            lines.append(
                f"| [{block.id}]({block.id}.md) | {badge(block)} "
                f"| {cell(block.title)} | {len(entry.checks) if entry else 0} | {len(entry.mutants) if entry else 0} |"
            )
        lines.append("")
    return "\n".join(lines) + "\n"
