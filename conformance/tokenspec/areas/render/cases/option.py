"""Options: prefill, template keywords, dates, and conversations that are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.render.cases.build import (
    ADD,
    CONTINUE,
    GENERATE,
    OPTIONS,
    REJECTS,
    TEXT,
    WEATHER,
    Message,
    assistant,
    call,
    calling,
    render,
    system,
    text_part,
    thinking,
    tool,
    user,
)

if TYPE_CHECKING:
    from tokenspec.store.records import Case

STORY = user("Tell me a story.")
OPEN = (*OPTIONS, "RND-002")
Q = user("What is 6 x 7?")


def prefill(slug: str, why: str, *messages: Message, issue: str | None = None) -> Case:
    return render(slug, why, list(messages), "PREFILL", requires=OPEN, options=CONTINUE, issue=issue)


def keyword(slug: str, why: str, *flags: str, issue: str | None = None, **options: Any) -> Case:
    """The same short conversation with reasoning in history under one keyword."""
    messages = [Q, thinking("Six sevens.", "42."), user("Sure?")]
    return render(slug, why, messages, *flags, requires=OPTIONS, options={**GENERATE, **options}, issue=issue)


PREFILLS = (
    prefill(
        "prefill-plain",
        "The last answer stays open: no closer follows it.",
        STORY,
        assistant("Once upon a time"),
    ),
    prefill(
        "prefill-trailing-blank",
        "A trailing blank of the open answer is kept unless the template strips; 24 of 88 lose it.",
        STORY,
        assistant("Once upon a "),
        issue="transformers#35433",
    ),
    prefill("prefill-newline", "An open answer that ends with a newline.", STORY, assistant("Title\n\n")),
    prefill("prefill-leading-newline", "An open answer that begins with newlines.", STORY, assistant("\n\nOnce")),
    prefill("prefill-empty", "An open answer that is still empty.", STORY, assistant("")),
    prefill(
        "prefill-repeats-earlier-text",
        "An open answer equal to an earlier turn is found at its last place.",
        user("Yes"),
        assistant("Yes"),
        user("Yes"),
        assistant("Yes"),
        issue="transformers#36440",
    ),
    prefill(
        "prefill-short",
        "An open answer so short that it also occurs in the closing tag.",
        STORY,
        assistant("e"),
        issue="SillyTavern#3901",
    ),
    prefill("prefill-open-thought", "An open answer inside a thought.", STORY, assistant("<think>\nLet me see")),
    prefill("prefill-user", "The open message may be the user's.", user("Dear diary, today I")),
    prefill("prefill-parts", "The open message may come in parts.", STORY, assistant([text_part("Once upon")])),
    prefill(
        "prefill-after-history",
        "An open answer after a finished exchange.",
        *(system("Be brief."), Q, assistant("42."), user("Why?"), assistant("Because six")),
    ),
    render(
        "prefill-and-generation-prompt",
        "To continue a message and to open a new one exclude each other.",
        [STORY, assistant("Once")],
        "PREFILL",
        "GENERATION_PROMPT",
        requires=("RND-005", "RND-002", "RND-003"),
        options={**CONTINUE, **GENERATE},
        wrong=("/options/continue_final_message", "/options/add_generation_prompt"),
    ),
)

KEYWORDS = (
    keyword(
        "kwargs-unknown",
        "A keyword no template reads changes nothing.",
        "TEMPLATE_OPTIONS",
        favourite_colour="blue",
    ),
    keyword(
        "kwargs-thinking-as-string",
        "The text false is true to a template.",
        "TEMPLATE_OPTIONS",
        "THINKING_SWITCH",
        issue="hass_local_openai_llm#118",
        enable_thinking="false",
    ),
    keyword(
        "kwargs-thinking-null",
        "Null is defined and false.",
        "TEMPLATE_OPTIONS",
        "THINKING_SWITCH",
        enable_thinking=None,
    ),
    keyword(
        "kwargs-thinking-bare",
        "A switch of another family (`thinking`) is read by that family only.",
        "TEMPLATE_OPTIONS",
        "THINKING_SWITCH",
        thinking=True,
    ),
    keyword(
        "kwargs-preserve-thinking",
        "`preserve_thinking` keeps the reasoning of history where a template knows it.",
        "TEMPLATE_OPTIONS",
        "REASONING_HISTORY",
        issue="earendil-works/pi#3325",
        preserve_thinking=True,
    ),
    keyword(
        "kwargs-clear-thinking-false",
        "`clear_thinking=false` keeps the reasoning of history where a template knows it.",
        "TEMPLATE_OPTIONS",
        "REASONING_HISTORY",
        clear_thinking=False,
    ),
    keyword(
        "kwargs-truncate-history-false",
        "`truncate_history_thinking=false` keeps the reasoning of history where a template knows it.",
        "TEMPLATE_OPTIONS",
        "REASONING_HISTORY",
        issue="tinker-cookbook#837",
        truncate_history_thinking=False,
    ),
    keyword(
        "kwargs-reasoning-effort-high",
        "An effort option beside history with reasoning.",
        "TEMPLATE_OPTIONS",
        "THINKING_SWITCH",
        reasoning_effort="high",
    ),
    render(
        "kwargs-documents",
        "Documents are printed by templates that know them and ignored by all others.",
        [Q],
        "TEMPLATE_OPTIONS",
        requires=OPTIONS,
        options={**GENERATE, "documents": [{"title": "Tables", "text": "6 x 7 = 42"}]},
    ),
    render(
        "kwargs-tools-in-system",
        "An option that moves the tools out of the user turn is read by one family.",
        [system("Be brief."), Q],
        "TEMPLATE_OPTIONS",
        "TOOL_SCHEMA",
        requires=OPTIONS,
        tools=[ADD],
        options={**GENERATE, "tools_in_user_message": False},
    ),
    render(
        "kwargs-date-string",
        "A date given as an option is printed as given.",
        [system("Be brief."), Q],
        "DATE",
        "TEMPLATE_OPTIONS",
        requires=OPTIONS,
        options={**GENERATE, "date_string": "01 Feb 2003"},
    ),
    render(
        "kwargs-date-default",
        "Without a date option some templates print today, which is the frozen clock's day.",
        [Q],
        "DATE",
        requires=(*OPTIONS, "RND-006", "RND-013"),
        options=GENERATE,
    ),
    render(
        "kwargs-add-vision-id",
        "An option that numbers images is read by one family.",
        [user([{"type": "image"}, {"type": "image"}, text_part("Compare.")])],
        "TEMPLATE_OPTIONS",
        "MULTIMODAL",
        requires=OPEN,
        options={"add_vision_id": True},
    ),
)


def chat(turns: int) -> list[Message]:
    return [user(f"Question {n}?") if n % 2 == 0 else assistant(f"Answer {n}.") for n in range(turns)]


def loop(rounds: int) -> list[Message]:
    """A tool loop with one call a round and ids that count on."""
    messages: list[Message] = [user("Add them all.")]
    for n in range(rounds):
        call_id = f"functions.add:{n}"
        messages += [calling(call("add", {"b": n, "a": 1}, call_id)), tool(str(n + 1), call_id, name="add")]
    return [*messages, assistant("Done.")]


LONG = (
    render(
        "long-sixty-turns",
        "Sixty turns keep sixty owners.",
        chat(60),
        "LONG_INPUT",
        requires=(*TEXT, "RND-021", "RND-022"),
    ),
    render(
        "long-three-hundred-turns",
        "Three hundred turns show a cost that grows with the square of the turns.",
        [{"role": message["role"], "content": f"{n}"} for n, message in enumerate(chat(300))],
        "LONG_INPUT",
        requires=(*TEXT, "RND-021"),
    ),
    render(
        "long-tool-loop",
        "Twelve rounds of calls and results.",
        loop(12),
        "LONG_INPUT",
        "TOOL_RESULTS",
        requires=(*TEXT, "RND-002", "RND-022"),
        tools=[ADD],
    ),
    render(
        "long-word",
        "One word of four thousand letters has no place to split.",
        [user("abcdefghij" * 400), assistant("Long.")],
        "LONG_INPUT",
        requires=(*TEXT, "RND-022"),
    ),
    render(
        "long-lines",
        "Three hundred short lines that begin with a newline.",
        [user("\n" + "\n".join(f"{n}: x" for n in range(300))), assistant("\n\nCounted.\n")],
        "LONG_INPUT",
        "SEAM_MERGE",
        requires=(*TEXT, "RND-022", "RND-027"),
    ),
    render(
        "long-unicode",
        "A long text of three-byte letters.",
        [user("東京の天気は晴れ、明日は雨。" * 60), assistant("はい。")],
        "LONG_INPUT",
        "UNICODE",
        requires=(*TEXT, "RND-022"),
    ),
    render(
        "long-code-edit",
        "A coding exchange: a file in a tool result, a patch in the arguments, a diff in the answer.",
        [
            user("Fix the loop in sum.py."),
            calling(call("get_weather", {"city": "sum.py"}), content="Reading the file."),
            tool("def total(xs):\n    t = 0\n    for x in xs\n        t += x\n    return t\n"),
            calling(call("add", {"b": 3, "a": "    for x in xs:\n"}, "call00002")),
            tool("", "call00002"),
            assistant("```diff\n-    for x in xs\n+    for x in xs:\n```\n\nFixed."),
        ],
        "LONG_INPUT",
        "MASK_BY_ROLE",
        requires=(*REJECTS, "RND-022", "RND-032"),
        tools=[WEATHER, ADD],
        derive=("tool",),
    ),
)

CASES = (*PREFILLS, *KEYWORDS, *LONG)
