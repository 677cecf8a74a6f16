"""Parsing of whole turns: what the template wrote comes back."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import ASK, CALL, OSLO, ROME, TOOLS, parse, turn
from tokenspec.areas.render.cases.build import ADD, assistant, call, calling, function, properties, thinking

CONTENT = ("RND-060", "RND-062")
CALLS = ("RND-060", "RND-061", "RND-062")
BLANKS = ("RND-060", "RND-066")
RUN = [
    function(
        "run",
        {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "ratio": {"type": "number"},
                "flag": {"type": "boolean"},
                "items": {"type": "array"},
                "more": {"type": "object"},
            },
        },
        "Run.",
    )
]
THINKING = ("thinking",)

TEXTS = (
    parse("content", "An answer comes back as content.", [turn(assistant("Lisbon."))], "PARSE", requires=CONTENT),
    parse(
        "content-leading-newlines",
        "Newlines at the start of an answer are the answer's.",
        [turn(assistant("\n\nLisbon."))],
        "PARSE",
        "WHITESPACE",
        requires=BLANKS,
        issue="sglang#24251",
    ),
    parse(
        "content-outer-blanks",
        "Outer blanks of an answer are the answer's.",
        [turn(assistant(" Lisbon. "))],
        "PARSE",
        "WHITESPACE",
        requires=("RND-005", *BLANKS),
        issue="smg#1658",
    ),
    parse(
        "content-trailing-newlines",
        "Newlines at the end of an answer are the answer's.",
        [turn(assistant("Lisbon.\n\n"))],
        "PARSE",
        "WHITESPACE",
        requires=BLANKS,
    ),
    parse(
        "content-empty",
        "A turn of a stop token alone has empty content, not null.",
        [turn(assistant(""))],
        "PARSE",
        "EMPTY_CONTENT",
        requires=CONTENT,
    ),
    parse(
        "content-unicode",
        "Characters of several bytes come back whole.",
        [turn(assistant("リスボン ☀️ – größer é"))],
        "PARSE",
        "UNICODE",
        requires=CONTENT,
    ),
    parse(
        "content-code",
        "Indentation, blank lines and fences come back.",
        [turn(assistant("```python\ndef f():\n\n    return {}\n```\n"))],
        "PARSE",
        "WHITESPACE",
        requires=BLANKS,
    ),
    parse(
        "content-is-json",
        "An answer that is a JSON object is not a call.",
        [turn(assistant('{"city": "Rome", "temperature": 21, "sunny": true}'))],
        "PARSE",
        "MARKER_TEXT",
        requires=(*CONTENT, "RND-061"),
    ),
    parse(
        "content-with-markup",
        "Markup that is no marker is content.",
        [turn(assistant("<b>bold</b> <tools> </s ><| |> <end>"))],
        "PARSE",
        "MARKER_TEXT",
        requires=CONTENT,
    ),
    parse(
        "content-thinking-off",
        "With thinking off all that is sampled is the answer.",
        [turn(assistant("Lisbon."))],
        "PARSE",
        "THINKING_SWITCH",
        requires=CONTENT,
        options={"enable_thinking": False},
        features=THINKING,
    ),
)

THOUGHTS = (
    parse(
        "thought-and-content",
        "Reasoning and answer come back apart.",
        [turn(thinking("South-west.", "Lisbon."))],
        "PARSE",
        "REASONING",
        requires=CONTENT,
        features=THINKING,
    ),
    parse(
        "thought-and-long-content",
        "An answer of some length behind a thought.",
        [turn(thinking("South-west, or the south of Italy.", "Lisbon has the mildest winter of all, I believe."))],
        "PARSE",
        "REASONING",
        requires=CONTENT,
        features=THINKING,
    ),
    parse(
        "thought-of-several-lines",
        "Inner newlines of reasoning stay, the template's own go.",
        [turn(thinking("One.\n\nTwo:\n- a\n- b", "Lisbon.\n\nOr Malta."))],
        "PARSE",
        "REASONING",
        requires=("RND-005", *BLANKS),
        features=THINKING,
    ),
    parse(
        "thought-without-content",
        "A turn that only thought has empty content.",
        [turn(thinking("Nothing to add.", ""))],
        "PARSE",
        "REASONING",
        requires=CONTENT,
        features=THINKING,
    ),
    parse(
        "thought-holds-a-call",
        "A call drafted inside a thought is not a call.",
        [turn(thinking('Maybe {"name": "get_weather"}?\nNo.', "Lisbon."))],
        "PARSE",
        "REASONING",
        requires=(*CONTENT, "RND-061"),
        tools=TOOLS,
        features=THINKING,
    ),
    parse(
        "thought-with-thinking-on",
        "A thought the prompt opened is known from the prompt.",
        [turn(thinking("South-west.", "Lisbon."))],
        "PARSE",
        "THINKING_SWITCH",
        requires=("RND-005", *CONTENT, "RND-065"),
        options={"enable_thinking": True},
        features=THINKING,
    ),
    parse(
        "thought-and-call",
        "Reasoning and call come back apart, and the content between them is empty.",
        [turn(calling(ROME, reasoning_content="I need the weather."))],
        "PARSE",
        "REASONING",
        "TOOL_CALLS",
        requires=CALLS,
        tools=TOOLS,
        features=THINKING,
    ),
    parse(
        "thought-content-and-call",
        "Reasoning, text and call in one turn.",
        [turn(calling(ROME, content="Looking.", reasoning_content="I need the weather."))],
        "PARSE",
        "REASONING",
        "TOOL_CALLS",
        requires=("RND-005", *CALLS),
        tools=TOOLS,
        features=THINKING,
    ),
)


CALLING = (
    parse(
        "call",
        "A call comes back with its name and its arguments as values.",
        [turn(CALL)],
        "PARSE",
        "TOOL_CALLS",
        requires=CALLS,
        tools=TOOLS,
    ),
    parse(
        "call-string-arguments",
        "A call whose arguments were a JSON string comes back with the same values.",
        [turn(calling(call("get_weather", '{"city": "Rome"}')))],
        "PARSE",
        "ARGUMENTS_FORM",
        requires=CALLS,
        tools=TOOLS,
    ),
    parse(
        "call-with-content",
        "Text beside a call is content, without the separator the template wrote.",
        [turn(calling(ROME, content="Looking."))],
        "PARSE",
        "TOOL_CALLS",
        requires=("RND-005", *CALLS),
        tools=TOOLS,
    ),
    parse(
        "call-with-newline-content",
        "Text beside a call that ends with newlines keeps them.",
        [turn(calling(ROME, content="Looking.\n\n"))],
        "PARSE",
        "WHITESPACE",
        requires=(*CALLS, "RND-066"),
        tools=TOOLS,
    ),
    parse(
        "two-calls",
        "Two calls come back in order.",
        [turn(calling(ROME, OSLO))],
        "PARSE",
        "PARALLEL_TOOL_CALLS",
        requires=CALLS,
        tools=TOOLS,
    ),
    parse(
        "two-tools",
        "Calls of two tools come back with their own arguments.",
        [turn(calling(ROME, call("add", {"b": 1, "a": 2}, "call00002")))],
        "PARSE",
        "PARALLEL_TOOL_CALLS",
        requires=("RND-005", *CALLS),
        tools=[*TOOLS, ADD],
    ),
    parse(
        "call-without-arguments",
        "A call without arguments has an empty mapping.",
        [turn(calling(call("ping", {})))],
        "PARSE",
        "EMPTY_CONTENT",
        requires=CALLS,
        tools=[function("ping", {"type": "object", "properties": {}}, "Ping.")],
    ),
    parse(
        "call-typed-values",
        "Values come back in the types their schema names.",
        [
            turn(
                calling(
                    call(
                        "run",
                        {"text": "a", "count": 3, "ratio": 0.5, "flag": True, "items": [1, "b"], "more": {"k": None}},
                    )
                )
            )
        ],
        "PARSE",
        "NUMBERS",
        requires=("RND-005", *CALLS),
        tools=RUN,
    ),
    parse(
        "call-false-and-null",
        "False and null come back as values, however the template spells them.",
        [turn(calling(call("run", {"flag": False, "more": None})))],
        "PARSE",
        "NUMBERS",
        requires=CALLS,
        tools=RUN,
        rows=["glm-4.5", "minimax-m2", "nemotron-3", "qwen3.5"],
    ),
    parse(
        "call-strings-like-values",
        "A string that spells a number, a truth value or JSON stays a string where the schema says string.",
        [
            turn(calling(call("run", {"text": "true"}), call("run", {"text": "42"}, "call00002"))),
        ],
        "PARSE",
        "NUMBERS",
        requires=CALLS,
        tools=RUN,
        issue="clodex#225",
    ),
    parse(
        "call-multi-line-value",
        "A value of several lines keeps its newlines, the first and the last too.",
        [turn(calling(call("run", {"text": "\nfirst\n  second\n"})))],
        "PARSE",
        "WHITESPACE",
        requires=(*CALLS, "RND-066"),
        tools=RUN,
        issue="vllm#48846",
    ),
    parse(
        "call-unicode-value",
        "Quotes, backslashes and other alphabets in a value.",
        [turn(calling(call("run", {"text": 'Zürich "東京" \\ <b>&\'</b>'})))],
        "PARSE",
        "JSON_TEXT",
        requires=CALLS,
        tools=RUN,
        issue="llama.cpp#19795",
    ),
    parse(
        "call-nested-value",
        "Nested values come back nested.",
        [turn(calling(call("run", {"more": {"a": [1, {"b": []}], "c": {}}, "items": [[], [None]]})))],
        "PARSE",
        "JSON_TEXT",
        requires=CALLS,
        tools=RUN,
    ),
    parse(
        "call-of-undeclared-tools",
        "A call comes back when no tools are handed to the parser.",
        [turn(CALL)],
        "PARSE",
        "TOOL_CALLS",
        requires=CALLS,
        messages=[ASK],
    ),
    parse(
        "call-prompt-withheld",
        "Without the prompt a call is still a call.",
        [turn(CALL)],
        "PARSE",
        "TOOL_CALLS",
        requires=("RND-005", *CALLS),
        tools=[function("get_weather", properties(city="string"), "Weather.")],
        prompt="withheld",
    ),
)

CASES = (*TEXTS, *THOUGHTS, *CALLING)
