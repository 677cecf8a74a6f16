"""Thoughts that nothing closes, and calls behind them, in notations of several rows."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import STOP, TOOLS, parse, text
from tokenspec.areas.parse.cases.build import ROME
from tokenspec.areas.parse.cases.calls_in_tokens import KIMI, kimi, kimi_call
from tokenspec.areas.parse.cases.tags import hermes, xml
from tokenspec.store.records import Case

OFF = {"enable_thinking": False}
JSON = '{"name": "get_weather", "arguments": {"city": "Rome"}}'
XML = xml("<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>")
SECTION = kimi(kimi_call("functions.get_weather:0", '{"city": "Rome"}'))
BROKEN = hermes('{"name": "get_weather", "arguments": {"city": }')
MISSPELLED = "<think>\nMild winters.\n</thinking>\n"


def unclosed(
    slug: str,
    why: str,
    rows: list[str],
    written: str,
    *calls: dict[str, Any],
    reasoning: str,
    options: dict[str, Any] | None = None,
) -> Case:
    """A completion whose thought nothing closes, though the turn ended."""
    return parse(
        slug,
        why,
        [text(written), STOP],
        "OPEN_THOUGHT",
        "TOOL_CALLS",
        requires=("RND-061", "RND-064"),
        says={
            "content": "",
            "reasoning_content": reasoning,
            "reasoning_complete": False,
            "tool_calls": list(calls),
        },
        tools=TOOLS,
        options=options,
        rows=rows,
    )


CASES = (
    *(
        unclosed(
            f"{notation}-behind-misspelled-end-of-thought",
            "Calls that end a turn are calls, and what stands before them and their section is the thought.",
            rows,
            f"{MISSPELLED}{behind}",
            ROME,
            reasoning="\nMild winters.\n</thinking>\n" if notation == "kimi" else "Mild winters.\n</thinking>\n",
            options=options,
        )
        for notation, rows, behind, options in (
            ("hermes", ["qwen3", "toy-bpe"], f"\n{hermes(JSON)}", None),
            ("xml", ["qwen3.5"], f"\n\n{XML}", OFF),
            ("kimi", KIMI[2:], SECTION, {"thinking": False}),
        )
    ),
    unclosed(
        "broken-call-in-open-thought",
        "A broken call at the end of a thought that nothing closes is a part of it.",
        ["qwen3", "toy-bpe"],
        f"{MISSPELLED}\n{BROKEN}",
        reasoning=f"{MISSPELLED}\n{BROKEN}".removeprefix("<think>\n"),
    ),
    unclosed(
        "kimi-section-without-call-in-open-thought",
        "A section without a call at the end of a thought that nothing closes is a part of it.",
        KIMI[2:],
        "<think>Mild winters." + kimi(),
        reasoning="Mild winters." + kimi(),
        options={"thinking": False},
    ),
)
