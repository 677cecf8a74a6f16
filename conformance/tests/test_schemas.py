"""The published JSON Schemas accept every committed fixture and refuse broken ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from tokenspec.adapters import CONVERSE
from tokenspec.areas import areas
from tokenspec.areas.area import request_fields
from tokenspec.areas.selection import borrowed_cases, rows_of
from tokenspec.curation.manifest import schemas
from tokenspec.data import fixtures_dir, spec_dir
from tokenspec.models import specs
from tokenspec.store.canonical import canonical_json
from tokenspec.store.case_files import read_cases

PAGES = Path(__file__).resolve().parents[1] / "docs" / "pages"
TOYS = [spec for spec in specs().values() if spec.status == "toy"]
REAL = [spec for spec in specs().values() if spec.status == "real"]


@pytest.mark.parametrize("name", sorted(schemas()))
def test_committed_schema_is_the_generated_one(name: str) -> None:
    schema = schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (fixtures_dir() / "schema" / name).read_text(encoding="utf-8") == canonical_json(schema)


@pytest.mark.parametrize(
    ("folder", "name"), [("cases", "cases"), ("golden", "goldens"), ("certificates", "certificate")]
)
def test_every_fourth_file_fits_its_schema(folder: str, name: str) -> None:
    validator = jsonschema.Draft202012Validator(schemas()[f"{name}.schema.json"])
    files = sorted((fixtures_dir() / folder).rglob("*.json"))[::4]
    assert files
    for path in files:
        validator.validate(json.loads(path.read_text(encoding="utf-8")))


def test_cases_with_an_unknown_field_is_refused() -> None:
    validator = jsonschema.Draft202012Validator(schemas()["cases.schema.json"])
    path = next((fixtures_dir() / "cases").rglob("*.json"))
    assert not validator.is_valid({**json.loads(path.read_text(encoding="utf-8")), "surprise": 1})


@pytest.mark.parametrize("name", [area.name for area in areas().values() if area.operation != CONVERSE])
def test_requests_fit_their_schema(name: str) -> None:
    """Some cases of every theme, on the first toy row each runs on: so page, chapter and command name the wire's fields."""
    area = areas()[name]
    validator = jsonschema.Draft202012Validator(schemas()[f"{name}.request.schema.json"])
    fields, judged = set(request_fields(area)), set()
    cases = [
        case for path in sorted((fixtures_dir() / "cases" / name).glob("*.json")) for case in read_cases(path)[::9]
    ]
    for case in cases or [case for _, case in borrowed_cases(area)][::9]:
        for row in [*rows_of(area, case, TOYS), *(rows_of(area, case, REAL) if name == "media" else ())][:1]:
            request = area.request(case, row)
            validator.validate(request)
            judged |= set(request)
    assert fields - judged <= {"normalisation", "limits"}
    for page in (spec_dir() / "90-adapter-protocol.md", PAGES / "write-an-adapter.md"):
        (row_of_page,) = re.findall(rf"^\| `{area.operation}` \|.*$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert f"`{' '.join(request_fields(area))}`" in row_of_page
