"""What a list must make of a run, as a table; the mutants of the machinery are run through the same table."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from tokenspec.verdict import CellResult, Finding, Verdict

CASE, OTHER = "render/role-user", "render/call-parallel"


def entry(**changes: Any) -> str:
    """One table; None leaves a key out."""
    keys = {
        "case": CASE,
        "row": "toy-bpe",
        "requirement": "RND-010",
        "class": "fail",
        "reason": "ids are joined piecewise",
        "issue": "#7",
    }
    keys.update(changes)
    lines = [f'{key} = "{value}"' for key, value in keys.items() if value is not None]
    return "[[failure]]\n" + "\n".join(lines) + "\n"


def cell(*said: tuple[str, str, str], case: str = CASE, row: str = "toy-bpe", severity: str = "MUST") -> CellResult:
    """A judged cell; each of ``said`` is (check, requirement, verdict)."""
    findings = [
        Finding(
            check=check,
            level="IDS",
            requires=[id_],
            verdict=Verdict(verdict),
            severity=severity,
            detail="assets missing: tokenizer.json" if verdict == "unsupported" and check == "missing" else "",
        )
        for check, id_, verdict in said
    ]
    return CellResult(impl="mini", area="render", row=row, case=case, seconds=0.0, findings=findings)


FAILS = cell(("render.ids", "RND-010", "fail"), ("render.text", "RND-001", "pass"))
PASSES = cell(("render.ids", "RND-010", "pass"), ("render.text", "RND-001", "pass"))
BREAKS = cell(("render.ids", "RND-010", "error"), ("render.text", "RND-001", "error"))
REFUSES = cell(("render.ids", "RND-010", "rejected"), ("render.text", "RND-001", "rejected"))
LACKS = cell(("render.ids", "RND-010", "unsupported"), ("render.text", "RND-001", "pass"))
ABSENT = cell(("missing", "RND-010", "unsupported"))
SHARED = cell(("render.ids", "RND-010", "fail"), ("render.more", "RND-010", "pass"))


@dataclass(frozen=True)
class Scenario:
    """A list, what was judged, and what comes of it."""

    id: str
    entries: list[str]
    cells: list[CellResult]
    verdicts: list[str]
    complaints: list[str] = field(default_factory=list)
    version: str = "1.5"
    transformers: str | None = "5.23.0"


SCENARIOS = [
    Scenario("unlisted-fails", [], [FAILS], ["fail", "pass"]),
    Scenario("listed-fails", [entry()], [FAILS], ["xfail", "pass"]),
    Scenario("listed-passes", [entry()], [PASSES], ["xpass", "pass"], ["passes: render/toy-bpe/role-user"]),
    Scenario("error-for-fail", [entry()], [BREAKS], ["error", "error"], ["fails in another way"]),
    Scenario("fail-for-error", [entry(**{"class": "error"})], [FAILS], ["fail", "pass"], ["fails in another way"]),
    Scenario("refused-for-fail", [entry()], [REFUSES], ["rejected", "rejected"], ["(rejected)"]),
    Scenario("listed-error", [entry(requirement=None, check="*", **{"class": "error"})], [BREAKS], ["xfail", "xfail"]),
    Scenario("listed-refused", [entry(**{"class": "rejected"})], [REFUSES], ["xfail", "rejected"]),
    Scenario("a-requirement-fails-when-one-check-does", [entry()], [SHARED], ["xfail", "pass"]),
    Scenario(
        "a-check-that-passes-beside-one-that-fails",
        [entry(requirement=None, check="render.more")],
        [SHARED],
        ["fail", "xpass"],
        ["passes"],
    ),
    Scenario("unsupported-is-no-failure", [entry()], [LACKS], ["unsupported", "pass"], ["is unsupported"]),
    Scenario("files-missing-says-nothing", [entry()], [ABSENT], ["unsupported"]),
    Scenario("never-judged", [entry(requirement="RND-999")], [FAILS], ["fail", "pass"], ["judged by no such check"]),
    Scenario("not-selected", [entry(case=OTHER)], [FAILS], ["fail", "pass"]),
    Scenario("can-never-run", [entry(case="render/none")], [FAILS], ["fail", "pass"], ["matches no cell"]),
    Scenario("row-that-is-none", [entry(row="toy-none")], [FAILS], ["fail", "pass"], ["matches no cell"]),
    Scenario(
        "wildcard", [entry(case="render/*", row="*", requirement="RND-*")], [FAILS], ["xfail", "xpass"], ["passes"]
    ),
    Scenario("wildcard-inside", [entry(case="render/r*-user")], [FAILS], ["xfail", "pass"]),
    Scenario("wildcard-is-anchored", [entry(case="role-*")], [FAILS], ["fail", "pass"], ["matches no cell"]),
    Scenario("prefix-is-no-match", [entry(requirement="RND-01")], [FAILS], ["fail", "pass"], ["no such check"]),
    Scenario("class-of-characters", [entry(case="render/[r]ole-user")], [FAILS], ["fail", "pass"], ["only wildcard"]),
    Scenario("class-beside-wildcard", [entry(case="render/[r]ole-*")], [FAILS], ["fail", "pass"], ["only wildcard"]),
    Scenario("another-row", [entry(case="render/*", row="toy-ranks")], [FAILS], ["fail", "pass"]),
    Scenario("question-mark", [entry(case="render/role-use?")], [FAILS], ["fail", "pass"], ["only wildcard"]),
    Scenario("any-character-dot", [entry(requirement="RND.010")], [FAILS], ["fail", "pass"], ["no such check"]),
    Scenario("version-in-range", [entry(impl=">=1.0,<2")], [FAILS], ["xfail", "pass"]),
    Scenario("version-out-of-range", [entry(impl="<1.5")], [FAILS], ["fail", "pass"]),
    Scenario("passes-out-of-range", [entry(impl="<1.5")], [PASSES], ["pass", "pass"]),
    Scenario("pre-release-in-range", [entry(impl=">=1.0")], [FAILS], ["xfail", "pass"], version="1.5rc1"),
    Scenario("implementation-absent", [entry(impl=">=1.0")], [FAILS], ["fail", "pass"], version="not installed"),
    Scenario("transformers-out-of-range", [entry(transformers="<5")], [FAILS], ["fail", "pass"]),
    Scenario("transformers-absent", [entry(transformers="<9")], [FAILS], ["fail", "pass"], transformers=None),
    Scenario(
        "one-of-many-cells-passes",
        [entry(case="render/*")],
        [FAILS, cell(("render.ids", "RND-010", "pass"), case=OTHER)],
        ["xfail", "pass", "xpass"],
        ["passes: render/toy-bpe/call-parallel"],
    ),
    Scenario(
        "one-of-many-cells-unsupported",
        [entry(case="render/*")],
        [FAILS, cell(("render.ids", "RND-010", "unsupported"), case=OTHER)],
        ["xfail", "pass", "unsupported"],
    ),
    Scenario(
        "a-middle-level-that-passes",
        [entry()],
        [cell(("render.ids", "RND-010", "pass"), severity="SHOULD")],
        ["xpass"],
        ["passes"],
    ),
]


def run_scenario(package: ModuleType, scenario: Scenario) -> None:
    """Hold the list against the cells; an AssertionError says what is not as the table has it."""
    text = 'implementation = "mini"\n' + "\n".join(scenario.entries)
    known = package.entries.parse_known_failures(text, "known.toml")
    ledger = package.Ledger(known, "mini", scenario.version, scenario.transformers)
    results = [package.judge_known(ledger, result) for result in scenario.cells]
    got = [finding.verdict.value for result in results for finding in result.findings]
    assert got == scenario.verdicts
    complaints = ledger.complaints()
    assert len(complaints) == len(scenario.complaints), complaints
    for line, says in zip(complaints, scenario.complaints, strict=True):
        assert says in line
        assert line.startswith("known.toml:2: ")


def run_writing(package: ModuleType) -> None:
    """Writing a list over an old one: what holds is kept, what does not goes, reasons are inherited."""
    old = 'implementation = "mini"\n' + "\n".join(
        [
            entry(reason="kept", wontfix=None, impl="<9"),
            entry(case=OTHER, row="*", requirement="RND-*", reason="inherited", issue="a/b#3"),
            entry(row="toy-ranks", reason="not selected"),
            entry(case="render/none", reason="stale"),
            entry(requirement="RND-001", impl=">=9", reason="another version"),
        ]
    )
    cells = [FAILS, cell(("render.ids", "RND-010", "fail"), ("render.text", "RND-001", "pass"), case=OTHER)]
    ledger = package.Ledger(package.entries.parse_known_failures(old, "k.toml"), "mini", "1.5", None)
    new = package.rewrite(ledger, cells, reason=None, issue=None)
    read = package.entries.parse_known_failures(new.text, "k.toml")
    told = [(one.failure.case, one.failure.row, one.failure.requirement, one.failure.reason) for one in read.entries]
    assert told == [
        (OTHER, "toy-bpe", "RND-010", "inherited"),
        (CASE, "toy-bpe", "RND-001", "another version"),
        (CASE, "toy-bpe", "RND-010", "kept"),
        (CASE, "toy-ranks", "RND-010", "not selected"),
    ]
    assert (new.kept, new.added, new.removed) == (3, 1, 2)
    again = package.rewrite(package.Ledger(read, "mini", "1.5", None), cells, reason=None, issue=None)
    assert again.text == new.text
    bare = package.Ledger(package.KnownFailures("k.toml", "mini"), "mini", "1.5", None)
    for reason, issue in ((None, None), ("because", None), (None, "#1"), (" ", "#1")):
        with pytest.raises(Exception, match=r"2 failures are not in k.toml yet.*Nothing was written"):
            package.rewrite(bare, cells, reason=reason, issue=issue)
