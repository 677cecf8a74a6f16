"""One job: what is read, how it is prepared, where it goes. Plain data; equal jobs write equal bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tokenspec.datasets.place import Place
from tokenspec.datasets.recipe import Recipe
from tokenspec.datasets.source import MEBIBYTE, Shard, Source, hashes
from tokenspec.errors import UsageError

Layout = Literal["plain", "padded", "packed"]
WORK = ".work"
"""Folder of what a finished job does not need."""
TOKENIZER_FILES = (".json", ".jinja", ".txt", ".model", ".tiktoken")


@dataclass(frozen=True)
class Job:
    """``keep_ids`` tells preparing from auditing; ``chosen`` are the rows of a sample, all where it is None."""

    source: Source
    recipe: Recipe
    out: str
    keep_ids: bool
    layout: Layout = "plain"
    pad_id: int = 0
    largest: int = 16 * MEBIBYTE
    shard_rows: int = 1000
    sample: int | None = None
    total: int = 0

    @property
    def folder(self) -> Place:
        """Where the results go."""
        return Place(self.out)

    def data_file(self, shard: int) -> Place:
        """The Parquet file of a shard."""
        return self.folder / "data" / f"part-{shard:05d}.parquet"

    def findings_file(self, shard: int) -> Place:
        """What was found in a shard."""
        return self.folder / WORK / f"findings-{shard:05d}.parquet"

    def rows_file(self, shard: int) -> Place:
        """A line a row; it is written last, so a shard that has it is done."""
        return self.folder / WORK / f"rows-{shard:05d}.parquet"

    def is_chosen(self, row: int) -> bool:
        """Whether a row belongs to the sample: evenly spaced, the same every time."""
        if self.sample is None or self.sample >= self.total:
            return True
        return row == 0 or (row * self.sample) // self.total != ((row - 1) * self.sample) // self.total


def identity(job: Job, code: str) -> dict[str, Any]:
    """All that decides about the bytes of the result, and nothing else: no path, no time, no number of processes."""
    recipe = asdict(job.recipe)
    template, directory = recipe.pop("chat_template"), Path(recipe.pop("directory"))
    tokenizer = (directory / "tokenizer.json").read_bytes() if (directory / "tokenizer.json").is_file() else b""
    return {
        "code": code,
        "source": {"kind": job.source.kind, "split": job.source.split, "sha256": hashes(job.source)},
        "template_sha256": hashlib.sha256(template.encode()).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(tokenizer).hexdigest(),
        "files_sha256": files_of(directory),
        "recipe": json.loads(json.dumps(recipe)),
        "options": {
            "keep_ids": job.keep_ids,
            "layout": job.layout,
            "pad_id": job.pad_id,
            "largest": job.largest,
            "shard_rows": job.shard_rows,
            "sample": job.sample,
        },
    }


def files_of(directory: Path) -> dict[str, str]:
    """The sha256 of the files of a tokenizer's folder that can change ids or text: settings, vocabularies, templates.

    Deeper folders are left out but that of further templates: results may be written below the tokenizer.
    """
    places = [*directory.glob("*"), *directory.glob("additional_chat_templates/*")]
    found = sorted(path for path in places if path.suffix in TOKENIZER_FILES and path.is_file())
    return {path.relative_to(directory).as_posix(): Place(str(path)).sha256() for path in found}


def refuse_changes(job: Job, made_of: dict[str, Any]) -> None:
    """Compare what a job was made of with what is there at its end.

    Raises:
        UsageError: a file changed while it was read, so nobody can say what the results are of.
    """
    now = identity(job, made_of["code"])
    if differs := [key for key in made_of if now[key] != made_of[key]]:
        changed = f"{', '.join(differs)} changed while {job.source.name} was read"
        raise UsageError(f"{changed}: the results are of neither. Remove {job.out} and give the same command again")


def as_text(value: Any) -> bytes:
    """JSON as it stands in a folder of results."""
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def begin(job: Job, code: str) -> dict[str, Any]:
    """Claim the folder for this job, or go on with it. An audit takes the place of an audit of something else.

    Raises:
        UsageError: the folder holds something else, or cannot be made.
    """
    if job.folder.is_local and job.folder.path.exists() and not job.folder.path.is_dir():
        raise UsageError(f"{job.out}: is a file. Give a folder with -o")
    said = identity(job, code)
    plan = job.folder / WORK / "plan.json"
    known = job.folder / "manifest.json" if is_finished(job) else plan
    if known.is_file():
        before = json.loads(known.read())
        before = before.get("made_of", before)
        if before != said and not job.keep_ids and before.get("options", {}).get("keep_ids") is False:
            begin_again(job, said)
        elif before != said:
            differs = [key for key in said if before.get(key) != said[key]]
            raise UsageError(f"{job.out}: made of something else ({', '.join(differs)}). Give another folder with -o")
    elif not job.folder.is_empty():
        raise UsageError(f"{job.out}: not empty, and not begun by this command. Give another folder with -o")
    else:
        try:
            plan.write(as_text(said))
        except OSError as error:
            raise UsageError(
                f"{job.out}: cannot write there: {error.strerror or error}. Give a folder with -o"
            ) from error
    return said


def begin_again(job: Job, said: dict[str, Any]) -> None:
    """Let go of another audit in this folder. Whoever is killed here leaves a folder that still is an audit's."""
    plan = job.folder / WORK / "plan.json"
    for place in (job.folder / WORK).files():
        if place.name != plan.name:
            place.remove()
    plan.write(as_text(said))
    (job.folder / "manifest.json").remove()


def is_finished(job: Job) -> bool:
    """Whether a job has written everything."""
    return (job.folder / "manifest.json").is_file()


def unfinished(job: Job, shards: list[Shard]) -> list[Shard]:
    """The shards that are still to be done."""
    done = {place.name for place in (job.folder / WORK).files()}
    return [shard for shard in shards if job.rows_file(shard.number).name not in done]
