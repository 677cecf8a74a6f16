"""Calls between control tokens: broken, cut or odd."""

from __future__ import annotations

from functools import partial

from tokenspec.areas.bridge.cases.build import ENDED_THOUGHT, EOS, STOP, TOOLS, parse, plain, text
from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, NO_CLOSE, ROME, odd

KIMI = ["kimi-k2", "kimi-k2-stand-in", "kimi-k2.5"]
DEEPSEEK = ["deepseek-v3"]
DEEPSEEK_FIRST = ["deepseek-v3-first"]
LLAMA = ["llama-3.2", "llama-3.3"]
MISTRAL = ["mistral-nemo"]
NAMED = ["toy-ranks"]

answering = partial(odd, options={"thinking": False})
"""Behind a prompt that closed the thought it opened."""
unoffered = partial(odd, tools=None)
"""Where the row's template knows no definitions of tools."""


def kimi(*calls: str) -> str:
    inside = "".join(f"<|tool_call_begin|>{call}<|tool_call_end|>" for call in calls)
    return f"<|tool_calls_section_begin|>{inside}<|tool_calls_section_end|>"


def kimi_call(identifier: str, arguments: str) -> str:
    return f"{identifier}<|tool_call_argument_begin|>{arguments}"


def deepseek(*calls: str) -> str:
    inside = "\n".join(f"<｜tool▁call▁begin｜>{call}<｜tool▁call▁end｜>" for call in calls)
    return f"<｜tool▁calls▁begin｜>{inside}<｜tool▁calls▁end｜>"


def fenced(name: str, arguments: str) -> str:
    return f"function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```"


KIMI_CALLS = (
    answering(
        "kimi-ids",
        "The id that was written is the id of its call, and names the tool.",
        KIMI,
        kimi(kimi_call("functions.get_weather:3", '{"city": "Rome"}'), kimi_call("functions.read:4", '{"free": 1}')),
        {**ROME, "id": "functions.get_weather:3"},
        {"name": "read", "arguments": {"free": 1}, "id": "functions.read:4"},
        requires=("RND-061", "RND-080"),
        flags=("CALL_IDS",),
    ),
    answering(
        "kimi-broken-json",
        "Arguments that are no JSON are an attempt of its own status.",
        KIMI,
        kimi(kimi_call("functions.get_weather:0", '{"city": }')),
        JSON_ERROR,
        tried="get_weather",
    ),
    answering(
        "kimi-no-argument-marker",
        "A call without the marker of its arguments is broken.",
        KIMI,
        kimi("functions.get_weather:0"),
        MALFORMED,
    ),
    answering(
        "kimi-no-name",
        "An id that names no tool is an attempt of its own status.",
        KIMI,
        kimi(kimi_call("call00001", '{"city": "Rome"}')),
        NAMELESS,
    ),
    answering(
        "kimi-no-id",
        "A call without an id is an attempt of its own status.",
        KIMI,
        kimi(kimi_call("", '{"city": "Rome"}')),
        NAMELESS,
    ),
    answering(
        "kimi-number-as-arguments",
        "Arguments that are a number are broken.",
        KIMI,
        kimi(kimi_call("functions.get_weather:0", "7")),
        MALFORMED,
        tried="get_weather",
    ),
    answering(
        "kimi-broken-then-good",
        "A broken call does not hide the good one behind it.",
        KIMI,
        kimi(kimi_call("functions.get_weather:0", "no"), kimi_call("functions.get_weather:1", '{"city": "Rome"}')),
        JSON_ERROR,
        {**ROME, "id": "functions.get_weather:1"},
        tried="get_weather",
    ),
    answering(
        "kimi-unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        KIMI,
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "R',
        CUT,
        tried="get_weather",
    ),
    answering(
        "kimi-close-in-string",
        "A close marker inside a JSON string closes nothing.",
        KIMI,
        kimi(kimi_call("functions.get_weather:0", '{"city": "a <|tool_call_end|> b"}')),
        {"name": "get_weather", "arguments": {"city": "a <|tool_call_end|> b"}},
        requires=("RND-061",),
    ),
    answering(
        "kimi-text-and-call",
        "Text before the section of calls is content.",
        KIMI,
        "Looking." + kimi(kimi_call("functions.get_weather:0", '{"city": "Rome"}')),
        ROME,
        content="Looking.",
        requires=("RND-060", "RND-061"),
    ),
)

KIMI_SAID = (
    parse(
        "kimi-spelled-section",
        "Ordinary tokens that spell the marker of a section of calls are content, also in front of a real one.",
        [
            ENDED_THOUGHT,
            text("I write "),
            plain("<|tool_calls_section_begin|>"),
            text(" first." + kimi(kimi_call("functions.get_weather:0", '{"city": "Rome"}'))),
            STOP,
        ],
        "CONTROL_TOKEN_INJECTION",
        "TOOL_CALLS",
        requires=("RND-060", "RND-061", "RND-067"),
        says={"content": "I write <|tool_calls_section_begin|> first.", "tool_calls": [ROME]},
        tools=TOOLS,
        options={"thinking": False},
        rows=KIMI,
    ),
    answering(
        "kimi-broken-json-id",
        "The id of a broken call was written, too.",
        KIMI,
        kimi(kimi_call("functions.get_weather:0", '{"city": }')),
        {**JSON_ERROR, "id": "functions.get_weather:0"},
        requires=("RND-063", "RND-080"),
    ),
    answering(
        "kimi-no-argument-marker-id",
        "So was that of a call without the marker of its arguments.",
        KIMI,
        kimi("functions.get_weather:0"),
        {**MALFORMED, "id": "functions.get_weather:0"},
        requires=("RND-063", "RND-080"),
    ),
)

DEEPSEEK_CALLS = (
    unoffered(
        "deepseek-close-in-string",
        "A close marker inside a JSON string closes nothing.",
        DEEPSEEK_FIRST,
        deepseek(fenced("get_weather", '{"city": "a <｜tool▁call▁end｜> b"}')),
        {"name": "get_weather", "arguments": {"city": "a <｜tool▁call▁end｜> b"}},
        requires=("RND-061",),
    ),
    unoffered(
        "deepseek-calls",
        "Calls in fences come back.",
        DEEPSEEK_FIRST,
        deepseek(fenced("get_weather", '{"city": "Rome"}'), fenced("read", '{"free": [1]}')),
        ROME,
        {"name": "read", "arguments": {"free": [1]}},
        requires=("RND-061",),
    ),
    unoffered(
        "deepseek-broken-json",
        "Arguments that are no JSON are an attempt of its own status.",
        DEEPSEEK_FIRST,
        deepseek(fenced("get_weather", '{"city": }')),
        JSON_ERROR,
        tried="get_weather",
    ),
    unoffered(
        "deepseek-no-fence",
        "A call without its fence is broken.",
        DEEPSEEK_FIRST,
        deepseek('function<｜tool▁sep｜>get_weather\n{"city": "Rome"}'),
        MALFORMED,
    ),
    unoffered(
        "deepseek-no-name",
        "A call without a name is an attempt of its own status.",
        DEEPSEEK_FIRST,
        deepseek(fenced("", '{"city": "Rome"}')),
        NAMELESS,
    ),
    unoffered(
        "deepseek-broken-then-good",
        "A broken call does not hide the good one behind it.",
        DEEPSEEK_FIRST,
        deepseek(fenced("get_weather", "no"), fenced("get_weather", '{"city": "Rome"}')),
        JSON_ERROR,
        ROME,
        tried="get_weather",
    ),
    unoffered(
        "deepseek-unclosed",
        "A call whose close is missing when the turn stops is an attempt.",
        DEEPSEEK_FIRST,
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "R',
        CUT,
    ),
    *(
        unoffered(
            f"deepseek-{slug}-behind-thought",
            "A call behind a thought that the prompt opened.",
            DEEPSEEK,
            "Hm.\n</think>\n\n" + deepseek(fenced("get_weather", arguments)),
            called,
            reasoning="Hm.",
            requires=("RND-060", "RND-061", "RND-063", "RND-065"),
            tried="get_weather",
        )
        for slug, arguments, called in (("call", '{"city": "Rome"}', ROME), ("broken-call", '{"city": }', JSON_ERROR))
    ),
)

MISTRAL_CALLS = (
    odd(
        "mistral-ids",
        "The id that was written is the id of its call.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}, "id": "callrome1"}, '
        '{"name": "read", "arguments": {}, "id": "callread2"}]',
        {**ROME, "id": "callrome1"},
        {"name": "read", "arguments": {}, "id": "callread2"},
        requires=("RND-061", "RND-080"),
        flags=("CALL_IDS",),
    ),
    odd(
        "mistral-cut",
        "Calls that were cut are an attempt behind the whole ones.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}, "id": "callrome1"}, {"name": "re',
        ROME,
        CUT,
        stop=None,
        tried=None,
    ),
    odd(
        "mistral-broken-json",
        "A list that is no JSON is an attempt of its own status.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": }}]',
        JSON_ERROR,
        tried="get_weather",
    ),
    odd(
        "mistral-no-name",
        "A call without a name is an attempt of its own status.",
        MISTRAL,
        '[TOOL_CALLS][{"arguments": {"city": "Rome"}, "id": "callrome1"}]',
        NAMELESS,
    ),
    odd(
        "mistral-empty-list", "A list without calls is a broken call.", MISTRAL, "[TOOL_CALLS][]", MALFORMED, tried=None
    ),
    odd(
        "mistral-number-as-id",
        "An id that is no text is none.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}, "id": 7}]',
        ROME,
        requires=("RND-061",),
    ),
)

LLAMA_CALLS = (
    odd(
        "llama-call",
        "A completion that is the JSON of a call is a call.",
        LLAMA,
        '{"name": "get_weather", "parameters": {"city": "Rome"}}',
        ROME,
        requires=("RND-061",),
    ),
    odd(
        "llama-call-behind-tag",
        "The tag of a call is no content.",
        LLAMA,
        '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Rome"}}',
        ROME,
        requires=("RND-061",),
    ),
    odd(
        "llama-cut",
        "A call that was cut is an attempt.",
        LLAMA,
        '{"name": "get_weather", "parameters": {"city": "R',
        CUT,
        stop=None,
        tried="get_weather",
    ),
    odd(
        "llama-broken-json",
        "A call that is no JSON is an attempt of its own status.",
        LLAMA,
        '{"name": "get_weather", "parameters": {"city": }}',
        JSON_ERROR,
        tried="get_weather",
    ),
    odd(
        "llama-other-json",
        "JSON that is no call is content.",
        LLAMA,
        '{"name": "Rome", "mild": true}',
        content='{"name": "Rome", "mild": true}',
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "llama-no-name",
        "A call whose name is empty is an attempt of its own status.",
        LLAMA,
        '{"name": "", "parameters": {"city": "Rome"}}',
        NAMELESS,
    ),
    odd(
        "llama-list",
        "A JSON list is content.",
        LLAMA,
        '["name", "parameters"]',
        content='["name", "parameters"]',
        requires=("RND-060", "RND-061"),
    ),
)

NAMED_CALLS = (
    odd(
        "named-broken-json",
        "Arguments that are no JSON are an attempt of its own status.",
        NAMED,
        '<|call|>get_weather {"city": }',
        JSON_ERROR,
        stop=EOS,
        tried="get_weather",
    ),
    odd(
        "named-broken-then-good",
        "A broken call does not hide the good one behind it.",
        NAMED,
        '<|call|>get_weather no<|call|>get_weather {"city": "Rome"}',
        JSON_ERROR,
        ROME,
        stop=EOS,
        tried="get_weather",
    ),
    odd(
        "named-cut",
        "A call that was cut is an attempt.",
        NAMED,
        '<|call|>get_weather {"city": "R',
        NO_CLOSE,
        stop=None,
        tried="get_weather",
    ),
)

CASES = (*KIMI_CALLS, *KIMI_SAID, *DEEPSEEK_CALLS, *MISTRAL_CALLS, *LLAMA_CALLS, *NAMED_CALLS)
