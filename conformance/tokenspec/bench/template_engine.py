"""Template engines: a real template over the corpus, with provenance and without, and what judging costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas import Cell
from tokenspec.bench import Bench, Figure, measure
from tokenspec.runner import Run
from tokenspec.select import Selection, select_cells

ROW = "qwen3"

Render = Callable[[dict[str, Any]], object]


def run() -> Iterator[Figure]:
    """Every conversation of the corpus that all engines render, in one go."""
    from tokenspec.adapters.first_party.minijinja_column import MinijinjaColumn
    from tokenspec_reference.adapter import ReferenceAdapter

    reference, minijinja = ReferenceAdapter(), MinijinjaColumn()
    cells = [cell for cell in answered() if renders(minijinja.render_template, request_of(cell))]
    requests = [request_of(cell) for cell in cells]
    times = measure(
        {
            "reference": partial(render_all, reference.render_template, requests),
            "transformers": partial(render_all, upstream, requests),
            "minijinja": partial(render_all, minijinja.render_template, requests),
            "judged": lambda: list(Run([InProcess("reference", Unannounced(reference.render_template))], cells)),
        },
        rounds=5,
    )
    what = f"{len(cells)} conversations, text with provenance"
    yield Figure(what, times["reference"], times["transformers"], "transformers, text")
    yield Figure(what, times["reference"], times["minijinja"], "minijinja, text")
    yield Figure("the same, judged by the suite", times["judged"], times["reference"], "the reference alone")


def upstream(request: dict[str, Any]) -> object:
    """The environment of transformers alone: its compiled templates are kept, inputs are handed over uncopied."""
    from transformers.utils import chat_template_utils

    return chat_template_utils._compile_jinja_template(request["template"]).render(request["inputs"])  # noqa: SLF001


class Unannounced:
    """One operation without rows: loading tokenizers is not what is measured."""

    def __init__(self, render: Render) -> None:
        """Keep the operation."""
        self.render_template = render

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "unannounced", "version": "0"}


def answered() -> list[Cell]:
    """The row's conversations that its template renders."""
    cells = select_cells(Selection(areas=("template-engine",), rows=(ROW,)))
    return [cell for cell in cells if cell.golden is not None and cell.golden.outcome == "ok"]


def request_of(cell: Cell) -> dict[str, Any]:
    """What an engine is handed."""
    return cell.area.request(cell.case, cell.row)


def renders(render: Render, request: dict[str, Any]) -> bool:
    """Whether an engine answers at all."""
    try:
        render(request)
    except Exception:  # noqa: BLE001 - whatever it raises, it is no contender there
        return False
    return True


def render_all(render: Render, requests: Sequence[dict[str, Any]]) -> None:
    """One round."""
    for request in requests:
        render(request)


BENCH = Bench("template-engine", "Rendering the corpus with the template of qwen3", run)
