"""Bridges of templates that come with the conversation, and behind completions that no template writes."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import (
    ASK,
    CALL,
    CLOSES,
    NEXT,
    STOP,
    TOOLS,
    Piece,
    bridge,
    text,
    turn,
)
from tokenspec.areas.render.cases.build import Message, assistant, text_part, thinking, tool, user
from tokenspec.areas.render.cases.build_given import STRICT_PARTS, STRICT_TOOLS, STRICT_TURNS
from tokenspec.store.records import Case

HEAD = "{{ '<|im_start|>' ~ m.role ~ '\\n' }}"
PROMPT = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
HERMES = ["qwen3", "toy-bpe"]
STRICT = "{% set message = m %}" + STRICT_TURNS
RESULT = tool("21 C", "callrome1")
LISBON = assistant("Lisbon.")
FOLLOWS = ("RND-005", "RND-050", "RND-052", "RND-055", "RND-056", "RND-058", "RND-059")


def chat(body: str, ahead: str = "", behind: str = "<|im_end|>\\n") -> str:
    """A template that prints `body` for a turn, between headers and ends."""
    return f"{{% for m in messages %}}{ahead}{HEAD}{body}{{{{ '{behind}' }}}}{{% endfor %}}{PROMPT}"


def given(
    slug: str,
    why: str,
    template: str,
    answer: Message | list[Piece],
    new_messages: list[Message],
    requires: tuple[str, ...] = FOLLOWS,
    tools: list[Any] | None = None,
    messages: list[Message] | None = None,
    row: str = "toy-bpe",
    **how: Any,
) -> Case:
    """One bridge over a template of its own, in the tokens of a toy row."""
    return bridge(
        f"given-{slug}",
        why,
        answer if isinstance(answer, list) else [turn(answer, **how)],
        new_messages,
        "TEMPLATE_GIVEN",
        requires=requires,
        options={"chat_template": template},
        tools=tools,
        messages=messages,
        rows=[row],
    )


TEMPLATES = (
    given(
        "rounds",
        "A template that counts answers: what follows one, here cut, depends on how many there were.",
        chat("{{ m.content }}", "{% if m.role == 'user' %}{{ '[Round ' ~ (loop.index0 // 2) ~ ']' }}{% endif %}"),
        LISBON,
        [NEXT],
        ("RND-005", *CLOSES),
        messages=[ASK, LISBON, user("Sure?")],
        stop=False,
    ),
    given(
        "every-other-round",
        "A template that marks every other question: what follows one answer is not what follows two.",
        chat("{{ m.content }}", "{% if m.role == 'user' and loop.index0 % 4 == 2 %}{{ '[Even]' }}{% endif %}"),
        LISBON,
        [NEXT],
        ("RND-005", *CLOSES),
        messages=[ASK, LISBON, user("Sure?")],
        stop=False,
    ),
    given(
        "thought",
        "A template that keeps reasoning in tags of its own.",
        chat("{% if m.reasoning_content %}<reason>{{ m.reasoning_content }}</reason>\n{% endif %}{{ m.content }}"),
        thinking("South-west.", "Lisbon."),
        [NEXT],
    ),
    given(
        "strict-tools",
        "A template that refuses all but whole tools, and users and answers in turn.",
        STRICT_TOOLS + chat("{{ m.content }}", STRICT),
        LISBON,
        [NEXT],
        tools=TOOLS,
        messages=[ASK],
    ),
    given(
        "strict-parts",
        "A template that refuses all but parts of text, and users and answers in turn.",
        chat(STRICT_PARTS, STRICT),
        assistant([text_part("Lisbon.")]),
        [user([text_part("Thanks.")])],
        messages=[user([text_part("Where?")])],
    ),
    given(
        "text-arguments",
        "A template that insists on arguments as a text, and a result behind its call.",
        chat(
            "{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>\n"
            '{"name": "{{ c.function.name }}", "arguments": '
            "{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}}"
            "\n</tool_call>{% endfor %}"
        ),
        CALL,
        [RESULT],
        tools=TOOLS,
    ),
)

CASES = (
    *TEMPLATES,
    *(
        bridge(
            f"tool-after-{slug}",
            why,
            [text(f"<tool_call>\n{inside}\n</tool_call>"), STOP],
            [RESULT],
            "TOOL_RESULTS",
            requires=("RND-050", "RND-055", "RND-058"),
            tools=TOOLS,
            rows=HERMES,
        )
        for slug, why, inside in (
            (
                "call-with-a-list",
                "A result behind a call whose arguments are a list.",
                '{"name": "get_weather", "arguments": ["Rome"]}',
            ),
            ("nameless-call", "A result behind a call without a name.", '{"arguments": {"city": "Rome"}}'),
        )
    ),
    bridge(
        "tool-after-half-a-call",
        "A turn that was cut in its call is closed before a result all the same.",
        [turn(CALL, until="Ro")],
        [RESULT],
        "TRUNCATION",
        requires=CLOSES,
        tools=TOOLS,
    ),
)
