"""The review sheet as Markdown, for a pull request or a CI summary. Texts are escaped: templates may hold anything."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from tokenspec.addition.review import head
from tokenspec.certificate.screen import view
from tokenspec.report.markup import code, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.addition.review import Sheet

KINDS = {"content": "🟩", "sampled": "🟦", "prompt": "🟪", "scaffold": "⬜", "unattributed": "🟨"}


def sheet_markdown(found: Sheet) -> str:
    """The whole sheet."""
    return "\n".join(_blocks(found)) + "\n"


def _blocks(found: Sheet) -> Iterator[str]:
    yield f"# Review of {plain(found.spec.id)}\n"
    yield "| | |\n|---|---|"
    for key, value in head(found):
        yield f"| {key} | {code(value)} |"
    yield ""
    for note in found.notes:
        yield f"> ⚠️ {plain(note)}\n"
    yield "## Certificate\n"
    yield f"````text\n{_certificate(found)}````\n"
    yield "## Goldens\n"
    yield "| area | goldens | ok | refused |\n|---|---:|---:|---:|"
    for area, counted in found.counts.items():
        yield f"| {area} | {counted.total()} | {counted['ok']} | {counted['raises']} |"
    yield f"\n<details><summary>{len(found.lines)} render cases</summary>\n"
    yield "| case | outcome | tokens | not attributed because |\n|---|---|---:|---|"
    for line in found.lines:
        yield f"| {line.case} | {line.outcome} | {line.tokens or ''} | {plain(line.note)} |"
    yield "\n</details>\n"
    yield "## First texts\n"
    yield " ".join(f"{mark} {kind}" for kind, mark in KINDS.items()) + "\n"
    for case, spans in found.texts:
        yield f"### {plain(case)}\n"
        yield "| kind | message | tokens | text |\n|---|---:|---:|---|"
        for kind, message, tokens, text in spans:
            owner = "" if message is None else message
            yield f"| {KINDS.get(kind, '')} {kind} | {owner} | {tokens} | {code(repr(text))} |"
        yield ""


def _certificate(found: Sheet) -> str:
    out = StringIO()
    Console(file=out, width=100, no_color=True, highlight=False).print(view(found.certificate))
    lines = (line.rstrip() for line in out.getvalue().splitlines())
    return "\n".join(lines) + "\n"
