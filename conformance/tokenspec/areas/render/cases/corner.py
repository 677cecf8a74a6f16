"""What only one template reads: its own options, message keys and forms of content. Every branch of every template."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import (
    ADD,
    GENERATE,
    IMAGE_PART,
    OPTIONS,
    SAMPLED,
    TEXT,
    WEATHER,
    assistant,
    call,
    calling,
    function,
    properties,
    render,
    system,
    text_part,
    thinking,
    tool,
    user,
)

ASK = user("What is the weather in Rome?")
ROME = call("get_weather", {"city": "Rome"})
LOOP = [ASK, calling(ROME), tool("21 C")]
VIDEO_PART = {"type": "video"}
VISION = {"add_vision_id": True}
MAY_REFUSE = (*OPTIONS, "RND-002")
SEARCH = call("brave_search", {"query": "mild winters", "when": "now"})
PARTS = [text_part("One. "), IMAGE_PART, VIDEO_PART, text_part("Two.")]
LATER = {**WEATHER, "function": {**WEATHER["function"], "defer_loading": True}}
BARE_LATER = {"name": "add", "description": "Adds.", "parameters": properties(a="number"), "defer_loading": True}


def raw(content: str, *, thinks: bool) -> dict[str, Any]:
    """The arguments of a case whose assistant text is copied raw."""
    options = {"render_assistant_messages_raw": True, "enable_thinking": thinks}
    return {"messages": [ASK, assistant(content), user("Sure?"), assistant("Yes.")], "options": options}


RAW = tuple(
    render(
        f"corner-raw-{slug}",
        "Assistant text that is copied as it is, with what of its tags is missing.",
        given["messages"],
        "THINKING_SWITCH",
        requires=OPTIONS,
        options=given["options"],
        features=(),
    )
    for slug, given in (
        ("thinking", raw("<think>\nHm.\n</think>\nMild.", thinks=True)),
        ("thinking-untagged", raw("Mild.\n</assistant>", thinks=True)),
        ("answering", raw("</think>\nMild.", thinks=False)),
        ("answering-untagged", raw("Mild.\n</assistant>\n", thinks=False)),
    )
)

OWN_OPTIONS = (
    render(
        "corner-builtin-tools",
        "Tools that a template brings along are named, called by name, and end in another token.",
        [system("Be brief."), ASK, calling(SEARCH), tool("Lisbon"), assistant("Lisbon."), user("And Rome?")],
        "TOOL_CALLS",
        requires=OPTIONS,
        options={"builtin_tools": ["brave_search", "code_interpreter", "browser", "python"], **GENERATE},
    ),
    render(
        "corner-builtin-tools-and-others",
        "Built-in tools beside declared ones, and a call of a declared one.",
        [ASK, calling(ROME), tool("21 C"), assistant("21 C.")],
        "TOOL_CALLS",
        requires=OPTIONS,
        tools=[WEATHER],
        options={"builtin_tools": ["browser"]},
    ),
    render(
        "corner-builtin-python",
        "One built-in tool alone, and one that no template knows.",
        [ASK],
        "TOOL_SCHEMA",
        requires=OPTIONS,
        options={"builtin_tools": ["python", "unknown"], "model_identity": "You are a test."},
        features=(),
    ),
    render(
        "corner-custom-tools",
        "Tools by another name.",
        LOOP,
        "TOOL_SCHEMA",
        requires=OPTIONS,
        tools=[ADD],
        options={"custom_tools": [WEATHER], **GENERATE},
    ),
    render(
        "corner-tools-before-nobody",
        "Tools that go into the first message where there is none.",
        [system("Be brief.")],
        "TOOL_SCHEMA",
        "ROLE_ORDER",
        requires=MAY_REFUSE,
        tools=[WEATHER],
    ),
    render(
        "corner-tools-as-text",
        "Tools that were written out beforehand.",
        LOOP,
        "TOOL_SCHEMA",
        requires=OPTIONS,
        tools=[WEATHER],
        options={"tools_ts_str": "namespace functions { type get_weather = (_: { city: string }) => any; }"},
    ),
    render(
        "corner-thinking-off-by-another-name",
        "Thinking switched off by the keyword `thinking`.",
        [ASK, thinking("Hm.", "Mild."), user("Sure?"), thinking("Yes.", "", tool_calls=[ROME]), tool("21 C")],
        "THINKING_SWITCH",
        requires=OPTIONS,
        options={"thinking": False, **GENERATE},
        features=("thinking", "tool-role"),
    ),
    render(
        "corner-thinking-on-with-tools",
        "Thinking switched on beside tools changes what is said of calls.",
        LOOP,
        "THINKING_SWITCH",
        requires=OPTIONS,
        tools=[WEATHER],
        options={"enable_thinking": True, **GENERATE},
        features=("thinking", "tool-role"),
    ),
    render(
        "corner-date-and-place",
        "A system message that tells date and place in keys of its own.",
        [system("Be brief.", current_date="2026-01-02", current_location="Oslo"), ASK],
        "EXTRA_FIELDS",
        requires=TEXT,
    ),
    render(
        "corner-tool-reference",
        "A tool that is loaded later is listed where a result refers to it.",
        [ASK, calling(call("find", {"q": "weather"})), tool([{"type": "tool_reference", "name": "get_weather"}])],
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002"),
        tools=[LATER, BARE_LATER, function("find", properties(q="string"), "Finds tools.")],
        options=GENERATE,
        features=("tool-role",),
    ),
)

CONTENTS = (
    render(
        "corner-result-number",
        "A tool result that is a number.",
        [*LOOP[:2], tool(21)],
        "WRONG_TYPE",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-result-mapping",
        "A tool result that is a mapping, nested, its keys in no order.",
        [*LOOP[:2], tool({"t": 21.5, "city": "Rome", "rain": [None, False, {"b": "x", "a": 1}]}), assistant("21.5 C.")],
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-result-embedded",
        "A tool result whose content is a mapping with a content.",
        [*LOOP[:2], tool({"content": "21 C"})],
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-result-outputs",
        "A tool result as a list of outputs.",
        [*LOOP[:2], tool([{"name": "get_weather", "output": "21 C"}, {"name": "get_weather", "output": "2 C"}])],
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-responses-in-turn",
        "Results that stand in the assistant's own message.",
        [
            ASK,
            calling(
                ROME,
                tool_responses=[{"name": "get_weather", "response": {"t": 21, "a": "x"}}, {"response": "21 C"}],
            ),
            user("Thanks."),
        ],
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-result-with-media",
        "A tool result of text and media, numbered where that is asked for.",
        [user("Look."), calling(ROME), tool([*PARTS, {"type": "audio"}])],
        "MULTIMODAL",
        requires=(*OPTIONS, "RND-002"),
        options={**VISION, **GENERATE},
    ),
    render(
        "corner-result-with-unnumbered-media",
        "A tool result of text and media, not numbered.",
        [user("Look."), calling(ROME), tool(PARTS)],
        "MULTIMODAL",
        requires=(*OPTIONS, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-system-number",
        "A system text that is a number.",
        [system(7), ASK],
        "WRONG_TYPE",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-system-parts-and-tools",
        "A system text of parts beside tools.",
        [system([text_part("Be "), text_part("brief.")]), ASK],
        "CONTENT_PARTS",
        requires=(*TEXT, "RND-002"),
        tools=[WEATHER],
    ),
    render(
        "corner-empty-system-and-tools",
        "An empty system text beside tools.",
        [system(""), ASK],
        "SYSTEM_PLACEMENT",
        requires=TEXT,
        tools=[WEATHER],
    ),
    render(
        "corner-system-image",
        "An image in the system text.",
        [system([text_part("Be brief."), IMAGE_PART]), ASK],
        "MULTIMODAL",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-system-video",
        "A video in the system text, beside tools.",
        [system([VIDEO_PART, text_part("Be brief.")]), ASK],
        "MULTIMODAL",
        requires=(*TEXT, "RND-002"),
        tools=[WEATHER],
        features=("parts", "tools"),
    ),
    render(
        "corner-numbered-media",
        "Media of several turns, numbered.",
        [user(PARTS), assistant(PARTS), user([VIDEO_PART, IMAGE_PART, text_part("And these?")])],
        "MULTIMODAL",
        requires=(*OPTIONS, "RND-002"),
        options={**VISION, **GENERATE},
    ),
    render(
        "corner-user-without-content",
        "A user message without content.",
        [{"role": "user"}, assistant("Hello.")],
        "MISSING_CONTENT",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-assistant-image",
        "An image in an assistant's turn.",
        [ASK, assistant([IMAGE_PART, text_part("Mild.")]), user("Sure?")],
        "MULTIMODAL",
        requires=(*TEXT, "RND-002"),
    ),
)

CALLS = (
    render(
        "corner-call-without-arguments",
        "A call whose arguments are absent.",
        [ASK, calling({"id": "call00001", "type": "function", "function": {"name": "ping"}}), tool("ok")],
        "TOOL_CALLS",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-call-empty-arguments",
        "A call with empty arguments, written as a mapping and as text.",
        [ASK, calling(call("ping", {})), tool("ok"), calling(call("ping", "{}", "call00002")), tool("ok", "call00002")],
        "TOOL_CALLS",
        requires=(*TEXT, "RND-002"),
    ),
    render(
        "corner-call-of-content-type",
        "A call that says in which notation its arguments are.",
        [ASK, calling({**ROME, "function": {**ROME["function"], "content_type": "xml"}}), tool("21 C")],
        "TOOL_CALLS",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-text-loop-then-answer",
        "A call with its arguments as text, its result, and the answer to it.",
        [ASK, calling(call("get_weather", '{"city": "Rome"}'), content="Looking."), tool("21 C"), assistant("21 C.")],
        "TOOL_RESULTS",
        requires=(*TEXT, *SAMPLED, "RND-002"),
    ),
    render(
        "corner-text-loop-goes-on",
        "A second round of calls with arguments as text, and the prompt after its answer.",
        [
            *(ASK, calling(call("get_weather", '{"city": "Rome"}'), content="One."), tool("21 C"), assistant("21 C.")),
            *(user("And Oslo?"), calling(call("get_weather", '{"city": "Oslo"}', "call00002"), content="Two.")),
            *(tool("2 C", "call00002"), assistant("2 C."), user("Thanks.")),
        ],
        "TOOL_RESULTS",
        requires=(*TEXT, *SAMPLED, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-thought-holds-channel",
        "A thought that holds the tags of a channel is refused by the template that writes them.",
        [ASK, thinking("<|channel|>analysis<|message|>Hm.", "Mild.")],
        "CONTROL_TOKEN_INJECTION",
        requires=(*TEXT, "RND-002"),
        features=("thinking",),
    ),
    render(
        "corner-channel-in-history",
        "A thinking channel that stands in the text of a past turn.",
        [ASK, assistant("<|channel>thought\nHm.\n<channel|>Mild.<|channel>thought\nSure."), user("Sure?")],
        "REASONING_INLINE",
        requires=TEXT,
    ),
    render(
        "corner-open-thought-beside-past-call",
        "A past turn whose text opens a thought and calls.",
        [ASK, calling(ROME, content="Wait. <think>Hm."), tool("21 C"), assistant("21 C."), user("And Oslo?")],
        "REASONING_INLINE",
        requires=(*TEXT, "RND-002"),
        options=GENERATE,
    ),
    render(
        "corner-only-thought-in-past-turn",
        "A past turn that holds nothing but a closed thought, tags and blanks.",
        [ASK, assistant("  "), user("And?"), assistant("<think>Hm.</think>"), user("Well?"), assistant("Mild.")],
        "REASONING_INLINE",
        requires=TEXT,
    ),
    render(
        "corner-thoughts-of-several-rounds",
        "A round with a thought and one without, then a new question.",
        [
            *(ASK, thinking("Hm.", "", tool_calls=[ROME]), tool("21 C"), assistant("21 C.")),
            *(user("And Oslo?"), assistant("2 C."), user("Bern?")),
        ],
        "REASONING_HISTORY",
        requires=TEXT,
        features=("thinking", "tool-role"),
    ),
    render(
        "corner-calls-in-history",
        "Calls before the last answer, and calls after it.",
        [*LOOP, assistant("21 C."), calling(call("add", {"a": 1, "b": 2}, "call00002")), tool("3", "call00002")],
        "TOOL_CALLS",
        requires=(*TEXT, "RND-002"),
    ),
)

CASES = (*RAW, *OWN_OPTIONS, *CONTENTS, *CALLS)
