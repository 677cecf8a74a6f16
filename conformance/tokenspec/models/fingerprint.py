"""Proof that a built tokenizer is the real one: ids of control tokens, and ids of texts whose answer is known.

A row may call itself real only after this passed. Texts lie in ``fixtures/models/vectors.json``.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenspec.data import fixtures_dir
from tokenspec.guard.strangers import strangers
from tokenspec.models.cache import sha256
from tokenspec.models.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokenspec.models.spec import RowSpec

CASE_BREAK = "\n__ggml_vocab_test__\n"


@cache
def vector_texts() -> tuple[str, tuple[str, ...]]:
    """The text of llama.cpp's fingerprint and this project's own vector texts."""
    document = json.loads((fixtures_dir() / "models" / "vectors.json").read_bytes())
    return document["chkhsh_text"], tuple(document["texts"])


def ids_digest(ids: Iterable[Sequence[int]]) -> str:
    """The sha256 over lists of ids, as a row's ``fingerprint.vectors`` states it."""
    return sha256(json.dumps([list(one) for one in ids], separators=(",", ":")).encode())


def chkhsh(ids: Sequence[int]) -> str:
    """llama.cpp's tokenizer fingerprint of the ids of its text."""
    return sha256(str(list(ids)).encode())


def verify(row: RowSpec, tokenizer_json: bytes, vector_files: Sequence[bytes]) -> None:
    """Load the tokenizer and check every id the row states.

    ``vector_files`` are the members of ``row.fingerprint.vector_files`` (an ``.inp`` and an ``.out``), if any.

    Raises:
        BuildError: naming the first id or fingerprint that differs.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise BuildError(
            "tokenizers is not installed, so ids cannot be checked; install tokenspec[reference]"
        ) from error
    with strangers("tokenizer", len(tokenizer_json)):
        _verify(row, Tokenizer.from_str(tokenizer_json.decode()), vector_files)


def _verify(row: RowSpec, tokenizer: Any, vector_files: Sequence[bytes]) -> None:
    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    for text, expected in row.special.items():
        if (ids := encode(text)) != [expected]:
            raise BuildError(f"control token {text!r} encodes to {ids}, the row says [{expected}]", row=row.id)
    stated, (chkhsh_text, texts) = row.fingerprint, vector_texts()
    if stated.chkhsh and chkhsh([*stated.chkhsh_prefix, *encode(chkhsh_text)]) != stated.chkhsh:
        raise BuildError(f"fingerprint chkhsh is not {stated.chkhsh[:12]}; this is another vocabulary", row=row.id)
    if stated.vectors and ids_digest(map(encode, texts)) != stated.vectors:
        raise BuildError(f"ids of the vector texts do not hash to {stated.vectors[:12]}", row=row.id)
    if vector_files:
        _verify_files(row, encode, *vector_files)


def _verify_files(row: RowSpec, encode: Any, inputs: bytes, outputs: bytes) -> None:
    cases, answers = inputs.decode().split(CASE_BREAK), outputs.decode().split("\n")
    if len(answers) < len(cases):
        raise BuildError(f"vector file has {len(cases)} cases but {len(answers)} answers", row=row.id)
    for number, (text, answer) in enumerate(zip(cases, answers, strict=False)):
        if encode(text) != [int(token) for token in answer.split()]:
            raise BuildError(f"vector file case {number} {text[:20]!r}: ids differ", row=row.id)
