"""What a prompt did with the thought of the turn it opens, where thoughts of its history stand close before it."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import STOP, text
from tokenspec.areas.parse.cases.given import C, R, chat, given, thought
from tokenspec.areas.render.cases.build import Message, thinking, user

HISTORY: list[Message] = [user("Oslo?"), thinking("Rain.", "Wet."), user("Rome?")]
TWICE: list[Message] = [user("Oslo?"), thinking("Rain.", "Wet."), user("A."), thinking("B.", "C."), user("Rome?")]
WRITTEN = thought(f"<think>\n{R}\n</think>\n\n") + C
OPENED = "{{ '<think>\\n' }}"
CLOSED = "{{ '<think>\\n\\n</think>' }}"
THOUGHT: dict[str, Any] = {"content": "Dry.", "reasoning_content": "Sun.", "reasoning_complete": True}
ANSWER: dict[str, Any] = {"content": "Dry.", "reasoning_content": None}

CASES = (
    given(
        "thought-closed-behind-closed",
        "A prompt that closes the thought it opens, behind one of its history: blanks follow that are the template's.",
        chat(WRITTEN, CLOSED),
        [text("\n\nDry."), STOP],
        says=ANSWER,
        messages=HISTORY,
    ),
    given(
        "thought-opened-behind-closed",
        "A prompt that opens a thought, behind closed ones of its history: what follows is the thought.",
        chat(WRITTEN, OPENED),
        thinking("Sun.", "Dry."),
        messages=TWICE,
    ),
    given(
        "thought-left-to-sampler-behind-closed",
        "A prompt that opens no thought, behind closed ones of its history: a completion may open one.",
        chat(WRITTEN),
        [text("<think>\nSun.\n</think>\n\nDry."), STOP],
        says=THOUGHT,
        messages=TWICE,
    ),
)
