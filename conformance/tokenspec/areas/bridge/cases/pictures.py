"""Bridges over pictures that nobody expands: each keeps its one placeholder, and its number where they are numbered."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import bridge, turn
from tokenspec.areas.render.cases.build import IMAGE_PART, assistant, text_part, user

QWEN = ["qwen3-vl", "qwen3.5", "qwen3.6"]
VIDEO_PART = {"type": "video"}
BLACK = turn(assistant("It is black."))
NUMBERED = {"add_vision_id": True}
ASK, AGAIN = text_part("What is this?"), text_part("And this?")

CASES = (
    bridge(
        "picture-after-pictures",
        "A picture behind others is written as they are.",
        [BLACK],
        [user([IMAGE_PART, AGAIN])],
        "MULTIMODAL",
        messages=[user([IMAGE_PART, IMAGE_PART, ASK])],
        rows=[*QWEN, "gemma-4", "kimi-k2.5"],
    ),
    bridge(
        "picture-numbered",
        "The number in front of a new picture goes on counting, whoever expands it later.",
        [BLACK],
        [user([IMAGE_PART, AGAIN, IMAGE_PART])],
        "MULTIMODAL",
        messages=[user([IMAGE_PART, IMAGE_PART, ASK])],
        options=NUMBERED,
        rows=QWEN,
    ),
    bridge(
        "picture-and-video-numbered",
        "Pictures and videos are counted each by themselves, over several questions.",
        [BLACK],
        [user([VIDEO_PART, IMAGE_PART, AGAIN])],
        "MULTIMODAL",
        messages=[user([IMAGE_PART, ASK]), assistant("It is white."), user([VIDEO_PART, VIDEO_PART, AGAIN])],
        options=NUMBERED,
        rows=QWEN,
    ),
    bridge(
        "picture-numbered-first",
        "The first picture of a conversation has the number one, though questions were asked before.",
        [BLACK],
        [user([IMAGE_PART, AGAIN])],
        "MULTIMODAL",
        options=NUMBERED,
        rows=QWEN,
    ),
)
