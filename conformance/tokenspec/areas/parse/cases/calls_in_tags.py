"""Calls between tags: broken, cut or odd, and bare values in the types of their schemas."""

from __future__ import annotations

from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, NO_NAME, ROME, UNREADABLE, odd

HERMES = ["qwen2.5", "qwen3", "qwen3-instruct-2507", "qwen3-vl", "toy-bpe"]
HERMES_FEW = ["qwen3", "toy-bpe"]
QWEN_XML = ["qwen3.5", "qwen3.6", "nemotron-3"]
GLM = ["glm-4.5", "laguna-xs.2"]
GLM_DENSE = ["glm-4.7", "glm-5.1", "laguna-s-2.1"]
MINIMAX = ["minimax-m2"]


def hermes(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def xml(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def minimax(inside: str) -> str:
    return f"<minimax:tool_call>\n{inside}\n</minimax:tool_call>"


def typed(days: str, unit: str, level: str, place: str, tag: str, free: str) -> dict[str, str]:
    """A value for every parameter of READ, in the order of the schema."""
    return {"city": "7", "days": days, "unit": unit, "level": level, "place": place, "tag": tag, "free": free}


BARE = typed("7", "C", "2", '{"a": [1]}', "7", "7")
BARE_NULLS = typed("null", "true", "1", "null", "x", "[1, null]")
VALUES = {"city": "7", "days": 7, "unit": "C", "level": 2, "place": {"a": [1]}, "tag": "7", "free": 7}
NULLS = {"city": "7", "days": None, "unit": "true", "level": 1, "place": None, "tag": "x", "free": [1, None]}


def xml_values(values: dict[str, str]) -> str:
    written = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<function=read>\n{written}</function>"


def glm_values(values: dict[str, str], newline: str) -> str:
    pairs = [f"<arg_key>{key}</arg_key>{newline}<arg_value>{value}</arg_value>" for key, value in values.items()]
    return f"<tool_call>read{newline}{newline.join(pairs)}{newline}</tool_call>"


def minimax_values(values: dict[str, str]) -> str:
    written = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in values.items())
    return minimax(f'<invoke name="read">\n{written}</invoke>')


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

ODD_TOOLS = [
    {"type": "function", "function": {"name": "get_weather"}},
    {"name": "read", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "free": {}}}},
    {"type": "function", "function": {"description": "Nameless."}},
    {"type": "function", "function": {"name": "listed", "parameters": {"properties": []}}},
    {"type": "function", "function": {"name": "said", "parameters": "none"}},
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

HERMES_CALLS = (
    odd("hermes-list", "A JSON list is no call.", HERMES, hermes("[1, 2]"), UNREADABLE),
    odd(
        "hermes-no-arguments-key",
        "A call whose JSON has no arguments is broken.",
        HERMES,
        hermes('{"name": "get_weather"}'),
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "hermes-number-as-arguments",
        "Arguments that are a number are broken.",
        HERMES,
        hermes('{"name": "get_weather", "arguments": 7}'),
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "hermes-number-as-name",
        "A name that is a number names no tool.",
        HERMES_FEW,
        hermes('{"name": 7, "arguments": {"city": "Rome"}}'),
        NO_NAME,
    ),
    odd(
        "hermes-words-as-arguments",
        "Arguments that are a text, and no JSON, are broken.",
        HERMES_FEW,
        hermes('{"name": "get_weather", "arguments": "Rome, please"}'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "hermes-other-tool",
        "A call of a tool that was not offered is no text, and hides no call beside it.",
        HERMES_FEW,
        hermes('{"name": "book", "arguments": {}}')
        + "\n"
        + hermes('{"name": "get_weather", "arguments": {"city": "Rome"}}'),
        {"status": ["ok", "unknown_tool"]},
        ROME,
        tried="book",
    ),
    odd(
        "hermes-text-around-calls",
        "Words before, between and behind calls are content.",
        HERMES_FEW,
        "Sure.\n"
        + hermes('{"name": "get_weather", "arguments": {"city": "Rome"}}')
        + "\nAnd more.\n"
        + hermes('{"name": "get_weather", "arguments": {"city": "Rome"}}')
        + "Done.",
        ROME,
        ROME,
        content="Sure.\nAnd more.\nDone.",
        requires=("RND-060", "RND-061", "RND-082"),
    ),
    odd(
        "hermes-close-tag-in-string",
        "A close tag inside a JSON string closes nothing.",
        HERMES,
        hermes('{"name": "get_weather", "arguments": {"city": "a </tool_call> b"}}'),
        {"name": "get_weather", "arguments": {"city": "a </tool_call> b"}},
        requires=("RND-061",),
    ),
    odd(
        "hermes-text-behind-call",
        "Text behind a call is content.",
        HERMES,
        hermes('{"name": "get_weather", "arguments": {"city": "Rome"}}') + "\nDone.",
        ROME,
        content=None,
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "hermes-opened-only",
        "A call of which only the open tag was sampled is an attempt.",
        HERMES,
        "<tool_call>",
        CUT,
        stop=None,
    ),
)

XML_CALLS = (
    odd(
        "xml-no-function-close",
        "A function without its close tag is broken.",
        QWEN_XML,
        xml("<function=get_weather>\n<parameter=city>\nRome\n</parameter>"),
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "xml-no-parameter-close",
        "A parameter without its close tag is broken.",
        QWEN_XML,
        xml("<function=get_weather>\n<parameter=city>\nRome\n</function>"),
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "xml-no-name",
        "A function without a name is an attempt of its own status.",
        QWEN_XML,
        xml("<function=>\n<parameter=city>\nRome\n</parameter>\n</function>"),
        NAMELESS,
    ),
    odd("xml-plain-text", "Text between call tags is a broken call.", QWEN_XML, xml("Rome, please."), UNREADABLE),
    odd(
        "xml-broken-then-good",
        "A broken call does not hide the good one behind it.",
        QWEN_XML,
        xml("<function=get_weather>")
        + "\n"
        + xml("<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>"),
        MALFORMED,
        ROME,
        tried="get_weather",
    ),
    odd(
        "xml-no-parameters",
        "A function without parameters has empty arguments.",
        QWEN_XML,
        xml("<function=get_weather>\n</function>"),
        {"name": "get_weather", "arguments": {}},
        requires=("RND-061",),
    ),
    odd(
        "xml-unclosed",
        "A call whose close tag is missing when the turn stops is an attempt.",
        QWEN_XML,
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>",
        CUT,
        tried="get_weather",
    ),
)

GLM_CALLS = (
    odd(
        "glm-no-name",
        "A call without a name is an attempt of its own status.",
        [*GLM, *GLM_DENSE],
        "<tool_call><arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        NAMELESS,
    ),
    odd(
        "glm-no-value",
        "A key without its value is broken.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather<arg_key>city</arg_key></tool_call>",
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "glm-value-unclosed",
        "A value without its close tag is broken.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</tool_call>",
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "glm-no-arguments",
        "A call of only a name has empty arguments.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather</tool_call>",
        {"name": "get_weather", "arguments": {}},
        requires=("RND-061",),
    ),
    odd(
        "glm-plain-text",
        "Text between call tags is a broken call.",
        [*GLM, *GLM_DENSE],
        "<tool_call>Rome, please.</tool_call>",
        UNREADABLE,
    ),
    odd(
        "glm-unclosed",
        "A call whose close tag is missing when the turn stops is an attempt.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value>",
        CUT,
        tried="get_weather",
    ),
    odd(
        "glm-broken-then-good",
        "A broken call does not hide the good one behind it.",
        [*GLM, *GLM_DENSE],
        "<tool_call>get_weather<arg_key>city</arg_key></tool_call>"
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        MALFORMED,
        ROME,
        tried="get_weather",
    ),
)

MINIMAX_CALLS = (
    odd(
        "minimax-two",
        "Two invocations of one block come back in order.",
        MINIMAX,
        minimax(
            '<invoke name="get_weather">\n<parameter name="city">Rome</parameter>\n</invoke>\n'
            '<invoke name="read">\n<parameter name="city">a</parameter>\n</invoke>'
        ),
        ROME,
        {"name": "read", "arguments": {"city": "a"}},
        requires=("RND-061",),
    ),
    odd(
        "minimax-no-name",
        "A call without a name is an attempt of its own status.",
        MINIMAX,
        minimax('<invoke name="">\n<parameter name="city">Rome</parameter>\n</invoke>'),
        NAMELESS,
    ),
    odd(
        "minimax-parameter-unclosed",
        "A parameter without its close tag is broken.",
        MINIMAX,
        minimax('<invoke name="get_weather">\n<parameter name="city">Rome\n</invoke>'),
        MALFORMED,
        tried="get_weather",
    ),
    odd(
        "minimax-invoke-unclosed",
        "An invocation without its close tag is an attempt.",
        MINIMAX,
        minimax('<invoke name="get_weather">\n<parameter name="city">Rome</parameter>'),
        CUT,
        tried="get_weather",
    ),
    odd(
        "minimax-plain-text", "Text between call tags is a broken call.", MINIMAX, minimax("Rome, please."), UNREADABLE
    ),
    odd(
        "minimax-unclosed",
        "A block whose close tag is missing when the turn stops is an attempt.",
        MINIMAX,
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Rome</parameter>\n</invoke>',
        CUT,
        tried="get_weather",
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

CASES = (*CLOSERS_BEHIND, *TYPED, *ODDLY_OFFERED, *HERMES_CALLS, *XML_CALLS, *GLM_CALLS, *MINIMAX_CALLS)
