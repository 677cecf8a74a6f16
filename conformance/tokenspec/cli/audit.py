"""``tokenspec audit``: what would be trained of a whole data set, and what would go wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from tokenspec.cli.dataset_options import carry_out, dataset_options
from tokenspec.cli.screen import screen
from tokenspec.datasets.looking import look
from tokenspec.datasets.outcome import failing
from tokenspec.datasets.page import audit_page
from tokenspec.datasets.summary import print_outcome
from tokenspec.store.writing import write_atomically


@click.command()
@click.argument("data")
@dataset_options
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default="audit", show_default=True, help="Folder to fill."
)
@click.option("--sample", type=click.IntRange(1), help="Look at so many rows only, evenly spaced.")
@click.option(
    "--fail-on", multiple=True, metavar="CODE[>SHARE]", help="Exit code 1 where more rows have it; repeatable."
)
def audit(data: str, out: Path, sample: int | None, fail_on: tuple[str, ...], **given: Any) -> None:
    """Find what breaks in a data set of conversations, and what would be trained of it.

    DATA is a .jsonl, .json, .parquet or .csv file, a folder, or the name of a data set of the hub. OpenAI messages,
    ShareGPT turns and prompt with completion are recognised. OUT gets report.html and findings.parquet.

    Example: tokenspec audit conversations.jsonl --row qwen3 --max-length 8192 --fail-on error
    """
    job, shards, made_of, found = carry_out(data, given, out=str(out), keep_ids=False, sample=sample)
    shown = look(job, shards, [example for several in found.examples.values() for example in several])
    console = screen()
    print_outcome(console, found, shown)
    title = f"{job.source.name} on {given['row'] or job.recipe.directory.rpartition('/')[2]}"
    write_atomically(job.folder / "report.html", audit_page(title, made_of, found, shown))
    click.echo(f"wrote {out}/report.html and {out}/findings.parquet", err=True)
    exceeded = failing(fail_on, found)
    for line in exceeded:
        click.echo(f"fail-on {line}", err=True)
    sys.exit(1 if exceeded else 0)
