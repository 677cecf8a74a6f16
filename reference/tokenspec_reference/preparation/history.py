"""What later messages do to earlier turns, and whether a turn continues the prompt it is sampled from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.rendering import Rendering, text_of

ASKED = 16
"""Of longer conversations only so many of the first and of the last assistant turns are asked, to bound the cost."""


def rewritten(renderer: Any, found: Rendering, *, media: bool = False) -> Iterator[Finding]:
    """``prefix-unstable`` and ``sampled-differs``, turn by turn; what the template refuses is left out.

    ``media``: the conversation was rendered with its pictures and videos expanded.
    """
    messages, tools = found.conversation.messages, found.conversation.tools
    turns = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    if len(turns) > 2 * ASKED:
        turns = [*turns[:ASKED], *turns[-ASKED:]]
    for index in turns:
        run = found.message_runs.get(index)
        if index + 1 == len(messages):
            ended: str | None = found.text
        else:
            ended = _text(renderer, messages[: index + 1], tools, media=media)
            if ended is not None and not found.text.startswith(ended):
                yield Finding("prefix-unstable", f"the text up to turn {index} is rewritten later", index, run)
        prompt = _text(renderer, messages[:index], tools, prompt=True, media=media) if index else None
        if ended is not None and prompt is not None and not ended.startswith(prompt):
            expected = prompt[_common(prompt, ended) :][:40]
            yield Finding("sampled-differs", f"the prompt of turn {index} goes on with {expected!r}", index, run)


def _text(
    renderer: Any, messages: list[dict[str, Any]], tools: Any, *, prompt: bool = False, media: bool
) -> str | None:
    try:
        return text_of(renderer, messages, tools, prompt=prompt, media=media)
    except TokenSpecError:
        return None


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
