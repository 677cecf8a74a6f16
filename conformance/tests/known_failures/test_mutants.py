"""A list that forgives is worse than none: every way to forgive is caught by the table of scenarios."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tokenspec import known_failures
from tokenspec.errors import UsageError
from tokenspec.known_failures.judging import all_cells

sys.path.insert(0, str(Path(__file__).parent))
from listed_runs import SCENARIOS, run_scenario, run_writing

MUTANTS = {
    "stale-entry-ignored": ("judging.py", "if not can_run(entry):", "if False:"),
    "unselected-entry-is-stale": ("judging.py", "if not can_run(entry):", "if True:"),
    "xpass-ignored": ("judging.py", "self.met(entry, Sighting.PASSES), self.met", "[], self.met"),
    "xpass-stays-pass": ("judging.py", "(Verdict.XPASS, f", "(Verdict.PASS, f"),
    "wrong-class-accepted": ("judging.py", "verdict == entry.failure.class_", "verdict in BROKEN"),
    "wrong-class-not-told": ("judging.py", "self.met(entry, Sighting.WRONG_CLASS)", "[]"),
    "unsupported-counts-as-listed": ("judging.py", "else Sighting.UNSUPPORTED,", "else Sighting.AS_LISTED,"),
    "unsupported-is-forgotten": ("judging.py", "(Sighting.UNSUPPORTED, Sighting.NOT_JUDGED)", "(Sighting.NOT_JUDGED,)"),
    "never-judged-is-forgotten": ("judging.py", "(Sighting.UNSUPPORTED, Sighting.NOT_JUDGED)", "(Sighting.UNSUPPORTED,)"),
    "missing-files-are-stale": ("judging.py", 'return "assets missing" in finding.detail or', "return"),
    "character-classes": (
        "entries.py",
        're.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)',
        "re.compile(__import__('fnmatch').translate(text))",
    ),
    "patterns-are-regular-expressions": ("entries.py", "map(re.escape, text.split", "map(str, text.split"),
    "prefixes-match": ("judging.py", "entry.name_pattern.fullmatch", "entry.name_pattern.match"),
    "cases-match-anywhere": ("entries.py", "self.case_pattern.fullmatch(case)", "self.case_pattern.search(case)"),
    "row-ignored": ("entries.py", " and self.row_pattern.fullmatch(row))", ")"),
    "versions-ignored": ("entries.py", "return SpecifierSet(wanted).contains(Version(version), prereleases=True)", "return True"),
    "pre-releases-left-out": ("entries.py", "prereleases=True", "prereleases=False"),
    "absent-transformers-holds": ("entries.py", "        return False\n    try", "        return True\n    try"),
    "one-passing-check-is-enough": ("judging.py", "if not broken:", "if len(broken) < len(decided):"),
    "reasons-are-not-asked-for": ("writing.py", "if unexplained and not (", "if unexplained and False and not ("),
    "reasons-are-not-inherited": ("writing.py", "for entry in gone if _speaks_of", "for entry in gone if not _speaks_of"),
    "stale-entries-are-kept": ("writing.py", "if entry.number not in dropped", "if True"),
    "unselected-entries-are-dropped": ("writing.py", "if ledger.complaints_of(entry)]", "]"),
    "unsorted": ("writing.py", "key=_order)", "key=lambda failure: failure.reason)"),
}  # fmt: skip


def mutated(folder: Path, name: str) -> ModuleType:
    """The package with one edit, under another name."""
    file, old, new = MUTANTS[name]
    source = (folder / file).read_text(encoding="utf-8")
    assert old in source, f"{name}: the edited line is gone"
    (folder / file).write_text(source.replace(old, new), encoding="utf-8")
    return imported(folder)


def imported(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = module
    spec.loader.exec_module(module)
    sys.modules[f"{folder.name}.judging"].all_cells = all_cells
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    target = tmp_path / "mutated_known_failures"
    shutil.copytree(Path(known_failures.__path__[0]), target, ignore=shutil.ignore_patterns("__pycache__"))
    yield target
    for name in [name for name in sys.modules if name.partition(".")[0] == target.name]:
        del sys.modules[name]


def battery(package: ModuleType) -> None:
    for scenario in SCENARIOS:
        run_scenario(package, scenario)
    run_writing(package)


def test_the_unedited_copy_passes(folder: Path) -> None:
    battery(imported(folder))


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(folder: Path, name: str) -> None:
    package = mutated(folder, name)
    with pytest.raises((AssertionError, UsageError, pytest.fail.Exception)):
        battery(package)
