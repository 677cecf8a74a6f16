"""Token lists with the owner of each token: what a failing cell of an area that makes ids is shown with."""

from __future__ import annotations

from typing import Protocol

from tokenspec.verdict import Label

Labelled = tuple[list[int], list[Label]]


class Answered(Protocol):
    """An output that has ids and may have masks."""

    @property
    def token_ids(self) -> list[int] | None:
        """The ids, or None where it declines."""
        ...

    @property
    def message_indices(self) -> list[int] | None:
        """Per token the index of its message, -1 for none."""
        ...

    def mask(self, name: str) -> list[bool] | None:
        """A mask field as a list, or None when it was not given."""
        ...


def kind_by(outside: str, *, sampled: bool, body: bool) -> str:
    """The kind two masks give a token; ``outside`` is what scaffold is called here."""
    if sampled:
        return "sampled"
    if body:
        return "content"
    return outside if outside in {"prompt", "prior", "unattributed"} else "scaffold"


def labelled(output: Answered, *, prior: int = 0) -> Labelled | None:
    """The ids of an output with the owners it claims; ``unattributed`` where it gives no masks of the right length."""
    ids = output.token_ids
    if ids is None:
        return None
    sampled, body = output.mask("sampled_mask"), output.mask("is_content")
    indices = output.message_indices
    if indices is None or len(indices) != len(ids):
        indices = [-1] * len(ids)
    known = sampled is not None and body is not None and len(sampled) == len(body) == len(ids)
    labels: list[Label] = []
    for position in range(len(ids)):
        outside = "prior" if position < prior else "scaffold" if known else "unattributed"
        in_sampled = bool(sampled and known and sampled[position])
        in_body = bool(body and known and body[position])
        message = indices[position] if indices[position] >= 0 else None
        labels.append((kind_by(outside, sampled=in_sampled, body=in_body), message))
    return list(ids), labels
