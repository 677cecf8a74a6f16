"""The pages of disagreements: where a publisher's own library and its template answer one conversation otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tokenspec.areas.area import Cell
from tokenspec.data import fixtures_dir
from tokenspec.report.deviations import Deviation, reasons_of
from tokenspec.report.disagreements import disputed_cells, laid_over
from tokenspec.reproduction.kept import reproductions
from tokenspec.store.records import Answer
from tokenspec.verdict import Verdict

from .reproduction_pages import target
from .requirement_pages import cell, table

VERDICT = Verdict.DISAGREE.value
FOLDER = "sources-disagree"
HEAD = """# Where sources disagree

A model's publisher gives a chat template and a library of its own, and the two write different texts for the same
conversation. Neither is called wrong here. Goldens are the template's, and so is the gate of the reference; beside them
they hold what the publisher's library answers ([CNV-008](requirements/CNV-008.md)), and who answers likewise has the
verdict *sources disagree*, which is neither a pass nor a failure.
"""

ROW_HEAD = """What [the template](../rows/{}.md) alone writes is marked `-`, what the library alone writes `+`. Lines
are cut before control tokens; `⏎` is a line feed. Where both texts are the same, the ids are shown."""

Disputed = Sequence[tuple[Cell, Answer]]


def pages() -> dict[str, str]:
    """The overview, and of each row every case with both answers."""
    disputed = sorted(disputed_cells(), key=lambda one: (one[0].row, one[0].name))
    rows = {row: list(found) for row, found in groupby(disputed, key=lambda one: one[0].row)}
    counted = [line for row, found in rows.items() for line in counts(row, found)]
    names = "\n".join(f"{FOLDER}/{row}" for row in rows)
    parts = [
        HEAD,
        table(("row", "library", "levels", "cases", "refused by the template", "refused by the library"), counted),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```",
    ]
    for one in (one for one in reproductions().values() if one.written.verdict == VERDICT):
        written = one.written
        between = f"{cell(written.package)} and the template of [{written.model}](rows/{written.model}.md)"
        parts += [
            f"## {cell(written.title)}",
            f"{between}. {cell(written.why)} [Its script](reproductions.md#{target(one)}).",
            f"The template:\n\n```text\n{written.expected}\n```",
            f"The library:\n\n```text\n{written.got}\n```",
        ]
    lines = [f"| [{name}](columns/{name}.md) | {', '.join(one.rows)} | {cell(one.why)} |" for name, one in reviewed()]
    parts += ["## Reviewed deviations", table(("library", "rows", "what"), lines)] if lines else []
    made = {f"{FOLDER}/{row}.md": row_page(row, found) for row, found in rows.items()}
    return {f"{FOLDER}.md": "\n\n".join(parts) + "\n", **made}


def counts(row: str, found: Disputed) -> list[str]:
    """A line for each library and levels in which it differs on a row."""
    kinds: dict[tuple[str, str], list[tuple[Cell, Answer]]] = {}
    for of, answer in found:
        kinds.setdefault((answer.by, ", ".join(answer.levels)), []).append((of, answer))
    return [
        f"| [{row}]({FOLDER}/{row}.md) | {cell(by)} | {levels} | {len(own)} "
        f"| {sum(of.golden is not None and of.golden.outcome == 'raises' for of, _ in own)} "
        f"| {sum(answer.outcome == 'raises' for _, answer in own)} |"
        for (by, levels), own in kinds.items()
    ]


def row_page(row: str, found: Disputed) -> str:
    """Every case of a row with both answers laid over each other."""
    parts = [f"# Sources that disagree on {row}", ROW_HEAD.format(row)]
    for of, answer in found:
        both = "\n".join(laid_over(of, answer))
        parts.append(f"## {of.case.slug}\n\n{cell(of.case.why)} {answer.by}, {', '.join(answer.levels)}.")
        parts.append(f"``````diff\n{both}\n``````")
    return "\n\n".join(parts) + "\n"


def reviewed() -> list[tuple[str, Deviation]]:
    """The deviations of all implementations that were reviewed so."""
    names = sorted(path.stem for path in (fixtures_dir() / "deviations").glob("*.toml"))
    found = ((name, reasons_of(name)) for name in names)
    return [(name, one) for name, reasons in found if reasons for one in reasons.deviation if one.verdict == VERDICT]
