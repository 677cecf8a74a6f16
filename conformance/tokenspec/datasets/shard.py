"""One shard: read, prepare, write. The same function in every engine, so that all of them write the same bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tokenspec.datasets.job import Job
from tokenspec.datasets.place import Place
from tokenspec.datasets.recipe import Recipe, preparer_of
from tokenspec.datasets.source import Given, Shard, read
from tokenspec.guard.answering import Answering, ChildLost
from tokenspec.guard.bounds import OutOfBounds
from tokenspec.guard.strangers import strangers

if TYPE_CHECKING:
    from tokenspec_reference.preparation import Prepared

LONGEST_DETAIL = 300
"""Characters kept of what is said of a finding: a template may quote a whole conversation."""

IGNORED = -100
"""The label of a token without loss, in the convention of trainers."""


@dataclass(frozen=True)
class Row:
    """One row of the source with what was made of it."""

    given: Given
    prepared: Prepared
    digest: str = ""

    @property
    def codes(self) -> list[str]:
        """The findings' codes, each once, in order."""
        return list(dict.fromkeys(finding.code for finding in self.prepared.findings))

    @property
    def refusal(self) -> str | None:
        """Why there are no ids."""
        if self.prepared.token_ids:
            return None
        from tokenspec_reference.preparation import CODES

        errors = [found.detail for found in self.prepared.findings if CODES[found.code].level == "error"]
        return said(errors[-1]) if errors else "no token is trained"


def do(job: Job, shard: Shard) -> int:
    """Prepare a shard and write it, unless it is there; how many rows it has.

    Each file appears whole or not at all, the list of rows last: whoever is killed here leaves a shard that is done
    again from its beginning.
    """
    if job.rows_file(shard.number).is_file():
        return shard.count
    chosen = [given for given in read(job.source, shard, job.largest) if job.is_chosen(given.row)]
    rows = [prepare_within_bounds(given, job.recipe) for given in chosen]
    if job.keep_ids:
        write(job.data_file(shard.number), data_table(job, rows))
    write(job.findings_file(shard.number), findings_table(rows))
    write(job.rows_file(shard.number), rows_table(rows))
    return shard.count


def prepare_within_bounds(given: Given, recipe: Recipe) -> Row:
    """:func:`prepare` in a child process; a row whose template or tokenizer ends the child has that as its finding."""
    from tokenspec_reference.preparation import Finding, Prepared

    child = _answering(recipe, os.getpid())
    try:
        try:
            return Row(given, *child.ask(given))
        except ChildLost:  # the child was killed, perhaps for its memory: a new one is asked, once
            return Row(given, *child.ask(given))
    except OutOfBounds as error:
        return Row(given, Prepared(findings=[Finding(error.code, str(error))]))


@lru_cache(maxsize=1)
def _answering(recipe: Recipe, process: int) -> Answering:
    """The child of this process: one that was forked shares no pipe with its parent."""
    del process
    return Answering(preparing, recipe)


def preparing(recipe: Recipe) -> Callable[[Given], tuple[Prepared, str]]:
    """What the child does; tokenizer and template are read before the first row. The record is not sent back."""
    preparer_of(recipe)

    def prepare_one(given: Given) -> tuple[Prepared, str]:
        with strangers("template", len(repr(given.record))):
            row = prepare(given, recipe)
        return row.prepared, row.digest

    return prepare_one


def prepare(given: Given, recipe: Recipe) -> Row:
    """What becomes of one row; whatever is wrong with it is a finding."""
    from tokenspec_reference.preparation import Finding, Prepared, UnknownShape, conversation_of, failed

    if given.trouble is not None:
        return Row(given, Prepared(findings=[Finding(*given.trouble)]))
    try:
        conversation = conversation_of(given.record, dict(recipe.columns), dict(recipe.speakers))
        return Row(given, preparer_of(recipe)(conversation), conversation.digest)
    except UnknownShape as error:
        return Row(given, Prepared(findings=[Finding("unknown-shape", str(error))]))
    except BaseException as error:  # noqa: BLE001 - one row must not end the other million
        return Row(given, Prepared(findings=[failed(error)]))


def said(detail: str) -> str:
    """A detail that any file can hold."""
    return detail[:LONGEST_DETAIL].encode("utf-8", "backslashreplace").decode("utf-8")


def data_table(job: Job, rows: Sequence[Row]) -> Any:
    """Ids and masks in the form that trainers read."""
    import numpy as np
    import pyarrow as pa

    from tokenspec_reference.preparation import first_fit

    bound = job.recipe.max_length or 0
    lengths = [len(row.prepared.token_ids) for row in rows]
    groups = (
        [pack.members for pack in first_fit(lengths, bound)]
        if job.layout == "packed"
        else [[k] for k in range(len(rows))]
    )
    columns: dict[str, list[Any]] = {
        name: [] for name in ("input_ids", "labels", "loss_mask", "position_ids", "attention_mask")
    }
    cumulative = []
    for members in groups:
        ids = np.concatenate([np.array(rows[k].prepared.token_ids, dtype=np.int32) for k in members])
        mask = np.concatenate([_mask(rows[k].prepared) for k in members])
        ends = np.cumsum([lengths[k] for k in members], dtype=np.int32)
        position = np.concatenate([np.arange(lengths[k], dtype=np.int32) for k in members])
        labels = np.where(mask == 1, ids, IGNORED).astype(np.int32)
        attention = np.ones(len(ids), dtype=np.int8)
        missing = bound - len(ids) if job.layout == "padded" and len(ids) else 0
        for name, values, filler in (
            ("input_ids", ids, job.pad_id),
            ("labels", labels, IGNORED),
            ("loss_mask", mask, 0),
            ("position_ids", position, 0),
            ("attention_mask", attention, 0),
        ):
            columns[name].append(np.pad(values, (0, missing), constant_values=filler) if missing > 0 else values)
        cumulative.append(np.concatenate([np.zeros(1, dtype=np.int32), ends]))
    kinds = {"loss_mask": pa.int8(), "attention_mask": pa.int8()}
    arrays = {name: _lists(values, kinds.get(name, pa.int32())) for name, values in columns.items()}
    if job.layout == "packed":
        arrays["cu_seqlens"] = _lists(cumulative, pa.int32())
        arrays["seq_lengths"] = _lists([np.diff(ends) for ends in cumulative], pa.int32())
        arrays["rows"] = pa.array([[rows[k].given.row for k in members] for members in groups], pa.list_(pa.int64()))
    else:
        arrays["row"] = pa.array([row.given.row for row in rows], pa.int64())
    first = [rows[members[0]] for members in groups]
    texts = pa.list_(pa.string())
    arrays["places"] = pa.array([[rows[k].given.place for k in members] for members in groups], texts)
    arrays["conversation_sha256"] = pa.array([[rows[k].digest for k in members] for members in groups], texts)
    arrays["findings"] = pa.array(
        [list(dict.fromkeys(c for k in members for c in rows[k].codes)) for members in groups], texts
    )
    arrays["refused"] = pa.array([row.refusal for row in first], pa.string())
    return pa.table(arrays)


def _mask(prepared: Prepared) -> Any:
    import numpy as np

    mask = np.zeros(len(prepared.token_ids), dtype=np.int8)
    for start, end in prepared.trained:
        mask[start:end] = 1
    return mask


def _lists(values: Sequence[Any], kind: Any) -> Any:
    """Arrays of numbers as one column of lists."""
    import numpy as np
    import pyarrow as pa

    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([len(value) for value in values], dtype=np.int64)])
    flat = np.concatenate(values) if values else np.zeros(0, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat, kind))


def findings_table(rows: Iterable[Row]) -> Any:
    """One line a finding."""
    found = [
        (row.given.row, row.given.place, f.code, f.message, *(f.tokens or (None, None)), said(f.detail))
        for row in rows
        for f in row.prepared.findings
    ]
    return findings_of(told_once(found, set()))


def told_once(found: Iterable[tuple[Any, ...]], told: set[tuple[str, str]]) -> list[tuple[Any, ...]]:
    """Findings without those that are told once and are in ``told``, which grows."""
    from tokenspec_reference.preparation import CODES

    kept = []
    for line in found:
        if CODES[line[2]].once:
            if (line[2], line[-1]) in told:
                continue
            told.add((line[2], line[-1]))
        kept.append(line)
    return kept


def findings_of(found: Sequence[tuple[Any, ...]]) -> Any:
    """Findings as a table, each with the level of its code."""
    import pyarrow as pa

    from tokenspec_reference.preparation import CODES

    names = ("row", "place", "code", "message", "first_token", "end_token", "detail")
    kinds = (pa.int64(), pa.string(), pa.string(), pa.int32(), pa.int32(), pa.int32(), pa.string())
    columns = {
        name: pa.array([line[k] for line in found], kind)
        for k, (name, kind) in enumerate(zip(names, kinds, strict=True))
    }
    columns["level"] = pa.array([CODES[line[2]].level for line in found], pa.string())
    return pa.table(columns)


def rows_table(rows: Sequence[Row]) -> Any:
    """One line a row: what the summary counts."""
    import pyarrow as pa

    return pa.table(
        {
            "row": pa.array([row.given.row for row in rows], pa.int64()),
            "place": pa.array([row.given.place for row in rows], pa.string()),
            "total": pa.array([row.prepared.total for row in rows], pa.int32()),
            "kept": pa.array([len(row.prepared.token_ids) for row in rows], pa.int32()),
            "trained": pa.array([row.prepared.trained_tokens for row in rows], pa.int32()),
            "digest": pa.array([row.digest for row in rows], pa.string()),
        }
    )


def write(place: Place, table: Any) -> None:
    """A Parquet file, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pa.BufferOutputStream() as stream:
        pq.write_table(table, stream, compression="zstd")
        place.write(stream.getvalue())


def table_of(place: Place) -> Any:
    """What :func:`write` wrote."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(place.read()))
