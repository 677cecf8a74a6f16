"""Videos: which frames are taken, the times between them, and how many placeholders each pair of frames has."""

from __future__ import annotations

from tokenspec.areas.media.cases.build import IDS, REFUSED, frames, media, picture, video
from tokenspec.areas.media.cases.pictures import QWEN
from tokenspec.areas.render.cases.build import GENERATE, assistant, text_part, user

ASK = text_part("What happens?")

CASES = (
    media(
        "video-two-seconds",
        "Two frames a second are taken of eight frames at four a second; times are those between two frames.",
        [user([video(8, 4, 128, 96), ASK])],
        options=GENERATE,
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-fewest-frames",
        "A short video gives four frames, though two a second would be one.",
        [user([video(30, 60, 128, 96), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-fewer-frames-than-least",
        "A video of three frames gives them all; the last stands twice.",
        [user([video(3, 24, 128, 96), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-long",
        "A hundred seconds at 25 frames: 200 frames, each pair with its time.",
        [user([video(2500, 25, 64, 64), ASK])],
    ),
    media(
        "video-most-frames",
        "A lower most number of frames spreads them over the whole video.",
        [user([video(2500, 25, 64, 64), ASK])],
        numbers={"video": {"max_frames": 9}},
        rows=QWEN,
    ),
    media(
        "video-many-pixels",
        "All frames together stay below the most pixels: frames of a long video are shrunk.",
        [user([video(300, 30, 1280, 720), ASK])],
        numbers={"video": {"max_pixels": 1048576}},
        rows=QWEN,
    ),
    media(
        "video-small",
        "Frames smaller than a cell are scaled up to one, then to the least number of pixels.",
        [user([video(8, 4, 20, 10), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-without-rate",
        "Without a rate a video has 24 frames a second.",
        [user([video(48, None, 128, 96), ASK])],
    ),
    media(
        "video-odd-rate",
        "Times of a rate of 29.97 are rounded to a tenth of a second.",
        [user([video(300, 29.97, 64, 64), ASK])],
    ),
    media(
        "video-taken-frames",
        "Frames that were taken already are not taken again; their numbers say when they were.",
        [user([video(240, 24, 128, 96, frames_indices=[0, 7, 50, 99, 230]), ASK])],
    ),
    media(
        "video-of-pictures",
        "A list of pictures is a video: its size is theirs, its hash is made of theirs.",
        [user([frames((64, 64, 0), (64, 64, 1), (64, 64, 0), (64, 64, 1), (64, 64, 0), fps=2), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-one-frame",
        "One frame is no video.",
        [user([video(1, 24, 128, 96), ASK])],
        requires=REFUSED,
    ),
    media(
        "video-too-wide",
        "Frames of 201 to 1 are refused.",
        [user([video(8, 4, 32 * 201, 32), ASK])],
        requires=REFUSED,
    ),
    media(
        "video-and-picture",
        "A picture and a video in two messages: two modalities, each with its own ranges and types.",
        [user([picture(64, 64), ASK]), assistant("Nothing."), user([video(8, 4, 64, 64), text_part("And here?")])],
        options={"add_vision_id": True, **GENERATE},
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-spelled",
        "Text that spells a video's placeholder.",
        [user([video(8, 4, 64, 64), text_part("I typed <|video_pad|> and <|video|>.")])],
        "CONTROL_TOKEN_INJECTION",
        requires=(*IDS, *REFUSED),
    ),
    media(
        "video-every-frame",
        "As many frames as are taken: each has its time and its own run.",
        [
            user([video(32, 8, 96, 64), ASK]),
            assistant("Nothing."),
            user([text_part("Look again."), video(64, 0.5, 64, 96)]),
        ],
        rows=["gemma-4"],
    ),
    media(
        "video-one-frame-short",
        "One frame less than are taken is refused.",
        [user([video(31, 8, 96, 64), ASK])],
        requires=REFUSED,
        rows=["gemma-4"],
    ),
    media(
        "video-few-frames-wanted",
        "With fewer frames wanted, those at the beginnings of equal parts are taken; cells may be fewer, too.",
        [user([video(30, 24, 300, 100), ASK])],
        options=GENERATE,
        numbers={"video": {"num_frames": 7, "max_soft_tokens": 140}},
        rows=["gemma-4"],
    ),
    media(
        "video-numbers-with-a-point",
        "A frame every two seconds; each placeholder stands for nine patches.",
        [user([video(240, 24, 300, 200), ASK])],
        numbers={"video": {"fps": 0.5, "merge_size": 3}},
        rows=QWEN,
    ),
    media(
        "video-no-rate",
        "A video of no frames a second never shows its second one.",
        [user([video(240, 0, 128, 96), ASK])],
        requires=REFUSED,
    ),
    media(
        "video-no-width",
        "Frames of no width have no cells.",
        [user([video(240, 24, 0, 96), ASK])],
        requires=REFUSED,
    ),
    media(
        "video-half-declared-but-there",
        "A list of pictures has its own size, whatever half of one is declared.",
        [user([frames((64, 64, 0), (64, 64, 1), (64, 64, 0), (64, 64, 1), fps=2, height=640), ASK])],
        rows=QWEN,
    ),
)
