"""The published rules by which processors resize pictures and take frames; all numbers come from their settings.

Rounding is part of a rule: Python's ``round`` takes the even neighbour of a half, and so do the processors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.media.medium import Medium

Settings = Mapping[str, float]
Grid = tuple[int, int]
"""Rows and columns of patches."""

WIDEST = 200
"""The ratio of two sides that Qwen's rule still takes."""
UNKNOWN_RATE = 24
"""Frames per second of a video that says nothing of them, as transformers takes it."""


class MediaRefused(TokenSpecError):
    """The publisher's processor refuses this picture or video."""

    rejection_code = "media-refused"


def qwen_picture(medium: Medium, settings: Settings) -> Grid:
    """Both sides become multiples of patch x merge, the area stays between ``min_pixels`` and ``max_pixels``.

    Raises:
        MediaRefused: one side is more than 200 times the other.
    """
    width, height = medium.width, medium.height
    _refuse_thin(width, height, medium.place)
    factor = int(settings["patch_size"] * settings["merge_size"])
    sides = round(height / factor) * factor, round(width / factor) * factor
    sides = _within(sides, (height, width), sides[0] * sides[1], height * width, factor, settings)
    patch = int(settings["patch_size"])
    return sides[0] // patch, sides[1] // patch


def qwen_video(medium: Medium, settings: Settings) -> tuple[Grid, list[float]]:
    """The grid of every pair of frames, and the second each pair stands for.

    All frames together stay between ``min_pixels`` and ``max_pixels``; a frame smaller than a cell is scaled up first.

    Raises:
        MediaRefused: too few frames, or one side is more than 200 times the other.
    """
    taken, step = frames_taken(medium, settings), int(settings["temporal_patch_size"])
    count, width, height = len(taken), medium.width, medium.height
    if count < step:
        raise MediaRefused(f"a video needs {step} frames at least, got {count}", field=medium.place)
    factor = int(settings["patch_size"] * settings["merge_size"])
    if height < factor or width < factor:
        scale = max(factor / height, factor / width)
        height, width = int(height * scale), int(width * scale)
    _refuse_thin(width, height, medium.place)
    sides = round(height / factor) * factor, round(width / factor) * factor
    area = round(count / step) * step * sides[0] * sides[1]
    sides = _within(sides, (height, width), area, count * height * width, factor, settings)
    patch, rate = int(settings["patch_size"]), medium.frame_rate or UNKNOWN_RATE
    padded = [*taken, *[taken[-1]] * (-count % step)]
    seconds = [(padded[k] / rate + padded[k + step - 1] / rate) / 2 for k in range(0, len(padded), step)]
    return (sides[0] // patch, sides[1] // patch), seconds


def frames_taken(medium: Medium, settings: Settings) -> list[int]:
    """Which frames are looked at: ``fps`` a second, between ``min_frames`` and ``max_frames``, evenly spread."""
    if medium.frame_indices is not None:
        return list(medium.frame_indices)
    total, rate = medium.frames, medium.frame_rate or UNKNOWN_RATE
    wanted = int(total / rate * settings["fps"])
    count = int(min(max(wanted, settings["min_frames"]), settings["max_frames"], total))
    if count == 1:
        return [0]
    step = (total - 1) / (count - 1)
    return [*(round(k * step) for k in range(count - 1)), total - 1]


def gemma_picture(medium: Medium, settings: Settings) -> Grid:
    """The largest size of the same shape whose cells of pooled patches are at most ``max_soft_tokens``; in cells.

    Where its thin side would have no cell, it has one, and the other side all of them.
    """
    patch, pool = settings["patch_size"], settings["pooling_kernel_size"]
    most = settings["max_soft_tokens"] * pool**2 * patch**2
    cell = int(pool * patch)
    scale = math.sqrt(most / (medium.height * medium.width))
    rows, columns = math.floor(scale * medium.height / cell), math.floor(scale * medium.width / cell)
    longest = int(settings["max_soft_tokens"])
    if not rows:
        rows, columns = 1, longest
    elif not columns:
        rows, columns = longest, 1
    return rows, columns


def gemma_video(medium: Medium, settings: Settings) -> tuple[Grid, list[float]]:
    """The cells of a frame, as of a picture, and the second of each of ``num_frames`` frames, evenly spread.

    Raises:
        MediaRefused: the video has fewer frames.
    """
    taken, wanted = medium.frame_indices, int(settings["num_frames"])
    if taken is None:
        if medium.frames < wanted:
            raise MediaRefused(f"a video needs {wanted} frames at least, got {medium.frames}", field=medium.place)
        taken = tuple(k * medium.frames // wanted for k in range(wanted))
    rate = medium.frame_rate or UNKNOWN_RATE
    return gemma_picture(medium, settings), [frame / rate for frame in taken]


def kimi_picture(medium: Medium, settings: Settings) -> Grid:
    """Never enlarged, shrunk to ``max_patches`` in all and ``max_side`` patches a side, then padded to whole cells."""
    patch, merge = int(settings["patch_size"]), int(settings["merge_size"])
    width, height = medium.width, medium.height
    longest = settings["max_side"] * patch
    patches = max(1, height // patch) * max(1, width // patch)
    scale = min(1.0, math.sqrt(settings["max_patches"] / patches), longest / height, longest / width)
    sides = [int(min(max(1, int(side * scale)), longest)) for side in (height, width)]
    cell = patch * merge
    rows, columns = ((side + -side % cell) // patch for side in sides)
    return rows, columns


def _refuse_thin(width: int, height: int, place: str) -> None:
    ratio = max(width, height) / min(width, height)
    if ratio > WIDEST:
        raise MediaRefused(f"one side is {ratio:g} times the other, the most is {WIDEST}", field=place)


def _within(sides: Grid, given: Grid, area: int, pixels: int, factor: int, settings: Settings) -> Grid:
    """Shrink (rounding down) or enlarge (rounding up) to the allowed number of pixels."""
    if area > settings["max_pixels"]:
        shrink = math.sqrt(pixels / settings["max_pixels"])
        down = [max(factor, math.floor(side / shrink / factor) * factor) for side in given]
        return down[0], down[1]
    if area < settings["min_pixels"]:
        grow = math.sqrt(settings["min_pixels"] / pixels)
        up = [math.ceil(side * grow / factor) * factor for side in given]
        return up[0], up[1]
    return sides
