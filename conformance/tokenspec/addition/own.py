"""A model of the user's own, judged as it is: its goldens are made once, into the user's cache, and no row is added."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tokenspec.addition.add import prepare
from tokenspec.addition.files import hub_folder, read_published
from tokenspec.addition.goldens import known
from tokenspec.addition.row import Stated, row_toml
from tokenspec.data import fixtures_dir
from tokenspec.errors import UsageError
from tokenspec.models.build import folder
from tokenspec.models.cache import cache_root, keep_folder, sha256
from tokenspec.models.rows import specs
from tokenspec.models.spec import Hub, RowSpec, decode
from tokenspec.oracle.transformers import versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.addition.add import Step
    from tokenspec.addition.files import Published

AT_REVISION = re.compile(r"(?P<repo>[^/@]+/[^/@]+)@(?P<revision>[0-9a-f]{40})")


@contextmanager
def own_row(place: Path | str, step: Step) -> Iterator[str]:
    """Within the block a model, in a folder or as ``OWNER/NAME@REVISION`` of the hub, is a row of this name.

    Raises:
        AdditionRefused: no row can be made of it; the reasons say why.
        FetchError: the hub does not give it.
        UsageError: it is neither a folder nor a model at a revision.
    """
    published, stated = _read(place)
    goldens = cache_root() / "own" / _identity(published, stated) / stated.id
    row_file = goldens / f"{stated.id}.toml"
    if not row_file.is_file():
        with prepare(published, stated, step, stays=False) as addition:
            made = {path.name: path.read_bytes() for path in (addition.stage / "golden" / stated.id).iterdir()}
            keep_folder(goldens, {**made, row_file.name: row_toml(addition.spec).encode()})
    spec = decode(row_file, RowSpec)
    with known(spec, folder(spec, published.tokenizer, published.template), goldens):
        yield spec.id


def _read(place: Path | str) -> tuple[Published, Stated]:
    at = AT_REVISION.fullmatch(str(place))
    hub = Hub(repo=at["repo"], revision=at["revision"]) if at else None
    if hub is None and not Path(place).is_dir():
        raise UsageError(f"{place}: no such folder; a model of the hub is OWNER/NAME@REVISION, with the full commit id")
    where = hub_folder(hub) if hub else Path(place)
    base = (hub.repo.split("/")[1] if hub else where.resolve().name).lower()
    name = re.sub(r"[^a-z0-9.-]+", "-", base).strip("-.") or "model"
    name = f"{name}-own" if name in specs() else name
    published = read_published(where, str(place), name)
    why = "the user's own: nobody has compared it with another source"
    return published, Stated(name, "template", f"{place}, judged as it is", "not stated", why, hub, {})


def _identity(published: Published, stated: Stated) -> str:
    """What goldens depend on: the files, the name, the oracle and the cases."""
    files = {name: sha256(data) for name, data in published.raw.items()}
    cases = sha256((fixtures_dir() / "MANIFEST.json").read_bytes())
    return sha256(json.dumps([files, stated.id, versions(), cases], sort_keys=True).encode())[:32]
