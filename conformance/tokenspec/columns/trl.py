"""TRL's byte-offset alignment and losses (GOLD trainer) as a column of the aligners' area.

Its offsets come from tokenising a text, so it answers only where the request's ids are those of the text: special
tokens around it are outside what it claims, padding is left out. Byte-level tokenizers only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.trl_losses import chunk_loss

Span = tuple[int, int]


class TrlColumn:
    """The column ``trl``."""

    def info(self) -> dict[str, str]:
        """Who this is; without the package every answer is *unsupported*."""
        return {"name": "trl", "version": installed_version("trl") or "not installed", "language": "python"}

    def load(self, model: str, assets: dict[str, str]) -> None:
        """Nothing to prepare: rows are loaded by name."""
        del model, assets
        if installed_version("trl") is None:
            raise not_installed("trl")

    def align(self, request: dict[str, Any]) -> dict[str, Any]:
        """Groups of positions with a common byte end, as chunk ids; or a loss over them."""
        if installed_version("trl") is None:
            raise not_installed("trl")
        if request["task"] == "chunk-loss":
            return {"values": chunk_loss(request["data"])}
        if request["task"] != "align" or request["profile"] != "boundary" or request["options"]:
            raise Unsupported("groups byte offsets of one text, nothing else")
        sides = [request["student"], request["teacher"]]
        if sides[0]["texts"] != sides[1]["texts"]:
            raise Unsupported("two different texts")
        if any(len({len(row) for row in side["ids"]}) > 1 for side in sides):
            raise Unsupported("a damaged batch")
        ids: tuple[list[list[int]], list[list[int]]] = ([], [])
        for row in range(len(sides[0]["ids"])):
            spans = [self.spans(side, row) for side in sides]
            groups = group_offsets([span for _, span in spans[0]], [span for _, span in spans[1]])
            for place, (made, own) in enumerate(zip(spans, groups, strict=True)):
                chunk = [-1] * len(sides[place]["ids"][row])
                for number, members in enumerate(own):
                    for member in members:
                        chunk[made[member][0]] = number
                ids[place].append(chunk)
        return {"student_chunk_id": ids[0], "teacher_chunk_id": ids[1]}

    def spans(self, side: dict[str, Any], row: int) -> list[tuple[int, Span]]:
        """Positions that are not padding, with their byte spans."""
        from tokenspec.models import load

        backend = load(side["model"]).tokenizer.backend_tokenizer
        try:
            (expected, offsets), *_ = encode_with_byte_offsets()(backend, [side["texts"][row]])
        except NotImplementedError as error:
            raise Unsupported("byte-level tokenizers only") from error
        except ValueError as error:
            raise Rejected("offsets", str(error)) from error
        if len(side["mask"][row]) != len(side["ids"][row]):
            raise Unsupported("a damaged batch")
        kept = [index for index, real in enumerate(side["mask"][row]) if real]
        ids = [side["ids"][row][index] for index in kept]
        if ids != list(expected):
            raise Unsupported("ids that are not exactly those of the text")
        return list(zip(kept, offsets, strict=True))


@lru_cache(maxsize=1)
def encode_with_byte_offsets() -> Any:
    """The library's function that gives ids and byte spans."""
    from trl.experimental.utils import encode_with_byte_offsets as encode

    return encode


@lru_cache(maxsize=1)
def _grouping() -> Any:
    from trl.experimental.gold.gold_trainer import ULDLoss

    return ULDLoss._align_by_byte_offsets  # noqa: SLF001


def group_offsets(student: list[Span], teacher: list[Span]) -> tuple[list[list[int]], list[list[int]]]:
    """The library's walk over two lists of byte spans."""
    groups: tuple[list[list[int]], list[list[int]]] = _grouping()(student, teacher)
    return groups
