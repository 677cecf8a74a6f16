"""Bridges behind a thought, and bridges that have to decline."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import ASK, CALL, DECLINES, NEXT, OSLO, PREFIX, ROME, TOOLS, bridge, turn
from tokenspec.areas.render.cases.build import assistant, calling, thinking, tool, user

LISBON = assistant("Lisbon, by a small margin.")
THOUGHT = thinking("Mild winters: the south-west.", "Lisbon.")
THOUGHT_CALL = calling(ROME, reasoning_content="I need the weather.")
RESULT = tool("21 C", "callrome1")
THINKING = ("thinking",)

THOUGHTS = (
    bridge(
        "user-after-thought",
        "A question erases the thought from a re-render: the sampled thought is kept, or the bridge declines.",
        [turn(THOUGHT)],
        [NEXT],
        "BRIDGE",
        "REASONING_HISTORY",
        requires=PREFIX,
        features=THINKING,
    ),
    bridge(
        "tool-after-thought",
        "A result keeps the thought of the call before it.",
        [turn(THOUGHT_CALL)],
        [RESULT],
        "BRIDGE",
        "REASONING_HISTORY",
        tools=TOOLS,
        features=THINKING,
    ),
    bridge(
        "tool-after-thought-in-loop",
        "A result keeps the thoughts of a whole loop.",
        [turn(calling(OSLO, reasoning_content="Oslo too."))],
        [tool("2 C", "calloslo2")],
        "BRIDGE",
        "REASONING_HISTORY",
        messages=[ASK, THOUGHT_CALL, RESULT],
        tools=TOOLS,
        features=THINKING,
    ),
    bridge(
        "user-after-thought-without-content",
        "A turn that only thought and then stopped.",
        [turn(thinking("Nothing to add.", ""))],
        [NEXT],
        "BRIDGE",
        "REASONING",
        requires=PREFIX,
        features=THINKING,
    ),
    bridge(
        "user-with-thinking-off",
        "With thinking off the empty thought belongs to the prompt, and the next prompt has its own.",
        [turn(LISBON)],
        [NEXT],
        "BRIDGE",
        "THINKING_SWITCH",
        requires=(*PREFIX, "RND-058"),
        options={"enable_thinking": False},
        features=THINKING,
        issue="Qwen3#1826",
    ),
    bridge(
        "tool-with-thinking-off",
        "With thinking off a result is followed by a prompt with an empty thought.",
        [turn(CALL)],
        [RESULT],
        "BRIDGE",
        "THINKING_SWITCH",
        requires=(*PREFIX, "RND-058"),
        tools=TOOLS,
        options={"enable_thinking": False},
        features=THINKING,
    ),
    bridge(
        "user-with-preserved-thinking",
        "With history's thoughts preserved a question erases nothing.",
        [turn(THOUGHT)],
        [NEXT],
        "BRIDGE",
        "REASONING_HISTORY",
        "TEMPLATE_OPTIONS",
        requires=PREFIX,
        options={"preserve_thinking": True},
        features=THINKING,
    ),
)

REFUSALS = (
    bridge(
        "refuse-no-new-message",
        "Without a new message there is no next turn.",
        [turn(LISBON)],
        [],
        "BRIDGE_REFUSAL",
        requires=DECLINES,
    ),
    bridge(
        "refuse-new-assistant",
        "An assistant among the new messages was not sampled here.",
        [turn(LISBON)],
        [assistant("Or Malta.")],
        "BRIDGE_REFUSAL",
        requires=DECLINES,
    ),
    bridge(
        "refuse-assistant-in-the-middle",
        "An assistant between new messages is an assistant all the same.",
        [turn(LISBON)],
        [NEXT, assistant("Oslo."), user("Sure?")],
        "BRIDGE_REFUSAL",
        requires=DECLINES,
    ),
    bridge(
        "refuse-empty-prompt",
        "Without a prompt there is nothing to extend.",
        [turn(LISBON)],
        [NEXT],
        "BRIDGE_REFUSAL",
        requires=DECLINES,
        prompt="empty",
    ),
    bridge(
        "unknown-role",
        "A new message of a role the template refuses is refused; one it drops or prints is as in a full render.",
        [turn(LISBON)],
        [{"role": "narrator", "content": "Snow falls."}, NEXT],
        "BRIDGE_REFUSAL",
        "UNKNOWN_ROLE",
        requires=(*DECLINES, *PREFIX),
    ),
)

CASES = (*THOUGHTS, *REFUSALS)
