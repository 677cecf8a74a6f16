"""The numbers of published processors, told by nobody: media on both sides of each bound."""

from __future__ import annotations

from functools import partial

from tokenspec.areas.media.cases.build import declared, media, video
from tokenspec.areas.render.cases.build import user

published = partial(media, requires=("RND-098",), told=False)

CASES = (
    published(
        "bounds-least-pixels",
        "Pictures of just the least number of pixels, and of a few less: one pixel more or less gives another size.",
        [user([declared(262, 250), declared(315, 35)])],
        rows=["qwen3-vl"],
    ),
    published(
        "bounds-most-pixels",
        "Pictures of just the most pixels, and of more: one pixel more or less gives another size.",
        [user([declared(4100, 4090), declared(2625, 8111)])],
        rows=["qwen3-vl"],
    ),
    published(
        "bounds-video-pixels",
        "Videos at the least and the most pixels of all frames together.",
        [
            user(
                [
                    video(4, 4, 25, 29),
                    video(2, 2, 33, 62),
                    video(2, 2, 5401, 2606),
                    video(2, 2, 16393, 784),
                ]
            )
        ],
        rows=["qwen3-vl"],
    ),
    published(
        "bounds-fewest-frames",
        "A video of half a second gives the least number of frames; two frames a second are taken of a longer one.",
        [user([video(30, 60, 64, 64), video(30, 3, 64, 64)])],
        rows=["qwen3-vl"],
    ),
    published(
        "bounds-most-frames",
        "A video of a quarter of an hour gives the most frames; here 64 share a time.",
        [user([video(900, 1, 32, 32)])],
        numbers={"video": {"temporal_patch_size": 64}},
        rows=["qwen3-vl"],
    ),
    published(
        "bounds-most-patches",
        "Pictures that are shrunk to the most patches, and to the most of one side: one more or less shows.",
        [user([declared(5987, 926), declared(6311, 561), declared(18795, 195), declared(7465, 439)])],
        rows=["kimi-k2.5"],
    ),
    published(
        "bounds-most-cells",
        "Pictures whose cells are as many as there may be: one more or less gives another size.",
        [user([declared(1059, 673), declared(3924, 260)])],
        rows=["gemma-4"],
    ),
    published(
        "bounds-most-cells-of-frames",
        "So are the frames of a video, and as many as the processor takes.",
        [user([video(33, 4, 451, 3979), video(32, 4, 1595, 1106)])],
        rows=["gemma-4"],
    ),
)
