"""The command line. Verbs are imported when they are used, so that ``tokenspec --help`` is instant."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, NoReturn

import click

from tokenspec import __version__
from tokenspec.errors import INTERRUPTED, Stopped, SystemRefuses, TokenspecError, UsageError, extra_of, installing
from tokenspec.guard.supervisor import work_in_child

VERBS: dict[str, tuple[str, str]] = {
    "run": ("run", "Judge implementations and print the matrix."),
    "smoke": ("smoke", "The least any adapter passes: about thirty cases on one row, offline."),
    "list": ("look", "List areas, rows, cases, checks, requirements or adapters."),
    "explain": ("look", "Explain a requirement, a check, a case or a row."),
    "diff": ("look", "Show one case token by token, two implementations side by side."),
    "render": ("render", "Show your own conversation as tokens: owners, content and sampled masks."),
    "try": ("try_", "Write a page: conversations beside their template, by two implementations."),
    "check-template": ("check_template", "Measure chat templates: certificate, losses, limits, other engines."),
    "audit": ("audit", "Find what breaks in a whole data set of conversations, and what would be trained."),
    "prepare": ("prepare", "Write a whole data set as ids and loss masks that trainers read."),
    "models": ("models", "List the model rows and fetch their files."),
    "bless": ("fixtures", "Make goldens from the oracle."),
    "fixtures": ("fixtures", "Lint, verify, list and export fixtures; turn failures into cases."),
    "spec": ("spec", "Check the traceability of the specification."),
    "new": ("new", "Write the skeleton of a requirement, case, check, mutant, family or area."),
    "mutants": ("mutants", "Prove that the checks can fail: run every broken implementation."),
    "report": ("report", "Turn a saved run into a page, Markdown, JUnit XML, a badge or a comparison."),
    "adapter": ("adapter", "Write an adapter from a template; print its types."),
    "columns": ("columns", "List the implementations of others, and make the environments they need."),
    "serve": ("serve", "Speak the adapter protocol on stdin and stdout for a Python implementation."),
    "bench": ("bench", "Measure against the peers in one run, as ratios."),
    "doctor": ("look", "Versions, rows at hand, and what to do next."),
}

GUARDED = frozenset({"run", "diff", "render", "try", "check-template", "audit", "prepare", "models"})
"""The verbs that may run a template or read a tokenizer of somebody else: they work in a child process."""


def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """SIGTERM is an interruption: what was done is kept."""
    raise Stopped


def end_quietly() -> NoReturn:
    """Nobody reads on, as in ``tokenspec list cases | head``: that is no failure, and nothing is left to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def let_go_of_stdout() -> None:
    """What cannot be written there is lost: Python must not try again at its end, and change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def harmless(text: str) -> str:
    """A message of several lines in which no name that it quotes forges a command to a CI job."""
    from tokenspec.adapters.foreign_text import foreign_text

    return foreign_text(text, lines=True)


@contextmanager
def harmless_errors() -> Iterator[None]:
    """What is quoted of the command line in an error of click can forge no line."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = harmless(error.message)
        raise


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is written here may find nobody who reads it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        end_quietly()


class Verbs(click.Group):
    """A group whose verbs live in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order a new user needs them."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module on first use."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"{__name__}.{VERBS[cmd_name][0]}")
        attribute = f"{cmd_name}_" if cmd_name in {"list", "try"} else cmd_name.replace("-", "_")
        command: click.Command = getattr(module, attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the one-line helps without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown verb names its nearest neighbours."""
        import difflib

        if args and args[0] not in VERBS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], VERBS, n=2)
            hint = f" Did you mean {' or '.join(close)}?" if close else " See: tokenspec --help."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """A help whose reader has left ends quietly."""
        with reader_may_leave(), harmless_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """A verb whose reader has left ends quietly."""
        try:
            with reader_may_leave(), harmless_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            click.echo("tokenspec: stopped", err=True)
            sys.exit(getattr(error, "exit_code", INTERRUPTED))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tokenspec")
def group() -> None:
    """Judge renderers, engines, processors, fast-forward and aligners against the token-layer specification.

    First steps:  tokenspec models pull   then   tokenspec run --impl reference

    Exit codes: 0 conformant, 1 not conformant, 2 usage, 3 adapter error, 4 fixtures invalid.
    """


def main() -> None:
    """Entry point: a verb that may run what strangers wrote does so in a child process."""
    if sys.argv[1:2] and sys.argv[1] in GUARDED:
        reported(work_in_child)
    signal.signal(signal.SIGTERM, stop)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(signal.signal, signal.SIGTERM, signal.SIG_DFL))
    reported(group)


def reported(work: Callable[[], object]) -> None:
    """Do it; the suite's own errors, and those of the system, become one line on stderr and their exit code."""
    try:
        work()
    except TokenspecError as error:
        click.echo(f"tokenspec: {harmless(str(error))}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        refused = SystemRefuses(error)
        click.echo(f"tokenspec: {harmless(str(refused))}", err=True)
        let_go_of_stdout()
        sys.exit(refused.exit_code)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if extra_of(missing) is None:
            raise
        cure = f"Run: {installing(missing)}"
        click.echo(f"tokenspec: this takes {missing}, which is not installed here. {cure}", err=True)
        sys.exit(UsageError.exit_code)
