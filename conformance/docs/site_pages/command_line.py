"""The command line as it describes itself: every verb with its options, read off click."""

from __future__ import annotations

import inspect

import click

from tokenspec.cli import group

from .requirement_pages import cell


def pages() -> dict[str, str]:
    """One page with every verb."""
    context = click.Context(group, info_name="tokenspec")
    parts = ["# Command line", plain(group.help or "")]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            parts += described(command, f"tokenspec {name}", context)
    return {"reference/command-line.md": "\n\n".join(parts) + "\n"}


def described(command: click.Command, name: str, parent: click.Context, level: int = 2) -> list[str]:
    """One verb: what it does, how it is called, its options; then the verbs below it."""
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    parts = [f"{'#' * level} {name}", plain(command.help or command.short_help or "")]
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                parts += described(found, f"{name} {below}", context, level + 1)
        return parts
    arguments = " ".join(parameter.make_metavar(context) for parameter in command.params if _argument(parameter))
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    call = f"{name} {arguments}".strip() + (" [OPTIONS]" if options else "")
    parts.append(f"```text\n{call}\n```")
    if options:
        parts.append("\n".join(["| option | what |", "|---|---|", *(row(option, context) for option in options)]))
    return parts


def _argument(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument)


def row(option: click.Option, context: click.Context) -> str:
    """One option as a table row."""
    record = option.get_help_record(context)
    left, right = record if record is not None else (", ".join(option.opts), option.help or "")
    return f"| `{left.replace('|', '/')}` | {cell(right)} |"


def plain(text: str) -> str:
    """A docstring's paragraphs; the lines that show a call become code."""
    paragraphs = inspect.cleandoc(text.replace("\b", "")).split("\n\n")
    return "\n\n".join(_paragraph(paragraph) for paragraph in paragraphs)


def _paragraph(text: str) -> str:
    joined = " ".join(line.strip() for line in text.splitlines())
    if joined.startswith("Example: "):
        return f"```sh\n{joined.removeprefix('Example: ')}\n```"
    return cell(joined)
