"""The tokens of a rendered conversation, expected and got."""

from __future__ import annotations

from tokenspec.areas.exhibit import Labelled, kind_by, labelled
from tokenspec.areas.render.records import RenderExpect, RenderOutput
from tokenspec.store.masks import decode_mask
from tokenspec.verdict import Label


def exhibit(expect: RenderExpect, output: RenderOutput | None) -> tuple[Labelled, Labelled | None]:
    """The oracle's ids with their owners, and the implementation's with those it claims."""
    return (expect.token_ids, labels_expected(expect)), None if output is None else labelled(output)


def labels_expected(expect: RenderExpect) -> list[Label]:
    """Per token of the oracle its kind and message: the masks where they are given, else the spans."""
    spans: list[Label] = [(kind, message) for kind, message, count, _ in expect.spans for _ in range(count)]
    spans += [("unattributed", None)] * (len(expect.token_ids) - len(spans))
    spans = spans[: len(expect.token_ids)]
    if expect.sampled is None or expect.is_content is None:
        return spans
    masks = zip(spans, decode_mask(expect.sampled), decode_mask(expect.is_content), strict=True)
    return [(kind_by(kind, sampled=sampled, body=body), message) for (kind, message), sampled, body in masks]
