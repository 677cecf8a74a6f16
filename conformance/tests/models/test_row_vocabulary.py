"""A row's vocabulary, as judges read it."""

from __future__ import annotations

from tokenspec.models import load


def test_an_id_that_no_tokenizer_has_is_no_text() -> None:
    vocabulary = load("toy-bpe").vocabulary
    (known,) = vocabulary.encode("a")
    assert vocabulary.decode([-1, known, 2**32, 2**70]) == "a"
