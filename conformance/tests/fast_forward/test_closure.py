"""What the proof of FFT-020 assumes, scanned over the vocabularies of the rows: words, merges and their closure."""

import os

import pytest

from tokenspec.models import available, load
from tokenspec_reference.fast_forward import TokenBytes
from tokenspec_reference.fast_forward.closure import neighbours, open_boundaries

from .test_agreement import VOCABULARIES

SCANNED = 5_000
TOYS = ["toy-added", "toy-bpe", "toy-metaspace", "toy-ranks"]


def vocabulary_of(row):
    if available(row) is not None:
        pytest.skip(available(row))
    return TokenBytes.from_json((load(row).directory / "tokenizer.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "row", [row if row in TOYS else pytest.param(row, marks=pytest.mark.real) for row in VOCABULARIES]
)
def test_every_row_is_closed(row):
    vocabulary = vocabulary_of(row)
    assert vocabulary.unproven is None
    assert next(open_boundaries(vocabulary, neighbours(vocabulary, SCANNED)), None) is None


@pytest.mark.soak
@pytest.mark.skipif(float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1")) < 0.1, reason="takes minutes")
@pytest.mark.parametrize("row", VOCABULARIES)
def test_every_pair_of_tokens(row):
    vocabulary = vocabulary_of(row)
    assert next(open_boundaries(vocabulary, neighbours(vocabulary)), None) is None
