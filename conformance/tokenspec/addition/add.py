"""Add a model: read, prove, render everything twice, certify, make goldens, and only then write, all or nothing."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenspec.addition.answers import instabilities
from tokenspec.addition.files import AdditionRefused, Published, ill_formed, pins, problems
from tokenspec.addition.goldens import Made, displaced, known, make_goldens
from tokenspec.addition.row import Stated, row_spec, row_toml, stated_wire
from tokenspec.addition.wire import infer_features, infer_wire
from tokenspec.areas import areas
from tokenspec.areas.selection import load_cases, rows_of
from tokenspec.data import checkout_root, fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models import publisher
from tokenspec.models.assemble import pin
from tokenspec.models.build import folder
from tokenspec.models.cache import keep_folder, row_folder, sha256
from tokenspec.models.fingerprint import verify
from tokenspec.models.rows import Row, committed_specs, load, specs
from tokenspec.models.spec import RowSpec, Wire
from tokenspec.store.canonical import canonical_json
from tokenspec.store.golden_files import read_goldens
from tokenspec.store.writing import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.certificate import Certificate

SLUG = re.compile(r"^[a-z0-9][a-z0-9.-]*$")
EMPTY = Wire(assistant_open=(), assistant_close=(), stop=())
STATED = "state it: tokenspec models add --open TEXT --close TEXT --stop TOKEN"
Step = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Addition:
    """A row that is fit to be added: its specification, certificate, goldens, and what a reviewer is to look at."""

    spec: RowSpec
    published: Published
    certificate: Certificate
    made: Made
    notes: list[str]
    stage: Path


def refuse_taken(stated: Stated, published: Published) -> None:
    """A row's id and its pair of pins are used once; a new template revision is a new row beside the old one."""
    if not SLUG.match(stated.id):
        raise AdditionRefused(
            stated.id, ["the id has other characters than a-z, 0-9, '.' and '-'; choose one with --id"]
        )
    rows = specs()
    if stated.id in rows:
        changed = _differing(rows[stated.id], published)
        files = (read_goldens(path) for path in (fixtures_dir() / "golden").glob(f"**/{stated.id}/*.json"))
        goldens = sum(len(file.cases) for file in files if file is not None)
        why = (
            f"its {' and '.join(changed)} differs from the pinned one, so {goldens} existing goldens would change; "
            f"a new revision is a new row, for example --id {stated.id}-2"
            if changed
            else "and it is the same model; see: tokenspec explain " + stated.id
        )
        raise AdditionRefused(stated.id, [f"the row id is taken, {why}"])
    for row in rows.values():
        if not _differing(row, published):
            raise AdditionRefused(stated.id, [f"this template and tokenizer are the row {row.id!r} already"])
    leftovers = [path for path in (fixtures_dir() / "golden").glob(f"**/{stated.id}") if path.is_dir()]
    if leftovers:
        raise AdditionRefused(stated.id, [f"{leftovers[0].relative_to(fixtures_dir())} exists and belongs to no row"])


def _differing(row: RowSpec, published: Published) -> list[str]:
    """Which of a row's two pins these files do not have; toy rows pin their tokenizer's own bytes."""
    pinned, raw = pins(published), sha256(published.raw[publisher.TOKENIZER])
    same = {"tokenizer": {pinned["tokenizer"], raw}, "template": {pinned["template"]}}
    return [what for what, hashes in same.items() if row.pins[what] not in hashes]


@contextmanager
def prepare(published: Published, stated: Stated, step: Step, *, stays: bool = True) -> Iterator[Addition]:
    """Everything short of writing, in a temporary folder that is gone afterwards.

    Args:
        published: the files.
        stated: what a person says of them.
        step: is told what is being done.
        stays: the row is to stand among the others, so it may take no place of theirs.

    Raises:
        AdditionRefused: no row can be made of it.
    """
    from tokenspec.certificate import certify
    from tokenspec.certificate.hazards import find, not_there
    from tokenspec.certificate.probe import Probe, Refused
    from tokenspec.certificate.scenarios import USER

    refuse_taken(stated, published)
    if found := problems(published, stated.plain):
        raise AdditionRefused(stated.id, found)
    with tempfile.TemporaryDirectory(prefix="tokenspec-add-") as place:
        work = Path(place)
        row = folder_row(row_spec(published, stated, EMPTY, ()), published, work / "model")
        verify(row.spec, published.tokenizer, [])
        asked = Probe(row).text([USER])
        if isinstance(asked, Refused):
            raise AdditionRefused(stated.id, [f"the template refuses one user message: {asked.kind}"])
        facts = certify(row, with_tokens=False).facts
        features = infer_features(facts)
        row = Row(msgspec.structs.replace(row.spec, features=features), row.directory)
        wire = stated_wire(stated, infer_wire(row, published))
        if not wire.assistant_open or not wire.assistant_close:
            raise AdditionRefused(
                stated.id,
                [f"what opens and closes an assistant turn cannot be told from renders; {STATED}"],
            )
        notes: list[str] = []
        if stays:
            hazards = find(Row(msgspec.structs.replace(row.spec, wire=wire), row.directory), facts)
            found = [*_unfit(row, published, stated), *hazards.blocking(stated.accepted)]
            if found := [*found, *not_there(sorted(stated.accepted), hazards.names)]:
                raise AdditionRefused(stated.id, found)
            notes += [f"accepted by name: {one.name}: {one.cause}" for one in hazards.hazards]
            notes += hazards.notes
        (work / "row.toml").write_text(row_toml(row.spec), encoding="utf-8")
        step("asking the oracle in two processes", 0, 1)
        dated = not stays or "date" in stated.accepted
        if unstable := instabilities(work / "row.toml", row.directory, date=dated):
            raise AdditionRefused(stated.id, unstable)
        notes += _notes(published, stated, wire)
        spec = msgspec.structs.replace(row.spec, wire=wire, cases=stated.cases)
        row = Row(spec, row.directory)
        if lost := displaced(spec) if stays else []:
            other = lost[0].split("/")[1]
            why = f"it has the vocabulary of {other} and would take its place in {len(lost)} existing goldens"
            raise AdditionRefused(stated.id, [f"{why}; choose an id behind it in the alphabet, --id {other}-..."])
        certificate = certify(row)
        with known(spec, folder(spec, published.tokenizer, published.template)):
            made = make_goldens(row, work / "golden", lambda done, total: step("making goldens", done, total))
        yield Addition(spec, published, certificate, made, notes, work)


def _unfit(row: Row, published: Published, stated: Stated) -> Iterator[str]:
    """What is wrong with a row among the others, as far as a few renders show."""
    yield from unjudged(row.spec, stated)
    yield from formed(row, published, stated.plain)


def unjudged(spec: RowSpec, stated: Stated) -> Iterator[str]:
    """Areas that were asked for and have nothing for the row."""
    others = [row for row in specs().values() if row.id != spec.id]
    able = [
        area.name
        for area in areas().values()
        if area.oracle and any(spec.id in rows_of(area, case, [*others, spec]) for case in load_cases(area))
    ]
    for name in stated.areas:
        if name not in able:
            yield f"--area {name}: no case of it applies to this row; areas that have some: {', '.join(able) or 'none'}"


def formed(row: Row, published: Published, plain: frozenset[str]) -> list[str]:
    """Markers that the template puts together, as they stand in renders, and that are no token."""
    from tokenspec.certificate.calls import spelling_of
    from tokenspec.certificate.probe import Probe
    from tokenspec.certificate.scenarios import scenarios, tools_of

    probe = Probe(row)
    texts = (probe.text(messages, tools=tools_of(messages)) for messages in scenarios(spelling_of(probe)).values())
    return list(ill_formed(published, plain, [text for text in texts if isinstance(text, str)]))


def folder_row(spec: RowSpec, published: Published, directory: Path) -> Row:
    """A row whose files are written into a new folder."""
    directory.mkdir()
    for name, data in folder(spec, published.tokenizer, published.template).items():
        (directory / name).write_bytes(data)
    return Row(spec, directory)


def _notes(published: Published, stated: Stated, wire: Wire) -> Iterator[str]:
    """What a reviewer must know and no fact says."""
    if not (stated.opener and stated.closer and stated.stop):
        yield "opener, closer and stop tokens are inferred from renders: compare them with the model card"
    if not published.generation:
        yield "there is no generation_config.json: further stop tokens, if any, are not known"
    if not stated.placeholder:
        yield "no media placeholder is stated (--placeholder): media parts stay unattributed"
    if not set(wire.assistant_close) & set(wire.stop):
        yield "no closer of an assistant turn is a stop token: a model trained on this does not learn to stop"
    template, config = published.raw.get("chat_template.jinja"), published.config.get("chat_template")
    if template is not None and isinstance(config, str) and config.strip() != template.decode().strip():
        yield "tokenizer_config.json carries another template than chat_template.jinja; the file was taken"


def refuse_installed() -> None:
    """Fixtures are added to a checkout of the project.

    Raises:
        UsageError: this is an installed one.
    """
    if checkout_root() is None:
        raise UsageError("a model is added to a checkout of the project, and this is an installed one; add --dry-run")


def land(addition: Addition, reason: str) -> list[Path]:
    """Write row, certificate, goldens and id profiles and renew the manifest; on any error all that is new goes again.

    Raises:
        UsageError: the fixtures are not those of a checkout.
        AdditionRefused: an existing golden would change.
    """
    from tokenspec.areas.render import profiles
    from tokenspec.certificate.facts import Review
    from tokenspec.certificate.files import path_of, today, with_reviews
    from tokenspec.curation import manifest
    from tokenspec.store.entries import current_entries

    refuse_installed()
    spec, root = addition.spec, fixtures_dir()
    before = _goldens(current_entries())
    written: list[Path] = []
    try:
        _write_goldens(addition, root, written)
        certificate = with_reviews(addition.certificate, [Review(date=today(), reason=reason, facts=[])])
        written.append(path_of(spec.id))
        write_atomically(path_of(spec.id), canonical_json(certificate))
        now = _goldens(current_entries())
        _refuse_changed(spec.id, [name for name, sha in before.items() if now.get(name) != sha])
        keep_folder(
            row_folder(spec.id, pin(spec)), folder(spec, addition.published.tokenizer, addition.published.template)
        )
        written.append(root / "models" / f"{spec.id}.toml")
        write_atomically(written[-1], row_toml(spec))
        committed_specs.cache_clear()
        load.cache_clear()
        if profiles.answered(spec.id):
            written.append(profiles.path_of(spec.id))
            profiles.write(spec.id)
        manifest.write_manifest()
    except BaseException:
        for path in reversed(written):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        committed_specs.cache_clear()
        load.cache_clear()
        raise
    return [path for path in written if path.exists()]


def _write_goldens(addition: Addition, root: Path, written: list[Path]) -> None:
    """Copy the staged folders beside their places, then rename; ``written`` learns each place before it exists."""
    for source in sorted((addition.stage / "golden").iterdir()):
        target = root / "golden" / source.name
        if target.exists():
            _refuse_changed(addition.spec.id, [str(target.relative_to(root))])
        hidden = target.with_name(f".{source.name}.adding")
        written += [hidden, target]
        shutil.copytree(source, hidden)
        hidden.rename(target)


def _goldens(entries: dict[str, str]) -> dict[str, str]:
    return {name: sha for name, sha in entries.items() if name.startswith("golden/")}


def _refuse_changed(row: str, changed: list[str]) -> None:
    if changed:
        raise AdditionRefused(row, [f"existing goldens would change, and they never do; the first is {changed[0]}"])
