"""What a whole job came to: counts, duplicates, examples; and the manifest."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenspec import __version__
from tokenspec.datasets.job import WORK, Job, as_text
from tokenspec.datasets.place import Place
from tokenspec.datasets.shard import findings_of, rows_table, table_of, told_once, write
from tokenspec.datasets.source import Shard
from tokenspec.errors import UsageError

EXAMPLES = 5
"""How many examples of a finding are shown."""

ONCE_EXAMPLES = 100
"""How many are shown of a finding that is told once for each thing it is about."""


@dataclass(frozen=True)
class Example:
    """A finding to look at."""

    row: int
    place: str
    code: str
    message: int | None
    first_token: int | None
    end_token: int | None
    detail: str


@dataclass
class Outcome:
    """Counts over all rows. ``rows_with`` counts rows by code, ``by_row`` lists the rows of each code in order."""

    rows: int = 0
    kept: int = 0
    tokens: int = 0
    trained: int = 0
    lengths: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    rows_with: Counter[str] = field(default_factory=Counter)
    by_row: dict[str, list[int]] = field(default_factory=dict)
    examples: dict[str, list[Example]] = field(default_factory=dict)


def collect(job: Job, shards: Sequence[Shard]) -> None:
    """Join what the shards found, in their order, and find duplicates: ``rows.parquet`` and ``findings.parquet``."""
    import pyarrow as pa

    seen: dict[str, int] = {}
    told: set[tuple[str, str]] = set()
    rows, findings = [], []
    for shard in shards:
        table = table_of(job.rows_file(shard.number))
        again: list[tuple[Any, ...]] = []
        named = (table.column(name).to_pylist() for name in ("row", "place", "digest"))
        for row, place, digest in zip(*named, strict=True):
            if digest and (first := seen.setdefault(digest, row)) != row:
                again.append((row, place, "duplicate", None, None, None, f"the same as row {first}"))
        own = pa.concat_tables([_not_told(table_of(job.findings_file(shard.number)), told), findings_of(again)])
        rows.append(table)
        findings.append(own.sort_by([("row", "ascending")]) if again else own)
    write(job.folder / "findings.parquet", pa.concat_tables(findings) if findings else findings_of([]))
    write(job.folder / "rows.parquet", pa.concat_tables(rows) if rows else rows_table([]))


def _not_told(table: Any, told: set[tuple[str, str]]) -> Any:
    """The findings of a shard without those that an earlier shard told once for all."""
    lines = [(None, None, code, text) for code, text in zip(*_columns(table, ("code", "detail")), strict=True)]
    keep = [bool(told_once([line], told)) for line in lines]
    return table if all(keep) else table.filter(keep)


def _columns(table: Any, names: Sequence[str]) -> list[list[Any]]:
    return [table.column(name).to_pylist() for name in names]


def outcome_of(folder: Place) -> Outcome:
    """What the two files of a job say."""
    table = table_of(folder / "rows.parquet")
    totals, kept, trained = (table.column(name).to_pylist() for name in ("total", "kept", "trained"))
    found = Outcome(
        rows=len(totals),
        kept=sum(count > 0 for count in kept),
        tokens=sum(kept),
        trained=sum(trained),
        lengths=totals,
        shares=[part / whole for part, whole in zip(trained, kept, strict=True) if whole],
    )
    count(found, table_of(folder / "findings.parquet"))
    return found


def count(found: Outcome, table: Any) -> None:
    """Count findings by rows, and keep the first examples of each."""
    from tokenspec_reference.preparation import CODES

    names = list(Example.__dataclass_fields__)
    for values in zip(*(table.column(name).to_pylist() for name in names), strict=True):
        example = Example(*values)
        rows = found.by_row.setdefault(example.code, [])
        if not rows or rows[-1] != example.row:
            rows.append(example.row)
            is_shown = len(rows) <= EXAMPLES
        else:
            is_shown = False
        shown = found.examples.setdefault(example.code, [])
        if is_shown or (CODES[example.code].once and len(shown) < ONCE_EXAMPLES):
            shown.append(example)
    found.rows_with.update({code: len(rows) for code, rows in found.by_row.items()})


def finish(job: Job, made_of: dict[str, Any], shards: Sequence[Shard], found: Outcome) -> None:
    """Write the manifest, the last file of all, and remove what is not needed any more."""
    files = [job.data_file(shard.number) for shard in shards] if job.keep_ids else []
    files += [job.folder / "findings.parquet", job.folder / "rows.parquet"]
    folder = job.folder.uri.partition("?")[0].rstrip("/")
    manifest = {
        "made_of": made_of,
        "rows": found.rows,
        "rows_with_ids": found.kept,
        "tokens": found.tokens,
        "trained_tokens": found.trained,
        "findings": dict(sorted(found.rows_with.items())),
        "files": {place.uri.removeprefix(f"{folder}/").partition("?")[0]: place.sha256() for place in files},
    }
    if job.folder.is_local:
        for path in list(job.folder.path.glob("**/.*.parquet.*")):  # of processes that were killed
            path.unlink(missing_ok=True)
    (job.folder / "manifest.json").write(as_text(manifest))
    (job.folder / WORK).remove_folder()


@lru_cache(maxsize=1)
def code_version() -> str:
    """The version of what decides about the result: a hash over our own sources, and the versions beside them."""
    import tokenspec.datasets
    import tokenspec_reference

    digest = hashlib.sha256()
    for package in (tokenspec_reference, tokenspec.datasets):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    others = " ".join(f"{name} {_version(name)}" for name in ("tokenizers", "transformers", "fastokens", "pyarrow"))
    return f"tokenspec {__version__} {digest.hexdigest()[:16]} {others}"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "-"


_BOUND = re.compile(r"([a-z-]+)(?:>(\d+(?:\.\d+)?)(%?))?")


def failing(wanted: Sequence[str], found: Outcome) -> list[str]:
    """The bounds of ``--fail-on`` that are exceeded: ``CODE``, ``CODE>0.01`` or ``CODE>1%``; a level names its codes.

    Raises:
        UsageError: no such code or bound.
    """
    from tokenspec_reference.preparation import CODES

    exceeded = []
    for text in wanted:
        match = _BOUND.fullmatch(text.strip())
        if match is None:
            raise UsageError(f"--fail-on {text}: expected CODE or CODE>SHARE, for example refused>0.01")
        name, number, percent = match.groups()
        codes = [code for code, facts in CODES.items() if name in {code, facts.level}]
        if not codes:
            raise UsageError(
                f"--fail-on {text}: no finding {name!r}. Known: {', '.join(CODES)}, or error, warning, note"
            )
        bound = float(number or 0) / (100 if percent else 1)
        rows = {row for code in codes for row in found.by_row.get(code, ())}
        share = len(rows) / found.rows if found.rows else 0.0
        if share > bound:
            exceeded.append(f"{text}: {len(rows)} of {found.rows} rows ({share:.2%})")
    return exceeded
