"""Is what a server serves the row? Asked before anything is judged: another template would look like many failures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from tokenspec.areas.check import Question
from tokenspec.areas.difference import first_difference
from tokenspec.areas.render.declared import declared_expect, declared_request
from tokenspec.areas.render.records import RenderExpect, RenderOutput
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.columns.live.dialects import Dialect
from tokenspec.columns.live.wire import Declined
from tokenspec.models import Row
from tokenspec.store.canonical import convert

PLAIN = tuple(
    f"render/role-{slug}"
    for slug in ("user-generation", "system-user-generation", "two-turns-generation", "user-assistant")
)
"""Conversations of plain turns: whatever a server may get wrong, these show which template it has."""
PIECES = 400
"""How many ids, evenly over the vocabulary, have to spell what the row spells with them."""
AROUND = 24

Ask = Callable[[str, str, Any], Any]
Render = Callable[[dict[str, Any]], dict[str, Any]]


def other_vocabulary(dialect: Dialect, row: Row, ask: Ask) -> str:
    """What tells the served vocabulary from the row's; empty where ids spell the same in both."""
    if dialect.ids_to_text is None:
        return ""
    ids = spread(row)
    expected = row.vocabulary.decode(ids)
    path, key = dialect.ids_to_text
    try:
        got = str(ask("POST", path, {"tokens": ids, **dialect.ids_options})[key])
    except Declined as declined:
        return f"serves another vocabulary than the row's: of {len(ids)} of its ids it says {declined.said}"
    return "" if got == expected else f"serves another vocabulary than the row's: {beside(expected, got)}"


def spread(row: Row) -> list[int]:
    """Ids over the whole vocabulary that spell whole characters, and every added token."""
    vocabulary = row.vocabulary
    added = sorted(vocabulary.added_tokens_decoder)
    step = max(1, len(vocabulary) // PIECES)
    plain = [id_ for id_ in range(0, len(vocabulary), step) if id_ not in vocabulary.added_tokens_decoder]
    spelled = [id_ for id_ in plain if vocabulary.convert_ids_to_tokens(id_) is not None]
    return [*(id_ for id_ in spelled if "\N{REPLACEMENT CHARACTER}" not in vocabulary.decode([id_])), *added]


def other_template(dialect: Dialect, row: Row, ask: Ask, render: Render) -> str:
    """What tells the served template from the row's; empty where it is the same, as far as the server shows it."""
    if dialect.served_template is not None:
        path, key = dialect.served_template
        try:
            served = ask("GET", path, None)[key]
        except (Declined, KeyError):
            served = None
        if isinstance(served, str):
            own, theirs = sha256(row.chat_template), sha256(served)
            return "" if own == theirs else f"serves another chat template (sha256 {theirs}) than the row's ({own})"
    for question in plain_questions(row):
        request = declared_request(question.request, dialect.profile)
        try:
            output = RenderOutput(**render(request))
        except Declined as declined:
            return f"refuses {question.cell.case.id}, so it does not serve the row's chat template: {declined.said}"
        expected = declared_expect(question, dialect.profile, output)
        got = row.vocabulary.decode(output.token_ids or []) if output.text is None else output.text
        if expected.text != got and expected.token_ids != output.token_ids:
            where = f"{question.cell.case.id}: {beside(expected.text, got)}"
            return f"serves another chat template than the row's, as plain turns show ({where})"
    return ""


def plain_questions(row: Row) -> Sequence[Question]:
    """The plain conversations of a row with what its template makes of them."""
    cells = select_cells(Selection(areas=("render",), rows=(row.id,), cases=PLAIN))
    return [
        Question(
            cell=cell,
            request=cell.request(),
            expect=convert(cell.golden.expect, RenderExpect, where=cell.name),
            rows={row.id: row},
        )
        for cell in cells
        if cell.golden is not None and cell.golden.expect is not None
    ]


def sha256(template: str) -> str:
    """The beginning of a template's hash; white space at its ends says nothing of it."""
    return hashlib.sha256(template.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def beside(expected: str, got: str) -> str:
    """Two texts from where they part."""
    at = first_difference(expected, got)
    return f"{got[at : at + AROUND]!r} in place of {expected[at : at + AROUND]!r}"
