"""Calls between tags: broken, cut or odd."""

from __future__ import annotations

from tokenspec.areas.parse.cases.build import CUT, MALFORMED, NAMELESS, NO_NAME, ROME, UNREADABLE, odd
from tokenspec.areas.parse.cases.tags import GLM, GLM_DENSE, HERMES, HERMES_FEW, MINIMAX, QWEN_XML, hermes, minimax, xml

HERMES_CALLS = (
    odd("hermes-list", "A JSON list is no call.", HERMES, hermes("[1, 2]"), UNREADABLE, tried=None),
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
        tried=None,
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
        "hermes-close-tag-behind-a-brace",
        "A close tag inside a JSON string closes nothing, neither behind a brace in the string.",
        HERMES,
        hermes('{"name": "get_weather", "arguments": {"city": "a { </tool_call> b"}}'),
        {"name": "get_weather", "arguments": {"city": "a { </tool_call> b"}},
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
        tried=None,
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
    odd(
        "xml-plain-text",
        "Text between call tags is a broken call.",
        QWEN_XML,
        xml("Rome, please."),
        UNREADABLE,
        tried=None,
    ),
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
        tried=None,
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
        "minimax-plain-text",
        "Text between call tags is a broken call.",
        MINIMAX,
        minimax("Rome, please."),
        UNREADABLE,
        tried=None,
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

CASES = (*HERMES_CALLS, *XML_CALLS, *GLM_CALLS, *MINIMAX_CALLS)
