"""A faultless implementation of bridge and parse: it looks its answers up in the goldens. Mutants edit them.

The checks of these areas are judged with it alone, so a mistake in the reference cannot hide a blind check.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import msgspec

from tokenspec.areas import areas
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.models import load
from tokenspec.store.records import Case, Golden

Request = dict[str, Any]
Result = dict[str, Any]


def key_of(request: Request) -> str:
    """What tells two requests apart."""
    return json.dumps(request, sort_keys=True)


@cache
def answers(area: str) -> dict[str, tuple[Case, Golden]]:
    """Request -> case and golden, of every cell of an area."""
    found: dict[str, tuple[Case, Golden]] = {}
    for cell in select_cells(Selection(areas=(area,))):
        if cell.golden is not None and cell.golden.expect is not None:
            found[key_of(areas()[area].request(cell.case, cell.row))] = (cell.case, cell.golden)
    return found


def expectation(area: str, request: Request) -> tuple[Case, dict[str, Any]]:
    """Case and expectation behind a request; fields the golden leaves out have their defaults."""
    known, key = answers(area), key_of(request)
    if key not in known:  # the row's own template comes with the conversation
        options = {name: value for name, value in request["options"].items() if name != "chat_template"}
        key = key_of({**request, "options": options})
    case, golden = known[key]
    typed = msgspec.convert(golden.expect, areas()[area].expect_type)
    return case, copy.deepcopy(msgspec.to_builtins(typed))


class GoldenEcho:
    """Answers every bridge and parse request as the oracle would."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "golden-echo", "version": "1"}

    def bridge(self, request: Request) -> Result:
        """Prompt, completion, the first allowed close, suffix; declines only where it must."""
        _, expect = expectation("bridge", request)
        if expect["applies"] is not None or expect["must"] == "refuse":
            return {"token_ids": None}
        return self.answer(request, expect)

    def answer(self, request: Request, expect: dict[str, Any]) -> Result:
        """The right answer, where one is right."""
        return bridged(expect, expect["completion_ids"], between_of(request, expect), expect["suffix_ids"])

    def parse(self, request: Request) -> Result:
        """The fields of the golden."""
        _, expect = expectation("parse", request)
        return {
            "content": expect["content"] or expect["content_prefix"] or "",
            "reasoning_content": expect["reasoning_content"],
            "reasoning_complete": expect["reasoning_complete"],
            "tool_calls": [
                {
                    "name": call["name"],
                    "arguments": call["arguments"],
                    "status": call["status"][-1],
                    "id": call.get("id"),
                    "token_span": call.get("tokens"),
                }
                for call in expect["tool_calls"]
            ],
        }


def between_of(request: Request, expect: dict[str, Any]) -> list[int]:
    """The ids between completion and suffix; inside a thought its close and the close of the turn."""
    if expect["closers"] is not None:
        first: list[int] = expect["closers"][0]
        return first
    row = load(request["model"])
    text = (expect["thought_close"] or "") + row.spec.wire.assistant_close[0]
    return list(row.tokenizer(text, add_special_tokens=False)["input_ids"])


def bridged(expect: dict[str, Any], completion: list[int], between: list[int], suffix: list[int]) -> Result:
    """A result with masks: the prior part is nobody's, bodies of the suffix are content."""
    prior = len(expect["prompt_ids"]) + len(completion) + len(between)
    content = [False] * prior
    indices = [-1] * prior
    for kind, message, tokens, _ in expect["spans"]:
        content += [kind == "content"] * tokens
        indices += [message if kind == "content" else -1] * tokens
    total = prior + len(suffix)
    return {
        "token_ids": [*expect["prompt_ids"], *completion, *between, *suffix],
        "message_indices": (indices + [-1] * total)[:total],
        "is_content": (content + [False] * total)[:total],
        "sampled_mask": [False] * total,
    }
