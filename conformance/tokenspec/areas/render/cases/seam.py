"""Seams of sampled text: contents that merge with the generation prompt, one or two for every way of merging.

Which ways a row has, its seam enumerator tells (``merging_contents``): newlines, blanks or tabs in front of a newline,
carriage returns. The canonical ids hold one token across the seam, the sampled-boundary ids two.
"""

from __future__ import annotations

from tokenspec.areas.render.cases.build import SEAM, WEATHER, assistant, call, calling, render, thinking, tool, user

REQUIRES = (*SEAM, "RND-014")

CASES = (
    render(
        "seam-one-newline",
        "An answer that begins with a newline, in history and as the last turn.",
        [user("Hi."), assistant("\nHello."), user("And?"), assistant("\nBye.")],
        "SEAM_MERGE",
        requires=REQUIRES,
        issue="renderers B1",
    ),
    render(
        "seam-many-newlines",
        "Five newlines are longer than any token the seam makes of two or three.",
        [user("Hi."), assistant("\n\n\n\n\nHello."), user("And?"), assistant("\n\n\n")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-blank-and-newline",
        "A blank in front of a newline merges with the newline of the generation prompt in many vocabularies.",
        [user("Hi."), assistant(" \nHello."), user("And?"), assistant("  \n\nBye.")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-tab-and-newline",
        "A tab in front of a newline merges like a blank does.",
        [user("Hi."), assistant("\t\nHello."), user("And?"), assistant("\n\t\nBye.")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-carriage-return",
        "A carriage return begins the sampled text; some vocabularies hold newline and carriage return as one token.",
        [user("Hi."), assistant("\r\nHello."), user("And?"), assistant("\r\r\nBye.")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-newline-then-text",
        "Newline and text behind it are one token in some vocabularies: brackets, dashes, comment signs.",
        [user("Hi."), assistant("\n//x\n"), user("And?"), assistant("\n}\n"), user("So?"), assistant("\n- a")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-blank-only",
        "An answer of one blank, then one of a word behind a blank: no newline takes part.",
        [user("Hi."), assistant(" "), user("And?"), assistant(" Bye.")],
        "SEAM_MERGE",
        requires=REQUIRES,
    ),
    render(
        "seam-reasoning-newlines",
        "Where the generation prompt opens the thought, a thought that begins with newlines merges with that opener.",
        [user("Hi."), thinking("\n\nHm.", "\nHello."), user("And?"), thinking("\nHm again.", "Bye.")],
        "SEAM_MERGE",
        "REASONING",
        requires=REQUIRES,
    ),
    render(
        "seam-turns-without-text",
        "Turns of calls only and of nothing: the seam lies in front of the template's own call tag or closer.",
        [user("Go."), calling(call("get_weather", {"city": "Rome"})), tool("sunny"), assistant("")],
        "SEAM_MERGE",
        "TOOL_CALLS",
        requires=REQUIRES,
        tools=[WEATHER],
    ),
)
