"""Roles that a template does not know."""

from __future__ import annotations

import shlex
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
    """``unknown-role`` for the roles that are none of the common ones and that the template does not spell."""
    spelled = template if isinstance(template, str) else ""
    unknown: dict[str, int] = {}
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, Mapping) else None
        is_named = isinstance(role, str) and role not in KNOWN
        if is_named and f"'{role}'" not in spelled and f'"{role}"' not in spelled:
            unknown.setdefault(str(role), index)
    if unknown:
        cures = " ".join(
            f"--speaker {shlex.quote(role + '=' + SPEAKERS.get(role.lower(), 'ROLE'))}" for role in unknown
        )
        first = min(unknown.values())
        yield Finding("unknown-role", f"{', '.join(map(repr, unknown))} from message {first} on. Give {cures}", first)
