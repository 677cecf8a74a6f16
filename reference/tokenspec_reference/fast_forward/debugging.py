"""Ids as people read them: one text, or the tokens apart."""

from __future__ import annotations

from collections.abc import Sequence

from tokenspec_reference.fast_forward.vocabulary import TokenBytes

ESCAPES = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r"}


def decode_str(vocabulary: TokenBytes, token_ids: Sequence[int]) -> str:
    """The text of some ids, special tokens by their names; what is no UTF-8 becomes U+FFFD.

    Raises:
        TokenSpecError: an id outside the vocabulary.
    """
    names = _names(vocabulary)
    checked = vocabulary.checked(token_ids, "token_ids")
    data = b"".join(vocabulary.by_id[one] or names.get(one, f"<[{one}]>").encode() for one in checked)
    return data.decode(errors="replace")


def dbg_tokens(vocabulary: TokenBytes, token_ids: Sequence[int]) -> str:
    r"""Each token by itself, as llguidance prints them; bytes that are no text in hexadecimal digits.

    >>> from tokenspec_reference.fast_forward.small_bpe import small_vocabulary
    >>> dbg_tokens(small_vocabulary("na", "me", "name", "\n"), [258, 10, 195])
    '⟦name‧\\n‧≺HEX[c3]≻⟧'

    Raises:
        TokenSpecError: an id outside the vocabulary.
    """
    names = _names(vocabulary)
    checked = vocabulary.checked(token_ids, "token_ids")
    return f"⟦{'‧'.join(names.get(one) or _written(vocabulary.by_id[one], one) for one in checked)}⟧"


def _names(vocabulary: TokenBytes) -> dict[int, str]:
    return {token_id: name for name, token_id in vocabulary.special_ids.items()}


def _written(data: bytes | None, token_id: int) -> str:
    if data is None:
        return f"<[{token_id}]>"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"≺HEX[{data.hex()}]≻"
    return "".join(ESCAPES.get(char, char if char.isprintable() else f"\\u{{{ord(char):x}}}") for char in text)
