"""Bytes to ids: text through the tokenizer, broken UTF-8 by longest match, markers to their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenspec_reference.fast_forward.matcher import MARKED_ID, MARKER
from tokenspec_reference.fast_forward.vocabulary import TokenBytes
from tokenspec_reference.fast_forward.vocabulary_parts import Encode


def tokenize_bytes(vocabulary: TokenBytes, data: bytes, *, isolated: bool = False) -> list[int]:
    """The ids of some bytes.

    Valid UTF-8 goes through the tokenizer. Each invalid stretch is cut greedily into the longest tokens; bytes that no
    token spells are dropped, as upstream does (llguidance issue 138).

    Args:
        vocabulary: token bytes and encoder.
        data: any bytes.
        isolated: keep names of special tokens as text; the tokenizer's own way is to turn them into the tokens.
    """
    encode = vocabulary.encode_isolated if isolated else vocabulary.encode_text
    return _encode_chunks(vocabulary, data, encode)


def is_canonical(vocabulary: TokenBytes, token_ids: Sequence[int]) -> bool:
    """Whether the tokenizer spells the text of these ids with these ids; special tokens separate texts.

    >>> from tokenspec_reference.fast_forward.small_bpe import small_vocabulary
    >>> is_canonical(small_vocabulary("ab"), b"ab"), is_canonical(small_vocabulary("ab"), [256])
    (False, True)
    """
    checked = vocabulary.checked(token_ids, "token_ids")
    start = 0
    for end in (
        *(i for i, token_id in enumerate(checked) if vocabulary.by_id[token_id] is None),
        len(checked),
    ):
        run = checked[start:end]
        text = vocabulary.bytes_of(run) or b""
        if tuple(tokenize_bytes(vocabulary, text, isolated=True)) != run:
            return False
        start = end + 1
    return True


def tokenize_marked(vocabulary: TokenBytes, data: bytes) -> tuple[list[int], int]:
    """The ids of bytes with markers, and how many of them, up to the last special token, are settled.

    Source: ``tokenize_bytes_marker`` of llguidance; a special token that the tokenizer found in plain text counts.
    """
    ids: list[int] = []
    settled = 0
    for piece in split_markers(data) if MARKER in data else (data,) if data else ():
        found = [piece] if isinstance(piece, int) else tokenize_bytes(vocabulary, piece)
        ids += found
        spelled = [vocabulary.by_id[token_id] for token_id in found]
        if isinstance(piece, int):
            settled = len(ids)
        elif None in spelled:
            settled = len(ids) - spelled[::-1].index(None)
    return ids, settled


def split_markers(data: bytes) -> Iterator[bytes | int]:
    r"""Texts and special ids, in order; empty texts are left out.

    >>> list(split_markers(b"a\xff[12]b"))
    [b'a', 12, b'b']
    """
    start = 0
    for match in MARKED_ID.finditer(data):
        if match.start() > start:
            yield data[start : match.start()]
        yield int(match[1])
        start = match.end()
    if start < len(data):
        yield data[start:]


def valid_utf8_length(data: bytes) -> int:
    """How many bytes from the start are whole characters.

    >>> valid_utf8_length("aé".encode()[:2])
    1
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _encode_chunks(vocabulary: TokenBytes, data: bytes, encode: Encode) -> list[int]:
    ids: list[int] = []
    while data:
        try:
            return ids + encode(data.decode())
        except UnicodeDecodeError as error:
            if error.start:
                ids += encode(data[: error.start].decode())
            ids += _longest_match(vocabulary, data[error.start : error.end])
            data = data[error.end :]
    return ids


def _longest_match(vocabulary: TokenBytes, data: bytes) -> list[int]:
    ids: list[int] = []
    start = 0
    while start < len(data):
        for end in range(min(len(data), start + vocabulary.longest), start, -1):
            found = vocabulary.id_of.get(data[start:end])
            if found is not None:
                ids.append(found)
                break
        else:
            end = start + 1
        start = end
    return ids
