"""Separator candidates, and the embedding row of a separator the model was never trained on.

The caller's tokenizer and model are never changed: the token is added to a copy of the tokenizer, and only when the
text contains it; the row lives beside the model's matrices.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tokenspec_reference.engines.errors import InvalidParameter, SeparatorNotSingleToken
from tokenspec_reference.engines.offsets import Tokenizer
from tokenspec_reference.engines.parameters import text
from tokenspec_reference.engines.remembered import remembered

if TYPE_CHECKING:
    import torch

STEP_WORDS = ("Step", " Step")
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Separators:
    """``candidates`` is S, ``inserted`` the id of the separator; ``tokenizer`` knows it if the texts need it."""

    tokenizer: Tokenizer
    candidates: tuple[int, ...]
    inserted: int


def resolve_separators(tokenizer: Tokenizer, sep_tok: str, *, texts: Sequence[str]) -> Separators:
    """Find the candidate set S: ``Step`` and `` Step`` where they are single tokens, and always ``sep_tok``.

    Args:
        tokenizer: never changed.
        sep_tok: added as a special token when the vocabulary lacks it; its id is then the largest id plus one.
        texts: everything that will be encoded; the copy is only made when one of them contains the separator.

    Raises:
        SeparatorNotSingleToken: ``sep_tok`` is no text, empty, or in the vocabulary while its text encodes to other
            tokens.
    """
    if not isinstance(sep_tok, str) or not sep_tok:
        raise SeparatorNotSingleToken(f"expected the text of one token, got {sep_tok!r}", field="sep_tok")
    known, largest, words = _looked_up(tokenizer, sep_tok)
    inserted = largest + 1 if known is None else known
    if known is None and any(sep_tok in text for text in texts):
        tokenizer = _with_token(tokenizer, sep_tok)
    if known is not None and list(tokenizer.encode(sep_tok, add_special_tokens=False)) != [known]:
        pieces = tokenizer.encode(sep_tok, add_special_tokens=False)
        raise SeparatorNotSingleToken(
            f"{sep_tok!r} encodes to {len(pieces)} tokens {pieces} though id {known} has that name; choose another",
            field="sep_tok",
        )
    return Separators(tokenizer, tuple(dict.fromkeys((*words, inserted))), inserted)


def _looked_up(tokenizer: Tokenizer, sep_tok: str) -> tuple[int | None, int, tuple[int, ...]]:
    """The separator's id, if it has one, the largest one, and those of step words; kept until the vocabulary grows."""

    def found() -> tuple[int | None, int, tuple[int, ...]]:
        vocabulary = tokenizer.get_vocab()
        words = [tokenizer.encode(word, add_special_tokens=False) for word in STEP_WORDS]
        return vocabulary.get(sep_tok), max(vocabulary.values()), tuple(ids[0] for ids in words if len(ids) == 1)

    size = getattr(tokenizer, "__len__", None)
    return found() if size is None else remembered(tokenizer, "separator", (sep_tok, STEP_WORDS, size()), found)


def _with_token(tokenizer: Tokenizer, sep_tok: str) -> Tokenizer:
    extended: Any = copy.deepcopy(tokenizer)
    extended.add_tokens([sep_tok], special_tokens=True)
    ids = extended.encode(sep_tok, add_special_tokens=False)
    if len(ids) != 1:
        raise SeparatorNotSingleToken(f"{sep_tok!r} still encodes to {ids} after it was added", field="sep_tok")
    result: Tokenizer = extended
    return result


def mixed_bits(values: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The splitmix64 finaliser on unsigned 64-bit integers (wrapping); source: Steele, Lea and Flood 2014."""
    mixed = values ^ (values >> np.uint64(30))
    mixed = mixed * np.uint64(0xBF58476D1CE4E5B9)
    mixed = mixed ^ (mixed >> np.uint64(27))
    mixed = mixed * np.uint64(0x94D049BB133111EB)
    result: np.ndarray[Any, np.dtype[np.uint64]] = mixed ^ (mixed >> np.uint64(31))
    return result


def hashed_uniform(seed: int, stream: int, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """``count`` numbers in [-1, 1) on a grid of 2**-23, from integers alone: the same in every language and version."""
    origin = np.uint64((seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03) & _MASK)
    bits = mixed_bits(np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + origin)
    return (bits >> np.uint64(40)).astype(np.float64) / 2**23 - 1.0


def recipe_seed(recipe: str) -> int | None:
    """The seed of ``hash:SEED``; None of ``mean``.

    Raises:
        InvalidParameter: another recipe.
    """
    found = re.fullmatch("mean|hash:([0-9]+)", text(recipe, "separator_row"))
    if found is None:
        raise InvalidParameter(f"{recipe!r} is not 'mean' or 'hash:SEED'", field="separator_row")
    return int(found[1]) if found[1] else None


def separator_row(matrix: torch.Tensor, recipe: str, *, stream: int) -> torch.Tensor:
    """The added row for one matrix ``[vocabulary, width]``: ``mean`` of its rows, or ``hash:SEED`` around that mean.

    Deterministic and free of random generators. The mean is taken in float64 and cast to the dtype of the matrix.

    Raises:
        InvalidParameter: unknown recipe.
    """
    import torch

    row, seed = matrix.detach().mean(dim=0, dtype=torch.float64), recipe_seed(recipe)
    if seed is not None:
        spread = (matrix.detach().square().mean(dim=0, dtype=torch.float64) - row.square()).clamp(min=0).sqrt()
        noise = torch.from_numpy(hashed_uniform(seed, stream, matrix.shape[1])).to(row.device)
        row = row + spread * noise * 3**0.5
    return row.to(matrix.dtype)
