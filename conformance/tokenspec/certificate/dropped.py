"""What a template leaves out without a word: tools, calls, and the messages of a role."""

from __future__ import annotations

from .facts import Facts


def dropped(facts: Facts) -> dict[str, str]:
    """What vanishes, by the name under which a person accepts it: ``tools``, ``calls``, ``role-developer``.

    What is refused is none of it: whoever asks is told.
    """
    found = {}
    if facts.tools.shown == "dropped":
        found["tools"] = "the tools that are offered vanish"
    if facts.calls.arguments == "none" and "dropped" in {facts.calls.as_dict, facts.calls.as_string}:
        found["calls"] = "tool calls vanish"
    for role, said in facts.roles.items():
        if said == "dropped":
            found[f"role-{role.replace(' ', '-')}"] = f"a message vanishes: {role}"
    return found


def refused(facts: Facts) -> list[str]:
    """What a template cannot express and says so, as ``section: what (error)``."""
    by_section = {
        "role": facts.roles,
        "content of": facts.content,
        "parts of": facts.parts,
        "calls": {"as dict": facts.calls.as_dict, "as string": facts.calls.as_string},
        "content": {"None beside calls": facts.calls.content_none},
        "tools": {"a list": facts.tools.shown, "an empty list": facts.tools.empty_list},
    }
    return [
        f"{section} {name} ({said.removeprefix('refused: ')})"
        for section, facts_of in by_section.items()
        for name, said in facts_of.items()
        if said.startswith("refused: ")
    ]
