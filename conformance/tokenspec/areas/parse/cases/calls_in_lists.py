"""Calls in a list of their own without a fence: DeepSeek since V3.1, and Hy3."""

from __future__ import annotations

from functools import partial

from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, ROME, odd
from tokenspec.areas.parse.cases.calls_in_tokens import deepseek

DEEPSEEK = ["deepseek-v3.1"]
HY3 = ["hy3"]
CITY = "<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>"

unoffered = partial(odd, tools=None)
"""Where the row's template knows no definitions of tools."""


def bare(name: str, arguments: str) -> str:
    return f"{name}<｜tool▁sep｜>{arguments}"


def hy3(*calls: str) -> str:
    inside = "".join(f"<tool_call:opensource>{call}</tool_call:opensource>\n" for call in calls)
    return f"<tool_calls:opensource>\n{inside}</tool_calls:opensource>"


def hy3_call(name: str, city: str) -> str:
    return f"{name}<tool_sep:opensource>\n{CITY}{city}</arg_value:opensource>\n"


CASES = (
    unoffered(
        "deepseek-bare-calls",
        "A name, a separator and JSON come back as a call.",
        DEEPSEEK,
        deepseek(bare("get_weather", '{"city": "Rome"}'), bare("read", '{"free": [1]}')),
        ROME,
        {"name": "read", "arguments": {"free": [1]}},
        requires=("RND-061",),
    ),
    unoffered(
        "deepseek-bare-broken-json",
        "Arguments that are no JSON are an attempt of its own status, and hide no other call.",
        DEEPSEEK,
        deepseek(bare("get_weather", '{"city": }'), bare("get_weather", '{"city": "Rome"}')),
        JSON_ERROR,
        ROME,
        tried="get_weather",
    ),
    unoffered(
        "deepseek-bare-no-separator",
        "A call without its separator is broken.",
        DEEPSEEK,
        deepseek('get_weather\n{"city": "Rome"}'),
        MALFORMED,
    ),
    unoffered(
        "deepseek-bare-no-name",
        "A call without a name is an attempt of its own status.",
        DEEPSEEK,
        deepseek(bare("", '{"city": "Rome"}')),
        NAMELESS,
    ),
    unoffered(
        "deepseek-bare-unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        DEEPSEEK,
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "R',
        CUT,
        tried="get_weather",
    ),
    odd(
        "hy3-calls",
        "Keys and values in tags come back, with a close tag in a value.",
        HY3,
        hy3(hy3_call("get_weather", "Rome"), hy3_call("get_weather", "a </tool_call:opensource> b")),
        ROME,
        {"name": "get_weather", "arguments": {"city": "a </tool_call:opensource> b"}},
        requires=("RND-061",),
    ),
    odd(
        "hy3-value-unclosed-then-good",
        "A value without its close tag is broken, and hides no other call.",
        HY3,
        hy3(f"get_weather<tool_sep:opensource>\n{CITY}Rome\n", hy3_call("get_weather", "Rome")),
        MALFORMED,
        ROME,
        tried="get_weather",
    ),
    odd(
        "hy3-no-separator",
        "A call without its separator is broken.",
        HY3,
        hy3(f"get_weather\n{CITY}Rome</arg_value:opensource>\n"),
        MALFORMED,
    ),
    odd(
        "hy3-no-name",
        "A call without a name is an attempt of its own status.",
        HY3,
        hy3(hy3_call("", "Rome")),
        NAMELESS,
    ),
    odd(
        "hy3-unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        HY3,
        f"<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n{CITY}R",
        CUT,
        tried="get_weather",
    ),
)
