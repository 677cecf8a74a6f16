"""``tokenspec models add`` and ``check``: the gate a model passes to become a row, and the one CI holds rows to."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from tokenspec.cli.screen import say, screen
from tokenspec.errors import UsageError
from tokenspec.store.writing import refuse_outputs

if TYPE_CHECKING:
    from tokenspec.addition.check import Step
    from tokenspec.addition.files import Published
    from tokenspec.addition.row import Stated

FINGERPRINT = re.compile(r"^[0-9a-f]{64}$")
REVISION = re.compile(r"^[0-9a-f]{40}$")


@click.command("add")
@click.argument("repo", required=False)
@click.option("--revision", metavar="SHA", help="The full commit id of REPO on the hub.")
@click.option("--from-dir", type=click.Path(path_type=Path), help="A tokenizer folder instead of a REPO.")
@click.option("--id", "row", help="The row's id; default: the name of the repository or folder.")
@click.option("--family", default="template", show_default=True, help="The renderer family.")
@click.option("--summary", help="One line on what the model is.")
@click.option("--licence", default="not stated", help="Licence of template and vocabulary.")
@click.option("--evidence", help="Why these files are the model's own.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="A default template keyword; repeatable."
)
@click.option("--accept", multiple=True, metavar="NAME", help="A finding to accept, by its name; repeatable.")
@click.option("--plain", multiple=True, metavar="TEXT", help="A marker in the template that is no token; repeatable.")
@click.option("--open", "opener", multiple=True, help="What opens an assistant turn; default: inferred.")
@click.option("--close", "closer", multiple=True, help="What closes an assistant turn; default: inferred.")
@click.option("--stop", multiple=True, help="A stop token; default: inferred.")
@click.option("--placeholder", multiple=True, help="A token that stands for a media part.")
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Judge it in this area only; repeatable.")
@click.option("--fingerprint", metavar="SHA256", help="llama.cpp's of its vocabulary, published where --evidence says.")
@click.option("--sheet", type=click.Path(path_type=Path), help="Also write the review sheet as Markdown.")
@click.option("--dry-run", is_flag=True, help="Do everything but write into the fixtures.")
def add(repo: str | None, revision: str | None, from_dir: Path | None, **given: Any) -> None:
    """Add a model as a row: REPO at a revision of the hub, or a folder.

    Reads and hashes the files, renders every case twice, refuses what does not repeat, certifies, makes goldens for the
    new row only, and prints a sheet to review. Nothing is written unless all of it succeeds. What breaks training is
    named as an error (as check-template does), and each must be mended or accepted: --accept date.

    A row is real with evidence from outside the files: a revision of the hub, or --fingerprint. One from a folder alone
    is unproven: it is judged where it is named, and gates nothing.

    Example: tokenspec models add org/model --revision 0123...cdef --licence Apache-2.0 --sheet review.md
    """
    from tokenspec.addition.add import land, prepare, refuse_installed
    from tokenspec.addition.review import sheet

    if not given["dry_run"]:
        refuse_installed()
    refuse_outputs([given["sheet"]], [from_dir])
    published, stated = _read(repo, revision, from_dir, given)
    console = screen(stderr=True)
    with _Status(console) as status, prepare(published, stated, status.step) as addition:
        status.stop()
        found = sheet(addition.spec, addition.certificate, addition.made, addition.notes)
        show_sheet(found, given["sheet"])
        if given["dry_run"]:
            click.echo(f"dry run: {len(addition.made)} goldens made, nothing written. Again without --dry-run adds it.")
            return
        written = land(addition, f"added from {published.origin}")
    click.echo(
        f"added {stated.id} ({addition.spec.status}): row file, certificate, {len(addition.made)} goldens "
        f"({', '.join(dict.fromkeys(cell.area.name for cell, _ in addition.made))}), manifest ({len(written)} places)"
    )
    if stated.hub is None:
        click.echo(f"other machines find its files under $TOKENSPEC_MODELS_DIR/{stated.id}; a hub revision is better")
    click.echo(f"next: review the sheet and git diff, then: tokenspec models check {stated.id}")


def show_sheet(found: Any, path: Path | None) -> None:
    """On the screen, and as Markdown where asked for."""
    from tokenspec.addition.review_markdown import sheet_markdown
    from tokenspec.addition.review_screen import print_sheet
    from tokenspec.store.writing import write_atomically

    print_sheet(screen(), found)
    if path is not None:
        write_atomically(path, sheet_markdown(found))
        say(f"wrote {path}")


def _read(
    repo: str | None, revision: str | None, from_dir: Path | None, given: dict[str, Any]
) -> tuple[Published, Stated]:
    from tokenspec.addition.files import hub_folder, read_published
    from tokenspec.addition.row import Stated
    from tokenspec.areas import area_of
    from tokenspec.cli.render import options_of
    from tokenspec.models.spec import Hub

    if (repo is None) == (from_dir is None):
        raise UsageError("give a REPO with --revision SHA, or --from-dir DIR, and not both")
    if repo is not None and (revision is None or not REVISION.match(revision) or repo.count("/") != 1):
        raise UsageError(
            "REPO is owner/name and --revision its full commit id (40 hex digits): a branch moves, a row not"
        )
    if from_dir is not None and not from_dir.is_dir():
        raise UsageError(f"--from-dir {from_dir}: no such folder; give one that save_pretrained wrote")
    hub = Hub(repo=repo, revision=revision) if repo and revision else None
    name = given["row"] or re.sub(
        r"[^a-z0-9.-]+", "-", (repo or str(from_dir and from_dir.resolve().name)).split("/")[-1].lower()
    )
    origin = f"{hub.repo} at {hub.revision}" if hub else f"the folder {from_dir.name if from_dir else ''}"
    folder = hub_folder(hub) if hub else from_dir
    assert folder is not None
    published = read_published(folder, origin, name)
    stated = Stated(
        id=name,
        family=given["family"],
        summary=given["summary"] or f"{repo or name}, added by tokenspec models add",
        licence=given["licence"],
        evidence=given["evidence"] or f"read from {origin}; ids of the vector texts computed from these files",
        hub=hub,
        options=options_of(given["options"]),
        accepted=frozenset(given["accept"]),
        plain=frozenset(given["plain"]),
        opener=given["opener"],
        closer=given["closer"],
        stop=given["stop"],
        placeholder=given["placeholder"],
        areas=tuple(area_of(area).name for area in dict.fromkeys(given["areas"])),
        fingerprint=_fingerprint(given["fingerprint"], given["evidence"]),
    )
    return published, stated


def _fingerprint(stated: str | None, evidence: str | None) -> str | None:
    """A fingerprint of another's, and where that stands."""
    if stated is not None and not FINGERPRINT.match(stated):
        raise UsageError("--fingerprint is the sha256 that llama.cpp's converter lists for a vocabulary: 64 hex digits")
    if stated is not None and evidence is None:
        raise UsageError("--fingerprint needs --evidence: where it is published, so that others find it")
    return stated


class _Status:
    """One line on a terminal that says what is being done and how far it is."""

    def __init__(self, console: Any) -> None:
        self._status = console.status("reading")

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def step(self, what: str, done: int, total: int) -> None:
        """What is being done."""
        self._status.update(f"{what} {done}/{total}" if total > 1 else what)

    def stop(self) -> None:
        """Take the line away."""
        self._status.stop()


@click.command("check")
@click.argument("rows", nargs=-1, required=True)
@click.option("--sheet", type=click.Path(path_type=Path), help="Also write the review sheets as Markdown.")
def check(rows: tuple[str, ...], sheet: Path | None) -> None:
    """Hold ROWS to everything a merged row must be: for CI on pull requests that touch the row files.

    Exit codes: 1 when the oracle or the reference disagrees with the row, 4 when its fixtures are not in order.
    """
    from tokenspec.addition.check import check_row
    from tokenspec.store.writing import write_atomically

    refuse_outputs([sheet])
    blocks: list[str] = []
    codes = []
    for row in rows:
        code, block = check_row(row, lambda step, row=row: click.echo(_said(row, step)))  # type: ignore[misc]
        blocks.append(block)
        codes.append(code)
    if sheet is not None:
        write_atomically(sheet, "\n".join(blocks))
        say(f"wrote {sheet}")
    click.echo(f"{sum(code == 0 for code in codes)} of {len(rows)} rows are fit to merge")
    sys.exit(max(codes))


def _said(row: str, step: Step) -> str:
    return f"ok   {row}: {step.what}" if step.reason is None else f"FAIL {row}: {step.what}: {step.reason}"
