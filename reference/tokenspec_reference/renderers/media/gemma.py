"""Pictures of Gemma 4: a run of placeholders in a wrap that the template leaves to the processor."""

from __future__ import annotations

from tokenspec_reference.renderers.media.format import Expansion, MediaFormat, repeated
from tokenspec_reference.renderers.media.medium import Medium
from tokenspec_reference.renderers.media.resizing import Settings, gemma_picture
from tokenspec_reference.renderers.segments import Segment, scaffold


def picture(medium: Medium, settings: Settings, placeholder: Segment) -> Expansion:
    """``<|image><|image|>...<image|>``, a placeholder for every cell of pooled patches."""
    rows, columns = gemma_picture(medium, settings)
    written = (scaffold("<|image>"), repeated(placeholder, rows * columns), scaffold("<image|>"))
    return Expansion(written, {"placeholders": rows * columns, "cells": [rows, columns]})


GEMMA_4_MEDIA = MediaFormat(
    pads={"image": "<|image|>", "video": "<|video|>"},
    settings={"image": {"patch_size": 16, "pooling_kernel_size": 3, "max_soft_tokens": 280}},
    rules={"image": picture},
)
