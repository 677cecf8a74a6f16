"""A row's vocabulary for those who judge: text to ids and back by ``tokenizers`` alone, without ``transformers``.

The methods have the names they have in ``transformers``, so that what reads a vocabulary takes either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenspec.guard.strangers import strangers

NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""Special tokens that a configuration names, in the order ``transformers`` lists them in."""


class RowVocabulary:
    """The tokenizer of a row's folder; nothing is added to text and nothing is left out of it."""

    def __init__(self, folder: Path) -> None:
        """Read ``tokenizer.json`` and the names of special tokens beside it."""
        from tokenizers import Tokenizer

        file = folder / "tokenizer.json"
        with strangers("tokenizer", file.stat().st_size):
            self.backend_tokenizer: Any = Tokenizer.from_file(str(file))
        self._named: Mapping[str, Any] = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """The ids of a text."""
        return list(self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens).ids)

    def __call__(
        self, text: str, *, add_special_tokens: bool = False, return_offsets_mapping: bool = True
    ) -> dict[str, Any]:
        """``input_ids`` of a text, and its ``offset_mapping`` when asked: where each token begins and ends."""
        found = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return {"input_ids": found.ids} | ({"offset_mapping": found.offsets} if return_offsets_mapping else {})

    def decode(
        self, ids: Sequence[int], *, skip_special_tokens: bool = False, clean_up_tokenization_spaces: bool = False
    ) -> str:
        """Return the text of ids: control tokens are written out, white space is as it is.

        An id that no tokenizer has (below 0, or beyond 32 bits) is no text.
        """
        del clean_up_tokenization_spaces  # it is never tidied
        known = [id_ for id_ in ids if 0 <= id_ < 2**32]
        return str(self.backend_tokenizer.decode(known, skip_special_tokens=skip_special_tokens))

    def convert_tokens_to_ids(self, token: str) -> int | None:
        """The id of a token; that of the unknown token where there is one, else None, where it is no token."""
        found = self.backend_tokenizer.token_to_id(token)
        return self.unk_token_id if found is None else int(found)

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """The vocabulary's spelling of an id, or of each of several; None for one it does not have."""
        if isinstance(ids, int):
            return self.backend_tokenizer.id_to_token(ids)
        return [self.backend_tokenizer.id_to_token(id_) for id_ in ids]

    def named(self, name: str) -> str | None:
        """The special token that the configuration calls ``bos_token``, ``pad_token``, ...; None: there is none."""
        found = self._named.get(name)
        return None if found is None else str(found)

    @cached_property
    def unk_token_id(self) -> int | None:
        """The id of the unknown token, where one is named."""
        name = self._named.get("unk_token")
        return None if name is None else self.backend_tokenizer.token_to_id(name)

    @cached_property
    def all_special_tokens(self) -> list[str]:
        """The special tokens that are named, each once."""
        return list(dict.fromkeys(name for key in NAMED if (name := self._named.get(key)) is not None))

    @cached_property
    def added_tokens_decoder(self) -> dict[int, Any]:
        """The added tokens by id."""
        return dict(self.backend_tokenizer.get_added_tokens_decoder())

    @cached_property
    def _added(self) -> dict[str, int]:
        return {token.content: id_ for id_, token in sorted(self.added_tokens_decoder.items())}

    def get_added_vocab(self) -> dict[str, int]:
        """The ids of the added tokens by their text; made once, for every cell asks."""
        return self._added

    def __len__(self) -> int:
        """How many ids there are, added ones among them."""
        return int(self.backend_tokenizer.get_vocab_size(with_added_tokens=True))
