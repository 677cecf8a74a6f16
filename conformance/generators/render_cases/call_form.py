"""Calls, one at a time: the form of arguments and what JSON makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .build import (
    ADD,
    GENERATE,
    REJECTS,
    SAMPLED,
    WEATHER,
    Message,
    assistant,
    call,
    calling,
    render,
    tool,
    user,
)

if TYPE_CHECKING:
    from tokenspec.model import Case

ASK = user("Please call the tool.")
FORM = (*REJECTS, "RND-010", "RND-023")


def called(slug: str, why: str, arguments: Any, *flags: str, issue: str | None = None) -> Case:
    """One call with these arguments and its result."""
    messages: list[Message] = [ASK, calling(call("run", arguments)), tool("done")]
    return render(slug, why, messages, *flags, requires=FORM, tools=None, issue=issue)


CASES = (
    render(
        "call-mapping",
        "Arguments as a mapping are written as JSON, as parameters, or refused.",
        [user("Weather in Rome?"), calling(call("get_weather", {"city": "Rome", "unit": "celsius"}))],
        "ARGUMENTS_FORM",
        "TOOL_CALLS",
        requires=FORM,
        tools=[WEATHER],
    ),
    render(
        "call-string",
        "The same arguments as a JSON string give the same text or a refusal, never a third text.",
        [user("Weather in Rome?"), calling(call("get_weather", '{"city": "Rome", "unit": "celsius"}'))],
        "ARGUMENTS_FORM",
        "TOOL_CALLS",
        requires=FORM,
        tools=[WEATHER],
        issue="transformers#45419",
    ),
    render(
        "call-compact-string",
        "A JSON string without blanks keeps its own spelling or is written anew.",
        [user("Weather in Rome?"), calling(call("get_weather", '{"city":"Rome","unit":"celsius"}'))],
        "ARGUMENTS_FORM",
        requires=FORM,
        tools=[WEATHER],
        issue="fw-ai/cookbook#466",
    ),
    called("call-empty-mapping", "A call without arguments.", {}, "ARGUMENTS_FORM", "EMPTY_CONTENT"),
    called("call-empty-object-string", "A call whose arguments are the text {}.", "{}", "ARGUMENTS_FORM"),
    called(
        "call-empty-string",
        "A call whose arguments are the empty text.",
        "",
        "ARGUMENTS_FORM",
        "EMPTY_CONTENT",
    ),
    called("call-null-arguments", "A call whose arguments are null.", None, "ARGUMENTS_FORM", "MISSING_CONTENT"),
    called(
        "call-list-arguments",
        "A call whose arguments are a list.",
        [1, "two"],
        "ARGUMENTS_FORM",
        "WRONG_TYPE",
    ),
    called(
        "call-truncated-string",
        "Arguments that stop in the middle of their JSON are history like any other.",
        '{"city": "Ro',
        "ARGUMENTS_FORM",
    ),
    called(
        "call-booleans-and-null",
        "Booleans and null are JSON words here and Python words there.",
        {"yes": True, "no": False, "nothing": None},
        "NUMBERS",
        "JSON_TEXT",
    ),
    called(
        "call-numbers",
        "Numbers keep the text Python gives them, big integers keep their digits.",
        {
            "i": 1,
            "f": 1.0,
            "tiny": 1e-7,
            "huge": 1e22,
            "big": 12345678901234567890,
            "minus": -0.0,
            "third": 0.1,
        },
        "NUMBERS",
    ),
    called(
        "call-strings-like-values",
        "The texts true, 1 and null are not the values true, 1 and null.",
        {"a": "true", "b": True, "c": "1", "d": 1, "e": "null", "f": None, "g": "[1]", "h": [1]},
        "NUMBERS",
        "ARGUMENTS_FORM",
        issue="clodex#225",
    ),
    called(
        "call-nested",
        "Nested objects and lists, empty ones among them.",
        {"filter": {"and": [{"x": [1, 2]}, {"y": {}}], "or": []}, "deep": [[[]]]},
        "JSON_TEXT",
    ),
    called(
        "call-key-order",
        "Keys of arguments stay in the caller's order.",
        {"z": 1, "a": 2, "m": {"y": 1, "b": 2}},
        "KEY_ORDER",
        issue="unsloth#10845",
    ),
    called(
        "call-unicode",
        "Non-ASCII keys and values are not escaped.",
        {"città": "Zürich", "都市": "東京 🗼", "e\u0301": "\u2028"},
        "JSON_TEXT",
        "UNICODE",
    ),
    called(
        "call-escapes",
        "Quotes, backslashes, markup, newline and tab in a value.",
        {"text": 'say "hi" \\ <b>&\'</b>\n\ttab', "path": "C:\\temp\\new", "slash": "a/b"},
        "JSON_TEXT",
        issue="mistral-common#311",
    ),
    called(
        "call-value-holds-closers",
        "A value that spells the closing tags of calls and parameters.",
        {"code": "print('</tool_call>')\n</parameter></function>\n</call>", "x": "</arg_value>"},
        "CONTROL_TOKEN_INJECTION",
        "TOOL_CALLS",
    ),
    called(
        "call-multi-line-values",
        "Values of several lines, with leading and trailing newlines and blanks.",
        {"body": "\n\nfirst\n  second\n", "blank": " ", "newline": "\n", "empty": ""},
        "WHITESPACE",
        "SEAM_MERGE",
    ),
    called(
        "call-string-escapes-twice",
        "Arguments as a string that holds escapes are not escaped again.",
        '{"text": "line\\nbreak \\u00fc \\"q\\""}',
        "ARGUMENTS_FORM",
        "JSON_TEXT",
        issue="llama.cpp#19553",
    ),
    render(
        "call-null-content",
        "A call beside null content.",
        [ASK, calling(call("add", {"b": 1, "a": 2}), content=None), tool("3")],
        "TOOL_CALLS",
        "MISSING_CONTENT",
        requires=FORM,
        tools=[ADD],
    ),
    render(
        "call-missing-content",
        "A call without a content key.",
        [ASK, {"role": "assistant", "tool_calls": [call("add", {"b": 1, "a": 2})]}, tool("3")],
        "TOOL_CALLS",
        "MISSING_CONTENT",
        requires=FORM,
        tools=[ADD],
    ),
    render(
        "call-with-content",
        "Text beside a call stands before it, or the template drops one of the two.",
        [ASK, calling(call("add", {"b": 1, "a": 2}), content="I will add them."), tool("3")],
        "TOOL_CALLS",
        requires=FORM,
        tools=[ADD],
        issue="renderers B5",
    ),
    render(
        "call-with-newline-content",
        "Text beside a call that starts and ends with newlines.",
        [ASK, calling(call("add", {"b": 1, "a": 2}), content="\n\nAdding.\n\n"), tool("3")],
        "TOOL_CALLS",
        "SEAM_MERGE",
        requires=(*FORM, "RND-027"),
        tools=[ADD],
    ),
    render(
        "call-last-message",
        "A conversation may end with a call: the turn is closed and its stop token is sampled.",
        [ASK, calling(call("add", {"b": 1, "a": 2}))],
        "TOOL_CALLS",
        "STOP_TOKEN",
        requires=(*SAMPLED, "RND-002"),
        tools=[ADD],
    ),
    render(
        "call-last-message-generation",
        "A generation prompt after a call that has no result yet.",
        [ASK, calling(call("add", {"b": 1, "a": 2}))],
        "TOOL_CALLS",
        "GENERATION_PROMPT",
        requires=(*REJECTS, "RND-025"),
        tools=[ADD],
        options=GENERATE,
    ),
    render(
        "call-flat",
        "A call without the inner function object is understood or refused.",
        [ASK, calling({"name": "add", "arguments": {"b": 1, "a": 2}}), tool("3")],
        "TOOL_CALLS",
        "ARGUMENTS_FORM",
        requires=FORM,
        tools=[ADD],
    ),
    render(
        "call-empty-list",
        "An empty list of calls is no call.",
        [ASK, calling(content="No tool fits."), user("Pity.")],
        "TOOL_CALLS",
        "EMPTY_CONTENT",
        requires=FORM,
    ),
    render(
        "call-null-list",
        "A null list of calls is no call, by version.",
        [ASK, assistant("No tool fits.", tool_calls=None), user("Pity.")],
        "TOOL_CALLS",
        "MISSING_CONTENT",
        requires=FORM,
    ),
    render(
        "call-undeclared-tools",
        "History may hold calls of tools that are not offered any more.",
        [ASK, calling(call("add", {"b": 1, "a": 2})), tool("3"), assistant("3.")],
        "TOOL_CALLS",
        requires=(*FORM, "RND-022"),
    ),
    render(
        "call-odd-name",
        "A call of a tool whose name has dots, dashes and other alphabets.",
        [ASK, calling(call("files.read-all/погода", {"x": "1"})), tool("ok")],
        "TOOL_CALLS",
        "UNICODE",
        requires=FORM,
    ),
)
