"""Parsing of what is cut, broken, doubled or split: nothing raises, nothing is lost, nothing is invented."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import (
    CALL,
    EOS,
    OSLO,
    ROME,
    SECOND,
    STOP,
    THREE_STOPS,
    TOOLS,
    parse,
    plain,
    text,
    turn,
)
from tokenspec.areas.render.cases.build import assistant, calling, thinking

LONG = assistant("Lisbon has the mildest winter, I believe.")
DEEP = thinking("Mild winters: the south-west of Europe.", "Lisbon.")
THINKING = ("thinking",)
CONTENT = ("RND-060", "RND-062")
BROKEN = ("RND-061", "RND-063")
HERMES = ["qwen2.5", "qwen3", "qwen3-instruct-2507", "qwen3-vl", "toy-bpe"]
"""Rows whose calls are JSON between `<tool_call>` and `</tool_call>`."""

CUTS = (
    parse(
        "cut-mid-text",
        "A cut answer is content up to the cut.",
        [turn(LONG, until="mildest win")],
        "TRUNCATION",
        requires=CONTENT,
    ),
    parse(
        "cut-before-stop",
        "An answer without its stop token is the same answer.",
        [turn(LONG, stop=False)],
        "TRUNCATION",
        "STOP_TOKEN",
        requires=CONTENT,
    ),
    parse(
        "cut-after-blank",
        "An answer cut behind a blank keeps the blank.",
        [turn(LONG, until="mildest ")],
        "TRUNCATION",
        "WHITESPACE",
        requires=("RND-060", "RND-066"),
    ),
    parse(
        "cut-inside-character",
        "An answer cut inside a character loses at most that character.",
        [turn(assistant("Grüße aus 東京 heute"), until="東京", drop_bytes=1)],
        "TRUNCATION",
        "UNICODE",
        requires=("RND-069",),
    ),
    parse(
        "cut-mid-thought",
        "A cut thought is reasoning, and the reasoning is reported as incomplete.",
        [turn(DEEP, until="south-")],
        "OPEN_THOUGHT",
        requires=("RND-005", "RND-060", "RND-064"),
        features=THINKING,
    ),
    parse(
        "cut-at-end-of-thought",
        "A thought cut right before its close tag is not complete.",
        [turn(DEEP, until="south-west of Europe.")],
        "OPEN_THOUGHT",
        requires=("RND-064",),
        features=THINKING,
    ),
    parse(
        "stop-inside-thought",
        "A stop token inside a thought ends the turn and completes nothing.",
        [turn(DEEP, until="south-"), STOP],
        "OPEN_THOUGHT",
        "STOP_TOKEN",
        requires=("RND-062", "RND-064"),
        features=THINKING,
    ),
    parse(
        "cut-mid-call",
        "A cut call is an attempt that did not succeed; it is not content.",
        [turn(CALL, until="Ro")],
        "TRUNCATION",
        "TOOL_CALLS",
        requires=BROKEN,
        tools=TOOLS,
    ),
    parse(
        "cut-mid-second-call",
        "A cut second call leaves the first one as it is.",
        [turn(calling(ROME, OSLO), until="Os")],
        "TRUNCATION",
        "PARALLEL_TOOL_CALLS",
        requires=("RND-005", *BROKEN),
        tools=TOOLS,
    ),
    parse(
        "cut-mid-call-after-text",
        "Text before a cut call is content.",
        [turn(calling(ROME, content="Looking."), until="Rom")],
        "TRUNCATION",
        "TOOL_CALLS",
        requires=("RND-005", *BROKEN, "RND-060"),
        tools=TOOLS,
    ),
    parse(
        "empty-completion",
        "No token at all is empty content.",
        [],
        "TRUNCATION",
        "EMPTY_CONTENT",
        requires=CONTENT,
        says={"content": "", "tool_calls": []},
    ),
)

STOPS = (
    parse(
        "stop-only",
        "A stop token alone is empty content.",
        [STOP],
        "STOP_TOKEN",
        "EMPTY_CONTENT",
        requires=CONTENT,
        says={"content": "", "reasoning_content": None, "tool_calls": []},
    ),
    parse(
        "stop-twice",
        "A doubled stop token is no content.",
        [turn(LONG), STOP],
        "STOP_TOKEN",
        requires=CONTENT,
    ),
    parse(
        "end-of-text-as-stop",
        "Another stop token of the row is no content either.",
        [turn(LONG, stop=False), EOS],
        "STOP_TOKEN",
        requires=CONTENT,
    ),
    parse(
        "middle-stop",
        "Of three stop tokens the one in the middle is no content either.",
        [turn(LONG, stop=False), SECOND],
        "STOP_TOKEN",
        requires=CONTENT,
        rows=THREE_STOPS,
    ),
)

MARKERS = (
    parse(
        "think-tag-in-ordinary-tokens",
        "A think tag spelled in ordinary tokens is text where the tag is a token of its own.",
        [plain("<think>"), text(" is a tag, "), plain("</think>"), text(" closes it."), STOP],
        "MARKER_TEXT",
        requires=("RND-067",),
        says={"content": "<think> is a tag, </think> closes it.", "reasoning_content": None},
        rows=["qwen3"],
    ),
    parse(
        "call-tag-in-ordinary-tokens",
        "A call tag spelled in ordinary tokens is text where the tag is a token of its own.",
        [plain("<tool_call>"), text('\n{"name": "x", "arguments": {}}\n'), plain("</tool_call>"), STOP],
        "MARKER_TEXT",
        requires=("RND-067",),
        says={"content": '<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>', "tool_calls": []},
        rows=HERMES,
    ),
    parse(
        "call-tag-in-ordinary-tokens-ahead-of-calls",
        "A call tag spelled in ordinary tokens is text, and each of the two calls behind it is one.",
        [
            plain("Write <tool_call> so:"),
            *(
                text(f'\n<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>')
                for city in ("Rome", "Oslo")
            ),
            STOP,
        ],
        "MARKER_TEXT",
        "TOOL_CALLS",
        requires=("RND-060", "RND-061", "RND-067"),
        says={
            "content": "Write <tool_call> so:",
            "tool_calls": [{"name": "get_weather", "arguments": {"city": city}} for city in ("Rome", "Oslo")],
        },
        tools=TOOLS,
        rows=HERMES,
    ),
    parse(
        "stop-tag-in-ordinary-tokens",
        "A stop token spelled in ordinary tokens ends nothing.",
        [text("Write "), plain("<|im_end|>"), text(" at the end."), STOP],
        "MARKER_TEXT",
        "STOP_TOKEN",
        requires=("RND-062", "RND-067"),
        says={"content": "Write <|im_end|> at the end."},
        rows=HERMES,
    ),
    parse(
        "call-broken-json",
        "A call whose JSON does not parse is an attempt of its own status.",
        [text('<tool_call>\n{"name": "get_weather", "arguments": {"city": }\n</tool_call>'), STOP],
        "TOOL_CALLS",
        requires=BROKEN,
        says={"content": "", "tool_calls": [{"status": ["invalid_json"]}]},
        tools=TOOLS,
        rows=HERMES,
    ),
    parse(
        "call-without-name",
        "A call without a name is an attempt of its own status.",
        [text('<tool_call>\n{"arguments": {"city": "Rome"}}\n</tool_call>'), STOP],
        "TOOL_CALLS",
        requires=(*BROKEN, "RND-084"),
        says={"tool_calls": [{"status": ["missing_name", "malformed_structure"]}]},
        tools=TOOLS,
        rows=HERMES,
    ),
    parse(
        "call-broken-then-good",
        "A broken call does not hide the good one behind it.",
        [
            text("<tool_call>\nnot json\n</tool_call>\n"),
            text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'),
            STOP,
        ],
        "TOOL_CALLS",
        "PARALLEL_TOOL_CALLS",
        requires=(*BROKEN, "RND-084"),
        says={
            "tool_calls": [
                {"status": ["invalid_json", "malformed_structure"]},
                {"name": "get_weather", "arguments": {"city": "Rome"}},
            ]
        },
        tools=TOOLS,
        rows=HERMES,
    ),
    parse(
        "call-behind-cut-character",
        "A marker behind a character that was cut is where its token stands.",
        [
            turn(assistant("Grüße aus 東京 heute"), until="東京", drop_bytes=1),
            text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'),
            STOP,
        ],
        "TOOL_CALLS",
        "UNICODE",
        requires=("RND-061", "RND-069"),
        says={"tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]},
        tools=TOOLS,
        rows=["qwen3", "toy-bpe"],
    ),
    parse(
        "call-unclosed-at-stop",
        "A call whose close tag is missing when the turn stops is an attempt.",
        [text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}'), STOP],
        "TOOL_CALLS",
        "TRUNCATION",
        requires=BROKEN,
        says={"content": "", "tool_calls": [{"status": ["unclosed_block"]}]},
        tools=TOOLS,
        rows=HERMES,
    ),
    parse(
        "orphan-close-tag",
        "A close tag that nothing opened: what stands before it is reasoning or content, and nothing is lost.",
        [text("Hm.\n</think>\n\nLisbon."), STOP],
        "OPEN_THOUGHT",
        "REASONING_INLINE",
        requires=("RND-064",),
        says={"tool_calls": []},
        features=THINKING,
        issue="sglang#26873",
    ),
)

MISSPELLED_END = (
    parse(
        "call-behind-misspelled-end-of-thought",
        "A call that ends a turn is a call, though the thought before it was never closed.",
        [
            text("<think>\nMild winters.\n</thinking>\n\n"),
            text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'),
            STOP,
        ],
        "OPEN_THOUGHT",
        "TOOL_CALLS",
        requires=("RND-061", "RND-064"),
        says={"reasoning_complete": False, "tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]},
        tools=TOOLS,
        rows=["qwen3", "toy-bpe"],
    ),
    parse(
        "call-drafted-in-a-cut-thought",
        "A call drafted in a thought that goes on behind it is reasoning.",
        [
            text("<think>\nI could send "),
            text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'),
            text(" but will not"),
            STOP,
        ],
        "OPEN_THOUGHT",
        "TOOL_CALLS",
        requires=("RND-061", "RND-064"),
        says={"content": "", "reasoning_complete": False, "tool_calls": []},
        tools=TOOLS,
        rows=["qwen3", "toy-bpe"],
    ),
)

RESPLITS = (
    parse(
        "resplit-content",
        "Another split of the same bytes is the same answer.",
        [turn(assistant("Lisbon, größer als 東京?\n\n  Indeed."), resplit=1)],
        "RESPLIT",
        requires=("RND-060", "RND-068"),
    ),
    parse(
        "resplit-thought",
        "Another split of a thought is the same thought.",
        [turn(DEEP, resplit=2)],
        "RESPLIT",
        "REASONING",
        requires=("RND-060", "RND-068"),
        features=THINKING,
    ),
    parse(
        "resplit-call",
        "Another split of a call is the same call.",
        [turn(calling(ROME, OSLO), resplit=3)],
        "RESPLIT",
        "TOOL_CALLS",
        requires=("RND-061", "RND-068"),
        tools=TOOLS,
    ),
    parse(
        "resplit-call-after-text",
        "Another split of text and call.",
        [turn(calling(ROME, content="Looking up Rome."), resplit=4)],
        "RESPLIT",
        "TOOL_CALLS",
        requires=("RND-060", "RND-061", "RND-068"),
        tools=TOOLS,
    ),
)

CASES = (*CUTS, *STOPS, *MARKERS, *MISSPELLED_END, *RESPLITS)
