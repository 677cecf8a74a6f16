"""Toy tokenizers of the fixtures, and real ones where they have been pulled."""

from functools import cache
from pathlib import Path

import pytest

from tokenspec_reference.fast_forward import TokenBytes

TOYS = Path(__file__).parents[3] / "fixtures" / "toy"


@cache
def toy(name: str) -> TokenBytes:
    from tokenizers import Tokenizer

    return TokenBytes.from_tokenizer(Tokenizer.from_file(str(TOYS / name / "tokenizer.json")))


@pytest.fixture(params=["toy-bpe", "toy-metaspace", "toy-ranks", "toy-added"])
def toy_vocabulary(request) -> TokenBytes:
    return toy(request.param)
