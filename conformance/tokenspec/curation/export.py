"""Fixtures as a product: a folder that anyone can read, in any language, without this package."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tokenspec.areas.area import Area, models_of
from tokenspec.areas.oracle_version import ORACLE_VERSIONS, flip_path
from tokenspec.areas.selection import Selection, golden_path, load_cases, rows_of
from tokenspec.curation.manifest import manifest_of
from tokenspec.curation.readme import readme
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models import specs
from tokenspec.requirements import requirements
from tokenspec.store.canonical import canonical_json
from tokenspec.store.file_lists import SPEC_VERSION, current_files, list_text, read_list, sha256_of
from tokenspec.store.records import Case
from tokenspec.store.writing import write_atomically

ALWAYS = ("flags.toml", "ERRATA.toml", "schema/case.schema.json", "schema/golden.schema.json")


def files_of(selection: Selection, version: str = SPEC_VERSION) -> list[str]:
    """The paths a selection consists of, sorted: cases, goldens, and what is needed to read them.

    Of an earlier version, what errata removed since is left out; what they changed is given as it is now.

    Raises:
        UsageError: nothing matches, or there is no list of that version.
    """
    listed = current_files() if version == SPEC_VERSION else read_list(version)
    there = {path for path in listed if (fixtures_dir() / path).is_file()}
    if selection == Selection():
        return sorted(there)
    known = specs()
    wanted: set[str] = set(ALWAYS)
    rows: set[str] = set()
    cases = 0
    for area in selection.area_list():
        for case in load_cases(area):
            taken = [row for row in rows_of(area, case, list(known.values())) if selection.takes_row(row, known)]
            if selection.takes_case(case) and taken and case_path(area, case) in there:
                cases += 1
                rows.update(model for row in taken for model in models_of(row))
                wanted.add(case_path(area, case))
                wanted.update(f"schema/{area.name}.{kind}.schema.json" for kind in ("input", "output", "expect"))
                wanted.update(path for row in taken for path in goldens_of(area, case, row))
    if not cases:
        raise UsageError("nothing matches. See: tokenspec list cases, tokenspec list rows")
    for row in rows:
        wanted.update((f"models/{row}.toml", f"certificates/{row}.json", f"profiles/{row}.json"))
        wanted.update(path for path in there if path.startswith(f"toy/{row}/"))
    wanted.update(path for path in there if path.startswith("models/carriers/") and rows)
    return sorted(wanted & there)


def case_path(area: Area, case: Case) -> str:
    """Where a case lies: among the written ones, or among the promoted counterexamples."""
    promoted = f"regressions/{area.name}/{case.slug}.json"
    return promoted if (fixtures_dir() / promoted).exists() else f"cases/{area.name}/{case.slug}.json"


def goldens_of(area: Area, case: Case, row: str) -> list[str]:
    """What is expected of a case on a row: by the current oracle, and by earlier ones where they answer otherwise."""
    if area.oracle is None:
        return []
    paths = [golden_path(row, case), *(flip_path(oracle, row, case) for oracle in ORACLE_VERSIONS.values())]
    return [path.relative_to(fixtures_dir()).as_posix() for path in paths]


def export(
    target: Path,
    selection: Selection,
    version: str = SPEC_VERSION,
    on_file: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> dict[str, Any]:
    """Write a self-contained folder and return its manifest. It appears whole or not at all.

    Raises:
        UsageError: the target has something in it, or nothing is selected.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()) or (target.is_dir() and any(target.iterdir())):
        raise UsageError(f"{target}: is not an empty folder; name a new one")
    paths = files_of(selection, version)
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        folder = temporary / "fixtures"
        for path in on_file(paths):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fixtures_dir() / path, folder / path)
        write_atomically(folder / "requirements.json", canonical_json(requirement_texts()))
        files = {path: sha256_of(folder / path) for path in [*paths, "requirements.json"]}
        description = manifest_of(files, version)
        write_atomically(folder / "README.md", readme(description, folder))
        write_atomically(folder / "files" / f"{version}.txt", list_text(files))
        write_atomically(folder / "MANIFEST.json", canonical_json(description))
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
