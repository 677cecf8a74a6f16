"""Fixtures as a package of npm, of cargo, or a data set: every golden beside the request it answers."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from tokenspec.areas import areas
from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.bindings import rust, typescript
from tokenspec.bindings.shapes import definitions
from tokenspec.curation.manifest import FIXTURE_VERSION
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models import AssetsMissing, specs
from tokenspec.store.writing import write_atomically

KINDS = ("npm", "crate", "dataset")
NAME = "tokenspec-fixtures"
SUMMARY = "Requests and expected outcomes for the token layer of language models"
TYPED = ("request", "output", "expect")


@dataclass
class Written:
    """What a package got: records by area, rows whose folder came along, and goldens without their request.

    Attributes:
        counts: how many records, by area.
        rows: the toy rows.
        missing: rows whose files are needed for a request and are not here.
    """

    counts: dict[str, int] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)


def write_package(kind: str, target: Path, selection: Selection) -> Written:
    """Write a package; it appears whole or not at all.

    Raises:
        UsageError: the target has something in it, or nothing is selected.
    """
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise UsageError(f"{target}: is not an empty folder; name a new one")
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        folder = temporary / "package"
        written = write_records(folder / "data", selection, flat=kind == "dataset")
        if not written.counts:
            raise UsageError("nothing matches. See: tokenspec list cases, tokenspec list rows")
        for row in written.rows:
            shutil.copytree(fixtures_dir() / "toy" / row, folder / "rows" / row)
        for name, text in {"npm": npm, "crate": crate, "dataset": dataset}[kind](written).items():
            write_atomically(folder / name, text)
        folder.chmod(0o755)
        if target.exists():
            target.rmdir()
        folder.rename(target)
    return written


def write_records(folder: Path, selection: Selection, *, flat: bool) -> Written:
    """A file of JSON lines an area; ``flat`` has request and expectation as texts, for tables with typed columns."""
    folder.mkdir(parents=True)
    written = Written()
    cells = [cell for cell in select_cells(selection) if cell.golden is not None and not cell.borrowed]
    chosen = {cell.area.name for cell in cells}
    for area in (name for name in areas() if name in chosen):
        with (folder / f"{area}.jsonl").open("w", encoding="utf-8", newline="\n") as stream:
            for record in records((cell for cell in cells if cell.area.name == area), written):
                texts = {key: _json(record[key]) for key in ("request", "expect")} if flat else {}
                stream.write(_json({**record, **texts}) + "\n")
    toys = {row for cell in cells for row in models_of(cell.row) if specs()[row].status == "toy"}
    written.rows = sorted(toys)
    return written


def records(cells: Iterable[Cell], written: Written) -> Iterator[dict[str, Any]]:
    """Each golden with its request; where that cannot be made for want of a row's files, the row is noted."""
    for cell in cells:
        golden = cell.golden
        assert golden is not None
        try:
            request = cell.request()
        except AssetsMissing:
            written.missing.add(cell.row)
            continue
        written.counts[cell.area.name] = written.counts.get(cell.area.name, 0) + 1
        yield {
            "area": cell.area.name,
            "row": cell.row,
            "case": cell.case.slug,
            "operation": cell.area.operation,
            "request": request,
            "outcome": golden.outcome,
            "expect": golden.expect,
            "error": golden.error,
            "flags": list(cell.case.flags),
            "requires": list(cell.case.requires),
            "why": cell.case.why,
        }


def npm(written: Written) -> dict[str, str]:
    """An ES module with declarations."""
    described = {
        "name": NAME,
        "version": FIXTURE_VERSION,
        "description": SUMMARY,
        "license": "Apache-2.0",
        "type": "module",
        "exports": {".": {"types": "./index.d.ts", "default": "./index.js"}},
        "types": "./index.d.ts",
        "files": ["index.js", "index.d.ts", "data", "rows"],
        "engines": {"node": ">=18"},
    }
    types = typescript.write(definitions(_operations(written), TYPED))
    lines = [
        f'export function cases(area: "{area}", row?: string): Generator<Case<{stem}Request, {stem}Expect>>;'
        for area, stem in _stems(written)
    ]
    return {
        "package.json": json.dumps(described, indent=2) + "\n",
        "index.js": _template("npm.js"),
        "index.d.ts": f"{_template('npm.d.ts')}\n{chr(10).join(lines)}\n\n{types}",
        "README.md": _readme("npm.md", written),
    }


def crate(written: Written) -> dict[str, str]:
    """A crate whose data are part of the program; serde is optional."""
    files_of = "".join(f'    ("{area}", include_str!("../data/{area}.jsonl")),\n' for area in written.counts)
    return {
        "Cargo.toml": _template("crate.toml").replace("VERSION", FIXTURE_VERSION).replace("SUMMARY", SUMMARY),
        "src/lib.rs": _template("crate.rs").replace("    // FILES\n", files_of),
        "src/wire.rs": rust.write(definitions(_operations(written), TYPED)),
        "README.md": _readme("crate.md", written),
    }


def dataset(written: Written) -> dict[str, str]:
    """JSON lines and a card that names them, an area a configuration."""
    configs = "".join(
        f"  - config_name: {area}\n    data_files: data/{area}.jsonl\n{'    default: true' + chr(10) if not at else ''}"
        for at, area in enumerate(written.counts)
    )
    head = f"---\nlicense: apache-2.0\npretty_name: {NAME}\nconfigs:\n{configs}---\n\n"
    return {"README.md": head + _readme("dataset.md", written)}


def _stems(written: Written) -> list[tuple[str, str]]:
    """Area and the name before ``Request`` and ``Expect`` of its types."""
    known = areas()
    return [(name, known[name].expect_type.__name__.removesuffix("Expect")) for name in written.counts]


def _operations(written: Written) -> Sequence[str]:
    return [areas()[name].operation for name in written.counts]


def _readme(name: str, written: Written) -> str:
    counted = "\n".join(f"| {area} | {count} |" for area, count in written.counts.items())
    return (
        _template(name)
        .replace("COUNTS", f"| area | records |\n|---|---|\n{counted}")
        .replace("AREA", next(iter(written.counts)))
    )


def _template(name: str) -> str:
    return files("tokenspec.curation").joinpath("package_files", name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
