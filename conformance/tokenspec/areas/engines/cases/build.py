"""How an engine case is put together. Gaps are quarters, so that sums and differences of logits are exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenspec.areas.engines.oracle.texts import scripted_tokens
from tokenspec.store.records import Case

SINCE = "0.1"
PIECES = [
    "<P>",
    "<|seg|>",
    "Step",
    " Step",
    "A",
    " b",
    " c",
    ".",
    " D",
    " e",
    ",",
    "\n",
    "!",
    "?",
    ";",
    ":",
    "\t",
    "é",
    "😀",
]
TRACE = "A b c. D e, b c.\nA b. D e"


def table(trace: str, gaps: Sequence[float], *, pieces: list[str] | None = None) -> list[dict[str, float | None]]:
    """Row ``p``: the separator at the gap, then trace token ``p`` at 0 (also when it is the separator itself)."""
    pieces = PIECES if pieces is None else pieces
    tokens = [token for token, _, _ in scripted_tokens(pieces, trace)]
    if len(tokens) != len(gaps):
        raise SystemExit(f"{trace!r} has {len(tokens)} tokens, not {len(gaps)}")
    rows: list[dict[str, float | None]] = []
    for token, gap in zip(tokens, gaps, strict=True):
        row: dict[str, float | None] = {"<|seg|>": float(gap)}
        rows.append(row | {pieces[token]: 0.0})
    return rows


def case(slug: str, why: str, flags: str, requires: str, **given: Any) -> Case:
    """A case of the area; ``given`` are the fields of its input, with rows lifted out.

    ``refused`` is the code and the places of the refusal that is due.
    """
    rows = given.pop("rows", None)
    code, *places = given.pop("refused", ()) or ("",)
    return Case(
        id=f"engines/{slug}",
        area="engines",
        flags=flags.split(),
        requires=requires.split(),
        why=why,
        since=SINCE,
        rows=rows,
        input={name: value for name, value in given.items() if value is not None},
        outcome="raises" if code else "ok",
        refusal={"code": code, **({"places": places} if places else {})} if code else None,
        source="spec/20-engines.md" if code else None,
    )


def scripted(
    slug: str,
    why: str,
    flags: str,
    requires: str,
    trace: str,
    gaps: Sequence[float],
    *,
    delta: float = 0.0,
    engine: str = "forced-decoder",
    model: dict[str, Any] | None = None,
    refused: Sequence[str] = (),
    **parameters: Any,
) -> Case:
    """A case on a scripted model; ``delta`` is what each separator adds to the next separator's logit."""
    pieces = (model or {}).get("pieces", PIECES)
    description = {"kind": "scripted", "pieces": pieces, "rows": table(trace, gaps, pieces=pieces) or [{}]}
    description |= {"per_separator": {"<|seg|>": float(delta)}} if delta else {}
    given = {"trace": trace, "model": description | (model or {}), "engines": [engine], "parameters": parameters}
    return case(slug, why, flags, requires, refused=refused, **given)
