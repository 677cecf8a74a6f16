"""Each function plans one skeleton: the new text of every file it touches. Nothing is written, nothing overwritten."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from tokenspec.areas import areas, modules
from tokenspec.areas.area import Area
from tokenspec.areas.check import all_checks
from tokenspec.errors import UsageError
from tokenspec.requirements import LEVELS, chapters, parse_chapter, requirements, withdrawn_ids
from tokenspec.skeletons import skeleton
from tokenspec.skeletons.source import with_definition, with_entry, with_import
from tokenspec.store.case_files import cases_in
from tokenspec.store.entries import SPEC_VERSION

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
KINDS = ("golden", "invariant", "metamorphic", "rejects")
AREAS = "conformance/tokenspec/areas"
FAMILIES_AT = "reference/tokenspec_reference/renderers/families"

Planned = dict[Path, str]


def requirement(root: Path, prefix: str, title: str, level: str, after: str | None) -> Planned:
    """A block with the next free id, behind the last one of its prefix or behind the one named.

    Raises:
        UsageError: no such level, prefix or requirement, or no id is free there.
    """
    if level not in LEVELS:
        raise UsageError(f"--level {level!r}: one of {', '.join(LEVELS)}")
    own = [block for path in chapters(root / "spec") for block in parse_chapter(path) if block.id[:3] == prefix]
    if not own:
        raise UsageError(f"no chapter has requirements {prefix}-...; a new area has one: tokenspec new area")
    taken = {int(id_[4:]) for id_ in (*(block.id for block in own), *withdrawn_ids()) if id_[:3] == prefix}
    if after is None:
        chapter, number = own[0].chapter, max(taken) + 1
        before = [block for block in own if block.chapter == chapter][-1]
    else:
        found = next((block for block in own if block.id == after), None)
        if found is None:
            raise UsageError(f"--after {after}: no requirement {prefix}-... is called that")
        before, number = found, int(found.id[4:]) + 1
        if number in taken:
            raise UsageError(f"--after {after}: {prefix}-{number:03} is taken; name another, or none for the end")
    path = root / "spec" / before.chapter
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    end = before.line + before.text.count("\n") + 1
    made = skeleton("requirement", id=f"{prefix}-{number:03}", level=level, title=title)["block"]
    head = "".join(lines[:end]).rstrip()
    return {path: "\n".join([head, "", made, *(["".join(lines[end:])] if lines[end:] else [])])}


def case(root: Path, area: Area, theme: str, slug: str, requires: Sequence[str], flags: Sequence[str]) -> Planned:
    """A case at the end of a theme.

    Raises:
        UsageError: the name is taken or malformed, or what it cites does not exist.
    """
    _refuse_malformed(slug)
    generators = (root / AREAS / _folder(area) / "cases").glob("*.py")
    begun = any(f'"{area.name}/{slug}"' in path.read_text(encoding="utf-8") for path in generators)
    if begun or slug in {item.slug for item in cases_in(area.name)}:
        raise UsageError(f"there is a case {area.name}/{slug}; a name is never used again")
    _refuse_unknown(requires)
    parts = skeleton(
        "case",
        area=area.name,
        folder=_folder(area),
        slug=slug,
        flags=_listed(flags or ["UNFILLED: what a failure means, names of fixtures/flags.toml"]),
        requires=_listed(requires or ["UNFILLED: the requirements it exercises"]),
        since=SPEC_VERSION,
        input_type=area.input_type.__name__,
    )
    path, text = _theme(root, area, "cases", theme, parts["module"])
    text = with_import(text, "tokenspec.store.records", "Case")
    return {path: with_entry(path, text, "CASES", parts["entry"])}


def check(
    root: Path, area: Area, theme: str, name: str, requires: Sequence[str], level: str | None, kind: str
) -> Planned:
    """A check at the end of a module.

    Raises:
        UsageError: the name is taken, or what it cites does not exist.
    """
    full = name if name.startswith(f"{area.name}.") else f"{area.name}.{name}"
    for part in full.split("."):
        _refuse_malformed(part)
    if full in all_checks():
        raise UsageError(f"there is a check {full}; see: tokenspec explain {full}")
    if level is not None and level not in area.levels:
        raise UsageError(f"--level {level}: {area.name} has {', '.join(area.levels)}")
    if kind not in KINDS:
        raise UsageError(f"--kind {kind}: one of {', '.join(KINDS)}")
    _refuse_unknown(requires)
    parts = skeleton(
        "check",
        name=full,
        area=area.name,
        level=level or area.levels[0],
        kind=kind,
        requires=_tuple(requires),
        function=re.sub(r"\W", "_", full.removeprefix(f"{area.name}.")),
        output_type=area.output_type.__name__,
    )
    path, text = _theme(root, area, "checks", theme, parts["module"])
    for word in ("Subject", "Violation", "check"):
        text = with_import(text, "tokenspec.areas.check", word)
    return {path: with_definition(text, parts["definition"])}


def mutant(root: Path, area: Area, theme: str, slug: str, breaks: Sequence[str]) -> Planned:
    """A mutant of the reference at the end of a module.

    Raises:
        UsageError: the name is taken or malformed, or what it breaks does not exist.
    """
    _refuse_malformed(slug)
    id_ = slug if slug.startswith(f"{area.name}-") else f"{area.name}-{slug}"
    if id_ in {item.id for module in modules("mutants", area.name) for item in getattr(module, "MUTANTS", ())}:
        raise UsageError(f"there is a mutant {id_}; give another name")
    _refuse_unknown(breaks)
    parts = skeleton(
        "mutant",
        id=id_,
        area=area.name,
        operation=area.operation,
        breaks=_tuple(breaks),
        class_name="".join(word.capitalize() for word in slug.split("-")),
    )
    path, text = _theme(root, area, "mutants", theme, parts["module"])
    imported = (
        ("typing", "Any"),
        ("tokenspec.areas.mutant", "Mutant"),
        ("tokenspec_reference.adapter", "ReferenceAdapter"),
    )
    for module, word in imported:
        text = with_import(text, module, word)
    text = with_definition(text, parts["definition"], before="MUTANTS")
    return {path: with_entry(path, text, "MUTANTS", parts["entry"])}


def family(root: Path, name: str) -> Planned:
    """A module, its entry among the families, and its section of the chapter.

    Raises:
        UsageError: there is such a family, or the name is malformed.
    """
    if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", name):
        raise UsageError(f"{name!r}: a family is named in a-z, 0-9, '-' and '.'")
    names, chapter = root / FAMILIES_AT / "__init__.py", root / "spec" / "11-renderer-families.md"
    text = names.read_text(encoding="utf-8")
    module = re.sub(r"\W", "_", name)
    path = root / FAMILIES_AT / f"{module}.py"
    if path.exists() or re.search(rf'^    "{re.escape(name)}": ', text, re.MULTILINE):
        raise UsageError(f"there is a family {name}; see {path.relative_to(root)}")
    entries = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FAMILIES"
    )
    lines = text.splitlines(keepends=True)
    lines.insert((entries.end_lineno or 1) - 1, f'    "{name}": "{module}",\n')
    parts = skeleton("family", name=name, source=path.relative_to(root).as_posix())
    return {
        path: parts["module"],
        names: "".join(lines),
        chapter: chapter.read_text(encoding="utf-8").rstrip() + "\n" + parts["section"],
    }


def area(root: Path, name: str, prefix: str) -> Planned:
    """A whole folder, and its chapter with one requirement.

    Raises:
        UsageError: the name, its operation or the prefix is taken or malformed.
    """
    _refuse_malformed(name)
    folder = name.replace("-", "_")
    if name in areas() or (root / AREAS / folder).exists():
        raise UsageError(f"there is an area {name}; give another name")
    if not re.fullmatch(r"[A-Z]{3}", prefix):
        raise UsageError(f"--prefix {prefix}: three capitals, as in {', '.join({a.prefix for a in areas().values()})}")
    if any(id_.startswith(prefix) for id_ in (*requirements(), *withdrawn_ids())):
        raise UsageError(f"--prefix {prefix} is taken")
    if folder in {known.operation for known in areas().values()}:
        raise UsageError(f"there is an operation {folder}; give another name")
    numbers = {int(path.name[:2]) for path in chapters(root / "spec")}
    free = next((number for number in range(20, 90, 10) if number not in numbers), None)
    if free is None:
        free = next(number for number in range(10, 99) if number not in numbers)
    parts = skeleton(
        "area",
        name=name,
        folder=folder,
        title=name.replace("-", " ").capitalize(),
        stem="".join(word.capitalize() for word in name.split("-")),
        operation=folder,
        order=str(max(known.order for known in areas().values()) + 10),
        prefix=prefix,
        since=SPEC_VERSION,
        chapter=f"{free}-{name}.md",
    )
    return {root / path: text for path, text in parts.items()}


def _theme(root: Path, area: Area, part: str, theme: str, module: str) -> tuple[Path, str]:
    """A module of an area and its text, that of a new one where there is none yet."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", theme):
        raise UsageError(f"--theme {theme!r}: a module's name, a-z, 0-9 and '_'")
    path = root / AREAS / _folder(area) / part / f"{theme}.py"
    if not path.parent.is_dir():
        raise UsageError(f"{area.name} has no folder {part}")
    return path, path.read_text(encoding="utf-8") if path.exists() else module


def _folder(area: Area) -> str:
    return area.name.replace("-", "_")


def _refuse_malformed(slug: str) -> None:
    if not SLUG.fullmatch(slug):
        raise UsageError(f"{slug!r}: a name has a-z, 0-9 and '-' between them")


def _refuse_unknown(ids: Sequence[str]) -> None:
    for id_ in ids:
        if id_ not in requirements():
            raise UsageError(f"there is no requirement {id_}; write it first: tokenspec new requirement")


def _listed(items: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"


def _tuple(items: Sequence[str]) -> str:
    return "(" + ", ".join(f'"{item}"' for item in items) + ("," if len(items) == 1 else "") + ")"
