"""``--known-failures`` and ``--write-known-failures``: the list that ``tokenspec run`` is held against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from tokenspec.adapters import Column
from tokenspec.errors import UsageError
from tokenspec.known_failures import KnownFailures, Ledger, judge_known, ledgers_for, load_known_failures, rewrite
from tokenspec.known_failures.entries import ISSUE
from tokenspec.store.writing import write_atomically
from tokenspec.verdict import CellResult, Verdict

SHOWN = 20
FILE = click.Path(path_type=Path, dir_okay=False)


def known_failures_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The four options, for ``run``."""
    options = (
        click.option(
            "--known-failures",
            "known_failures",
            multiple=True,
            type=FILE,
            help="A list of failures that are known, in TOML; it is strict both ways. Repeatable, one a column.",
        ),
        click.option(
            "--write-known-failures",
            type=FILE,
            help="Make this list what fails today; reasons and issues already in it are kept.",
        ),
        click.option("--reason", metavar="TEXT", help="Why failures new in the written list are known."),
        click.option("--issue", metavar="LINK", help="Where they are tracked: https://..., owner/repo#7 or #7."),
    )
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


@dataclass
class KnownFailurePlan:
    """What was asked for, checked before anything runs.

    Attributes:
        ledgers: the lists by column.
        out: the list to write, which is about the only ledger.
        reason: of new entries.
        issue: of new entries.
        wrote: what to say of the written file.
    """

    ledgers: dict[str, Ledger]
    out: Path | None = None
    reason: str | None = None
    issue: str | None = None
    wrote: str = ""

    def judge(self, results: Sequence[CellResult]) -> list[CellResult]:
        """The results in the light of the lists; a list to be written is written first."""
        if self.out is not None:
            ((impl, old),) = self.ledgers.items()
            own = [result for result in results if result.impl == impl]
            new = rewrite(old, own, reason=self.reason, issue=self.issue)
            write_atomically(self.out, new.text)
            self.wrote = f"wrote {self.out}: {new.kept} entries kept, {new.added} written, {new.removed} dropped"
            self.ledgers = {impl: Ledger(load_known_failures(self.out), impl, old.version, old.transformers)}
        return [
            judge_known(self.ledgers[result.impl], result) if result.impl in self.ledgers else result
            for result in results
        ]

    def complaints(self, impls: Iterable[str]) -> list[str]:
        """What the lists of these columns get wrong."""
        return [line for impl in impls if impl in self.ledgers for line in self.ledgers[impl].complaints()]

    def exit_code(self, code: int, gate: Iterable[str]) -> int:
        """A list that is wrong is a failure: what it says of the implementation is not so."""
        return 1 if code != 1 and self.complaints(gate) else code

    def print(self, console: Console, results: Sequence[CellResult], named: Mapping[str, str]) -> None:
        """How far each list holds, and everything it gets wrong; ``named`` are the columns' labels."""
        for impl, ledger in self.ledgers.items():
            failed = sum(f.verdict is Verdict.XFAIL for r in results if r.impl == impl for f in r.findings)
            total, off = len(ledger.known.entries), len(ledger.known.entries) - len(ledger.in_force)
            apart = f", {off} for other versions" if off else ""
            console.print(
                Text(f"{named[impl]}: {failed} verdicts fail as {ledger.known.file} lists ({total} entries{apart})"),
                soft_wrap=True,
            )
            complaints = ledger.complaints()
            for line in complaints[:SHOWN]:
                console.print(Text(f"  {line}", style="yellow"), soft_wrap=True)
            if len(complaints) > SHOWN:
                console.print(f"  ... and {len(complaints) - SHOWN} more", style="dim")
            if complaints:
                console.print(
                    f"  {ledger.known.file} is wrong in {len(complaints)} places, which fails the run; mend it, or run "
                    "again with --write-known-failures",
                    soft_wrap=True,
                )
        if self.wrote:
            console.print(self.wrote, soft_wrap=True)

    def summary(self) -> list[dict[str, Any]]:
        """The same as JSON, for reports."""
        return [
            {
                "impl": impl,
                "file": ledger.known.file,
                "entries": len(ledger.known.entries),
                "in_force": len(ledger.in_force),
                "complaints": ledger.complaints(),
            }
            for impl, ledger in self.ledgers.items()
        ]


def plan_known_failures(options: dict[str, Any], columns: Sequence[Column], gate: Sequence[str]) -> KnownFailurePlan:
    """Take the four options out of ``options`` and check them.

    Raises:
        UsageError: options that contradict each other, a malformed list, a list about no column.
    """
    read, out = options.pop("known_failures"), options.pop("write_known_failures")
    reason, issue = options.pop("reason"), options.pop("issue")
    if out is None:
        if reason or issue:
            raise UsageError("--reason and --issue describe entries of --write-known-failures FILE")
        return KnownFailurePlan(ledgers_for([load_known_failures(path) for path in read], columns))
    if read:
        raise UsageError("--write-known-failures reads the list it writes; leave --known-failures away")
    if bool(reason) != bool(issue) or (reason is None and not out.exists()):
        raise UsageError(
            f"say why the failures in {out.name} are known and where they are tracked: --reason TEXT --issue URL. "
            "Nothing was written"
        )
    if issue and not ISSUE.fullmatch(issue):
        raise UsageError(f"--issue {issue}: give a link, owner/repo#7 or #7")
    if out.exists():
        ledgers = ledgers_for([load_known_failures(out)], columns)
    else:
        meant = [column for column in columns if column.name in gate]
        if len(meant) != 1:
            raise UsageError("a list is about one implementation; say which with --gate IMPL")
        name = str(meant[0].info.get("name", meant[0].name))
        ledgers = ledgers_for([KnownFailures(out.name, name)], meant)
    if len(ledgers) != 1:
        raise UsageError(f"{out.name} is about several columns: {', '.join(ledgers)}; run them one by one")
    return KnownFailurePlan(ledgers, out, reason, issue)
