"""Roles that a template does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.preparation.finding import Finding

KNOWN = ("system", "developer", "user", "assistant", "tool")

SPEAKERS = {
    **dict.fromkeys(("human", "prompter", "question", "customer"), "user"),
    **dict.fromkeys(
        ("gpt", "chatgpt", "bot", "chatbot", "ai", "model", "agent", "answer", "bing", "bard"), "assistant"
    ),
    **dict.fromkeys(("function", "function_response", "observation", "ipython"), "tool"),
}
"""What names of speakers mostly stand for."""


def unknown_roles(template: Any, messages: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """``unknown-role``, once for each role that is none of the common ones and that the template does not spell."""
    spelled = template if isinstance(template, str) else ""
    seen = set(KNOWN)
    for index, message in enumerate(messages):
        role = message.get("role")
        if not isinstance(role, str) or role in seen:
            continue
        seen.add(role)
        if f"'{role}'" not in spelled and f'"{role}"' not in spelled:
            cure = f"--speaker {role}={SPEAKERS.get(role.lower(), 'ROLE')}"
            yield Finding("unknown-role", f"message {index} has the role {role!r}; say what it is: {cure}", index)
