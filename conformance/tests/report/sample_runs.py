"""Small reports made by hand: every verdict once, and texts that try to break out of where they are put."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.oracle_version import CURRENT
from tokenspec.report.jsonl import Report
from tokenspec.verdict import CellResult, Exhibit, Finding, Tokens, Verdict

NASTY = (
    "<script>document.title = 'ran'; window.ran = true</script>"
    "</script></style></title></textarea><!-- --><img src=x onerror=\"window.ran = true; document.title = 'ran'\">"
    "\u2028\u2029 & &amp; ' \" \\ `|*_ ]]> {{ 7 * 7 }} {% raw %} \x00\x1b[31m \U0001f600 \ufeff"
)


def header(*impls: str, **more: Any) -> dict[str, Any]:
    """The header of a run of these columns over one area with two rows."""
    return {
        "format": 3,
        "suite": {"tokenspec": "1.0", "transformers": "5.0", "tokenizers": "0.20"},
        "python": "3.11.0",
        "fixtures": {"version": "2026.1", "sha256": "ab" * 32},
        "oracle": CURRENT.transformers,
        "require_judged": 100.0,
        "implementations": {impl: {"name": impl, "version": "1.2", "language": "python"} for impl in impls},
        "areas": {"render": {"title": "Renderers", "levels": ["TEXT", "IDS"]}},
        "rows": {"alpha": {"status": "real"}, "toy": {"status": "toy"}},
        "cases": {"render/one": "the first", "render/two": "the second", "render/nasty": NASTY},
        "sizes": {"render/one": 30, "render/two": 20, "render/nasty": 900},
        "checks": {
            "render.text": {"area": "render", "level": "TEXT", "requires": ["RND-001"], "doc": "The text."},
            "render.ids": {"area": "render", "level": "IDS", "requires": ["RND-010"], "doc": "The ids."},
            "render.wish": {"area": "render", "level": "IDS", "requires": ["RND-090"], "doc": "A wish."},
        },
        "requirements": {
            "RND-001": {"level": "MUST", "title": "text", "link": "10.md#RND-001", "text": "It MUST be the text."},
            "RND-010": {"level": "MUST", "title": "ids", "link": "10.md#RND-010", "text": NASTY},
            "RND-090": {"level": "SHOULD", "title": "wish", "link": "10.md#RND-090", "text": "It SHOULD be."},
        },
        "known_failures": [],
        "reasons": dict.fromkeys(impls),
        **more,
    }


def finding(verdict: Verdict, detail: str = "", *, check: str = "render.ids", severity: str = "MUST") -> Finding:
    """One verdict of one check of ``header``."""
    level = "TEXT" if check == "render.text" else "IDS"
    requires = {"render.text": "RND-001", "render.ids": "RND-010", "render.wish": "RND-090"}[check]
    return Finding(
        check=check,
        level=level,
        requires=[requires],
        verdict=verdict,
        severity=severity,
        detail=detail or verdict,
        cause=(detail or verdict).split("\n", 1)[0][:160],
    )


def cell(
    *findings: Finding,
    impl: str = "mine",
    row: str = "alpha",
    case: str = "render/one",
    exhibit: Exhibit | None = None,
) -> CellResult:
    """One result."""
    return CellResult(
        impl=impl, area="render", row=row, case=case, seconds=0.25, findings=list(findings), exhibit=exhibit
    )


def tokens(*pieces: str, kind: str = "content", message: int | None = 0) -> Tokens:
    """Tokens that all have one owner; ids count from 10."""
    ids = list(range(10, 10 + len(pieces)))
    return Tokens(ids, list(pieces), [(kind, message, len(pieces))] if pieces else [], 0, len(pieces))


NASTY_EVIDENCE = Exhibit(
    input=NASTY,
    expected=tokens("<s>", "hello", NASTY, "same"),
    got=Tokens([10, 99, 12, 13], ["<s>", "</script>", NASTY, "same"], [("content", 0, 3), ("sampled", 1, 1)], 0, 4),
)


def every_verdict() -> Report:
    """Two columns; ``mine`` meets every verdict, ``other`` passes or is unsupported."""
    ok = finding(Verdict.PASS, check="render.text")
    others = [verdict for verdict in Verdict if verdict is not Verdict.WARNING]
    mine = [
        cell(finding(verdict, f"said {verdict}"), ok, row=row)
        for verdict, row in zip(others, ("alpha", "toy") * 5, strict=False)
    ]
    cases = [f"render/{name}" for name in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")]
    mine = [CellResult(**{**_fields(one), "case": case}) for one, case in zip(mine, cases, strict=True)]
    nasty = cell(finding(Verdict.FAIL, NASTY), ok, case="render/nasty", exhibit=NASTY_EVIDENCE)
    wish = cell(finding(Verdict.WARNING, "a wish", check="render.wish", severity="SHOULD"), ok, case="render/wish")
    other = [
        cell(finding(Verdict.UNSUPPORTED, "not mine"), ok, impl="other", case=one.case, row=one.row) for one in mine
    ]
    head = header("mine", "other")
    head["cases"].update({case: f"why {case}" for case in [*cases, "render/wish"]})
    return Report(head, [*mine, nasty, wish, *other])


def _fields(result: CellResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in result.__struct_fields__}
