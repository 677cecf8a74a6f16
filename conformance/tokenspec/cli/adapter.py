"""``tokenspec adapter new``: an adapter that works at once, to be filled with an implementation."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Sequence
from pathlib import Path

import click

from tokenspec.cli.screen import say
from tokenspec.errors import UnknownName, UsageError
from tokenspec.skeletons.adapter import IN_PROCESS, LANGUAGES, Language, examples, source
from tokenspec.store.writing import write_atomically

DEFAULT = "render"
ROW = "toy-bpe"
"""The row that the examples know."""


HELP = """Write an adapter: the program or class that connects your implementation to the suite.

An adapter in any language is a loop over lines of JSON:

\b
  for line in stdin:
      message = parse(line)
      if message.cmd is "start":
          answer {"protocol": 1,
                  "implementation": {"name": "mylib", "version": "1.0"},
                  "capabilities": {"render": {}}}
      if message.cmd is "load":
          read message.assets.directory, remember it as message.model
          answer {"ok": true}, or {"ok": false, "reason": "..."}
      if message.cmd is "run":
          answer {"seq": message.seq, "result": my_render(message.input)}
          or, instead of result:
             "unsupported": {"reason": "..."}
             "rejected": {"code": "...", "message": "..."}
             "error": {"message": "..."}
      if message.cmd is "stop":
          exit 0
      flush stdout

The contract is spec/90-adapter-protocol.md. The fields of requests: tokenspec list operations; with those of results
as types of your language: tokenspec adapter types; as JSON Schema: fixtures/schema.
"""


@click.group(help=HELP)
def adapter() -> None:
    """``tokenspec adapter``."""


operation_option = click.option(
    "--op", "operations", multiple=True, metavar="OPERATION", help="Only this operation; repeatable: list operations."
)


@adapter.command()
@click.option("--lang", type=click.Choice(list(LANGUAGES)), default="python", show_default=True, help="Language.")
@operation_option
@click.option("--in-process", is_flag=True, help="Python only: a class instead of a program behind a pipe.")
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
def new(lang: str, operations: tuple[str, ...], in_process: bool, folder: Path) -> None:
    """Write an adapter into FOLDER (default: here). It runs at once; nothing is overwritten.

    Without --op it claims render, and answers a little of it.

    Example: tokenspec adapter new --lang rust --op render --op parse my-adapter
    """
    if in_process and lang != "python":
        raise UsageError(f"--in-process is for Python; a {lang} program is judged through a pipe, without that option")
    chosen = named(operations) or (DEFAULT,)
    language = IN_PROCESS if in_process else LANGUAGES[lang]
    target = folder / language.file
    if target.exists():
        raise UsageError(
            f"{target} exists and is kept. Give another folder: tokenspec adapter new --lang {lang} FOLDER"
        )
    text = source(language, chosen)
    write_atomically(target, text)
    if text.startswith("#!"):
        target.chmod(target.stat().st_mode | 0o644 | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    say(f"wrote {target}: it claims {', '.join(chosen)}; put your operations into it.")
    if silent := [name for name in chosen if name not in examples()]:
        click.echo(f"unsupported until you write them: {', '.join(silent)}")
    for line in next_commands(target, language, chosen):
        say(f"next: {line}")


def named(operations: Sequence[str]) -> tuple[str, ...]:
    """The chosen operations, each once.

    Raises:
        UnknownName: there is no such operation.
    """
    from tokenspec.areas import operations as known

    for name in operations:
        if name not in known():
            raise UnknownName("operation", name, known())
    return tuple(dict.fromkeys(operations))


def next_commands(target: Path, language: Language, operations: Sequence[str]) -> list[str]:
    """How what was written is built, and the smoke that judges it."""
    program = target.parent / target.stem
    places = {
        "source": shlex.quote(str(target)),
        "program": shlex.quote(str(program) if target.parent != Path() else f"./{program}"),
    }
    row = f" --row {ROW}" if "render" in operations else ""
    if language.in_process:
        where = f"cd {shlex.quote(str(target.parent))} && " if str(target.parent) != "." else ""
        return [f"{where}tokenspec smoke --impl {language.run}{row}"]
    started = f"cmd:{language.run.format(**places)}"
    build = [language.build.format(**places)] if language.build else []
    return [*build, f"tokenspec smoke --impl {shlex.quote(started)}{row}"]


@adapter.command()
@click.option("--lang", type=click.Choice(["rust", "go", "typescript"]), required=True, help="Language.")
@operation_option
def types(lang: str, operations: tuple[str, ...]) -> None:
    """Print the types of requests, results and messages, made from fixtures/schema; of all operations, or of some.

    Example: tokenspec adapter types --lang rust --op render > src/wire.rs
    """
    import importlib

    from tokenspec import __version__
    from tokenspec.areas import operations as known
    from tokenspec.bindings.shapes import definitions

    made = importlib.import_module(f"tokenspec.bindings.{lang}").write(definitions(named(operations) or known()))
    click.echo(f"// Code generated by tokenspec {__version__}: adapter types --lang {lang}. DO NOT EDIT.\n")
    click.echo(made, nl=False)
