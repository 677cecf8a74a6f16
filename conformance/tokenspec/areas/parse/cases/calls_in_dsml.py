"""Calls of DeepSeek-V4: every value says whether it is text."""

from __future__ import annotations

from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, ROME, odd

DSML = ["deepseek-v4"]


def dsml(*calls: str) -> str:
    return "<｜DSML｜tool_calls>\n" + "\n".join(calls) + "\n</｜DSML｜tool_calls>"


def invoke(name: str, *parameters: str) -> str:
    inside = "\n".join(parameters)
    return f'<｜DSML｜invoke name="{name}">\n{inside}\n</｜DSML｜invoke>'


def parameter(key: str, value: str, *, is_text: bool = True) -> str:
    return f'<｜DSML｜parameter name="{key}" string="{"true" if is_text else "false"}">{value}</｜DSML｜parameter>'


CITY = parameter("city", "Rome")

CASES = (
    odd(
        "dsml-typed-values",
        "A value is text or JSON as it says, whatever the schema declares.",
        DSML,
        dsml(invoke("read", parameter("days", "3", is_text=False), parameter("tag", "3"), parameter("free", "[1]"))),
        {"name": "read", "arguments": {"days": 3, "tag": "3", "free": "[1]"}},
        requires=("RND-061",),
        tools=None,
    ),
    odd(
        "dsml-close-tag-in-value",
        "A close tag in a value closes nothing.",
        DSML,
        dsml(invoke("get_weather", parameter("city", "a </｜DSML｜parameter> b </｜DSML｜tool_calls> c"))),
        {"name": "get_weather", "arguments": {"city": "a </｜DSML｜parameter> b </｜DSML｜tool_calls> c"}},
        requires=("RND-061",),
    ),
    odd(
        "dsml-broken-json",
        "A value that says it is JSON and is none is an attempt of its own status, and hides no other call.",
        DSML,
        dsml(invoke("read", parameter("days", "three", is_text=False)), invoke("get_weather", CITY)),
        JSON_ERROR,
        ROME,
    ),
    odd(
        "dsml-no-name",
        "A call without a name is an attempt of its own status.",
        DSML,
        dsml(invoke("", CITY)),
        NAMELESS,
    ),
    odd(
        "dsml-value-unclosed-then-good",
        "A value without its close tag is broken, and hides no other call.",
        DSML,
        dsml(invoke("get_weather", CITY.removesuffix("</｜DSML｜parameter>")), invoke("get_weather", CITY)),
        MALFORMED,
        ROME,
    ),
    odd(
        "dsml-plain-text",
        "Text between the tags is a broken call.",
        DSML,
        dsml("Rome, please."),
        MALFORMED,
    ),
    odd(
        "dsml-cut-in-marker",
        "A completion cut in the tag that announces calls, behind its control token, is an attempt and no content.",
        DSML,
        "Hm.\n\n<｜DSML｜tool_",
        CUT,
        stop=None,
        content="Hm.",
    ),
    odd(
        "dsml-unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        DSML,
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">R',
        CUT,
    ),
)
