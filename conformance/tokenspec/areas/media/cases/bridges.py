"""Bridges over media: earlier ones stay, new ones are expanded behind what was sampled."""

from __future__ import annotations

from tokenspec.areas.media.cases.build import bridge, declared, picture, video
from tokenspec.areas.media.cases.pictures import QWEN
from tokenspec.areas.render.cases.build import WEATHER, assistant, call, calling, text_part, tool, user

ASK = text_part("What is this?")
AGAIN = text_part("And this?")
BLACK = assistant("It is black.")
NUMBERED = {"add_vision_id": True}

CASES = (
    bridge(
        "bridge-text-after-picture",
        "A question behind an answer about a picture: its range stays.",
        [user([picture(96, 64), ASK])],
        BLACK,
        [user("Are you sure?")],
    ),
    bridge(
        "bridge-picture-after-picture",
        "A second picture is expanded behind the first; its range is counted from the beginning.",
        [user([picture(96, 64), ASK])],
        BLACK,
        [user([picture(300, 200, 1), AGAIN])],
    ),
    bridge(
        "bridge-picture-after-text",
        "The first picture of a conversation comes with the second question.",
        [user("Hello.")],
        assistant("Hello!"),
        [user([declared(300, 200), ASK])],
    ),
    bridge(
        "bridge-picture-in-result",
        "A tool answers with a picture.",
        [user([picture(64, 64), text_part("Where is it?")])],
        calling(call("get_weather", {"city": "Rome"})),
        [tool([text_part("webcam: "), picture(128, 96)])],
        "TOOL_RESULTS",
        tools=[WEATHER],
    ),
    bridge(
        "bridge-thinking-picture-in-result",
        "A call behind a thought, answered with a picture: what thinking templates keep of it stays.",
        [user([picture(64, 64), text_part("Where is it?")])],
        calling(call("get_weather", {"city": "Rome"}), reasoning_content="Weather tells."),
        [tool([text_part("webcam: "), picture(128, 96)])],
        "TOOL_RESULTS",
        tools=[WEATHER],
    ),
    bridge(
        "bridge-numbered",
        "The number in front of a new picture goes on counting.",
        [user([picture(64, 64), picture(64, 64, 1), ASK])],
        BLACK,
        [user([picture(64, 64), AGAIN])],
        options=NUMBERED,
    ),
    bridge(
        "bridge-video-after-picture",
        "A video behind a picture: both modalities are carried on.",
        [user([picture(64, 64), ASK])],
        BLACK,
        [user([video(8, 4, 64, 64), AGAIN])],
        rows=QWEN,
    ),
    bridge(
        "bridge-unnamed",
        "A bridge that is not told of the picture before it would lose it.",
        [user([picture(64, 64), ASK])],
        BLACK,
        [user([picture(64, 64), AGAIN])],
        requires=("RND-096",),
        named=False,
    ),
    bridge(
        "bridge-long-video-after-picture",
        "A video of forty frames behind a picture: each frame that is taken has its own run.",
        [user([picture(64, 64), ASK])],
        BLACK,
        [user([video(40, 4, 64, 64), AGAIN])],
    ),
    bridge(
        "bridge-text-after-one-placeholder",
        "A range may be one token long.",
        [user([picture(20, 20), ASK])],
        BLACK,
        [user([picture(20, 20, 1), AGAIN])],
        rows=["kimi-k2.5"],
    ),
    bridge(
        "bridge-picture-answered-already",
        "Messages with an answer of their own behind a new picture: declined, or the render.",
        [user([picture(96, 64), ASK])],
        BLACK,
        [user([picture(64, 64), AGAIN]), assistant("So it is."), user("Are you sure?")],
        requires=("RND-096", "RND-097"),
    ),
)
