"""Streaming parsers: the completions of ``parse`` in chunks become deltas.

Every case and golden is borrowed from ``parse``: what a stream says in the end is what is said of the whole.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.area import Area, Loan
from tokenspec.areas.parse.area import AREA as PARSE
from tokenspec.areas.parse.records import ParseExpect, ParseInput
from tokenspec.areas.stream.chunks import by_token, chunks, pieces_of
from tokenspec.areas.stream.records import StreamOutput, StreamRequest
from tokenspec.models import RowSpec
from tokenspec.store.records import Case, Golden

REQUIRES = ["RND-066", "RND-080", "RND-085", "RND-086", "RND-087", "RND-088", "RND-089"]
ADVICE = "RND-084"


def request(case: Case, row: str) -> dict[str, Any]:
    """The request of the lender, its ids one in a chunk."""
    from tokenspec.models import load

    lent = PARSE.request(msgspec.structs.replace(case, id=f"{PARSE.name}/{case.slug}", area=PARSE.name), row)
    pieces = pieces_of(load(row).vocabulary, lent.pop("token_ids"))
    return {**lent, "chunks": chunks(by_token(pieces))}


def borrowed(case: Case) -> Case | None:
    """A completion of ``parse`` as one that comes in chunks; what is mere advice there is left."""
    if case.requires == [ADVICE]:
        return None
    return msgspec.structs.replace(case, id=f"{AREA.name}/{case.slug}", area=AREA.name, requires=REQUIRES)


def lent(golden: Golden) -> Golden:
    """The golden as it is."""
    return golden


def is_any(row: RowSpec) -> bool:
    """Every row that completions are parsed on."""
    del row
    return True


AREA = Area(
    name="stream",
    title="Streaming parsers: a completion in chunks to deltas",
    order=25,
    prefix="RND",
    operation="parse_stream",
    levels=("END", "SPACE", "DELTAS"),
    input_type=ParseInput,
    output_type=StreamOutput,
    expect_type=ParseExpect,
    rows=PARSE.rows,
    request=request,
    request_type=StreamRequest,
    loan=Loan(area=PARSE.name, case=borrowed, golden=lent, takes=is_any),
    asks_golden=True,
)
