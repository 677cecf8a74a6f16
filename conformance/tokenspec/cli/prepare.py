"""``tokenspec prepare``: a whole data set as ids and loss masks, in Parquet that trainers read."""

from __future__ import annotations

from typing import Any

import click

from tokenspec.cli.dataset_options import carry_out, dataset_options
from tokenspec.cli.screen import say, screen
from tokenspec.datasets.summary import print_outcome
from tokenspec.errors import UsageError


@click.command()
@click.argument("data")
@dataset_options
@click.option("-o", "--out", required=True, help="Folder to fill; a URI of an object store, too.")
@click.option("--pack", is_flag=True, help="Several rows in one sequence, first-fit within a shard, none cut.")
@click.option("--pad", is_flag=True, help="Pad each row to --max-length.")
@click.option("--pad-id", type=click.IntRange(0), help="The id to pad with [default: the tokenizer's own, else 0].")
def prepare(data: str, out: str, pack: bool, pad: bool, pad_id: int | None, **given: Any) -> None:
    """Write a data set of conversations as ids, labels and loss masks.

    The rows of OUT/data/*.parquet are in the order of DATA; what cannot be trained is a row without ids, with its
    finding. The same inputs give the same bytes, and a run that was stopped goes on where it was.

    Example: tokenspec prepare conversations.jsonl --row qwen3 --max-length 8192 -o prepared
    """
    if (pack or pad) and given["max_length"] is None:
        raise UsageError("--pack and --pad need --max-length")
    if pack and pad:
        raise UsageError("give --pack or --pad, not both: a pack is padded by the trainer's collator")
    layout = "packed" if pack else "padded" if pad else "plain"
    _, _, _, found = carry_out(data, out, given, keep_ids=True, layout=layout, pad_id=pad_id)
    print_outcome(screen(), found, [])
    if found.rows_with:
        say(f"Next: tokenspec audit {data} ... shows examples; {out}/findings.parquet lists all", err=True)
    say(f'load with: datasets.load_dataset("parquet", data_files="{out}/data/*.parquet")', err=True)
