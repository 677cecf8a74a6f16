"""``tokenspec new``: skeletons of what a contribution consists of. Each fails ``tokenspec spec check`` until filled."""

from __future__ import annotations

from pathlib import Path

import click

from tokenspec.areas import area_of
from tokenspec.data import checkout_root, data_root
from tokenspec.errors import UsageError
from tokenspec.skeletons import making, unfilled
from tokenspec.store.writing import write_atomically

in_area = click.option("--area", "area_name", required=True, metavar="AREA", help="One of: tokenspec list areas.")
theme_option = click.option("--theme", required=True, metavar="MODULE", help="The module it goes to, a new one too.")


@click.group()
def new() -> None:
    """Write the skeleton of a requirement, case, check, mutant, family or area; it fails until it is filled in.

    What is to be filled in is marked UNFILLED, and listed by: tokenspec spec check
    """


@new.command()
@click.argument("title")
@in_area
@click.option("--level", default="MUST", show_default=True, help="MUST, MUST NOT, SHOULD, SHOULD NOT or MAY.")
@click.option("--after", metavar="ID", help="Behind this requirement, with the next number; default: at the end.")
def requirement(title: str, area_name: str, level: str, after: str | None) -> None:
    """A requirement with the next free id, in the chapter of its area. AREA may be an id's prefix, as in CNV."""
    prefix = area_name if len(area_name) == 3 and area_name.isupper() else area_of(area_name).prefix
    write(making.requirement(root(), prefix, title, level, after))


@new.command()
@click.argument("name")
@in_area
@theme_option
@click.option("--requires", multiple=True, metavar="ID", help="A requirement it exercises; repeatable.")
@click.option("--flag", "flags", multiple=True, help="What a failure means (fixtures/flags.toml); repeatable.")
def case(name: str, area_name: str, theme: str, requires: tuple[str, ...], flags: tuple[str, ...]) -> None:
    """A case in a generator module of its area."""
    write(making.case(root(), area_of(area_name), theme, name, requires, flags))


@new.command()
@click.argument("name")
@in_area
@theme_option
@click.option("--requires", multiple=True, required=True, metavar="ID", help="A requirement it judges; repeatable.")
@click.option("--level", help="The grade it counts for; default: the first of the area.")
@click.option(
    "--kind", default="invariant", show_default=True, help="golden, invariant, outline, metamorphic or rejects."
)
def check(name: str, area_name: str, theme: str, requires: tuple[str, ...], level: str | None, kind: str) -> None:
    """A check in a module of its area."""
    write(making.check(root(), area_of(area_name), theme, name, requires, level, kind))


@new.command()
@click.argument("name")
@in_area
@theme_option
@click.option("--breaks", multiple=True, required=True, metavar="ID", help="A requirement it breaks; repeatable.")
def mutant(name: str, area_name: str, theme: str, breaks: tuple[str, ...]) -> None:
    """A broken implementation: the reference, with one edit."""
    write(making.mutant(root(), area_of(area_name), theme, name, breaks))


@new.command()
@click.argument("name")
def family(name: str) -> None:
    """A wire format of the renderers: its module, its entry among the families, its section of the chapter."""
    write(making.family(root(), name))
    click.echo("next: fill it in, then: tokenspec spec include")


@new.command()
@click.argument("name")
@click.option("--prefix", required=True, help="Three capitals that its requirements' ids begin with.")
def area(name: str, prefix: str) -> None:
    """An area: its whole folder, and its chapter with a first requirement."""
    write(making.area(root(), name, prefix))


def root() -> Path:
    """The checkout.

    Raises:
        UsageError: the code is an installed wheel's.
    """
    found = checkout_root()
    if found is None or data_root() != found:
        raise UsageError("tokenspec new writes source; use it in a checkout, with: tox -e dev")
    return found


def write(planned: making.Planned) -> None:
    """Write what is planned, and list what is to be filled in."""
    for path, text in planned.items():
        write_atomically(path, text)
        click.echo(f"wrote {path.relative_to(root())}")
        for line, what in unfilled(path):
            click.echo(f"  {line}: {what}")
