"""A faultless implementation of media: it looks its answers up in the goldens. Mutants edit them."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import msgspec

from tokenspec.adapters import Rejected
from tokenspec.areas import areas
from tokenspec.areas.media.records import MediaExpect
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.store.records import Golden

Request = dict[str, Any]
Result = dict[str, Any]
ROWS = ("qwen3-vl",)


@cache
def answers() -> dict[str, tuple[bool, Golden]]:
    """Request -> whether earlier media are named to it, and its golden."""
    found: dict[str, tuple[bool, Golden]] = {}
    for cell in select_cells(Selection(areas=("media",), rows=ROWS)):
        if cell.golden is not None:
            key = key_of(areas()["media"].request(cell.case, cell.row))
            found[key] = bool(cell.case.input.get("named", True)), cell.golden
    return found


def key_of(request: Request) -> str:
    """What tells two requests apart."""
    return json.dumps(request, sort_keys=True)


class MediaEcho:
    """Answers every request as the oracle would."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "golden-echo", "version": "1"}

    def render_media(self, request: Request) -> Result:
        """The golden's answer; a refusal where the oracle raises, null where a bridge has to decline."""
        named, golden = answers()[key_of(request)]
        expect = msgspec.convert(golden.expect, MediaExpect)
        if expect.faults:
            return self.refuse(request, expect)
        if expect.applies is not None or (not named and any(expect.known.values())):
            return self.decline(request, expect)
        return self.answer(request, expect)

    def refuse(self, request: Request, expect: MediaExpect) -> Result:
        """What the oracle refuses."""
        raise Rejected(expect.faults[0].code, "the oracle refuses it", expect.faults[0].places[0])

    def decline(self, request: Request, expect: MediaExpect) -> Result:
        """What no bridge may answer."""
        return {"token_ids": None}

    def answer(self, request: Request, expect: MediaExpect) -> Result:
        """The right answer, where one is right."""
        prior = expect.prior
        labels = [(kind, message) for kind, message, count in expect.spans for _ in range(count)]
        content = [kind in {"content", "sampled"} for kind, _ in labels]
        return {
            "token_ids": expect.token_ids,
            "is_content": [False] * prior + content,
            "sampled_mask": [False] * prior + [kind == "sampled" and not prior for kind, _ in labels],
            "message_indices": [-1] * prior
            + [
                message if body and message is not None else -1
                for (_, message), body in zip(labels, content, strict=True)
            ],
            "mm_token_type_ids": [value for value, count in expect.types or [] for _ in range(count)],
            "mm_placeholders": {kind: [list(one) for one in found] for kind, found in expect.placeholders.items()},
            "mm_hashes": copy.deepcopy(expect.hashes),
            "mm_grids": {kind: [list(one) for one in found] for kind, found in expect.grids.items()},
        }
