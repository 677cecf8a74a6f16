"""Masks: conversations with several bodies per role, so that a wrong boundary has nowhere to hide."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import (
    DERIVED,
    GENERATE,
    SAMPLED,
    WEATHER,
    assistant,
    call,
    calling,
    render,
    system,
    thinking,
    tool,
    user,
)

ALL = ("RND-005", "RND-020", "RND-021", "RND-022", "RND-023", "RND-024", "RND-026", "RND-028")
CALLED = calling(call("get_weather", {"city": "Rome"}))

CASES = (
    render(
        "mask-one-character",
        "Bodies of one character each are one token each.",
        [system("s"), user("u"), assistant("a"), user("v"), assistant("b")],
        "MASK_BOUNDARY",
        requires=ALL,
    ),
    render(
        "mask-newline-bodies",
        "Every body begins with a newline: the shared token is scaffold by the first-character rule.",
        [system("\nRules."), user("\nOne."), assistant("\n1."), user("\n\nTwo."), assistant("\n\n2.")],
        "MASK_BOUNDARY",
        "SEAM_MERGE",
        requires=(*ALL, "RND-027"),
    ),
    render(
        "mask-bodies-equal-scaffold",
        "Bodies that repeat the scaffold around them are told apart by place, not by text.",
        [user("user\n"), assistant("assistant\n"), user("\nuser"), assistant("\nassistant")],
        "MASK_BOUNDARY",
        requires=(*ALL, "RND-027"),
    ),
    render(
        "mask-unicode-bodies",
        "Bodies of multi-byte characters in every role.",
        [system("Größe: ß"), user("猫は？"), assistant("ニャー 🐈‍⬛"), user("犬は？"), assistant("ワン 🐕")],
        "MASK_BOUNDARY",
        "UNICODE",
        requires=ALL,
    ),
    render(
        "mask-generation-prompt",
        "No token of the generation prompt is body or sampled, after several turns as after one.",
        [user("\nA?"), assistant("\nB."), user("C?\n")],
        "MASK_BOUNDARY",
        "GENERATION_PROMPT",
        requires=(*ALL, "RND-025"),
        options=GENERATE,
    ),
    render(
        "mask-tool-bodies",
        "Three results of different shape: a word, JSON with newlines, and text that looks like a wrap.",
        [
            *(user("Go."), CALLED, tool("ok")),
            *(
                calling(call("get_weather", {"city": "Oslo"}, "call00002")),
                tool('{\n "t": [1,\n 2]\n}\n', "call00002"),
            ),
            *(
                calling(call("get_weather", {"city": "Bern"}, "call00003")),
                tool("<response>\n\n</response>", "call00003"),
            ),
            assistant("Done."),
        ],
        "MASK_BOUNDARY",
        "MASK_BY_ROLE",
        requires=(*ALL, *DERIVED),
        tools=[WEATHER],
        derive=("tool",),
    ),
    render(
        "mask-tool-bodies-merged",
        "Consecutive results may share one turn; each keeps its own index and body.",
        [
            user("Go."),
            calling(*(call("get_weather", {"city": c}, f"call0000{c}") for c in ("A", "B", "C"))),
            *(tool(f"\n{c}\n", f"call0000{c}") for c in ("A", "B", "C")),
            assistant("\nABC"),
        ],
        "MASK_BOUNDARY",
        "PARALLEL_TOOL_CALLS",
        requires=(*ALL, *DERIVED, "RND-027"),
        tools=[WEATHER],
        derive=("tool",),
    ),
    render(
        "mask-user-and-system-derived",
        "Masks derived for user and system in a chat of both.",
        [system("One rule."), user("First."), assistant("1"), user("Second."), assistant("2")],
        "MASK_BY_ROLE",
        requires=DERIVED,
        derive=("system", "user"),
    ),
    render(
        "mask-system-derived",
        "The body of a caller's system text is its text, without the tools block that shares its turn.",
        [system("Only this."), user("Hi."), assistant("Hello.")],
        "MASK_BY_ROLE",
        "TOOL_SCHEMA",
        requires=DERIVED,
        tools=[WEATHER],
        derive=("system",),
    ),
    render(
        "mask-reasoning-sampled",
        "Reasoning, its tags, the answer, the call and the stop token are one sampled run.",
        [
            user("Rome?"),
            calling(call("get_weather", {"city": "Rome"}), content="Looking.", reasoning_content="Hm."),
        ],
        "MASK_BOUNDARY",
        "REASONING",
        requires=SAMPLED,
        tools=[WEATHER],
        features=("thinking", "tool-role"),
    ),
    render(
        "mask-open-thought-history",
        "Where the generation prompt opens the thought, the tag is not sampled in history either.",
        [user("A?"), thinking("a", "A."), user("B?"), thinking("b", "B.")],
        "MASK_BOUNDARY",
        "REASONING",
        requires=(*SAMPLED, "RND-005"),
        features=("thinking",),
    ),
    render(
        "mask-empty-between",
        "Empty and blank bodies between others leave no token with a wrong owner.",
        [user("a"), assistant(" "), user(""), assistant("b"), user("\n"), assistant("")],
        "MASK_BOUNDARY",
        "EMPTY_CONTENT",
        requires=ALL,
    ),
)
