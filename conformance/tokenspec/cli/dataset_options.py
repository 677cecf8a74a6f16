"""What ``audit`` and ``prepare`` are both told, and what both do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tokenspec.cli.render import options_of
from tokenspec.cli.screen import say
from tokenspec.datasets.engines import ENGINES, run
from tokenspec.datasets.job import WORK, Job, begin, is_finished, refuse_changes, unfinished
from tokenspec.datasets.outcome import Outcome, code_version, collect, finish, outcome_of
from tokenspec.datasets.place import Place
from tokenspec.datasets.recipe import ENCODERS, Recipe, check_template, faster, of_files, of_row, probes, renderer_of
from tokenspec.datasets.source import Shard, cut, find
from tokenspec.errors import UsageError

Command = Callable[..., None]
OVERLONG = click.Choice(["turns", "tokens", "drop"])
ENCODER = click.Choice(["auto", *ENCODERS])


def dataset_options(command: Command) -> Command:
    """The options of both commands, in the order a reader needs them."""
    options = (
        click.option("--row", help="The model row. See: tokenspec list rows"),
        click.option(
            "--template", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A chat template."
        ),
        click.option(
            "--tokenizer", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Its tokenizer."
        ),
        click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="A template option, as JSON."),
        click.option(
            "--column", "columns", multiple=True, metavar="NAME=COLUMN", help="messages, tools, prompt, completion."
        ),
        click.option(
            "--speaker", "speakers", multiple=True, metavar="NAME=ROLE", help="What a role is, such as human=user."
        ),
        click.option("--media", is_flag=True, help="Expand pictures and videos; files that rows name are opened."),
        click.option("--split", default="train", show_default=True, help="The split of a data set that has several."),
        click.option("--max-length", type=click.IntRange(1), help="Tokens a row may have."),
        click.option(
            "--overlong", type=OVERLONG, default="turns", show_default=True, help="Where a longer row is cut."
        ),
        click.option(
            "--max-record-mb", type=click.IntRange(1), default=16, show_default=True, help="A record's bound."
        ),
        click.option(
            "--engine", type=click.Choice(ENGINES), default="datasets", show_default=True, help="Who runs it."
        ),
        click.option("--processes", type=click.IntRange(1), help="Worker processes [default: one a core]."),
        click.option("--shard-rows", type=click.IntRange(1), default=1000, show_default=True, help="Rows a shard has."),
        click.option(
            "--encoder", type=ENCODER, default="auto", show_default=True, help="auto: fastokens where proven."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def recipe_from(given: dict[str, Any]) -> Recipe:
    """The recipe that the options describe.

    Raises:
        UsageError: neither a row nor a tokenizer, or a column that means nothing.
    """
    from tokenspec_reference.preparation.shapes import FIELDS

    more: dict[str, Any] = {"max_length": given["max_length"], "overlong": given["overlong"]}
    more["media"] = given["media"]
    more["options"] = tuple(options_of(given["options"]).items())
    columns = dict(text.partition("=")[::2] for text in given["columns"])
    for name, column in columns.items():
        if name not in FIELDS or not column:
            raise UsageError(
                f"--column {name}={column}: expected one of {', '.join(FIELDS)}, for example messages=chat"
            )
    more["columns"] = tuple(columns.items())
    more["speakers"] = tuple(text.partition("=")[::2] for text in given["speakers"])
    for name, role in more["speakers"]:
        if not name or not role:
            raise UsageError(f"--speaker {name}={role}: expected NAME=ROLE, for example human=user")
    if given["row"] is not None and given["tokenizer"] is None:
        recipe = of_row(given["row"], **more)
        if given["template"] is not None:
            text = given["template"].read_text(encoding="utf-8")
            recipe = replace(recipe, chat_template=text, family=None, wire=())
    elif given["tokenizer"] is not None and given["row"] is None:
        recipe = of_files(given["template"], given["tokenizer"], **more)
    else:
        raise UsageError("say what renders: --row ROW, or --tokenizer DIR with --template FILE")
    check_template(recipe)
    return replace(recipe, encoder=chosen_encoder(recipe, given["encoder"]))


def pad_of(recipe: Recipe) -> int:
    """The id of the tokenizer's own padding token; 0 where it has none, since padding is never looked at."""
    found = renderer_of(recipe).tokenizer.pad_token_id
    return 0 if found is None else int(found)


def chosen_encoder(recipe: Recipe, wanted: str) -> str:
    """Who encodes: fastokens only where it gives the row's own ids on every case's conversation."""
    if wanted == "tokenizers":
        return wanted
    texts = list(probes(recipe))
    if texts and faster(recipe, texts) is not None:
        return "fastokens"
    if wanted == "fastokens":
        raise UsageError("fastokens is not installed, or gives other ids than this tokenizer; leave --encoder out")
    return "tokenizers"


def refuse_inside(out: str, inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError where something that is read lies in the folder to fill, links resolved."""
    folder = Place.of(out)
    for given in inputs:
        if given is not None and folder.is_local and (read := Place.of(str(given))).is_local and read.path.exists():
            found = read.path.resolve()
            if found.is_file() and folder.path.resolve() in found.parents:
                raise UsageError(f"{given}: lies in {out}, which is to be filled. Give another folder with -o")


def carry_out(
    data: str, out: str, given: dict[str, Any], pad_id: int | None = None, **more: Any
) -> tuple[Job, list[Shard], dict[str, Any], Outcome]:
    """Do a whole job, or what is left of it, and say what it came to."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import pyarrow.parquet as _  # noqa: F401 - said before the first row, not behind the last
    except ImportError as error:
        raise UsageError("pyarrow is not installed: pip install 'tokenspec[datasets]'") from error
    refuse_inside(out, [data, given["template"], given["tokenizer"]])
    source = find(data, given["split"])
    shards = cut(source, given["shard_rows"])
    if not shards:
        raise UsageError(f"{data}: holds no record. Look at what was to write it")
    recipe = recipe_from(given)
    job = Job(
        source=source,
        out=Place.of(out).uri,
        recipe=recipe,
        pad_id=pad_of(recipe) if pad_id is None else pad_id,
        largest=given["max_record_mb"] * 2**20,
        shard_rows=given["shard_rows"],
        total=sum(shard.count for shard in shards),
        **more,
    )
    made_of = begin(job, code_version())
    if is_finished(job):
        say(f"{out} is finished already: nothing is done again", err=True)
    else:
        done = len(shards) - len(unfinished(job, shards))
        if done:
            say(f"{done} of {len(shards)} shards are done already, in {out}/{WORK}", err=True)
        run(job, shards, given["engine"], given["processes"] or os.cpu_count() or 1)
        refuse_changes(job, made_of)
        collect(job, shards)
    found = outcome_of(job.folder)
    if not is_finished(job):
        finish(job, made_of, shards, found)
    return job, shards, made_of, found
