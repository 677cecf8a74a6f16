"""``tokenspec adapter node-packages``."""

from __future__ import annotations

import click


@click.command("node-packages")
def node_packages() -> None:
    """Install the npm packages of the columns that run on node, into the cache folder.

    They come through your own npm, pinned, and no script of a package runs.
    """
    from tokenspec.columns.node_packages import install

    click.echo(f"installed in {install()}")
    click.echo("next: tokenspec run --impl huggingface-jinja --area template-engine")
