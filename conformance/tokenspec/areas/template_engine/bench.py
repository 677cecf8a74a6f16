"""Template engines: a real template over the corpus, with provenance and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tokenspec.adapters import Ok
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.area import Cell
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.areas.template_engine.area import AREA
from tokenspec.benchmark import Bench, Figure, measure

ROW = "qwen3"
PATIENCE = 60.0

Render = Callable[[dict[str, Any]], object]


def run() -> Iterator[Figure]:
    """Every conversation of the corpus that all engines render, in one go."""
    reference, minijinja = operation_of("reference"), operation_of("minijinja")
    cells = [cell for cell in answered() if renders(minijinja, request_of(cell))]
    requests = [request_of(cell) for cell in cells]
    times = measure(
        {
            "reference": partial(render_all, reference, requests),
            "transformers": partial(render_all, upstream, requests),
            "minijinja": partial(render_all, minijinja, requests),
        },
        rounds=5,
    )
    what = f"{len(cells)} conversations, text with provenance"
    yield Figure(what, times["reference"], times["transformers"], "transformers, text")
    yield Figure(what, times["reference"], times["minijinja"], "minijinja, text")


def operation_of(impl: str) -> Render:
    """The operation of an installed implementation, without the judge."""
    column = resolve(impl)
    return lambda request: column.call(AREA.operation, "", request, PATIENCE)


def upstream(request: dict[str, Any]) -> object:
    """The environment of transformers alone: its compiled templates are kept, inputs are handed over uncopied."""
    from transformers.utils import chat_template_utils

    return chat_template_utils._compile_jinja_template(request["template"]).render(request["inputs"])  # noqa: SLF001


def answered() -> list[Cell]:
    """The row's conversations that its template renders."""
    cells = select_cells(Selection(areas=("template-engine",), rows=(ROW,)))
    return [cell for cell in cells if cell.golden is not None and cell.golden.outcome == "ok"]


def request_of(cell: Cell) -> dict[str, Any]:
    """What an engine is handed."""
    return cell.area.request(cell.case, cell.row)


def renders(render: Render, request: dict[str, Any]) -> bool:
    """Whether an engine answers at all."""
    return isinstance(render(request), Ok)


def render_all(render: Render, requests: Sequence[dict[str, Any]]) -> None:
    """One round."""
    for request in requests:
        render(request)


BENCH = Bench("template-engine", "Rendering the corpus with the template of qwen3", run)
