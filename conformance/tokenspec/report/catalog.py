"""What a report says of itself: who was judged, by what, and the words its lines refer to.

Everything a reader needs is in the file, so a report is shown the same on any machine, with any version of the suite.
It names no path, host, user or time.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas import areas
from tokenspec.areas.area import models_of
from tokenspec.areas.check import all_checks
from tokenspec.areas.oracle_version import CURRENT
from tokenspec.data import fixtures_dir
from tokenspec.models import specs
from tokenspec.report.deviations import reasons_of
from tokenspec.report.sample import Sample
from tokenspec.requirements import requirements
from tokenspec.verdict import WHOLE

if TYPE_CHECKING:
    from tokenspec.adapters import Column
    from tokenspec.areas.area import Cell

FORMAT = 3
PACKAGES = ("tokenspec", "transformers", "tokenizers", "jinja2", "torch")
FORM_OF = "form of "


def header(
    columns: Sequence[Column],
    cells: Sequence[Cell],
    known_failures: Sequence[Mapping[str, Any]] = (),
    oracle: str = CURRENT.transformers,
    require_judged: float = WHOLE,
    sample: Sample | None = None,
) -> dict[str, Any]:
    """The first line of a report.

    Keys: ``format``; ``suite`` (package versions), ``python``, ``fixtures`` (version and hash), ``oracle`` (the
    transformers version whose answers are expected), ``require_judged`` (the least share a column has to answer),
    ``sample`` (what was asked of how much, or None: everything that was chosen);
    ``implementations`` (what each column says of itself); for the chosen cells ``areas``, ``rows``, ``cases``,
    ``sizes`` (of the cases' inputs in characters), ``checks`` and ``requirements``, each by name in the order to show
    them in; ``known_failures``: per list its column, file, number of entries and complaints; ``reasons``: per column
    the reviewed causes of its deviations, or None.
    """
    chosen = {cell.area.name for cell in cells}
    checks = {name: check for name, check in all_checks().items() if check.area in chosen}
    cited = {id_ for check in checks.values() for id_ in check.requires}
    return {
        "format": FORMAT,
        "suite": versions(),
        "python": platform.python_version(),
        "fixtures": fixtures_identity(),
        "oracle": oracle,
        "require_judged": require_judged,
        "sample": None if sample is None else msgspec.to_builtins(sample),
        "implementations": {column.name: {**column.info, **declared(column)} for column in columns},
        "areas": {
            name: {"title": area.title, "levels": area.levels} for name, area in areas().items() if name in chosen
        },
        "rows": {row: {"status": status_of(row)} for row in dict.fromkeys(cell.row for cell in cells)},
        "cases": {cell.case.id: cell.case.why for cell in cells},
        "sizes": {cell.case.id: len(json.dumps(cell.case.input)) for cell in cells},
        "checks": {
            name: {"area": check.area, "level": check.level, "requires": check.requires, "doc": check.doc}
            for name, check in checks.items()
        },
        "requirements": {
            id_: {"level": block.level, "title": block.title, "link": block.link, "text": block.text.strip()}
            for id_, block in requirements().items()
            if id_ in cited
        },
        "known_failures": list(known_failures),
        "reasons": {column.name: msgspec.to_builtins(reasons_of(column.name)) for column in columns},
    }


def declared(column: Column) -> dict[str, str]:
    """The form a column declares for its answers, by operation; nothing where it is the oracle's."""
    forms = {name: said.profile.declared() for name, said in column.capabilities.items()}
    return {f"{FORM_OF}{name}": form for name, form in sorted(forms.items()) if form}


def forms_in(said: Mapping[str, Any]) -> dict[str, list[str]]:
    """The declared forms in what a report says of a column, each with the operations that it holds for."""
    found: dict[str, list[str]] = {}
    for key, form in said.items():
        if key.startswith(FORM_OF):
            found.setdefault(form, []).append(key.removeprefix(FORM_OF))
    return found


def versions() -> dict[str, str]:
    """The installed versions a verdict depends on."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def fixtures_identity() -> dict[str, str]:
    """The declared fixture version and the hash of the manifest, which pins every fixture file."""
    path = fixtures_dir() / "MANIFEST.json"
    if not path.exists():
        return {"version": "unknown", "sha256": "unknown"}
    raw = path.read_bytes()
    return {"version": str(json.loads(raw)["fixture_version"]), "sha256": hashlib.sha256(raw).hexdigest()}


STATUSES = ("", "real", "stand-in", "toy", "unproven")


def status_of(row: str) -> str:
    """The weakest status of a row's parts: a pair with a stand-in is a stand-in; empty where no model is needed."""
    known = specs()
    return max((known[part].status for part in models_of(row) if part in known), key=STATUSES.index, default="")
