"""``tokenspec serve``: speak the adapter protocol for a Python implementation."""

from __future__ import annotations

import click

from tokenspec.adapters.resolve import resolve


@click.command()
@click.option("--impl", default="reference", show_default=True, help="The implementation to serve.")
def serve(impl: str) -> None:
    """Speak the adapter protocol on stdin and stdout for one implementation.

    Example: tokenspec run --impl "cmd:tokenspec serve --impl reference" --status toy
    """
    from tokenspec.adapters.server import serve_stdio
    from tokenspec.areas import operations

    serve_stdio(lambda: resolve(impl), operations())
