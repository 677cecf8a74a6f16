"""The word the groups are written in: a template, its variables, what it isolates."""

from __future__ import annotations

from typing import Any

from tokenspec.store.records import Case


def asked(*expressions: str, before: str = "") -> str:
    """A template that prints T or F for each expression: how constants print is another case's matter."""
    return before + "".join(f"{{{{ 'T' if {one} else 'F' }}}}" for one in expressions)


def case(
    slug: str,
    requires: str,
    flags: str,
    why: str,
    template: str,
    *,
    issue: str | None = None,
    limits: dict[str, int] | None = None,
    **inputs: Any,
) -> Case:
    """One micro-template. ``requires`` are numbers of TPL requirements; what it renders is asked of the oracle."""
    content: dict[str, Any] = {"template": template, **({"limits": limits} if limits else {})}
    return Case(
        id=f"template-engine/{slug}",
        area="template-engine",
        flags=flags.split(),
        requires=[f"TPL-{number}" for number in requires.split()],
        why=why,
        since="0.1",
        issue=issue,
        input={**content, "inputs": inputs} if inputs else content,
    )
