"""Short ways to say a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenspec.areas.refusal import pointer_to
from tokenspec.store.records import Case

BOTH = [{"mode": "llguidance"}, {"mode": "strict"}]
SWEEP = [
    *BOTH,
    {"max_tokens": 0},
    {"max_tokens": 1},
    {"max_tokens": 2},
    {"max_tokens": None},
    {"grammar_check": False},
    {"max_tokens": None, "max_length": 6},
    {"max_tokens": None, "max_length": 7},
    {"mode": "strict", "max_tokens": 0},
    {"mode": "strict", "max_length": 1},
]
ANSWER = ("FFT-001", "FFT-002", "FFT-003", "FFT-004", "FFT-007", "FFT-008", "FFT-009", "FFT-010", "FFT-011")
CANONICAL = ("FFT-020", "FFT-021", "FFT-022", "FFT-030", "FFT-034")
WINDOW = ("FFT-023", "FFT-032", "FFT-033")


def case(
    slug: str,
    why: str,
    flags: str,
    grammar: dict[str, Any],
    prefix: Sequence[str | dict[str, str]] = (),
    *,
    sweep: bool = False,
    requires: Sequence[str] = (),
    rows: list[str] | None = None,
    **given: Any,
) -> Case:
    """A case that is answered. Every case is judged by the rules of any answer; ``requires`` adds to them."""
    context = ("FFT-031",) if prefix else ()
    window = WINDOW if sweep else ()
    return Case(
        id=f"fast-forward/{slug}",
        area="fast-forward",
        flags=flags.split(),
        requires=sorted({*ANSWER, *CANONICAL, *context, *window, *requires}),
        why=why,
        since="0.1",
        rows=rows,
        input={
            "grammar": grammar,
            **({"prefix": list(prefix)} if prefix else {}),
            "queries": SWEEP if sweep else BOTH,
            **given,
        },
    )


def refused(slug: str, why: str, requires: str, code: str = "", place: str = "", **given: Any) -> Case:
    """A case that is refused: for its grammar, at the keyword ``names`` where there is one, unless told otherwise."""
    if not code:
        code = "unsupported-schema" if isinstance(given["grammar"].get("json_schema"), dict) else "invalid-grammar"
        place = pointer_to(given.get("names", ""), {"grammar": given["grammar"]}) or "/grammar"
    return Case(
        id=f"fast-forward/{slug}",
        area="fast-forward",
        flags=["BAD_GRAMMAR"],
        requires=[requires],
        why=why,
        since="0.1",
        input={"vocabulary": {"merged": ["ab"]}, "queries": BOTH, **given},
        outcome="raises",
        refusal={"code": code, "places": [place]},
        source="spec/40-fast-forward.md",
    )


def either(*texts: str) -> dict[str, Any]:
    """Alternatives, or a literal where there is one."""
    return {"alternatives": list(texts)} if len(texts) > 1 else {"literal": texts[0]}


def closed(required: Sequence[str], properties: dict[str, Any]) -> dict[str, Any]:
    """An object schema without further properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def schema(value: dict[str, Any], *, flexible: bool = False) -> dict[str, Any]:
    """A JSON schema as a grammar."""
    return {"json_schema": value, **({"whitespace": "flexible"} if flexible else {})}
