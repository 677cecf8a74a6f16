"""Media of Gemma 4: runs of placeholders in a wrap that is the processor's own, and a time before each frame."""

from __future__ import annotations

from tokenspec_reference.renderers.media.format import Expansion, MediaFormat, repeated
from tokenspec_reference.renderers.media.medium import Medium
from tokenspec_reference.renderers.media.resizing import Settings, gemma_picture, gemma_video
from tokenspec_reference.renderers.segments import Segment, scaffold


def picture(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``<|image><|image|>...<image|>``, a placeholder for every cell of pooled patches."""
    rows, columns = gemma_picture(medium, settings)
    written = (scaffold("<|image>"), repeated(placeholder, rows * columns), scaffold("<image|>"))
    return Expansion(written, {"placeholders": rows * columns})


def video(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``00:01 <|image><|video|>...<image|>`` for every frame, a blank between two."""
    (rows, columns), seconds = gemma_video(medium, settings)
    frame = (repeated(placeholder, rows * columns), scaffold("<image|>"))
    times = [f"{int(second // 60):02d}:{int(second % 60):02d} <|image>" for second in seconds]
    written = [part for time in times for part in (scaffold(f" {time}"), *frame)]
    item = {"placeholders": rows * columns * len(seconds), "seconds": seconds}
    return Expansion((scaffold(times[0]), *written[1:]), item)


GEMMA_4_MEDIA = MediaFormat(
    pads={"image": "<|image|>", "video": "<|video|>"},
    settings={
        "image": {"patch_size": 16, "pooling_kernel_size": 3, "max_soft_tokens": 280},
        "video": {"patch_size": 16, "pooling_kernel_size": 3, "max_soft_tokens": 70, "num_frames": 32},
    },
    rules={"image": picture, "video": video},
)
