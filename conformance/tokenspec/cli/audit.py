"""``tokenspec audit``: what would be trained of a whole data set, and what would go wrong."""

from __future__ import annotations

import sys
from typing import Any

import click

from tokenspec.cli.dataset_options import carry_out, dataset_options
from tokenspec.cli.screen import say, screen
from tokenspec.datasets.looking import look
from tokenspec.datasets.outcome import Outcome, failing
from tokenspec.datasets.page import audit_page
from tokenspec.datasets.summary import print_outcome


@click.command()
@click.argument("data")
@dataset_options
@click.option("-o", "--out", default="audit", show_default=True, help="Folder to fill; a URI of an object store, too.")
@click.option("--sample", type=click.IntRange(1), help="Look at so many rows only, evenly spaced.")
@click.option(
    "--fail-on", multiple=True, metavar="CODE[>SHARE]", help="Exit code 1 where more rows have it; repeatable."
)
def audit(data: str, out: str, sample: int | None, fail_on: tuple[str, ...], **given: Any) -> None:
    """Find what breaks in a data set of conversations, and what would be trained of it.

    DATA is a .jsonl, .json, .parquet or .csv file, a folder, or the name of a data set of the hub. OpenAI messages,
    ShareGPT turns and prompt with completion are recognised. OUT gets report.html and findings.parquet.

    Example: tokenspec audit conversations.jsonl --row qwen3 --max-length 8192 --fail-on error
    """
    failing(fail_on, Outcome())  # a bound that means nothing is refused before the first row
    job, shards, made_of, found = carry_out(data, out, given, keep_ids=False, sample=sample)
    shown = look(job, shards, [example for several in found.examples.values() for example in several])
    console = screen()
    print_outcome(console, found, shown)
    title = f"{job.source.name} on {given['row'] or job.recipe.directory.rpartition('/')[2]}"
    (job.folder / "report.html").write(audit_page(title, made_of, found, shown).encode())
    say(f"wrote {out}/report.html and {out}/findings.parquet", err=True)
    exceeded = failing(fail_on, found)
    for line in exceeded:
        say(f"fail-on {line}", err=True)
    sys.exit(1 if exceeded else 0)
