"""The words that cases with a template of their own are written in."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.render.cases.build import (
    BODIES,
    SAMPLED,
    Message,
    assistant,
    render,
    user,
)
from tokenspec.store.records import Case

GIVEN = ("RND-005", *BODIES)
HEAD = "{{ '<|im_start|>' ~ message.role ~ '\\n' }}"
TAIL = "{{ '<|im_end|>\\n' }}"
PROMPT = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
LOOP = "{% for message in messages %}"
STRICT_TURNS = (
    "{% if message.role != ['user', 'assistant'][loop.index0 % 2] %}{{ raise_exception('roles must alternate') }}"
    "{% endif %}"
)
"""In a loop: users and answers take turns."""

STRICT_PARTS = (
    "{% for part in message.content %}{% if part.type != 'text' or not part.text %}"
    "{{ raise_exception('a part must be a text') }}{% endif %}{{ part.text }}{% endfor %}"
)
"""In a loop: the content is parts of text."""

SYSTEM_FIRST = "{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}"
STRICT_TOOLS = (
    "{% for tool in tools or [{}] %}{% if tool.type != 'function' or not tool.function.name or not "
    "tool.function.description or tool.function.parameters.type != 'object' or "
    "tool.function.parameters.properties is not mapping %}{{ raise_exception('tools must be whole') }}{% endif %}"
    "{% endfor %}"
)
"""Ahead of the loop: there are tools, and each says all that a tool may say."""


def chat(*printed: str, ahead: str = "", loop: str = LOOP) -> str:
    """A template whose n-th turn prints the n-th text; the turns after them print their content."""
    turns = "".join(f"{{% {'elif' if n else 'if'} loop.index0 == {n} %}}{text}" for n, text in enumerate(printed))
    body = f"{turns}{{% else %}}{{{{ message.content }}}}{{% endif %}}" if printed else "{{ message.content }}"
    return f"{ahead}{loop}{HEAD}{body}{TAIL}{{% endfor %}}{PROMPT}"


def given(
    slug: str,
    why: str,
    template: str,
    messages: list[Message],
    *flags: str,
    requires: tuple[str, ...] = (*GIVEN, *SAMPLED),
    options: dict[str, Any] | None = None,
    tools: list[Any] | None = None,
    derive: tuple[str, ...] = (),
    row: str = "toy-bpe",
    unattributed: tuple[str, ...] | None = (),
    wrong: tuple[str, ...] = (),
) -> Case:
    """One conversation with its template, in the tokens of a toy row, and what nobody knows the writer of."""
    case = render(
        f"given-{slug}",
        why,
        messages,
        "TEMPLATE_GIVEN",
        *flags,
        requires=requires,
        tools=tools,
        options={"chat_template": template, **(options or {})},
        features=(),
        derive=derive,
        wrong=wrong,
    )
    stated = {} if unattributed is None else {"unattributed": list(unattributed)}
    return msgspec.structs.replace(case, rows=[row], input={**case.input, **stated})


def forms(slug: str, why: str, said: tuple[tuple[str, str], ...], *flags: str) -> Case:
    """A turn of the user for each content and what is printed of it, between others and before an answer."""
    printed = chat("{{ message.content }}", *(text.replace("C", "message.content") for _, text in said))
    turns = [user(content) for content, _ in said]
    return given(slug, why, printed, [user("First."), *turns, assistant("Done."), user("Thanks.")], *flags)
