"""``tokenspec adapter new``: an adapter that works at once, to be filled with an implementation."""

from __future__ import annotations

import shlex
import stat
from importlib.resources import files
from pathlib import Path

import click

from tokenspec.cli.node_packages import node_packages
from tokenspec.errors import UsageError
from tokenspec.store.writing import write_atomically

TEMPLATES = {
    ("python", False): ("python_program.py", "adapter.py"),
    ("python", True): ("python_object.py", "my_adapter.py"),
    ("node", False): ("node_program.mjs", "adapter.mjs"),
}


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

The contract is spec/90-adapter-protocol.md; the fields of a result are in fixtures/schema.
"""


@click.group(help=HELP)
def adapter() -> None:
    """``tokenspec adapter``."""


@adapter.command()
@click.option("--lang", type=click.Choice(["python", "node"]), default="python", show_default=True, help="Language.")
@click.option("--in-process", is_flag=True, help="Python only: a class instead of a program behind a pipe.")
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
def new(lang: str, in_process: bool, folder: Path) -> None:
    """Write an adapter into FOLDER (default: here). It runs at once; nothing is overwritten.

    Example: tokenspec adapter new --lang node my-adapter
    """
    if (lang, in_process) not in TEMPLATES:
        raise UsageError(f"--in-process is for Python; a {lang} program is judged through a pipe, without that option")
    template, name = TEMPLATES[lang, in_process]
    target = folder / name
    if target.exists():
        raise UsageError(
            f"{target} exists and is kept. Give another folder: tokenspec adapter new --lang {lang} FOLDER"
        )
    write_atomically(target, files("tokenspec.adapters.templates").joinpath(template).read_text(encoding="utf-8"))
    target.chmod(0o644 if in_process else target.stat().st_mode | 0o644 | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    click.echo(f"wrote {target}: it claims segment; put your operations into it.")
    click.echo(f"next: {next_command(target, lang, in_process)}")


def next_command(target: Path, lang: str, in_process: bool) -> str:
    """The smoke that judges what was written."""
    if in_process:
        where = f"cd {shlex.quote(str(target.parent))} && " if str(target.parent) != "." else ""
        return f"{where}tokenspec smoke --impl {target.stem}:MyAdapter"
    interpreter = "python3" if lang == "python" else "node"
    return f"tokenspec smoke --impl {shlex.quote(f'cmd:{interpreter} {shlex.quote(str(target))}')}"


adapter.add_command(node_packages)
