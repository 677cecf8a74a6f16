"""Fixtures as a product: a folder that anyone can read, in any language, without this package."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from tokenspec.areas.area import Area, models_of
from tokenspec.areas.oracle_version import EARLIER, flips_path
from tokenspec.areas.selection import Selection, goldens_path, load_cases, refuse_unmatched, rows_of
from tokenspec.curation.manifest import manifest_of
from tokenspec.curation.readme import readme
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models import specs
from tokenspec.requirements import requirements
from tokenspec.store.canonical import canonical_json
from tokenspec.store.case_files import case_files, read_cases, write_cases
from tokenspec.store.entries import (
    CASES,
    GOLDENS,
    SPEC_VERSION,
    cases_name,
    current_entries,
    entries_of,
    list_text,
    read_list,
    sha256_of,
)
from tokenspec.store.golden_files import file_of, read_goldens
from tokenspec.store.records import Case
from tokenspec.store.writing import write_atomically

ALWAYS = ("flags.toml", "ERRATA.toml", "schema/cases.schema.json", "schema/goldens.schema.json")
KINDS = ("input", "request", "output", "expect")
SUMS = "SHA256SUMS"


def chosen_entries(selection: Selection, version: str = SPEC_VERSION) -> list[str]:
    """The entries a selection consists of, sorted: cases, goldens, and what is needed to read them.

    Of an earlier version, what errata removed since is left out; what they changed is given as it is now.

    Raises:
        UsageError: nothing matches, or there is no list of that version.
    """
    there = set(current_entries())
    if version != SPEC_VERSION:
        there &= set(read_list(version))
    if selection == Selection():
        return sorted(there)
    known = specs()
    wanted: set[str] = set(ALWAYS)
    rows: set[str] = set()
    taken_cells: list[tuple[str, Case, str]] = []
    for area in selection.area_list():
        for case in load_cases(area):
            taken = [row for row in rows_of(area, case, list(known.values())) if selection.takes_row(row, known)]
            names = {f"{kind}/{area.name}#{case.slug}" for kind in CASES} & there
            if selection.takes_case(case) and taken and names:
                taken_cells += [(area.name, case, row) for row in taken]
                rows.update(model for row in taken for model in models_of(row))
                wanted |= names
                wanted.update(f"schema/{area.name}.{kind}.schema.json" for kind in KINDS)
                wanted.update(name for row in taken for name in goldens_of(area, case, row))
    refuse_unmatched(selection, taken_cells)
    if not taken_cells:
        raise UsageError("nothing matches. See: tokenspec list cases, tokenspec list rows")
    for row in rows:
        wanted.update((f"models/{row}.toml", f"certificates/{row}.json", f"profiles/{row}.json"))
        wanted.update(name for name in there if name.startswith(f"toy/{row}/"))
    wanted.update(name for name in there if name.startswith("models/carriers/") and rows)
    return sorted(wanted & there)


def goldens_of(area: Area, case: Case, row: str) -> list[str]:
    """What is expected of a case on a row: by the current oracle, and by an earlier one where it answers otherwise."""
    places = (goldens_path(row, area.name), flips_path(EARLIER, row))
    return [f"{path.relative_to(fixtures_dir()).with_suffix('').as_posix()}#{case.slug}" for path in places]


def write_chosen(names: Iterable[str], folder: Path) -> None:
    """Write entries below ``folder``, in the files they lie in; what is not chosen is left out of a file."""
    slugs: dict[str, set[str]] = {}
    for name in names:
        head, mark, slug = name.partition("#")
        if mark:
            slugs.setdefault(head, set()).add(slug)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fixtures_dir() / name, folder / name)
    for head, chosen in slugs.items():
        kind, place = PurePosixPath(head).parts[0], fixtures_dir() / f"{head}.json"
        for path in case_files(PurePosixPath(head).name) if kind in CASES else [place]:
            relative = path.relative_to(fixtures_dir())
            if kind in GOLDENS:
                file = read_goldens(path)
                kept = (
                    [golden for slug in file.cases if slug in chosen and (golden := file.golden(slug))] if file else []
                )
                if file is not None and kept:
                    write_atomically(folder / relative, canonical_json(file_of(file.row, file.area, kept)))
            elif cases_name(PurePosixPath(relative)) == head:
                cases = [case for case in read_cases(path) if case.slug in chosen]
                if cases:
                    write_cases(folder / relative, cases[0].area, cases)


def export(
    target: Path,
    selection: Selection,
    version: str = SPEC_VERSION,
    on_name: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> dict[str, Any]:
    """Write a self-contained folder and return its manifest. It appears whole or not at all.

    Raises:
        UsageError: the target has something in it, or nothing is selected.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()) or (target.is_dir() and any(target.iterdir())):
        raise UsageError(f"{target}: is not an empty folder; name a new one")
    names = chosen_entries(selection, version)
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        folder = temporary / "fixtures"
        write_chosen(on_name(names), folder)
        write_atomically(folder / "requirements.json", canonical_json(requirement_texts()))
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        entries = entries_of((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)
        description = manifest_of(entries, version)
        write_atomically(folder / "README.md", readme(description, folder))
        write_atomically(folder / "files" / f"{version}.txt", list_text(entries))
        write_atomically(folder / "MANIFEST.json", canonical_json(description))
        sums = {
            path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()
        }
        write_atomically(folder / SUMS, "".join(f"{sha}  {path}\n" for path, sha in sums.items()))
        folder.chmod(0o755)
        if target.exists():
            target.rmdir()
        folder.rename(target)
    return description


def requirement_texts() -> list[dict[str, str]]:
    """Every requirement a case may cite, with its text."""
    return [
        {
            "id": block.id,
            "level": block.level,
            "title": block.title,
            "chapter": block.chapter,
            "text": block.text.strip(),
        }
        for block in requirements().values()
    ]
