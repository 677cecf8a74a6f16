"""Certificates on the command line: compare with the installed oracle, accept, and gate a run."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tokenspec.cli.screen import say

if TYPE_CHECKING:
    from tokenspec.certificate.facts import Certificate


def rows_with_template(rows: Iterable[str] = ()) -> list[str]:
    """The asked-for rows that have a chat template; all of them by default. Raises UnknownRow."""
    from tokenspec.models import spec_of, specs

    return [row for row in (tuple(rows) or tuple(specs())) if spec_of(row).has_template]


def measured(row: str) -> Certificate | str:
    """The certificate of a row by the installed oracle, or what is missing to measure it."""
    from tokenspec.certificate import certify
    from tokenspec.models import AssetsMissing, load

    try:
        return certify(load(row))
    except AssetsMissing as missing:
        return str(missing)


def all_measured(rows: Sequence[str]) -> Iterator[Certificate | str]:
    """Of every row in turn what is measured, several at a time in processes of their own."""
    from tokenspec.parallel import default_jobs, workers

    if len(rows) == 1:
        yield measured(rows[0])
        return
    with workers(min(default_jobs(), len(rows) or 1)) as pool:
        yield from pool.map(measured, rows)


def certify_rows(rows: Sequence[str], accept: str | None) -> int:
    """Measure rows and compare, or accept what is measured; returns how many are not as committed."""
    from tokenspec.certificate import committed
    from tokenspec.certificate.facts import Review
    from tokenspec.certificate.files import accepted, changes, today, with_reviews, write
    from tokenspec.certificate.screen import change_lines

    differing = 0
    for row, now in zip(rows, all_measured(rows), strict=True):
        if isinstance(now, str):
            say(f"{row}: {now}")
            continue
        old = committed(row)
        if old is not None and not changes(old, now):
            say(f"{row}: as committed")
            continue
        if accept is None:
            differing += 1
            say(f"{row}: no certificate" if old is None else f"{row}: {len(changes(old, now))} facts changed")
        else:
            first = [Review(date=today(), reason=accept, facts=[])]
            path = write(with_reviews(now, first) if old is None else accepted(old, now, accept))
            say(f"{row}: wrote {path.name}")
        if old is not None:
            click.echo("\n".join(change_lines(changes(old, now))))
    return differing


def changed_certificates(rows: Iterable[str]) -> list[str]:
    """What the installed oracle measures otherwise than the certificates of judged rows say, ready to print.

    Text only, so it costs less than a tenth of a second a row. A certificate binds the versions it was measured with:
    with others installed there is nothing to compare, and without ``transformers`` nobody to ask.
    """
    if importlib.util.find_spec("transformers") is None:
        return []
    from tokenspec.certificate import certify, changes, committed
    from tokenspec.certificate.files import same_oracle
    from tokenspec.certificate.screen import change_lines
    from tokenspec.models import AssetsMissing, load
    from tokenspec.models.rows import goldens_of_candidate
    from tokenspec.oracle.transformers import versions

    lines: list[str] = []
    for row in dict.fromkeys(row for row in rows if goldens_of_candidate(row) is None):
        old = committed(row)
        if old is not None and not same_oracle(old, versions()):
            continue
        try:
            found = (
                list(change_lines(changes(old, certify(load(row), with_tokens=False)))) if old else ["  there is none"]
            )
        except AssetsMissing:
            continue
        if found:
            again = f'review it, then: tokenspec models certify {row} --accept "why it is right"'
            lines += [f"the certificate of {row} is not what the oracle measures:", *found, again]
    return lines
