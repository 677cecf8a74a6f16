"""Tool schemas: what the tools block prints of them, byte for byte."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import (
    ADD,
    GENERATE,
    OPTIONS,
    TEXT,
    WEATHER,
    assistant,
    function,
    properties,
    render,
    system,
    user,
)

ASK = user("What can you do?")
NESTED = {
    "type": "object",
    "$defs": {"größe": {"type": "string", "enum": ["klein", "groß"]}},
    "properties": {
        "size": {"$ref": "#/$defs/größe"},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        "factor": {"type": "number", "default": 1.0, "minimum": -0.5},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    },
    "required": [],
    "additionalProperties": False,
}

CASES = (
    render("schema-one-tool", "One tool is listed before the first turn.", [ASK], "TOOL_SCHEMA", tools=[WEATHER]),
    render(
        "schema-with-system",
        "With a system text the tools stand in its message, and only the text is body.",
        [system("Be brief."), ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-010", "RND-022"),
        tools=[WEATHER],
        options=GENERATE,
    ),
    render(
        "schema-newline-system",
        "A system text that ends and starts with newlines meets the tools block.",
        [system("\n\nBe brief.\n\n"), ASK],
        "TOOL_SCHEMA",
        "SEAM_MERGE",
        requires=("RND-001", "RND-010", "RND-022", "RND-027"),
        tools=[ADD],
    ),
    render(
        "schema-two-tools",
        "Two tools are listed in the caller's order.",
        [ASK],
        "TOOL_SCHEMA",
        "KEY_ORDER",
        tools=[WEATHER, ADD],
        options=GENERATE,
    ),
    render(
        "schema-two-tools-reversed",
        "The other order gives the other text.",
        [ASK],
        "TOOL_SCHEMA",
        "KEY_ORDER",
        tools=[ADD, WEATHER],
        options=GENERATE,
    ),
    render(
        "schema-empty-list",
        "An empty list of tools is no tools to most templates and an empty block to some.",
        [ASK, assistant("Nothing.")],
        "TOOL_SCHEMA",
        requires=OPTIONS,
        tools=[],
        features=(),
    ),
    render(
        "schema-unicode-html",
        "Non-ASCII stays as it is and markup is not escaped.",
        [ASK],
        "JSON_TEXT",
        requires=TEXT,
        tools=[
            function(
                "übersetze",
                {
                    "type": "object",
                    "properties": {"naïve_ключ": {"type": "string", "description": "日本 <b>&'\"</b>"}},
                },
                "Übersetzt Text – „schnell“ 🚀.",
            )
        ],
        issue="tabbyAPI#459",
    ),
    render(
        "schema-nested",
        "References, alternatives, null and float defaults, empty lists and false.",
        [ASK],
        "TOOL_SCHEMA",
        "NUMBERS",
        tools=[function("resize", NESTED, "Resize.")],
    ),
    render(
        "schema-no-parameters",
        "A tool without parameters is listed, completed, or refused.",
        [ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-002"),
        tools=[function("ping", None, "Ping.")],
    ),
    render(
        "schema-empty-properties",
        "A tool with an empty object of properties takes no argument.",
        [ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-002"),
        tools=[function("ping", {"type": "object", "properties": {}}, "Ping.")],
    ),
    render(
        "schema-no-description",
        "A tool and a parameter without description.",
        [ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-002"),
        tools=[function("ping", properties(host="string"))],
    ),
    render(
        "schema-null-description",
        "A null description is printed as null, dropped, or refused.",
        [ASK],
        "TOOL_SCHEMA",
        "MISSING_CONTENT",
        requires=("RND-001", "RND-002"),
        tools=[
            {
                "type": "function",
                "function": {"name": "ping", "description": None, "parameters": properties(host="string")},
            }
        ],
    ),
    render(
        "schema-bare-function",
        "A definition without the outer type is taken as it is, or refused.",
        [ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-002"),
        tools=[{"name": "ping", "description": "Ping.", "parameters": properties(host="string")}],
    ),
    render(
        "schema-key-order",
        "Keys of a definition are printed in the caller's order, description first here.",
        [ASK],
        "KEY_ORDER",
        tools=[
            {
                "function": {
                    "parameters": {
                        "required": ["z"],
                        "properties": {"z": {"type": "string"}, "a": {"type": "string"}},
                    },
                    "description": "Keys in reverse.",
                    "name": "reverse",
                },
                "type": "function",
            }
        ],
        issue="sglang#39616",
    ),
    render(
        "schema-odd-enum",
        "An enumeration of strings, numbers, null and booleans.",
        [ASK],
        "NUMBERS",
        tools=[
            function(
                "choose",
                {
                    "type": "object",
                    "properties": {"x": {"enum": ["a", 1, 1.0, None, True, 1e22, 1e-7, 12345678901234567890]}},
                },
                "Choose.",
            )
        ],
    ),
    render(
        "schema-odd-names",
        "Names with dots, dashes, blanks, other alphabets and more than 64 characters.",
        [ASK],
        "TOOL_SCHEMA",
        "UNICODE",
        tools=[
            function(name, properties(x="string"), "Odd.")
            for name in ("files.read-all", "weather now", "погода", "very_long_" * 8)
        ],
    ),
    render(
        "schema-same-name-twice",
        "Two tools of one name are two tools.",
        [ASK],
        "TOOL_SCHEMA",
        requires=("RND-001", "RND-002"),
        tools=[
            function("ping", properties(a="string"), "One."),
            function("ping", properties(b="string"), "Two."),
        ],
    ),
    render(
        "schema-multi-line-description",
        "Newlines, quotes and backslashes in a description.",
        [ASK],
        "TOOL_SCHEMA",
        "JSON_TEXT",
        tools=[function("grep", properties(pattern="string"), 'Search.\n\nPattern like "\\d+\\n".\r\n\tTabs too.\n')],
    ),
    render(
        "schema-twelve-tools",
        "Many tools keep their order and their separators.",
        [ASK],
        "TOOL_SCHEMA",
        tools=[function(f"tool_{n}", properties(x="string"), f"Number {n}.") for n in range(12)],
    ),
)
