"""Pictures of Kimi K2.5: a run of placeholders in the template's own wrap."""

from __future__ import annotations

from tokenspec_reference.renderers.media.format import Expansion, MediaFormat, repeated
from tokenspec_reference.renderers.media.medium import Medium
from tokenspec_reference.renderers.media.resizing import Settings, kimi_picture
from tokenspec_reference.renderers.segments import Segment


def picture(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``<|media_pad|>`` once a merged cell of patches."""
    rows, columns = kimi_picture(medium, settings)
    count = rows * columns // int(settings["merge_size"]) ** 2
    return Expansion((repeated(placeholder, count),), {"placeholders": count, "grid_thw": [1, rows, columns]})


KIMI_K2_5_MEDIA = MediaFormat(
    pads={"image": "<|media_pad|>", "video": "<|kimi_k25_video_placeholder|>"},
    settings={"image": {"patch_size": 14, "merge_size": 2, "max_patches": 16_384, "max_side": 512}},
    rules={"image": picture},
)
