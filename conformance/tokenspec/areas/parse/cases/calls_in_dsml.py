"""Calls of DeepSeek since V3.2: every value says whether it is text. V3.2 has a name of its own for the block."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, ROME, odd
from tokenspec.store.records import Case


def invoke(name: str, *parameters: str) -> str:
    inside = "\n".join(parameters)
    return f'<｜DSML｜invoke name="{name}">\n{inside}\n</｜DSML｜invoke>'


def parameter(key: str, value: str, *, is_text: bool = True) -> str:
    return f'<｜DSML｜parameter name="{key}" string="{"true" if is_text else "false"}">{value}</｜DSML｜parameter>'


CITY = parameter("city", "Rome")


def cases_of(prefix: str, block: str, rows: list[str]) -> Iterator[Case]:
    """The cases of the rows that call a block of calls ``block``."""

    def dsml(*calls: str) -> str:
        return f"<｜DSML｜{block}>\n" + "\n".join(calls) + f"\n</｜DSML｜{block}>"

    value = f"a </｜DSML｜parameter> b </｜DSML｜{block}> c"
    yield odd(
        f"{prefix}typed-values",
        "A value is text or JSON as it says, whatever the schema declares.",
        rows,
        dsml(invoke("read", parameter("days", "3", is_text=False), parameter("tag", "3"), parameter("free", "[1]"))),
        {"name": "read", "arguments": {"days": 3, "tag": "3", "free": "[1]"}},
        requires=("RND-061",),
        tools=None,
    )
    yield odd(
        f"{prefix}close-tag-in-value",
        "A close tag in a value closes nothing.",
        rows,
        dsml(invoke("get_weather", parameter("city", value))),
        {"name": "get_weather", "arguments": {"city": value}},
        requires=("RND-061",),
    )
    yield odd(
        f"{prefix}broken-json",
        "A value that says it is JSON and is none is an attempt of its own status, and hides no other call.",
        rows,
        dsml(invoke("read", parameter("days", "three", is_text=False)), invoke("get_weather", CITY)),
        JSON_ERROR,
        ROME,
        tried="read",
    )
    yield odd(
        f"{prefix}no-name",
        "A call without a name is an attempt of its own status.",
        rows,
        dsml(invoke("", CITY)),
        NAMELESS,
    )
    yield odd(
        f"{prefix}value-unclosed-then-good",
        "A value without its close tag is broken, and hides no other call.",
        rows,
        dsml(invoke("get_weather", CITY.removesuffix("</｜DSML｜parameter>")), invoke("get_weather", CITY)),
        MALFORMED,
        ROME,
        tried="get_weather",
    )
    yield odd(
        f"{prefix}two-blocks",
        "Two blocks of calls are two, also where the completion is cut behind the second.",
        rows,
        dsml(invoke("get_weather", CITY)) + "\n\n" + dsml(invoke("get_weather", CITY)),
        ROME,
        ROME,
        stop=None,
        requires=("RND-061",),
    )
    yield odd(
        f"{prefix}half-a-tag-in-value",
        "Half a close tag in front of a close marker closes nothing, and neither does the marker.",
        rows,
        dsml(invoke("get_weather", CITY.replace("Rome", f"a /｜DSML｜invoke></｜DSML｜{block}> b"))),
        {"name": "get_weather", "arguments": {"city": f"a /｜DSML｜invoke></｜DSML｜{block}> b"}},
        requires=("RND-061",),
    )
    yield odd(
        f"{prefix}plain-text",
        "Text between the tags is a broken call.",
        rows,
        dsml("Rome, please."),
        MALFORMED,
        tried=None,
    )
    yield odd(
        f"{prefix}cut-in-marker",
        "A completion cut in the tag that announces calls, behind its control token, is an attempt and no content.",
        rows,
        f"Hm.\n\n<｜DSML｜{block[: block.index('_') + 1]}",
        CUT,
        stop=None,
        content="Hm.",
        tried=None,
    )
    yield odd(
        f"{prefix}unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        rows,
        f'<｜DSML｜{block}>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">R',
        CUT,
        tried="get_weather",
    )


CASES = (
    *cases_of("dsml-", "tool_calls", ["deepseek-v4"]),
    *cases_of("dsml-functions-", "function_calls", ["deepseek-v3.2"]),
)
