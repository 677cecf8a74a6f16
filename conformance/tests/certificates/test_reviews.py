"""A changed certificate fails the run until a person accepts it, and the acceptance is written down."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tokenspec.cli import group
from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json

COMMITTED = fixtures_dir()
CERTIFICATE = "certificates/toy-bpe.json"


@pytest.fixture
def changed(own_fixtures: Path) -> Path:
    """The toy row's certificate says another default system prompt than its template has."""
    edit(own_fixtures / CERTIFICATE, lambda found: found["facts"]["system"].update(default="You are rude."))
    return own_fixtures / CERTIFICATE


def edit(path: Path, change: Any) -> None:
    found = json.loads(path.read_text())
    change(found)
    path.write_text(canonical_json(found))


def tokenspec(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    return result.exit_code, result.output


def test_an_unchanged_certificate_is_as_committed(own_fixtures: Path) -> None:
    assert tokenspec("models", "certify", "toy-bpe") == (0, "toy-bpe: as committed\n")


def test_certify_names_the_fact_and_what_was_and_is(changed: Path) -> None:
    code, said = tokenspec("models", "certify")
    assert code == 4
    assert "system.default: was 'You are rude.', is 'You are a careful toy assistant.'" in said
    assert 'tokenspec models certify --accept "why it is right"' in said


def test_a_run_fails_on_a_changed_certificate(changed: Path) -> None:
    code, said = tokenspec("run", "--impl", "reference", "--area", "render", "--jobs", "1")
    assert code == 4
    assert "the certificate of toy-bpe is not what the oracle measures" in said
    assert "system.default: was 'You are rude.'" in said
    assert 'tokenspec models certify toy-bpe --accept "why it is right"' in said


def test_a_run_of_another_area_does_not_ask(changed: Path, own_fixtures: Path) -> None:
    shutil.copytree(COMMITTED / "cases/parse", own_fixtures / "cases/parse")
    assert tokenspec("run", "--impl", "reference", "--area", "parse", "--jobs", "1")[0] != 4


def test_a_run_fails_without_a_certificate(own_fixtures: Path) -> None:
    (own_fixtures / CERTIFICATE).unlink()
    code, said = tokenspec("run", "--impl", "reference", "--area", "render", "--jobs", "1")
    assert code == 4
    assert "there is none" in said


def test_a_certificate_of_another_oracle_is_not_compared(changed: Path) -> None:
    edit(changed, lambda found: found["oracle"].update(transformers="4.57.6"))
    assert tokenspec("run", "--impl", "reference", "--area", "render", "--jobs", "1")[0] == 0


def test_accepting_writes_the_facts_and_the_reason(changed: Path) -> None:
    before = json.loads(changed.read_text())["reviewed"]
    code, _ = tokenspec("models", "certify", "toy-bpe", "--accept", "the template lost its manners")
    assert code == 0
    found = json.loads(changed.read_text())
    assert found["facts"]["system"]["default"] == "You are a careful toy assistant."
    assert found["reviewed"][-1]["facts"] == ["system.default"]
    assert found["reviewed"][-1]["reason"] == "the template lost its manners"
    assert len(found["reviewed"]) == len(before) + 1
    assert tokenspec("models", "certify", "toy-bpe")[0] == 0


def test_a_committed_fact_of_an_unknown_kind_is_an_error_that_names_the_file(changed: Path) -> None:
    edit(changed, lambda found: found["facts"]["roles"].update(user="perhaps"))
    with pytest.raises(Exception, match=r"toy-bpe\.json.*roles"):
        tokenspec("models", "certify", "toy-bpe")
