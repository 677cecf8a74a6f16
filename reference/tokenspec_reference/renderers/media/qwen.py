"""Media of the Qwen-VL models: a run of pads a picture; a time and a run of pads for every two frames of a video."""

from __future__ import annotations

from tokenspec_reference.renderers.media.format import Expansion, MediaFormat, repeated
from tokenspec_reference.renderers.media.medium import Medium
from tokenspec_reference.renderers.media.resizing import Settings, qwen_picture, qwen_video
from tokenspec_reference.renderers.segments import Segment, scaffold


def picture(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``<|image_pad|>`` once a merged cell of patches."""
    rows, columns = qwen_picture(medium, settings)
    count = rows * columns // int(settings["merge_size"]) ** 2
    return Expansion((repeated(placeholder, count),), {"placeholders": count, "grid_thw": [1, rows, columns]})


def video(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``<0.3 seconds><|vision_start|><|video_pad|>...<|vision_end|>`` for every two frames."""
    (rows, columns), seconds = qwen_video(medium, settings)
    count = rows * columns // int(settings["merge_size"]) ** 2
    frame = (scaffold("<|vision_start|>"), repeated(placeholder, count), scaffold("<|vision_end|>"))
    written = tuple(segment for second in seconds for segment in (scaffold(f"<{second:.1f} seconds>"), *frame))
    item = {"placeholders": count * len(seconds), "grid_thw": [len(seconds), rows, columns], "seconds": seconds}
    return Expansion(written, item)


QWEN3_VL_MEDIA = MediaFormat(
    pads={"image": "<|image_pad|>", "video": "<|video_pad|>"},
    settings={
        "image": {"patch_size": 16, "merge_size": 2, "min_pixels": 65_536, "max_pixels": 16_777_216},
        "video": {
            "patch_size": 16,
            "merge_size": 2,
            "temporal_patch_size": 2,
            "min_pixels": 4_096,
            "max_pixels": 25_165_824,
            "fps": 2,
            "min_frames": 4,
            "max_frames": 768,
        },
    },
    rules={"image": picture, "video": video},
)
"""The media of Qwen3-VL, Qwen3.5 and Qwen3.6, whose processors have the same settings."""
