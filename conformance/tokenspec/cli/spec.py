"""``tokenspec spec``: traceability of the specification."""

from __future__ import annotations

import sys

import click

from tokenspec.errors import UsageError


@click.group()
def spec() -> None:
    """Check the traceability of the specification."""


@spec.command()
def check() -> None:
    """Keywords, ids, checks, mutants, cases, reviewed and included text. Exit code 1 when a rule is broken."""
    from tokenspec.requirements import requirements
    from tokenspec.traceability.rules import violations

    found = violations()
    for line in found:
        click.echo(line)
    if found:
        click.echo(f"{len(found)} violations in {len(requirements())} requirements")
        sys.exit(1)
    click.echo(f"{len(requirements())} requirements, all traced")


@spec.command()
def include() -> None:
    """Write the docstrings that chapters include: what a module says of itself stands there only."""
    from tokenspec.data import checkout_root
    from tokenspec.traceability.docstrings import include as write_docstrings

    root = checkout_root()
    if root is None:
        raise UsageError("docstrings are included in a source checkout; run this in one")
    written = write_docstrings(root)
    click.echo(f"wrote {', '.join(written)}" if written else "every chapter is up to date")


@spec.command()
@click.argument("ids", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Acknowledge every changed requirement.")
def ack(ids: tuple[str, ...], everything: bool) -> None:
    """Say that the checks of these requirements were reviewed against the current text."""
    from tokenspec.requirements import requirements
    from tokenspec.traceability.lock import write_lock

    if not ids and not everything:
        raise UsageError("name requirements, or give --all. See what changed: tokenspec spec check")
    unknown = [id_ for id_ in ids if id_ not in requirements()]
    if unknown:
        raise UsageError(f"no requirement {unknown[0]}. See: tokenspec list requirements")
    renewed = write_lock(None if everything else set(ids))
    click.echo(f"acknowledged {len(renewed)}: {', '.join(renewed) or 'nothing had changed'}")
