"""``MANIFEST.json`` and the published JSON Schemas: what third parties verify a copy of the fixtures with."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

import msgspec

from tokenspec import __version__
from tokenspec.adapters import CONVERSE, messages
from tokenspec.areas import areas
from tokenspec.certificate.facts import Certificate
from tokenspec.curation.readme import readme
from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json
from tokenspec.store.case_files import CaseFile
from tokenspec.store.entries import SPEC_VERSION, current_entries, list_path, list_text
from tokenspec.store.golden_files import GoldenFile
from tokenspec.store.writing import write_atomically

FIXTURE_VERSION = "2026.11.0"


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas by file name: files of cases and goldens, certificates, each area's types, messages."""
    kinds: dict[str, type[msgspec.Struct]] = {"cases": CaseFile, "goldens": GoldenFile, "certificate": Certificate}
    for area in areas().values():
        kinds[f"{area.name}.input"] = area.input_type
        if area.operation != CONVERSE:
            kinds[f"{area.name}.request"] = area.request_type or area.input_type
        kinds[f"{area.name}.output"] = area.output_type
        kinds[f"{area.name}.expect"] = area.expect_type
    header = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    found = {name: msgspec.json.schema(kind) for name, kind in kinds.items()}
    found.update({f"adapter/{name}": schema for name, schema in messages.schemas().items()})
    return {f"{name}.schema.json": {**header, **_unindented(schema)} for name, schema in found.items()}


def _unindented(schema: Any) -> Any:
    """The schema as Python 3.13 gives it: without the indentation of the docstrings that are its descriptions."""
    if isinstance(schema, list):
        return [_unindented(item) for item in schema]
    if isinstance(schema, dict):
        return {
            key: inspect.cleandoc(item) if key == "description" and isinstance(item, str) else _unindented(item)
            for key, item in schema.items()
        }
    return schema


def manifest() -> dict[str, Any]:
    """The manifest of the tree as it is."""
    return manifest_of(current_entries(), SPEC_VERSION)


def manifest_of(entries: Mapping[str, str], version: str) -> dict[str, Any]:
    """Versions, counts, and which list says what belongs here, itself pinned by its sha256.

    Args:
        entries: hash by entry.
        version: of the specification.
    """
    counts = {
        area.name: {
            "cases": sum(name.startswith((f"cases/{area.name}#", f"regressions/{area.name}#")) for name in entries),
            "goldens": sum(f"/{area.name}#" in name and name.startswith("golden/") for name in entries),
        }
        for area in areas().values()
    }
    text = list_text(entries)
    return {
        "fixture_version": FIXTURE_VERSION,
        "spec_version": version,
        "suite_version": __version__,
        "counts": counts,
        "file_list": {"path": f"files/{version}.txt", "sha256": hashlib.sha256(text.encode()).hexdigest()},
    }


def write_manifest() -> None:
    """Renew schemas, list, manifest and README in place."""
    published = schemas()
    for name, schema in published.items():
        write_atomically(fixtures_dir() / "schema" / name, canonical_json(schema))
    for path in (fixtures_dir() / "schema").rglob("*.json"):
        if path.relative_to(fixtures_dir() / "schema").as_posix() not in published:
            path.unlink()
    entries = current_entries()
    write_atomically(list_path(SPEC_VERSION), list_text(entries))
    described = manifest_of(entries, SPEC_VERSION)
    write_atomically(fixtures_dir() / "MANIFEST.json", canonical_json(described))
    write_atomically(fixtures_dir() / "README.md", readme(described, fixtures_dir()))
