"""Values between tags: in the types of their schemas, and with close tags inside."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, ROME, odd
from tokenspec.areas.parse.cases.tags import (
    GLM,
    GLM_DENSE,
    HERMES,
    HERMES_FEW,
    MINIMAX,
    QWEN_XML,
    glm_values,
    hermes,
    minimax,
    minimax_values,
    xml,
    xml_values,
)


def typed(days: str, unit: str, level: str, place: str, tag: str, free: str) -> dict[str, str]:
    """A value for every parameter of READ, in the order of the schema."""
    return {"city": "7", "days": days, "unit": unit, "level": level, "place": place, "tag": tag, "free": free}


BARE = typed("7", "C", "2", '{"a": [1]}', "7", "7")
BARE_NULLS = typed("null", "true", "1", "null", "x", "[1, null]")
VALUES = {"city": "7", "days": 7, "unit": "C", "level": 2, "place": {"a": [1]}, "tag": "7", "free": 7}
NULLS = {"city": "7", "days": None, "unit": "true", "level": 1, "place": None, "tag": "x", "free": [1, None]}


TYPED = tuple(
    odd(
        f"{notation}-{kind}",
        "A bare value has the type that its schema allows, through unions, nullable types and enums.",
        rows,
        written,
        {"name": "read", "arguments": values},
        requires=("RND-061",),
        flags=("NUMBERS",),
    )
    for kind, bare, values in (("typed-values", BARE, VALUES), ("typed-nulls", BARE_NULLS, NULLS))
    for notation, rows, written in (
        ("xml", QWEN_XML, xml(xml_values(bare))),
        ("glm", GLM, glm_values(bare, "\n")),
        ("glm-dense", GLM_DENSE, glm_values(bare, "")),
        ("minimax", MINIMAX, minimax_values(bare)),
    )
)

ODD_TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "get_weather"}},
    {"name": "read", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "free": {}}}},
    {"type": "function", "function": {"description": "Nameless."}},
    {"type": "function", "function": {"name": "listed", "parameters": {"properties": []}}},
    {"type": "function", "function": {"name": "said", "parameters": "none"}},
    {"type": "function", "function": "read"},
]
ODDLY_OFFERED = (
    odd(
        "hermes-odd-tools",
        "Tools without an envelope, without parameters, or with odd ones are known by their names.",
        ["toy-bpe", "qwen2.5"],
        "\n".join(hermes(f'{{"name": "{name}", "arguments": {{"a": 1}}}}') for name in ("read", "listed", "said")),
        *({"name": name, "arguments": {"a": 1}} for name in ("read", "listed", "said")),
        requires=("RND-061",),
        tools=ODD_TOOLS,
    ),
    odd(
        "xml-odd-tools",
        "The schema of a tool without an envelope types its values; an odd schema types none.",
        ["qwen3.5", "qwen3.6"],
        "\n".join(
            xml(f"<function={name}>\n<parameter=city>\n7\n</parameter>\n<parameter=free>\n7\n</parameter>\n</function>")
            for name in ("read", "listed", "said", "get_weather")
        ),
        {"name": "read", "arguments": {"city": "7", "free": 7}},
        *({"name": name, "arguments": {"city": 7, "free": 7}} for name in ("listed", "said", "get_weather")),
        requires=("RND-061",),
        tools=ODD_TOOLS,
    ),
)

CLOSERS = {"city": "a </tool_call> b", "free": "</arg_value> </parameter>"}
CLOSERS_BEHIND = (
    odd(
        "hermes-cut-behind-close-tag",
        "A call that was cut behind a close tag in a JSON string is one attempt, and its rest no content.",
        HERMES,
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "a </tool_call> b',
        CUT,
        stop=None,
        tried="get_weather",
    ),
    odd(
        "hermes-close-tags-in-strings",
        "Close tags in two strings of two calls close nothing.",
        HERMES_FEW,
        "\n".join(
            hermes(f'{{"name": "get_weather", "arguments": {{"city": "</tool_call>{end}", "b": "</tool_call>"}}}}')
            for end in ("", "\\n<tool_call>")
        ),
        *(
            {"name": "get_weather", "arguments": {"city": f"</tool_call>{end}", "b": "</tool_call>"}}
            for end in ("", "\n<tool_call>")
        ),
        requires=("RND-061",),
    ),
    odd(
        "hermes-string-unclosed-then-good",
        "A string that nothing closes does not hide the call behind it.",
        HERMES_FEW,
        hermes('{"name": "get_weather", "arguments": {"city": "Rome}}')
        + "\n"
        + hermes('{"name": "get_weather", "arguments": {"city": "Rome"}}'),
        JSON_ERROR,
        ROME,
        tried="get_weather",
    ),
    *(
        odd(
            f"{notation}-close-tags-in-values",
            "Close tags inside a value close nothing where what closes the value follows later.",
            rows,
            written,
            {"name": "read", "arguments": CLOSERS},
            requires=("RND-061",),
        )
        for notation, rows, written in (
            ("xml", QWEN_XML, xml(xml_values(CLOSERS))),
            ("glm", GLM, glm_values(CLOSERS, "\n")),
            ("glm-dense", GLM_DENSE, glm_values(CLOSERS, "")),
            (
                "minimax",
                MINIMAX,
                minimax_values({**CLOSERS, "city": "a </tool_call> b"}),
            ),
        )
    ),
    odd(
        "xml-value-unclosed-then-good",
        "A value that nothing closes does not hide the call behind it.",
        QWEN_XML,
        xml("<function=read>\n<parameter=city>\nRome")
        + "\n"
        + xml("<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>"),
        MALFORMED,
        ROME,
        tried="read",
    ),
    odd(
        "xml-no-function-close-then-good",
        "A function that nothing closes does not hide the call behind it.",
        QWEN_XML,
        xml("<function=read>\n<parameter=city>\nRome\n</parameter>")
        + "\n"
        + xml("<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>"),
        MALFORMED,
        ROME,
        tried="read",
    ),
    odd(
        "glm-value-unclosed-then-good",
        "A value that nothing closes does not hide the call behind it.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</tool_call>\n"
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        MALFORMED,
        ROME,
        tried="get_weather",
    ),
    odd(
        "minimax-invoke-unclosed-then-good",
        "An invocation that nothing closes does not hide the call behind it.",
        MINIMAX,
        minimax('<invoke name="read">\n<parameter name="city">Rome</parameter>')
        + "\n"
        + minimax('<invoke name="get_weather">\n<parameter name="city">Rome</parameter>\n</invoke>'),
        CUT,
        ROME,
        tried="read",
    ),
)

CASES = (*CLOSERS_BEHIND, *TYPED, *ODDLY_OFFERED)
