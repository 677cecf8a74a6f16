"""Masks of toy vocabularies against every id tried for itself, and the byte that marks special tokens."""

import pytest

from tokenspec_reference.fast_forward import (
    InOrder,
    Literal,
    Regex,
    Special,
    after,
    allowed_tokens,
    mask_ranges,
    viable,
)
from tokenspec_reference.fast_forward.errors import InvalidQuery
from tokenspec_reference.fast_forward.mask import accepted
from tokenspec_reference.fast_forward.mask_script import grammar_mask
from tokenspec_reference.fast_forward.small_bpe import small_vocabulary

GRAMMARS = [Regex("[a-z ]+[0-9]?"), Regex("(é|日)+"), Literal("hello world"), Regex('"([^"\\\\]|\\\\n)*"')]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_masks_are_what_every_id_says(toy_vocabulary, grammar):
    state = grammar
    for _ in range(4):
        ids = sorted(allowed_tokens(toy_vocabulary, state))
        assert ids == [i for i, data in enumerate(toy_vocabulary.by_id) if data and viable(state, data)]
        assert [i for first, last in mask_ranges(toy_vocabulary, state) for i in range(first, last + 1)] == ids
        if not ids:
            break
        state = accepted(toy_vocabulary, state, [ids[len(ids) // 2]])[-1]


def test_a_byte_is_no_special_token():
    """Byte 255 marks special tokens inside, and stands for none where a vocabulary has it."""
    vocabulary = small_vocabulary("ab", special=["<a>"])
    grammar = InOrder([Literal("ab"), Special(257)])
    state = after(grammar, b"ab")
    assert list(allowed_tokens(vocabulary, state)) == [257]
    assert accepted(vocabulary, state, [255]) == []
    assert accepted(vocabulary, grammar, [256, 257, 97])[-1].accepting()


def test_unknown_steps_are_refused():
    with pytest.raises(InvalidQuery, match="mask, accept or rollback"):
        grammar_mask({"vocabulary": {"merged": []}, "grammar": {"literal": "a"}, "steps": [{"op": "peek"}]}, {})
