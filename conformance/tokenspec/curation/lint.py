"""Everything a fixture can get wrong, found without running an implementation.

Each rule yields printable lines ``path: what is wrong and what to do``.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from packaging.version import Version

from tokenspec.areas import areas
from tokenspec.areas.area import Cell, models_of
from tokenspec.areas.check import all_checks
from tokenspec.areas.oracle_version import EARLIER, flips_of, flips_path, same_answer
from tokenspec.areas.selection import Selection, all_cases, goldens_path, load_cases, rows_of, select_cells
from tokenspec.curation.certificates import certificates_are_complete
from tokenspec.curation.manifest import manifest, schemas
from tokenspec.curation.readme import readme
from tokenspec.curation.releases import released_entries_are_kept
from tokenspec.curation.witness_list import Witness, WitnessList, read_witnesses
from tokenspec.data import fixtures_dir
from tokenspec.errors import TokenspecError
from tokenspec.known_failures.entries import pattern
from tokenspec.models import spec_of, specs
from tokenspec.store.canonical import canonical_json, convert, read_json
from tokenspec.store.entries import SPEC_VERSION
from tokenspec.store.golden_files import read_goldens
from tokenspec.store.records import Golden
from tokenspec.store.smoke import smoke_cases

MAX_ENTRY = 64 * 1024
MAX_TREE = 40 * 1024 * 1024
ENTRIES = ("cases", "regressions", "golden", "flips")
WEASEL = re.compile(r"\b(should|test that|tests that|check that)\b", re.IGNORECASE)
SLUG = re.compile(r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$")


def problems() -> Iterator[str]:
    """All problems of all fixtures."""
    for rule in (
        files_are_canonical,
        cases_are_well_formed,
        goldens_are_complete,
        goldens_agree,
        witnesses_are_listed,
        certificates_are_complete,
        profiles_are_complete,
        flips_are_flips,
        smoke_cases_exist,
        manifest_is_current,
        released_entries_are_kept,
    ):
        try:
            yield from rule()
        except TokenspecError as error:
            yield str(error)


def files_are_canonical() -> Iterator[str]:
    """Every JSON file reads back typed and is written the canonical way; no case or golden is too large."""
    root, total = fixtures_dir(), 0
    for path in sorted(root.rglob("*.json")):
        total += path.stat().st_size
        relative = path.relative_to(root)
        if relative.parts[0] in {"toy", "models", "files"} or relative.name == "MANIFEST.json":
            continue
        try:
            value = read_json(path)
        except TokenspecError as error:
            yield str(error)
            continue
        if path.read_text(encoding="utf-8") != canonical_json(value):
            yield f"{relative}: not in canonical form; write fixtures with tokenspec.store.canonical.canonical_json"
        for slug, entry in value.get("cases", {}).items() if relative.parts[0] in ENTRIES else ():
            if (size := len(canonical_json(entry).encode())) > MAX_ENTRY:
                yield f"{relative}: {slug} has {size // 1024} KiB, more than {MAX_ENTRY // 1024}; split the case"
    if total > MAX_TREE:
        yield f"fixtures: {total // 2**20} MiB, more than {MAX_TREE // 2**20}"


def cases_are_well_formed() -> Iterator[str]:
    """Cases have stable slugs, a stated reason in plain words, and at least one row."""
    for area in areas().values():
        for case in load_cases(area):
            if not SLUG.match(case.slug):
                yield f"{case.id}: the slug has other characters than a-z, 0-9, '-' and '.'"
            if len(case.why) < 12 or WEASEL.search(case.why):
                yield f"{case.id}: 'why' must state a fact in plain words: {case.why!r}"
            if not re.fullmatch(r"\d+\.\d+", case.since) or Version(case.since) > Version(SPEC_VERSION):
                yield f"{case.id}: since {case.since} is no spec version up to {SPEC_VERSION}"
            if not case.flags:
                yield f"{case.id}: carries no flag; flags say what a failure means"
            if not rows_of(area, case, list(specs().values())):
                yield f"{case.id}: applies to no row; its features are {', '.join(case.features)}"
            stated = case.refusal or {}
            if stated.get("code") and (case.outcome != "raises" or not case.source):
                yield f"{case.id}: states a refusal; its outcome is raises, and its source says where that is stated"
            if case.refusal is not None and not stated.get("code") and not stated.get("places"):
                yield f"{case.id}: states a refusal with neither a code nor a place"


def goldens_are_complete() -> Iterator[str]:
    """The matrix of cases and rows is total, and nothing lies in ``golden/`` that no case asks for."""
    wanted: dict[Path, set[str]] = {}
    for area in areas().values():
        if area.oracle is None:
            continue
        for case in load_cases(area):
            for row in rows_of(area, case, list(specs().values())):
                wanted.setdefault(goldens_path(row, area.name), set()).add(case.slug)
    yield from strangers(fixtures_dir() / "golden", wanted)
    for path, slugs in sorted(wanted.items()):
        file = read_goldens(path)
        for slug in sorted(slugs - set(file.cases if file is not None else ())):
            name = path.relative_to(fixtures_dir())
            yield f"{name}: {slug} is missing; run: tokenspec bless --row {path.parent.name} --case {path.stem}/{slug}"


def strangers(folder: Path, wanted: dict[Path, set[str]]) -> Iterator[str]:
    """Files and goldens below a folder that no case and row asks for."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(fixtures_dir())
        if path.is_file() and path not in wanted:
            yield f"{name}: belongs to no row and area; remove it"
        elif path.is_file():
            file = read_goldens(path)
            for slug in sorted(set(file.cases if file is not None else ()) - wanted[path]):
                yield f"{name}: {slug} belongs to no case of this row; remove it"


def goldens_agree() -> Iterator[str]:
    """A golden is made from its case's input and its row's pins, and its redundant fields agree."""
    for cell in select_cells(Selection()):
        golden = cell.golden
        if golden is None or cell.borrowed:
            continue
        yield from _header(cell, golden)
        if golden.expect is None and golden.outcome == "ok":
            yield f"{cell.name}: is to be answered, but the golden expects nothing"
        if golden.outcome == "ok" and cell.case.refusal is not None:
            yield f"{cell.name}: is to be refused as {cell.case.refusal['code']}, but the oracle answers; mend either"
        if golden.expect is not None:
            expect = convert(golden.expect, cell.area.expect_type, where=f"{cell.name}: expect")
            if cell.area.lint is not None:
                yield from cell.area.lint(cell, expect)


def _header(cell: Cell, golden: Golden) -> Iterator[str]:
    models = models_of(cell.row)
    if len(models) == 1 and golden.pins != spec_of(models[0]).pins:
        yield f"{cell.name}: made from another template or tokenizer than the row pins; bless it again"


def witnesses_are_listed() -> Iterator[str]:
    """Goldens name witnesses of their area in the listed version, with levels these find by themselves."""
    listed = read_witnesses()
    yield from _listed_well(listed)
    for cell in select_cells(Selection()):
        if cell.golden is None or cell.borrowed:
            continue
        levels = {witness.title: witness.levels for witness in listed.of([cell.area.name])}
        for name, said in cell.golden.witnesses.items():
            if name not in levels:
                yield f"{cell.name}: {name} is no witness of {cell.area.name}; run: tokenspec bless --witnesses-only"
            elif not said or said != sorted(set(said).intersection(levels[name])):
                yield f"{cell.name}: {name} agrees in {said}, and is asked about {levels[name]}"
        yield from _answers_are_others(cell, cell.golden, [one for one in listed.witness if one.is_asked(cell)])


def _answers_are_others(cell: Cell, golden: Golden, asked: list[Witness]) -> Iterator[str]:
    """A named answer is a listed publisher's, of the area's form, and of another answer than the golden's."""
    for answer in golden.answers.values():
        where = f"{cell.name}: the answer of {answer.by}"
        publisher = next((one for one in asked if one.title == answer.by and one.publishes), None)
        if publisher is None:
            yield f"{where} is of no publisher of this row; run: tokenspec bless --witnesses-only"
        elif not answer.levels or answer.levels != sorted(set(answer.levels).intersection(publisher.levels)):
            yield f"{where} differs in {answer.levels}, and is asked about {publisher.levels}"
        if answer.by in golden.witnesses:
            yield f"{where} differs, and it is named as a witness, too"
        if (answer.outcome == "ok") != (answer.expect is not None):
            yield f"{where} has the outcome {answer.outcome}, and {'an' if answer.expect else 'no'} expectation"
        if answer.expect is not None:
            expect = convert(answer.expect, cell.area.expect_type, where=where)
            if cell.area.lint is not None:
                yield from cell.area.lint(cell, expect)
        other = msgspec.structs.replace(golden, outcome=answer.outcome, expect=answer.expect)
        if same_answer(golden, other):
            yield f"{where} is the golden's; run: tokenspec bless --witnesses-only"


def _listed_well(listed: WitnessList) -> Iterator[str]:
    for witness in listed.witness:
        if witness.area not in areas():
            yield f"witnesses.toml: {witness.name}: no area {witness.area!r}"
        elif strange := sorted(set(witness.levels) - set(areas()[witness.area].levels)):
            yield f"witnesses.toml: {witness.name}: {witness.area} has no level {', '.join(strange)}"
        elif not witness.levels:
            yield f"witnesses.toml: {witness.name}: names no level it can confirm"
        if strange := sorted(set(witness.publishes) - specs().keys()):
            yield f"witnesses.toml: {witness.name}: publishes no row of ours: {', '.join(strange)}"
    pairs = [(witness.name, witness.area) for witness in listed.witness]
    yield from (f"witnesses.toml: {name} is listed twice for {area}" for name, area in repeated(pairs))
    names, known = {name for name, _ in pairs}, all_checks()
    for one in listed.difference:
        if one.witness not in names or not any(pattern(one.check).fullmatch(check) for check in known):
            yield f"witnesses.toml: the difference on {one.case} names no listed witness, or no check: {one.check}"
        if len(one.reason.split()) < 3:
            yield f"witnesses.toml: the difference on {one.case} needs a reason in plain words"


def repeated(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What occurs more than once."""
    return [pair for pair, count in Counter(pairs).items() if count > 1]


def profiles_are_complete() -> Iterator[str]:
    """Every row lists where its id profiles differ, made from the goldens that are there."""
    from tokenspec.areas.render.profiles import problems as found

    yield from found()


def flips_are_flips() -> Iterator[str]:
    """What an earlier oracle answers otherwise is of a cell, of today's pins, and is another answer."""
    wanted: dict[Path, set[str]] = {}
    for row, case, current, flip in flips_of(EARLIER):
        wanted.setdefault(flips_path(EARLIER, row), set()).add(case.slug)
        if flip.pins != current.pins or flip.oracle.get("transformers") != EARLIER.transformers:
            yield f"flips: {case.id} on {row}: made of another row or oracle; run: tox -e conformance-tf457"
        if same_answer(flip, current):
            yield f"flips: {case.id} on {row}: is no flip; remove it"
    yield from strangers(EARLIER.flips, wanted)


def smoke_cases_exist() -> Iterator[str]:
    """smoke.toml names cases that there are."""
    try:
        listed = smoke_cases()
    except (OSError, ValueError) as error:
        yield f"smoke.toml: {error}"
        return
    known = all_cases()
    for case in (case for cases in listed.values() for case in cases):
        if case not in known:
            yield f"smoke.toml: {case} is no case"


def manifest_is_current() -> Iterator[str]:
    """MANIFEST.json, README.md, the schemas and flags.toml are readable and up to date."""
    root = fixtures_dir()
    for name, schema in schemas().items():
        path = root / "schema" / name
        if not path.exists() or path.read_text(encoding="utf-8") != canonical_json(schema):
            yield f"schema/{name}: out of date; run: tokenspec fixtures lint --write-manifest"
    try:
        tomllib.loads((root / "flags.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield f"flags.toml: {error}"
    described = manifest()
    path = root / "MANIFEST.json"
    if not path.exists() or read_json(path) != described:
        yield "MANIFEST.json: out of date; run: tokenspec fixtures lint --write-manifest"
    path = root / "README.md"
    if not path.exists() or path.read_text(encoding="utf-8") != readme(described, root):
        yield "README.md: out of date; run: tokenspec fixtures lint --write-manifest"
