"""The committed certificates against what is measured today, and against the reference's own claim of stability."""

from __future__ import annotations

import pytest

from tokenspec.certificate import certify, changes, committed
from tokenspec.certificate.screen import view
from tokenspec.cli.explain_row import explain_row
from tokenspec.cli.screen import screen
from tokenspec.models import available, load, specs
from tokenspec.models.rows import Row

TEMPLATES = [row.id for row in specs().values() if row.has_template]
TOYS = [row for row in TEMPLATES if specs()[row].status == "toy"]
LINES, COLUMNS = 46, 100


def here(row: str) -> Row:
    reason = available(row)
    if reason is not None:
        pytest.skip(reason)
    return load(row)


@pytest.mark.parametrize("row", TOYS)
def test_the_certificate_of_a_toy_is_what_is_measured(row: str) -> None:
    old = committed(row)
    assert old is not None
    assert changes(old, certify(load(row))) == []


@pytest.mark.real
@pytest.mark.parametrize("row", TEMPLATES)
def test_the_text_facts_are_what_is_measured(row: str) -> None:
    old = committed(row)
    assert old is not None
    assert changes(old, certify(here(row), with_tokens=False)) == []


@pytest.mark.real
@pytest.mark.parametrize("row", TEMPLATES)
def test_renderers_claim_the_stability_that_is_measured(row: str) -> None:
    from tokenspec_reference.renderers import create_renderer

    found = here(row)
    certificate = committed(row)
    assert certificate is not None
    for family in {found.family, "template"}:
        renderer = create_renderer(found.tokenizer, family=family, chat_template=found.chat_template, **found.options)
        assert renderer.is_prefix_stable == certificate.facts.prefix_stable, family


@pytest.mark.parametrize("row", TEMPLATES)
def test_a_row_is_explained_on_one_screen(row: str, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    explain_row(screen(), row)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert view(committed(row)) is not None
