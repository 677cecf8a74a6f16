"""The pulled rows of this machine: every id a row states, and a rebuild that gives the same bytes."""

import pytest

from tokenspec import models
from tokenspec.models.build import tokenizer_json
from tokenspec.models.cache import read_member, sha256
from tokenspec.models.fingerprint import verify
from tokenspec.models.spec import RegistrySource

pytestmark = pytest.mark.real

ROWS = [row for row in models.specs().values() if row.status != "toy"]
DISTINCT = {row.tokenizer.sha256: row.id for row in reversed(ROWS)}
TEXT = "def f(x):\n    return x  # naïve 中文 🙂\n"


def load(name: str) -> models.Row:
    """The row, or a skip that says what is missing."""
    if reason := models.available(name):
        pytest.skip(reason)
    return models.load(name)


@pytest.mark.parametrize("name", [row.id for row in ROWS])
def test_what_the_row_states_holds(name: str) -> None:
    row = load(name)
    data = (row.directory / "tokenizer.json").read_bytes()
    assert sha256(data) == row.spec.tokenizer.sha256
    members = [read_member(source.sha256)[0] for source in row.spec.fingerprint.vector_files]
    verify(row.spec, data, [member for member in members if member])
    for text, token_id in row.spec.special.items():
        assert row.tokenizer.encode(text, add_special_tokens=False) == [token_id]
    assert (row.tokenizer.chat_template or "") == row.chat_template
    if row.status == "real" and row.spec.has_template:
        ids = row.tokenizer.encode(TEXT, add_special_tokens=False)
        assert row.tokenizer.decode(ids, clean_up_tokenization_spaces=False) == TEXT


@pytest.mark.parametrize("name", list(DISTINCT.values()))
def test_every_cached_carrier_gives_the_pinned_bytes(name: str) -> None:
    row = load(name).spec
    cached = [
        (source, data)
        for source in row.tokenizer.source
        if isinstance(source, RegistrySource) and (data := read_member(source.sha256)[0])
    ]
    for source, data in cached:
        assert sha256(tokenizer_json(row.tokenizer, data, source.format)) == row.tokenizer.sha256, source.carrier
    if not cached:
        pytest.skip("no carrier of this row is cached; pull it from a registry to run this")
