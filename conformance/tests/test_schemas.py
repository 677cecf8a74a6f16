"""The published JSON Schemas accept every committed fixture and refuse broken ones."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tokenspec.curation.manifest import schemas
from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json


@pytest.mark.parametrize("name", sorted(schemas()))
def test_committed_schema_is_the_generated_one(name: str) -> None:
    schema = schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (fixtures_dir() / "schema" / name).read_text(encoding="utf-8") == canonical_json(schema)


@pytest.mark.parametrize(("folder", "name"), [("cases", "case"), ("golden", "golden"), ("certificates", "certificate")])
def test_every_tenth_fixture_fits_its_schema(folder: str, name: str) -> None:
    validator = jsonschema.Draft202012Validator(schemas()[f"{name}.schema.json"])
    files = sorted((fixtures_dir() / folder).rglob("*.json"))[::10]
    assert files
    for path in files:
        validator.validate(json.loads(path.read_text(encoding="utf-8")))


def test_a_case_with_an_unknown_field_is_refused() -> None:
    validator = jsonschema.Draft202012Validator(schemas()["case.schema.json"])
    path = next((fixtures_dir() / "cases").rglob("*.json"))
    assert not validator.is_valid({**json.loads(path.read_text(encoding="utf-8")), "surprise": 1})
