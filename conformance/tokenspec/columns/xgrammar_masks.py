"""xgrammar's packed masks as a column of the processors' area: how sets are packed, and its kernel on the logits.

It knows none of the chapter's processors; the sets are those that the classes of transformers leave. Judged is what
xgrammar does with them, bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.transformers_processors import Histories, answer, bits_of, hex_of

WORD = 32
SPARE = WORD
"""Columns behind a row: its kernel writes one of them where the first padding bit is 0 (PRC-009)."""


class XgrammarMasksColumn:
    """The column ``xgrammar``, for processors."""

    def __init__(self) -> None:
        """Look the version up once."""
        self.version = installed_version("xgrammar")

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "xgrammar", "version": self.version or "not installed", "language": "c++"}

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """A script whose sets transformers can tell."""
        if self.version is None:
            raise not_installed("xgrammar")
        histories = Histories(request)
        own = {"bitmask": packed, "apply": masked}
        return {"steps": [own.get(step["op"], answer)(histories, step) for step in request["steps"]]}


def sets_of(histories: Histories) -> Any:
    """The sets of all rows as booleans."""
    import torch

    zeros = [torch.zeros(1, histories.vocab_size)] * len(histories.rows)
    return torch.stack([row.isfinite() for row in histories.masked(zeros)])


def words_of(sets: Any) -> Any:
    """Sets as its words, over a vocabulary that fills the last one: else it would pad with ones."""
    import torch
    from xgrammar.testing import bool_mask_to_bitmask

    return bool_mask_to_bitmask(torch.nn.functional.pad(sets, (0, -sets.shape[1] % WORD), value=False))


def packed(histories: Histories, step: Mapping[str, Any]) -> dict[str, Any]:
    """The words."""
    del step
    return {"words": words_of(sets_of(histories)).tolist()}


def masked(histories: Histories, step: Mapping[str, Any]) -> dict[str, Any]:
    """What its kernel makes of the logits."""
    import torch
    from xgrammar.kernels.apply_token_bitmask_inplace_cpu import apply_token_bitmask_inplace_cpu

    if any(len(row) != len(step["logits"][0]) for row in step["logits"]):
        raise Unsupported("its kernel takes rows of one width")
    given = torch.cat([row for row, _ in bits_of(step)])
    spread = 2 if step.get("layout") == "strided" else 1
    room = torch.zeros(given.shape[0], spread * given.shape[1] + SPARE, dtype=given.dtype)
    logits = room[:, : spread * given.shape[1] : spread]
    logits.copy_(given)
    sets = sets_of(histories)
    if any(not one.all() and (row[one] == float("-inf")).all() for one, row in zip(sets, given, strict=True)):
        raise Unsupported("its kernel has no word for a row without a choice")
    try:
        apply_token_bitmask_inplace_cpu(logits, words_of(sets), vocab_size=histories.vocab_size)
    except ValueError as error:
        raise Unsupported(f"its kernel: {error}") from error
    return {"bits": [hex_of(row, step["dtype"]) for row in logits]}
