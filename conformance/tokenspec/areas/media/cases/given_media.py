"""How a part gives its medium: under which name, there or elsewhere, declared too, and with which hash."""

from __future__ import annotations

from tokenspec.areas.media.cases.build import (
    IDS,
    OTHER_HASH,
    REFUSED,
    bridge,
    elsewhere,
    frames,
    media,
    picture,
    video,
)
from tokenspec.areas.media.cases.pictures import QWEN
from tokenspec.areas.render.cases.build import assistant, text_part, user

ASK = text_part("What is this?")
FOUR = ((64, 64, 0), (64, 64, 1), (64, 64, 0), (64, 64, 1))

CASES = (
    media(
        "picture-declared-and-there",
        "A picture that is there and declares its size has the hash of its bytes, unless it declares one.",
        [
            user(
                [
                    {**picture(64, 96), "width": 64, "height": 96},
                    {**picture(64, 96, 1), "width": 64, "height": 96, "hash": OTHER_HASH},
                    {**picture(96, 64), "hash": OTHER_HASH},
                    ASK,
                ]
            )
        ],
    ),
    media(
        "picture-held-otherwise",
        "A picture says how the camera was held: processors turn it upright first, so its sides may change places.",
        [user([*({**picture(64, 128), "picture": [64, 128, 0, held]} for held in range(1, 9)), ASK])],
    ),
    media(
        "picture-elsewhere",
        "Of a picture behind an address the declared size is known, and no bytes, so no hash.",
        [user([elsewhere("image_url", width=96, height=64), elsewhere("image", width=64, height=96), ASK])],
    ),
    media(
        "picture-elsewhere-unsized",
        "Of a picture behind an address that declares no size nothing is known.",
        [user([elsewhere("image_url"), ASK])],
        requires=REFUSED,
    ),
    media(
        "picture-under-url",
        "A picture under url is the same picture.",
        [user([{**picture(96, 64), "under": "url"}, ASK])],
    ),
    media(
        "parts-without-type",
        "What a part holds tells what it is, where it does not say so.",
        [
            user(
                [
                    {"picture": [96, 64, 0], "under": "image"},
                    {"text": "Which? "},
                    {"picture": [64, 96, 1], "under": "image_url"},
                    {"pictures": [list(one) for one in FOUR], "fps": 2, "under": "video"},
                ]
            )
        ],
        rows=QWEN,
    ),
    media(
        "video-elsewhere",
        "A video that only its name tells from one which the template writes is left out by it: nobody may lose it.",
        [
            user(
                [
                    elsewhere("video", width=128, height=96, total_num_frames=40, fps=4),
                    elsewhere("video_url", width=64, height=96, total_num_frames=32, fps=8),
                    ASK,
                ]
            )
        ],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-behind-address",
        "Of a video behind an address size and frames are declared.",
        [user([elsewhere("video", width=128, height=96, total_num_frames=40, fps=4), ASK])],
    ),
    media(
        "video-hashes",
        "A declared hash is the video's, whether its frames are there or not.",
        [user([frames(*FOUR, fps=2, hash=OTHER_HASH), video(8, 4, 64, 64, hash=OTHER_HASH), ASK])],
        rows=QWEN,
    ),
    media(
        "video-declared-and-there",
        "Frames that are there and declare their size have the hash of their bytes.",
        [user([frames(*FOUR, fps=2, width=64, height=64), ASK])],
        rows=QWEN,
    ),
    media(
        "video-one-side-small",
        "Frames of which one side is smaller than a cell are scaled up until it is one.",
        [user([video(8, 4, 100, 10), video(8, 4, 10, 100), video(8, 4, 31, 32), video(8, 4, 32, 31), ASK])],
        rows=QWEN,
    ),
    bridge(
        "bridge-numbered-video",
        "The numbers of both modalities go on counting, each its own.",
        [user([picture(64, 64), video(8, 4, 64, 64), picture(64, 64, 1), ASK])],
        assistant("It is black."),
        [user([video(8, 4, 64, 96), picture(64, 96), video(8, 4, 96, 64), ASK])],
        options={"add_vision_id": True},
        rows=QWEN,
    ),
)
