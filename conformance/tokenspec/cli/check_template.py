"""``tokenspec check-template``: what a chat template does to conversations, before it is published."""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokenspec.cli.screen import screen
from tokenspec.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from tokenspec.addition.template import Checked, Engine

SHOWN = 60


@click.command("check-template")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--tokenizer",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with tokenizer.json; default: that of each file.",
)
@click.option("--accept", multiple=True, metavar="NAME", help="Tools, calls or a role it drops, by name; repeatable.")
@click.option("--engine", "engines", multiple=True, metavar="NAME", help="This engine must agree; repeatable.")
def check_template(
    files: tuple[Path, ...], tokenizer: Path | None, accept: tuple[str, ...], engines: tuple[str, ...]
) -> None:
    """Measure chat templates: certificate, losses, limits, and what other Jinja engines make of them.

    Exit code 1 when a template is broken, when it drops tools, calls or a role that is not accepted by name, or when an
    engine that was named writes another text than transformers.

    Example: tokenspec check-template chat_template.jinja --tokenizer ./my-model --engine minijinja
    """
    if importlib.util.find_spec("transformers") is None:
        raise UsageError("check-template asks transformers; run: pip install transformers")
    from tokenspec.guard.bounds import OutOfBounds
    from tokenspec.guard.door import in_child

    wrong = 0
    for file in files:
        try:
            wrong += in_child(partial(check_one, file, tokenizer or file.parent, accept, engines))
        except OutOfBounds as broken:
            click.echo(f"{file}: {broken}")
            wrong += 1
    click.echo(f"{len(files) - wrong} of {len(files)} templates are in order")
    sys.exit(1 if wrong else 0)


def check_one(file: Path, tokenizer: Path, accept: tuple[str, ...], engines: tuple[str, ...]) -> int:
    """Measure and print one template; 1 where it is broken or something is to be mended or accepted."""
    from tokenspec.addition.template import ENGINES
    from tokenspec.addition.template import check_template as check
    from tokenspec.guard.bounds import OutOfBounds
    from tokenspec.models.errors import ModelError

    try:
        checked = check(file, tokenizer, tuple(dict.fromkeys((*ENGINES, *engines))))
    except (ModelError, OutOfBounds) as broken:
        click.echo(f"{file}: {broken}")
        return 1
    click.echo(f"{file}")
    return int(show(screen(), checked, accept, engines) > 0)


def show(console: Console, checked: Checked, accept: tuple[str, ...], engines: tuple[str, ...]) -> int:
    """Print everything; returns how many things are to be mended or accepted."""
    from tokenspec.certificate.dropped import dropped, refused
    from tokenspec.certificate.screen import view

    facts = checked.certificate.facts
    console.print(view(checked.certificate))
    click.echo(f"limits: refuses {'; '.join(refused(facts)) or 'nothing that was asked'}")
    for note in checked.notes:
        click.echo(f"files: {note}")
    for engine in checked.engines:
        click.echo("\n".join(lines_of(engine)))
    disagreeing = [engine.name for engine in checked.engines if engine.name in engines and agrees(engine) is not True]
    for name in disagreeing:
        click.echo(f"! {name} was named and does not agree")
    lost = {name: text for name, text in dropped(facts).items() if name not in accept}
    for name, text in lost.items():
        click.echo(f"! {text} without a word; where that is right: --accept {name}")
    return len(disagreeing) + len(lost)


def agrees(engine: Engine) -> bool | None:
    """Whether it writes what transformers writes; None where it was not asked."""
    return None if engine.absent else not engine.differing


def lines_of(engine: Engine) -> list[str]:
    """One line, and a second with the first difference."""
    if engine.absent:
        return [f"{engine.name}: not asked, {engine.absent}"]
    same = engine.asked - len(engine.differing)
    said = [f"{engine.name} {engine.version}: {same} of {engine.asked} texts as transformers writes them"]
    for what, expected, got in engine.differing[:1]:
        said.append(f"  {what}: expected {_short(expected)}, got {_short(got)}")
    return said


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")
