"""A renderer that gives up the template: where the publisher's library says otherwise, so does it.

The reference claims the template as its source, so that no verdict on disagreeing sources excuses it (CNV-008).
"""

from __future__ import annotations

import json
from functools import cache

from tokenspec.areas.mutant import Mutant
from tokenspec.areas.render.mutants.texts import Request, Result
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.store.records import Answer
from tokenspec_reference.adapter import ReferenceAdapter

ROW = "gpt-oss"


@cache
def named_answers() -> dict[str, Answer]:
    """Request -> what the publisher answers where the golden is another."""
    cells = select_cells(Selection(areas=("render",), rows=(ROW,)))
    return {
        json.dumps(cell.request(), sort_keys=True): answer
        for cell in cells
        if cell.golden is not None
        for answer in cell.golden.answers.values()
        if answer.expect is not None
    }


class AnswersAsItsPublisher(ReferenceAdapter):
    """The reference, but for the named answers."""

    def render(self, request: Request) -> Result:
        """The publisher's text and ids, where there are such."""
        answer = named_answers().get(json.dumps(request, sort_keys=True))
        if answer is None or answer.expect is None:
            return super().render(request)
        expect = answer.expect
        return {"token_ids": list(expect["token_ids"]), "text": "".join(span[3] for span in expect["spans"])}


NOTE = "the publisher's answer stands for the template's"
MUTANTS = (Mutant(f"render-publisher-of-{ROW}", "render", ("RND-001",), NOTE, AnswersAsItsPublisher, rows=(ROW,)),)
