"""From a counterexample to a case of ``fixtures/regressions/<area>.json``, with goldens by the oracle."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.areas import areas
from tokenspec.areas.area import Area, Cell
from tokenspec.areas.selection import goldens_path, load_cases, rows_of
from tokenspec.curation.blessing import ask_oracle
from tokenspec.curation.lint import SLUG, WEASEL
from tokenspec.data import fixtures_dir
from tokenspec.errors import FixtureError, UsageError
from tokenspec.models import AssetsMissing, specs
from tokenspec.report.jsonl import read_report
from tokenspec.requirements import requirements
from tokenspec.store.canonical import convert, input_sha256, read_json
from tokenspec.store.case_files import add_case, regressions_path
from tokenspec.store.entries import SPEC_VERSION
from tokenspec.store.golden_files import write_goldens
from tokenspec.store.records import Case, Golden
from tokenspec.verdict import WRONG

TOLD = frozenset({"input", "outcome", "refusal", "source", "requires", "flags", "features", "rows", "issue"})


@dataclass(frozen=True)
class Counterexample:
    """What is to become a case: the input, and what its finder already says of it."""

    where: str
    told: dict[str, Any]


@dataclass
class Promotion:
    """A case and its goldens, not written yet. ``missing`` are the rows whose files are not at hand."""

    case: Case
    goldens: dict[str, Golden] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """Where the case goes."""
        return regressions_path(self.case.area)

    def write(self) -> list[Path]:
        """The case first, then its goldens; each file whole."""
        add_case(self.path, self.case)
        written = [self.path]
        for row, golden in self.goldens.items():
            written.append(goldens_path(row, self.case.area))
            write_goldens(written[-1], {self.case.slug: golden})
        return written


def read_counterexample(path: Path, area: Area) -> Counterexample:
    """A file with the input, or with a whole case; JSON, or a Python literal as Hypothesis prints it.

    A bare list is the messages of a conversation.

    Raises:
        FixtureError: it is neither, or not an object.
    """
    try:
        value = read_json(path)
    except FixtureError as error:
        value = _literal(path, error)
    if isinstance(value, list) and "messages" in _fields(area):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise FixtureError(path, f"is no object; the input of {area.name} has the fields {', '.join(_fields(area))}")
    if "input" not in value or "input" in _fields(area):
        return Counterexample(str(path), {"input": value})
    unknown = set(value) - TOLD - {"id", "area", "why", "since"}
    if unknown:
        raise FixtureError(path, f"unknown field {min(unknown)!r}; a case may say {', '.join(sorted(TOLD))}")
    return Counterexample(str(path), {key: value[key] for key in TOLD & set(value)})


def _literal(path: Path, error: FixtureError) -> Any:
    try:
        return ast.literal_eval(path.read_text(encoding="utf-8").strip())
    except (OSError, ValueError, SyntaxError, MemoryError, RecursionError):
        raise error from None


def _fields(area: Area) -> list[str]:
    return [one.name for one in msgspec.structs.fields(area.input_type)]


def counterexample_in_report(path: Path, case: str) -> tuple[Area, Counterexample]:
    """The input a saved run failed on, and which requirements it broke.

    Raises:
        UsageError: the run has no such failing case, or kept only a part of its input.
    """
    found = [result for result in read_report(path).results if result.case == case]
    broken = [result for result in found if any(finding.verdict in WRONG for finding in result.findings)]
    kept = [result.exhibit.input for result in broken if result.exhibit is not None and result.exhibit.input]
    if not kept:
        what = "does not fail" if found else "was not run"
        raise UsageError(f"{path}: {case} {what} there, or left no exhibit. See: tokenspec report md {path}")
    try:
        value = json.loads(kept[0])
    except ValueError as error:
        raise UsageError(f"{path}: the input of {case} was too long to be kept whole; give it as a file") from error
    ids = {id_ for one in broken for f in one.findings if f.verdict in WRONG for id_ in f.requires}
    return areas()[broken[0].area], Counterexample(f"{path}: {case}", {"input": value, "requires": sorted(ids)})


def promote(
    area: Area,
    slug: str,
    why: str,
    found: Counterexample,
    *,
    flags: Sequence[str] = (),
    requires: Sequence[str] = (),
    features: Sequence[str] = (),
    rows: Sequence[str] = (),
    issue: str | None = None,
) -> Promotion:
    """Make the case and ask the oracle for every row at hand. Nothing is written.

    Raises:
        UsageError: slug, reason, flags, requirements or rows are not what cases have, or the case exists already.
        FixtureError: the input does not fit the area.
    """
    told = found.told
    case_input = told["input"]
    convert(case_input, area.input_type, where=f"{found.where}: input")
    case = convert(
        {
            **told,
            "id": f"{area.name}/{slug}",
            "area": area.name,
            "why": why,
            "since": SPEC_VERSION,
            "flags": list(flags) or told.get("flags", []),
            "requires": sorted(requires) or told.get("requires", []),
            "features": list(features) or told.get("features") or features_needed(case_input),
            "rows": list(rows) or told.get("rows"),
            "issue": issue or told.get("issue"),
        },
        Case,
        where=found.where,
    )
    for problem in _problems(area, case):
        raise UsageError(problem)
    promotion = Promotion(case)
    if area.oracle is not None:
        for row in rows_of(area, case, list(specs().values())):
            try:
                promotion.goldens[row] = ask_oracle(Cell(area, case, row, None))
            except AssetsMissing:
                promotion.missing.append(row)
    return promotion


def _problems(area: Area, case: Case) -> Iterator[str]:
    """Why this may not become a case; the first reason is enough."""
    import tomllib

    known_flags = tomllib.loads((fixtures_dir() / "flags.toml").read_text(encoding="utf-8"))
    if not SLUG.match(case.slug):
        yield f"--slug {case.slug!r}: use a-z, 0-9, '-' and '.'"
    if len(case.why) < 12 or WEASEL.search(case.why):
        yield f"--why {case.why!r}: state in plain words what the input has that others have not"
    if not case.flags:
        yield "--flag is missing: what a failure means. See fixtures/flags.toml"
    for flag in case.flags:
        if flag not in known_flags:
            yield f"--flag {flag}: is not in fixtures/flags.toml"
    if not case.requires:
        yield "--requires is missing: which requirement it breaks. See: tokenspec list requirements"
    for id_ in case.requires:
        if id_ not in requirements():
            yield f"--requires {id_}: there is no such requirement. See: tokenspec list requirements"
    for other in load_cases(area):
        if other.id == case.id:
            yield f"--slug {case.slug}: {case.id} exists; ids are never reused"
        if input_sha256(other.input) == input_sha256(case.input):
            yield f"{other.id} has the same input already. See: tokenspec explain {other.id}"
    if not rows_of(area, case, list(specs().values())):
        yield f"applies to no row; its features are {', '.join(case.features) or 'none'}. See: tokenspec list rows"


def features_needed(case_input: dict[str, Any]) -> list[str]:
    """What a row's template must read for a conversation to say something about it.

    ``tool-role`` for calls and results (a template may know them and ignore ``tools=``), ``tools`` for definitions
    alone, ``parts`` for parts that are not text; everything else runs everywhere.
    """
    messages = [message for message in case_input.get("messages") or () if isinstance(message, dict)]
    found: list[str] = []
    if any(message.get("tool_calls") or message.get("role") == "tool" for message in messages):
        found.append("tool-role")
    elif case_input.get("tools"):
        found.append("tools")
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    if any(isinstance(part, dict) and part.get("type") not in {None, "text"} for part in parts):
        found.append("parts")
    return found
