"""Who runs the shards: ``datasets`` on one machine, Ray on many. Both run the same function; done stays done."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tokenspec.datasets.job import Job, unfinished
from tokenspec.datasets.place import Place
from tokenspec.datasets.shard import do
from tokenspec.datasets.source import Shard
from tokenspec.errors import UsageError, WorkersLost

ENGINES = ("datasets", "ray")
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ATTEMPTS = 3
"""How often workers may be lost in a row without a shard being finished between."""


def run(job: Job, shards: Sequence[Shard], engine: str, processes: int) -> None:
    """Do what is left of a job.

    Raises:
        UsageError: the engine is not installed, or the disk is full.
        WorkersLost: workers ended again and again; what they finished is kept.
    """
    go = {"datasets": with_datasets, "ray": with_ray}[engine]
    lost = 0
    while left := unfinished(job, list(shards)):
        try:
            go(job, left, processes)
        except ImportError as error:
            raise UsageError(f"{error}. Install it: pip install 'tokenspec[{engine}]'") from error
        except OSError as error:
            room = "free some room and " if error.errno in FULL else ""
            kept = f"Finished shards are kept: {room}give the same command again"
            raise UsageError(f"{job.out}: {error.strerror or error}. {kept}") from error
        except RuntimeError as error:
            if "subprocesses has abruptly died" not in str(error):
                raise
            lost = 0 if len(unfinished(job, list(shards))) < len(left) else lost + 1
            if lost == ATTEMPTS:
                first = unfinished(job, list(shards))[0]
                rows = f"rows {first.first} to {first.first + first.count - 1}"
                cure = "Give the same command again, with fewer --processes"
                raise WorkersLost(f"workers were ended {lost} times, last in {rows}. {cure}") from error


def with_datasets(job: Job, shards: Sequence[Shard], processes: int) -> None:
    """``datasets.map`` over the shards; they are its cache."""
    import datasets
    import multiprocess

    if not all(Place(text).is_local for text in (job.out, *job.source.files)):
        multiprocess.set_start_method("spawn", force=True)  # clients of object stores do not survive a fork
    table = datasets.Dataset.from_list([asdict(shard) for shard in shards])
    count = min(processes, len(shards))
    table.map(
        _batch,
        batched=True,
        batch_size=1,
        num_proc=count if count > 1 else None,
        fn_kwargs={"job": job},
        remove_columns=table.column_names,
        load_from_cache_file=False,
        keep_in_memory=True,
        new_fingerprint="shards",
        desc="shards",
    )


def _batch(batch: dict[str, list[Any]], job: Job) -> dict[str, list[int]]:
    shards = [Shard(*values) for values in zip(*(batch[name] for name in Shard.__dataclass_fields__), strict=True)]
    return {"rows": [do(job, shard) for shard in shards]}


class ShardActor:
    """A Ray actor: its child reads tokenizer and template once, then does shards."""

    def __init__(self, job: Job) -> None:
        """Keep what all shards need."""
        self.job = job

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        """Do the shards of a batch."""
        plain = {name: [value.item() if hasattr(value, "item") else value for value in batch[name]] for name in batch}
        return _batch(plain, self.job)


def with_ray(job: Job, shards: Sequence[Shard], processes: int) -> None:
    """Ray Data over the shards; ``RAY_ADDRESS`` names a cluster, else one is started here."""
    import ray

    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False, include_dashboard=False)
    try:
        table = ray.data.from_items([asdict(shard) for shard in shards], override_num_blocks=len(shards))
        actors = min(processes, len(shards))
        table.map_batches(
            ShardActor,
            fn_constructor_args=(job,),
            batch_size=1,
            num_cpus=1,
            compute=ray.data.ActorPoolStrategy(size=actors),
            max_restarts=-1,
            max_task_retries=-1,
        ).materialize()
    finally:
        if started:
            ray.shutdown()
