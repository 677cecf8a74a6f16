"""``tokenspec report``: a saved run as a page, Markdown, JUnit XML or a badge; combined with others, or compared."""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click

from tokenspec.cli.options import PERCENT, SECONDS_OR_NONE
from tokenspec.cli.screen import say
from tokenspec.report.jsonl import read_report, save_report
from tokenspec.report.labels import impl_called, labels
from tokenspec.store.writing import naming, refuse_outputs, write_atomically

SAVED = click.Path(path_type=Path, dir_okay=False)
SHOWN_CHANGES = 20
SHOWN_IN_A_TABLE = 200

out_option = click.option("-o", "--out", type=SAVED, help="Write here instead of stdout.")


def deliver(text: str, out: Path | None) -> None:
    """To a file when one is named, else to stdout."""
    if out is None:
        click.echo(text, nl=False)
    else:
        write_atomically(out, text)
        say(f"wrote {out}", err=True)


@click.group()
def report() -> None:
    """Turn a saved run into something to show.

    Save one with: tokenspec run --impl NAME --report FILE
    """


@report.command()
@click.argument("saved", type=SAVED)
@out_option
def html(saved: Path, out: Path | None) -> None:
    """One self-contained page: filter, click a cell, see the tokens. Opens from disk, fetches nothing."""
    from tokenspec.report.page import run_page

    refuse_outputs([out], [saved])
    deliver(run_page(read_report(saved)), out)


@report.command()
@click.argument("saved", type=SAVED)
@out_option
def md(saved: Path, out: Path | None) -> None:
    """Markdown tables, for a CI job summary."""
    from tokenspec.report.markdown import markdown

    refuse_outputs([out], [saved])
    deliver(markdown(read_report(saved)), out)


@report.command()
@click.argument("saved", type=SAVED)
@out_option
def junit(saved: Path, out: Path | None) -> None:
    """JUnit XML, for the test tab of a CI server."""
    from tokenspec.report.junit import junit as make_junit

    refuse_outputs([out], [saved])
    deliver(make_junit(read_report(saved)), out)


@report.command(name="json")
@click.argument("saved", type=SAVED)
@out_option
def json_(saved: Path, out: Path | None) -> None:
    """Counts by implementation, area and level as JSON, for scripts."""
    from tokenspec.report.tally import counts

    refuse_outputs([out], [saved])
    deliver(json.dumps(counts(read_report(saved)), indent=2) + "\n", out)


@report.command()
@click.argument("saved", type=SAVED)
@click.option("--impl", required=True, help="Which column.")
@out_option
def badge(saved: Path, impl: str, out: Path | None) -> None:
    """A static badge endpoint file."""
    from tokenspec.report.markdown import badge as make_badge

    refuse_outputs([out], [saved])
    loaded = read_report(saved)
    impl = impl_called(impl, loaded.header["implementations"])
    deliver(json.dumps(make_badge(loaded, impl)) + "\n", out)


@report.command()
@click.argument("saved", type=SAVED)
@click.option("--impl", required=True, help="Which column decides.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder to write into."
)
@click.option("--summary", type=SAVED, help="Append the Markdown summary to this file.")
@click.option("--ended", type=click.IntRange(0, 255), default=0, show_default=True, help="The exit code of the run.")
@click.option("--fail-under", type=PERCENT, metavar="PERCENT", help="Enough of the judged cases pass.")
def ci(saved: Path, impl: str, out: Path, summary: Path | None, ended: int, fail_under: float | None) -> None:
    """All a CI job shows of a run: summary, annotations, JUnit XML, badge and page.

    The exit code is that of the run. With --fail-under, a run that ended with 1 is held to this share instead.
    """
    from tokenspec.report.annotations import annotation_lines, passed_share
    from tokenspec.report.junit import junit as make_junit
    from tokenspec.report.markdown import badge as make_badge
    from tokenspec.report.markdown import markdown
    from tokenspec.report.page import run_page

    files = {name: out / name for name in ("junit.xml", "badge.json", "report.html")}
    refuse_outputs([*files.values(), summary], [saved])
    loaded = read_report(saved)
    impl = impl_called(impl, loaded.header["implementations"])
    for line in annotation_lines(loaded, impl):
        click.echo(line)
    write_atomically(files["junit.xml"], make_junit(loaded))
    write_atomically(files["badge.json"], json.dumps(make_badge(loaded, impl)) + "\n")
    write_atomically(files["report.html"], run_page(loaded))
    if summary is not None:
        with naming(summary), summary.open("a", encoding="utf-8") as stream:
            stream.write(markdown(loaded))
    share = passed_share(loaded, impl)
    click.echo("nothing was judged" if share is None else f"{share:.1f} % of the judged cases pass")
    if fail_under is not None and ended == 1:
        ended = int(share is None or share < fail_under)
    sys.exit(ended)


@report.command()
@click.argument("saved", type=SAVED)
@click.option("--cause", metavar="K", help="Which cause: its number, or words of it; left out, all are listed.")
@click.option(
    "--seconds",
    type=SECONDS_OR_NONE,
    default=60.0,
    show_default=True,
    help="How long a smaller input is looked for; 0: the case as it is.",
)
@out_option
def issue(saved: Path, cause: str | None, seconds: float, out: Path | None) -> None:
    """Write one cause of a column's failures as a text to send.

    It holds versions, the smallest input that still shows it, what was expected and got, the requirement, whether
    a reviewer found it real or a choice, and a short script. The implementation and the row have to be here.
    """
    from tokenspec.report.causes import causes_of
    from tokenspec.reproduction.issue import chosen
    from tokenspec.reproduction.issue import issue as write_issue

    refuse_outputs([out], [saved])
    loaded = read_report(saved)
    if cause is not None:
        deliver(write_issue(loaded, chosen(loaded, cause), seconds=seconds), out)
        return
    causes, named = causes_of(loaded.results), labels(loaded.header["implementations"])
    for number, one in enumerate(causes, start=1):
        say(f"{number:>4}  {len(one.cells):>6} x  {named[one.impl]}: {one.said}")
    if not causes:
        say(f"{saved} has no failure to write about", err=True)


@report.command()
@click.argument("saved", type=SAVED, nargs=-1, required=True)
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="The day of the runs; today where it is left out.")
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder of scores.")
def score(saved: tuple[Path, ...], date: datetime | None, into: Path) -> None:
    """Keep runs as one small file of the scoreboard: DATE.json with what each column passed, and why it failed."""
    from tokenspec.report.score import save_score
    from tokenspec.report.score import score as make_score

    day = (date or datetime.now(UTC)).strftime("%Y-%m-%d")
    refuse_outputs([into / f"{day}.json"], saved)
    found = make_score([read_report(path) for path in saved], day)
    save_score(into / f"{day}.json", found)
    say(f"wrote {into / day}.json: {', '.join(found.columns)}", err=True)


@report.command()
@click.argument("saved", type=SAVED, nargs=-1, required=True)
@click.option("-o", "--out", type=SAVED, required=True, help="The report to write.")
def combine(saved: tuple[Path, ...], out: Path) -> None:
    """Put the columns of several runs into one report.

    Suite, fixtures and oracle must be the same, and no column may come twice.
    """
    from tokenspec.report.combine import combine as put_together

    refuse_outputs([out], saved)
    whole = put_together([(str(path), read_report(path)) for path in saved])
    save_report(out, whole.header, whole.results)
    say(f"wrote {out}: {', '.join(whole.impls)}. Next: tokenspec report html {out} -o report.html", err=True)


@report.command()
@click.argument("old", type=SAVED)
@click.argument("new", type=SAVED)
@click.option("--show-all", is_flag=True, help="Print every change, not the first of them.")
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
@click.option("--md", "as_md", is_flag=True, help="Print the changes as a Markdown table, for a CI job summary.")
def compare(old: Path, new: Path, show_all: bool, as_json: bool, as_md: bool) -> None:
    """What changed from OLD to NEW.

    Exit code 1 when something that passed no longer does, even where it was not run.
    """
    from tokenspec.report.compare import Kind, what_changed
    from tokenspec.report.compare import compare as find_changes

    before, after = read_report(old), read_report(new)
    found, named = find_changes(before, after), labels(after.header["implementations"])
    count = Counter(change.kind for change in found)
    if as_json:
        rows = [{"kind": c.kind, "impl": c.impl, "cell": c.name, "before": c.before, "after": c.after} for c in found]
        click.echo(json.dumps({"changes": rows}, indent=2))
    elif as_md:
        click.echo(what_changed(before, after, len(found) if show_all else SHOWN_IN_A_TABLE), nl=False)
    else:
        for kind in Kind:
            own = [change for change in found if change.kind is kind]
            if own:
                say(f"{kind} ({len(own)})")
            for change in own if show_all else own[:SHOWN_CHANGES]:
                say(f"  {change.before:>11} -> {change.after:<11} {named[change.impl]}  {change.name}")
            if len(own) > SHOWN_CHANGES and not show_all:
                click.echo(f"  ... and {len(own) - SHOWN_CHANGES} more; --show-all prints them")
        regressions, fixes = count[Kind.REGRESSION], count[Kind.FIX]
        click.echo(f"{len(found)} changes: {regressions} regressions, {fixes} fixes")
    sys.exit(1 if count[Kind.REGRESSION] else 0)
