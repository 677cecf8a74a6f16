"""About ten lines that show a difference without this suite: the judged library, and transformers for what is right.

``scripts/<name>.<operation>.txt`` are the lines of an implementation; ``scripts/<name>.<operation>.<LEVEL>.txt`` those
for one level. What nobody has written them for is asked through its adapter.
"""

from __future__ import annotations

import pprint
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from tokenspec.adapters import Column
from tokenspec.areas.area import Cell
from tokenspec.columns.renderers import NAMES
from tokenspec.models import Row
from tokenspec.verdict import Exhibit, Finding

WIDTH = 110
THROUGH_ITS_ADAPTER = "It goes through the implementation's adapter: replace the call by your library's own."


def script_of(
    column: Column, cell: Cell, finding: Finding, rows: Mapping[str, Row], exhibit: Exhibit
) -> tuple[str, str]:
    """The script, and a sentence on how to run it."""
    name, operation = column.info["name"], cell.area.operation
    folder = files("tokenspec.reproduction") / "scripts"
    for stem in (f"{name}.{operation}.{finding.level}", f"{name}.{operation}"):
        path = folder / f"{stem}.txt"
        if path.is_file():
            text, about = path.read_text(encoding="utf-8"), run_with(rows)
            break
    else:
        text, about = (folder / "adapter.txt").read_text(encoding="utf-8"), THROUGH_ITS_ADAPTER
    return Template(text).substitute(values(column, cell, rows, exhibit)), about


def run_with(rows: Mapping[str, Row]) -> str:
    """What the script's argument is."""
    if not rows:
        return "It takes no argument."
    row = next(iter(rows.values()))
    hub = row.spec.hub
    from_hub = f", for instance `{hub.repo}` at `{hub.revision}`" if hub is not None else ""
    return f"Its argument is the folder with tokenizer and template of {row.id}{from_hub}."


def values(column: Column, cell: Cell, rows: Mapping[str, Row], exhibit: Exhibit) -> dict[str, str]:
    """What stands in the places of a script."""
    request = cell.request()
    options = dict(request.get("options") or {})
    prompt = options.pop("add_generation_prompt", False)
    family = next((row.family for row in rows.values()), "")
    tokens = exhibit.expected
    owned = list(zip(tokens.pieces, tokens.labels(), strict=True)) if tokens is not None else []
    return {
        **{key: literal(value) for key, value in request.items()},
        "request": literal(request),
        "impl": literal(column.name),
        "operation": literal(cell.area.operation),
        "case": literal(cell.case.id),
        "expected": literal(expected(cell)),
        "sampled": literal("".join(piece for piece, (kind, _) in owned if kind == "sampled")),
        "family": literal(NAMES.get(family, family)),
        "prompt": literal(prompt),
        "keywords": "".join(f", {key}={value!r}" for key, value in options.items()),
        "fields": ", ".join(f"{key}={value!r}" for key, value in options.items()),
    }


def expected(cell: Cell) -> Any:
    """What the oracle says, without what was asked; of an expectation that names its judged fields, these."""
    expect = (cell.golden.expect if cell.golden is not None else None) or {}
    asked = cell.request()
    named = expect.get("judged") or [key for key, value in expect.items() if asked.get(key) != value]
    return {key: expect.get(key) for key in named}


def literal(value: Any) -> str:
    """A value as Python writes it."""
    return pprint.pformat(value, width=WIDTH, sort_dicts=False)
