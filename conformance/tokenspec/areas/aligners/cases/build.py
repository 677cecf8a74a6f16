"""Small words for writing alignment cases."""

from __future__ import annotations

from typing import Any

from tokenspec.store.records import Case

JsonCase = dict[str, Any]

STRUCTURE = ("ALN-001", "ALN-002", "ALN-003", "ALN-004", "ALN-005")
BOUNDARY = (*STRUCTURE, "ALN-010", "ALN-011", "ALN-012", "ALN-019", "ALN-020", "ALN-022", "ALN-023")
COMPAT = (*STRUCTURE, "ALN-034", "ALN-035", "ALN-036", "ALN-037", "ALN-038")


def case(
    slug: str,
    flags: str,
    requires: tuple[str, ...],
    why: str,
    refused: tuple[str, ...] = (),
    pairs: list[str] | None = None,
    **content: Any,
) -> Case:
    """``flags`` is a list of words; ``content`` is the input; ``refused`` the code and the places of a due refusal.

    ``pairs`` are the only ones it is for.
    """
    code, *places = refused or ("",)
    return Case(
        id=f"aligners/{slug}",
        area="aligners",
        flags=flags.split(),
        requires=sorted(set(requires)),
        why=why,
        since="0.1",
        rows=pairs,
        input=content,
        outcome="raises" if code else "ok",
        refusal={"code": code, "places": places} if code else None,
        source="spec/50-aligners.md" if code else None,
    )


def row(text: str, student: JsonCase | None = None, teacher: JsonCase | None = None) -> JsonCase:
    """One row of a batch; sides only where they differ from plain."""
    return {"text": text} | ({"student": student} if student else {}) | ({"teacher": teacher} if teacher else {})
