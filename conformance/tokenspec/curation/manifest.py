"""``MANIFEST.json`` and the published JSON Schemas: what third parties verify a copy of the fixtures with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from tokenspec import __version__
from tokenspec.adapters import messages
from tokenspec.areas import areas
from tokenspec.certificate.facts import Certificate
from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json
from tokenspec.store.file_lists import SPEC_VERSION, current_files, list_path, list_text
from tokenspec.store.records import Case, Golden
from tokenspec.store.writing import write_atomically

FIXTURE_VERSION = "2026.11.0"


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas by file name, from the typed model: case, golden, certificate; per area its types; the messages."""
    kinds: dict[str, type[msgspec.Struct]] = {"case": Case, "golden": Golden, "certificate": Certificate}
    for area in areas().values():
        kinds[f"{area.name}.input"] = area.input_type
        kinds[f"{area.name}.output"] = area.output_type
        kinds[f"{area.name}.expect"] = area.expect_type
    header = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    found = {name: msgspec.json.schema(kind) for name, kind in kinds.items()}
    found.update({f"adapter/{name}": schema for name, schema in messages.schemas().items()})
    return {f"{name}.schema.json": {**header, **schema} for name, schema in found.items()}


def manifest() -> dict[str, Any]:
    """The manifest of the tree as it is."""
    return manifest_of(current_files(), SPEC_VERSION)


def manifest_of(files: Mapping[str, str], version: str) -> dict[str, Any]:
    """Versions, counts, and which list says what belongs here, itself pinned by its sha256.

    Args:
        files: sha256 by path.
        version: of the specification.
    """
    counts = {
        area.name: {
            "cases": sum(name.startswith((f"cases/{area.name}/", f"regressions/{area.name}/")) for name in files),
            "goldens": sum(f"/{area.name}/" in name and name.startswith("golden/") for name in files),
        }
        for area in areas().values()
    }
    text = list_text(files)
    return {
        "fixture_version": FIXTURE_VERSION,
        "spec_version": version,
        "suite_version": __version__,
        "counts": counts,
        "file_list": {"path": f"files/{version}.txt", "sha256": hashlib.sha256(text.encode()).hexdigest()},
    }


def write_manifest() -> None:
    """Renew schemas, file list and manifest in place."""
    for name, schema in schemas().items():
        write_atomically(fixtures_dir() / "schema" / name, canonical_json(schema))
    files = current_files()
    write_atomically(list_path(SPEC_VERSION), list_text(files))
    write_atomically(fixtures_dir() / "MANIFEST.json", canonical_json(manifest_of(files, SPEC_VERSION)))
