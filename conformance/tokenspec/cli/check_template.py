"""``tokenspec check-template``: what a chat template does to conversations, before it is published."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokenspec.cli.screen import say, screen
from tokenspec.errors import TokenspecError, UsageError

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
@click.option("--accept", multiple=True, metavar="NAME", help="A finding to accept, by its name; repeatable.")
@click.option("--engine", "engines", multiple=True, metavar="NAME", help="This engine must agree; repeatable.")
def check_template(
    files: tuple[Path, ...], tokenizer: Path | None, accept: tuple[str, ...], engines: tuple[str, ...]
) -> None:
    """Measure chat templates: certificate, losses, limits, and what other Jinja engines make of them.

    Exit code 1 when a template is broken, when it breaks training and that is not accepted by name, or when an engine
    that was named writes another text than transformers. Names: prompt (a turn does not begin as the generation prompt
    ends), date (the text depends on today's date), stop (a turn ends without a stop token), tools, calls, role-NAME
    (they vanish from the text).

    Example: tokenspec check-template chat_template.jinja --tokenizer ./my-model --engine minijinja
    """
    if importlib.util.find_spec("transformers") is None:
        raise UsageError("check-template asks transformers; run: pip install transformers")
    from tokenspec.certificate.hazards import not_there
    from tokenspec.guard.answering import Answering

    console, wrong, names = screen(), 0, list[str]()
    child = Answering(checking, tokenizer, engines)
    for file in files:
        try:
            checked: Checked = child.ask(file)
        except TokenspecError as broken:
            say(f"{file}: {broken}")
            wrong += 1
            continue
        say(f"{file}")
        wrong += show(console, checked, accept, engines) > 0
        names += checked.found.names
    child.close()
    unknown = not_there(accept, names)
    for line in unknown:
        say(line)
    click.echo(f"{len(files) - wrong} of {len(files)} templates are in order")
    sys.exit(1 if wrong or unknown else 0)


def checking(tokenizer: Path | None, engines: tuple[str, ...]) -> Callable[[Path], Checked]:
    """What measures templates, in a process that each of them may end."""
    from tokenspec.addition.template import ENGINES
    from tokenspec.addition.template import check_template as check

    asked = tuple(dict.fromkeys((*ENGINES, *engines)))
    return lambda file: check(file, tokenizer or file.parent, asked)


def show(console: Console, checked: Checked, accept: tuple[str, ...], engines: tuple[str, ...]) -> int:
    """Print everything; returns how many things are to be mended or accepted."""
    from tokenspec.certificate.dropped import refused
    from tokenspec.certificate.screen import view

    facts = checked.certificate.facts
    console.print(view(checked.certificate))
    say(f"limits: refuses {'; '.join(refused(facts)) or 'nothing that was asked'}")
    for note in checked.notes:
        say(f"files: {note}")
    for engine in checked.engines:
        for line in lines_of(engine):
            say(line)
    for note in checked.found.notes:
        say(f"note: {note}")
    disagreeing = [engine.name for engine in checked.engines if engine.name in engines and agrees(engine) is not True]
    wrong = [
        *(f"error: {name} was named and does not agree; cure: see its line above" for name in disagreeing),
        *checked.found.blocking(accept),
    ]
    for line in wrong:
        say(line)
    return len(wrong)


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
