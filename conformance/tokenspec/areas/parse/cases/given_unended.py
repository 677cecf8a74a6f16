"""Templates that come with the conversation and write no end of a turn: the marker of the next one ends it."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import ROME, TOOLS, Piece, parse, text
from tokenspec.areas.parse.cases.given import CALLS, GIVEN
from tokenspec.areas.render.cases.build import Message, calling, tool, user
from tokenspec.store.records import Case

NAMES = "{'user': 'USER', 'assistant': 'BOT', 'tool': 'TOOL', 'system': 'SYS'}"
CALLED = (
    "{% for c in m.tool_calls or [] %}{% set f = c.function %}"
    '<tool_call>\n{"name": "{{ f.name }}", "arguments": {{ f.arguments|tojson }}}\n</tool_call>{% endfor %}'
)
TAGGED = (
    "{% for m in messages %}{{ '[' ~ " + NAMES + "[m.role] ~ ']' ~ (m.content or '') }}" + CALLED + "{% endfor %}"
    "{% if add_generation_prompt %}{{ '[BOT]' }}{% endif %}"
)
HEADED = (
    "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
THINKING = HEADED.replace(
    "m.content }}",
    "('<think>\\n' ~ m.reasoning_content ~ '\\n</think>\\n' if m.reasoning_content else '') ~ m.content }}",
)
SAYS = {"content": "Lisbon."}


def unended(
    slug: str,
    why: str,
    template: str,
    completion: list[Piece],
    says: dict[str, Any],
    row: str = "toy-added",
    requires: tuple[str, ...] = GIVEN,
    tools: list[Any] | None = None,
    messages: list[Message] | None = None,
) -> Case:
    """One completion in a template without ends."""
    return parse(
        f"given-unended-{slug}",
        why,
        completion,
        "TEMPLATE_GIVEN",
        requires=requires,
        says=says,
        messages=messages,
        options={"chat_template": template},
        tools=tools,
        rows=[row],
    )


CASES = (
    *(
        unended(
            f"before-{who}",
            f"An answer ends at the marker of {what}.",
            TAGGED,
            [text("Lisbon."), text(marker)],
            SAYS,
        )
        for who, what, marker in (
            ("user", "a question", "[USER]"),
            ("tool", "a result", "[TOOL]"),
            ("assistant", "another answer", "[BOT]"),
        )
    ),
    unended("cut", "An answer that no marker ends was cut.", TAGGED, [text("Lisbon")], {"content": "Lisbon"}),
    unended(
        "one-marker",
        "One marker opens all turns.",
        HEADED,
        [text("Lisbon."), text("<|im_start|>")],
        SAYS,
        row="toy-bpe",
    ),
    unended(
        "parts-alone",
        "One marker opens all turns, and of a message its parts alone are printed.",
        HEADED.replace("~ m.content }}", "}}{% if m.content is not string %}{{ m.content[0].text }}{% endif %}"),
        [text("Lisbon."), text("<|im_start|>")],
        SAYS,
        row="toy-bpe",
    ),
    unended(
        "thought",
        "A thought in front of an answer that the next marker ends.",
        THINKING,
        [text("<think>\nSouth-west.\n</think>\nLisbon."), text("<|im_start|>")],
        {**SAYS, "reasoning_content": "South-west.", "reasoning_complete": True},
        row="toy-bpe",
    ),
    unended(
        "behind-a-result",
        "An answer behind a call and its result.",
        TAGGED,
        [text("Lisbon."), text("[USER]")],
        SAYS,
        tools=TOOLS,
        requires=CALLS,
        messages=[user("Where?"), calling(ROME), tool("21 C", "callrome1")],
    ),
)
