"""Pictures: how many placeholders a size has, where they stand, and what is refused."""

from __future__ import annotations

from tokenspec.areas.media.cases.build import IDS, OTHER_HASH, REFUSED, declared, media, picture
from tokenspec.areas.render.cases.build import (
    GENERATE,
    WEATHER,
    assistant,
    call,
    calling,
    system,
    text_part,
    tool,
    user,
)

ASK = text_part("What is this?")
QWEN = ["qwen3-vl", "qwen3.5", "qwen3.6"]

SIZES = (
    media(
        "picture-small",
        "A picture of 224 x 168 is enlarged to the least number of pixels: 70 placeholders on Qwen3-VL.",
        [user([picture(224, 168), ASK])],
        options=GENERATE,
    ),
    media(
        "picture-small-least-lowered",
        "With a lower least number of pixels the same picture keeps its size: 35 placeholders on Qwen3-VL.",
        [user([picture(224, 168), ASK])],
        numbers={"image": {"min_pixels": 3136}},
        rows=QWEN,
    ),
    media(
        "picture-declared",
        "A declared size says all that is needed: no bytes, no library, and no hash.",
        [user([declared(640, 480), ASK])],
    ),
    media(
        "picture-half-cell",
        "A side that ends in half a cell goes to the even neighbour: 272 is 8.5 cells of 32, 304 is 9.5.",
        [user([declared(272, 304), declared(304, 272), ASK])],
    ),
    media(
        "picture-one-pixel",
        "A picture of one pixel is enlarged.",
        [user([picture(1, 1), ASK])],
    ),
    media(
        "picture-too-many-pixels",
        "More pixels than the most are shrunk, rounding down.",
        [user([declared(1000, 700), ASK])],
        numbers={"image": {"max_pixels": 262144}},
        rows=QWEN,
    ),
    media(
        "picture-published-most",
        "A picture of 24 million pixels meets the published most.",
        [user([declared(6000, 4000), ASK])],
    ),
    media(
        "picture-wide",
        "200 to 1 is the widest that Qwen's rule takes.",
        [user([declared(400, 2), ASK])],
    ),
    media(
        "picture-too-wide",
        "One pixel wider is refused by Qwen's rule; another rule may take it.",
        [user([declared(401, 2), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "picture-too-tall",
        "So is one taller.",
        [user([declared(2, 401), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "picture-thinner-than-a-pixel",
        "Shrunk to what a side may have, the other side would be less than a pixel.",
        [user([declared(60_000, 3), ASK])],
        requires=(*IDS, *REFUSED),
    ),
    media(
        "picture-thinner-than-a-cell",
        "Pictures so long that nothing is left of their thin side keep one cell of it.",
        [user([declared(1, 300), declared(300, 1), declared(2, 590), ASK])],
        rows=["gemma-4", "kimi-k2.5"],
    ),
    media(
        "picture-merged-by-three",
        "Nine patches share a placeholder where three by three are merged.",
        [user([declared(640, 480), declared(100, 300), ASK])],
        numbers={"image": {"merge_size": 3}},
        rows=[*QWEN, "kimi-k2.5"],
    ),
    media(
        "picture-pooled-by-two",
        "Four patches share a placeholder where two by two are pooled.",
        [user([declared(640, 480), declared(100, 300), ASK])],
        numbers={"image": {"pooling_kernel_size": 2}},
        rows=["gemma-4"],
    ),
    media(
        "picture-numbers-with-a-point",
        "A number of a processor may have a point.",
        [user([declared(300, 200), ASK])],
        numbers={"image": {"min_pixels": 3136.0, "max_pixels": 65536.0}},
        rows=QWEN,
    ),
)

UNSIZED = (
    media(
        "picture-no-width",
        "A picture of no width has no cells.",
        [user([declared(0, 64), ASK])],
        requires=REFUSED,
    ),
    media(
        "picture-no-height",
        "So has one of no height.",
        [user([declared(64, 0), ASK])],
        requires=REFUSED,
    ),
    media(
        "picture-of-no-size",
        "A picture that is neither there nor declared.",
        [user([{"type": "image"}, ASK])],
        requires=REFUSED,
    ),
    media(
        "picture-half-declared",
        "Half a declaration says no size.",
        [user([{"type": "image", "height": 64}, ASK])],
        requires=REFUSED,
    ),
    media(
        "picture-half-declared-but-there",
        "A picture that is there has its own size, whatever half of one is declared.",
        [user([{**picture(96, 64), "height": 300}, {**picture(64, 160), "width": 300}, ASK])],
    ),
)

PLACES = (
    media(
        "picture-between-texts",
        "Parts keep their order, and the texts around a picture are bodies.",
        [user([text_part("Look: "), picture(64, 64), text_part(" and tell.")]), assistant("It is black.")],
    ),
    media(
        "picture-three",
        "Three pictures of three sizes in one message: ranges and hashes in the order of the text.",
        [user([picture(300, 200), text_part(" or "), declared(64, 640, hash=OTHER_HASH), picture(64, 64, 1), ASK])],
    ),
    media(
        "picture-numbered",
        "Numbers in front of pictures are scaffold and count through the conversation.",
        [user([picture(64, 64), ASK]), assistant("Black."), user([picture(64, 64, 1), text_part("And this?")])],
        options={"add_vision_id": True, **GENERATE},
    ),
    media(
        "picture-twice",
        "The same picture twice has one hash and two ranges.",
        [user([picture(96, 96), ASK]), assistant("Black."), user([picture(96, 96), text_part("And again?")])],
    ),
    media(
        "picture-image-url",
        "A picture under image_url is the same picture.",
        [user([picture(96, 96, kind="image_url"), picture(96, 96), ASK])],
    ),
    media(
        "picture-in-tool-result",
        "A tool answers with a picture: its placeholders are body of the tool's message.",
        [
            user("Show me Rome."),
            calling(call("get_weather", {"city": "Rome"})),
            tool([text_part("webcam: "), picture(320, 240)]),
        ],
        "TOOL_RESULTS",
        tools=[WEATHER],
        options=GENERATE,
    ),
    media(
        "picture-after-system",
        "A system text in front changes nothing about the picture.",
        [system("Be brief."), user([picture(64, 64), ASK]), assistant("Black.")],
    ),
    media(
        "picture-in-system",
        "A picture in the system message is left out or refused by the template, and nobody may lose it silently.",
        [system([text_part("Logo: "), declared(64, 64)]), user("Hi.")],
        requires=(*IDS, *REFUSED),
    ),
)

TEXTS = (
    media(
        "text-alone",
        "Without media nothing is expanded, and all types are 0.",
        [user("What is the time?"), assistant("Noon.")],
        features=("parts",),
    ),
    media(
        "text-spells-placeholder",
        "Text that spells the placeholder beside a picture: nobody can tell which is which.",
        [user([picture(64, 64), text_part("I typed <|image_pad|> and <|image|> and <|media_pad|> myself.")])],
        "CONTROL_TOKEN_INJECTION",
        requires=REFUSED,
    ),
    media(
        "text-spells-placeholder-around",
        "Halves of a placeholder on both sides of a picture spell none.",
        [user([text_part("<|image_"), picture(64, 64), text_part("pad|>")])],
        "CONTROL_TOKEN_INJECTION",
    ),
    media(
        "text-already-expanded",
        "Text that came expanded, without a picture, is not expanded again: processors refuse it.",
        [user("<|vision_start|><|image_pad|><|image_pad|><|vision_end|> and <|image|> and <|media_pad|>")],
        "CONTROL_TOKEN_INJECTION",
        requires=REFUSED,
        features=("parts",),
    ),
    media(
        "text-spells-wrap",
        "Text that spells only the wrap is text.",
        [user([picture(64, 64), text_part("<|vision_start|> and <|vision_end|> are mine.")])],
        "CONTROL_TOKEN_INJECTION",
    ),
)

CASES = (*SIZES, *UNSIZED, *PLACES, *TEXTS)
