"""Traceability rules: what must hold between the chapters, the checks, the mutants, the cases and the code.

T8 (every example runs) is the test environment ``docs``; T9 (requirements never exercised) is printed by every report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tokenspec.areas import areas
from tokenspec.areas.check import all_checks
from tokenspec.areas.selection import load_cases
from tokenspec.data import checkout_root, spec_dir
from tokenspec.errors import UsageError
from tokenspec.requirements import HEADING, STRENGTH, Requirement, chapters, requirements, withdrawn_ids
from tokenspec.skeletons import all_unfilled
from tokenspec.store.canonical import read_json
from tokenspec.traceability.docstrings import outdated
from tokenspec.traceability.lock import read_lock

KEYWORD = re.compile(r"\b(MUST NOT|MUST|SHOULD NOT|SHOULD|MAY)\b")


def violations() -> list[str]:
    """All broken rules, each as one printable line that names rule and place."""
    rules = (
        keywords_sit_in_blocks,
        ids_are_ordered,
        musts_have_checks,
        citations_exist,
        musts_have_mutants,
        cases_cite_requirements,
        text_is_reviewed,
        docstrings_are_included,
        skeletons_are_filled,
    )
    return [line for rule in rules for line in rule()]


def keywords_sit_in_blocks() -> Iterator[str]:
    """T1: each capital keyword sits in exactly one block whose level matches."""
    for path in chapters():
        level: str | None = None
        said = True
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            if re.match(r"#{1,3} ", line):
                if not said:
                    yield f"T1 {path.name}:{number}: the block above never says {level} in its text"
                heading = HEADING.match(line)
                level = heading["level"] if heading else None
                said = heading is None
                if heading and heading["id"] != heading["anchor"]:
                    yield f"T1 {path.name}:{number}: anchor {heading['anchor']} differs from id {heading['id']}"
                if heading is None and KEYWORD.search(line):
                    yield f"T1 {path.name}:{number}: a keyword in a heading that is no requirement: {line.strip()}"
                continue
            for keyword in KEYWORD.findall(line):
                if level is None:
                    yield f"T1 {path.name}:{number}: {keyword} outside a requirement block"
                elif STRENGTH[keyword] != STRENGTH[level]:
                    yield f"T1 {path.name}:{number}: {keyword} in a block of level {level}"
                else:
                    said = True
        if not said:
            yield f"T1 {path.name}: the last block never says {level} in its text"


def ids_are_ordered() -> Iterator[str]:
    """T2: ids are unique, ascending within a chapter and never reused."""
    seen: dict[str, str] = {}
    gone = withdrawn_ids()
    for path in chapters():
        ids = [match["id"] for line in path.read_text(encoding="utf-8").splitlines() if (match := HEADING.match(line))]
        for id_ in ids:
            if id_ in seen:
                yield f"T2 {path.name}: {id_} is also in {seen[id_]}"
            if id_ in gone:
                yield f"T2 {path.name}: {id_} is withdrawn and may not be used again"
            seen[id_] = path.name
        for before, after in pairwise(ids):
            if before[:3] == after[:3] and before >= after:
                yield f"T2 {path.name}: {after} stands after {before}"


def musts(known: dict[str, Requirement]) -> list[Requirement]:
    """The testable requirements of level MUST or MUST NOT."""
    return [block for block in known.values() if STRENGTH[block.level] == 2 and block.untestable is None]


def musts_have_checks() -> Iterator[str]:
    """T3: every MUST has a check or says why none is possible."""
    cited = {id_ for check in all_checks().values() for id_ in check.requires}
    for block in musts(requirements()):
        if block.id not in cited:
            yield f"T3 {block.link}: no check cites it; write one, or add a line 'Untestable: reason'"


def citations_exist() -> Iterator[str]:
    """T4: every check cites existing requirements of its own area's chapter or of the conventions."""
    known = requirements()
    prefixes = {area.name: area.prefix for area in areas().values()}
    for check in all_checks().values():
        for id_ in check.requires:
            if id_ not in known:
                yield f"T4 check {check.name}: {id_} does not exist"
        if check.area not in prefixes:
            yield f"T4 check {check.name}: there is no area {check.area!r}"


def musts_have_mutants() -> Iterator[str]:
    """T5: every MUST with a check has a mutant killed by a check that cites it (recorded by ``tokenspec mutants``)."""
    locked = read_lock()
    cited = {id_ for check in all_checks().values() for id_ in check.requires}
    for block in musts(requirements()):
        if block.id in cited and not (block.id in locked and locked[block.id].mutants):
            yield f"T5 {block.link}: no mutant proves its checks can fail; add one, then: tokenspec mutants --record"


def cases_cite_requirements() -> Iterator[str]:
    """T6: what cases require and flag exists."""
    import tomllib

    known = requirements()
    flags_path = spec_dir().parent / "fixtures" / "flags.toml"
    flags = tomllib.loads(flags_path.read_text(encoding="utf-8")) if flags_path.exists() else {}
    used: set[str] = set()
    for area in areas().values():
        for case in load_cases(area):
            used.update(case.flags)
            for id_ in case.requires:
                if id_ not in known:
                    yield f"T6 {case.id}: requires {id_}, which does not exist"
            for flag in case.flags:
                if flag not in flags:
                    yield f"T6 {case.id}: flag {flag} is not in flags.toml"
    for flag in sorted(set(flags) - used):
        yield f"T6 flags.toml: no case carries the flag {flag}"


def text_is_reviewed() -> Iterator[str]:
    """T7: the text of each requirement is the one its checks were reviewed against."""
    path = spec_dir() / "requirements.lock.json"
    if not path.exists():
        yield "T7 requirements.lock.json is missing; run: tokenspec spec ack --all"
        return
    read_json(path)
    locked = read_lock()
    known = requirements()
    for id_, block in known.items():
        if id_ not in locked:
            yield f"T7 {block.link}: not in the lock; run: tokenspec spec ack {id_}"
        elif locked[id_].text_sha256 != block.text_sha256:
            checks = ", ".join(locked[id_].checks) or "no checks"
            yield f"T7 {block.link}: text changed; review {checks}, then: tokenspec spec ack {id_}"
    for id_ in sorted(set(locked) - set(known)):
        yield f"T7 {id_}: in the lock but in no chapter; list it in spec/withdrawn.md, then: tokenspec spec ack --all"


def docstrings_are_included() -> Iterator[str]:
    """T10: what a chapter includes is the docstring of the module it names; judged where there is a checkout."""
    root = checkout_root()
    try:
        for place in outdated(root) if root is not None else ():
            at = f"{place.chapter.name}:{place.line}"
            yield f"T10 {at}: differs from the docstring of {place.source.name}; run: tokenspec spec include"
    except UsageError as error:
        yield f"T10 {error}"


def skeletons_are_filled() -> Iterator[str]:
    """T11: nothing that ``tokenspec new`` wrote is still to be filled in; judged where there is a checkout."""
    root = checkout_root()
    for path, line, what in all_unfilled(root) if root is not None else ():
        yield f"T11 {path}:{line}: fill in: {what}"
