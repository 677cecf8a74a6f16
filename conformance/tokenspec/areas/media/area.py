"""Media: a conversation with pictures and videos becomes ids in which each has its placeholders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.area import Area
from tokenspec.areas.exhibit import Labelled, labelled
from tokenspec.areas.media.pictures import media_parts, with_pictures
from tokenspec.areas.media.records import MediaExpect, MediaInput, MediaOutput, MediaRequest
from tokenspec.areas.media.settings import settings_of
from tokenspec.areas.render.area import rows as rows_with_features
from tokenspec.areas.render.declared import declared_request
from tokenspec.store.records import Case, Golden
from tokenspec.verdict import Label

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """Every row whose processor is pinned and knows all modalities of the case."""
    following = (case.input.get("next") or {}).get("messages", [])
    needed = {kind for _, kind, _ in media_parts([*case.input["messages"], *following])}
    needed |= {"image", "video"} & set(case.input.get("media", {}))
    able = [spec for spec in specs if spec.media is not None and needed <= set(spec.media.settings)]
    return rows_with_features(case, able)


def request(case: Case, row: str) -> dict[str, Any]:
    """The request; what was sampled before a bridge, and the media in it, are the golden's."""
    from tokenspec.models import spec_of
    from tokenspec.oracle.clock import FROZEN

    given = case.input
    following, numbers = given.get("next"), given.get("media", {})
    return {
        "model": row,
        "messages": with_pictures(given["messages"] if following is None else following["messages"]),
        "tools": given.get("tools"),
        "options": {**spec_of(row).options, **given.get("options", {})},
        "media": settings_of(numbers, spec_of(row)) if given.get("told", True) else numbers,
        "previous": None if following is None else previous_of(case, row),
        "now": FROZEN.isoformat(),
    }


def previous_of(case: Case, row: str) -> dict[str, Any]:
    """Prompt and completion of a bridge, and the media in them where the case names them."""
    from tokenspec.areas.selection import load_golden

    golden = load_golden(row, case)
    found = golden.expect if golden is not None else None
    expect = msgspec.convert(found or {}, MediaExpect)
    ids = expect.token_ids
    known = {kind: count for kind, count in expect.known.items() if count} if case.input.get("named", True) else {}
    return {
        "prompt_ids": ids[: expect.prompt],
        "completion_ids": ids[expect.prompt : expect.prior],
        "mm_placeholders": {k: [list(r) for r in expect.placeholders[k][:count]] for k, count in known.items()},
        "mm_hashes": {k: expect.hashes[k][:count] for k, count in known.items()},
    }


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """Ids, ranges and types from the processor of ``transformers``; owners as of any render."""
    from tokenspec.areas.media.oracle.golden import media_golden

    return media_golden(case, rows_by_id[row])


def exhibit(expect: MediaExpect, output: MediaOutput | None) -> tuple[Labelled | None, Labelled | None]:
    """The oracle's ids with their owners, and what was given."""
    ids = expect.token_ids
    labels: list[Label] = [("prior", None)] * expect.prior
    labels += [(kind, message) for kind, message, count in expect.spans for _ in range(count)]
    labels += [("unattributed", None)] * (len(ids) - len(labels))
    return (ids, labels[: len(ids)]), None if output is None else labelled(output, prior=expect.prior)


AREA = Area(
    name="media",
    title="Media: pictures and videos as placeholders",
    order=35,
    prefix="RND",
    operation="render_media",
    levels=("IDS", "RANGES", "MASKS", "BRIDGE"),
    input_type=MediaInput,
    output_type=MediaOutput,
    expect_type=MediaExpect,
    rows=rows,
    request=request,
    request_type=MediaRequest,
    oracle=oracle,
    exhibit=exhibit,
    ask=declared_request,
    asks_golden=True,
)
