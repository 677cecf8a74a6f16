"""The lint rule of render goldens: spans and masks say the same, redundantly on purpose."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.area import Cell
from tokenspec.areas.render.records import RenderExpect
from tokenspec.models import spec_of
from tokenspec.store.masks import decode_mask


def redundancy_agrees(cell: Cell, expect: RenderExpect) -> Iterator[str]:
    """Spans tile the tokens, and the masks are what the row's rule makes of the spans."""
    counted = sum(span[2] for span in expect.spans)
    if counted != len(expect.token_ids):
        yield f"{cell.name}: the spans count {counted} tokens, there are {len(expect.token_ids)}"
    if expect.unattributed is not None:
        return
    for name, kinds in (("is_content", {"content", "sampled"}), ("sampled", {"sampled"})):
        mask = decode_mask(getattr(expect, name) or "")
        from_spans = sum(span[2] for span in expect.spans if span[0] in kinds)
        straddle = spec_of(cell.row).wire.straddle
        differs = sum(mask) < from_spans if straddle == "overlap" else sum(mask) != from_spans
        if len(mask) != len(expect.token_ids) or differs:
            yield f"{cell.name}: {name} has {sum(mask)} of {len(mask)} tokens, the spans say {from_spans}"
