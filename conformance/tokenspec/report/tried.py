"""Conversations as implementations render them, side by side: the data of a page that opens from disk.

The page cannot run a template. It shows what was written into it; a conversation that is pasted there is shown where it
is one of these, and else made the command that writes a page with it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tokenspec.report.conversation import shares
from tokenspec.report.side_by_side import tokens_side_by_side
from tokenspec.report.vanished import vanished
from tokenspec.verdict import Tokens


@dataclass(frozen=True)
class Answer:
    """What one implementation makes of a conversation: tokens and the text they spell, or why there are none."""

    tokens: Tokens | None
    text: str = ""
    said: str = ""


@dataclass(frozen=True)
class Tried:
    """A conversation (``messages``, ``tools``) with an answer of each implementation."""

    title: str
    given: dict[str, Any]
    answers: Sequence[Answer]


def tried_data(
    row: str,
    template: str,
    implementations: Sequence[tuple[str, dict[str, str]]],
    tried: Sequence[Tried],
    again: Sequence[str],
    files: Sequence[str] = (),
) -> dict[str, Any]:
    """The page's data; what ids spell is stored once.

    Args:
        row: the row's id.
        template: its chat template.
        implementations: name and ``info()`` of each, in the order of the answers.
        tried: the conversations.
        again: the words of the command that takes a conversation.
        files: what it was given for these.
    """
    pieces = list(dict.fromkeys(p for one in tried for side in one.answers if side.tokens for p in side.tokens.pieces))
    number = {piece: index for index, piece in enumerate(pieces)}
    return {
        "kind": "conversation",
        "subtitle": f"{'a conversation' if len(tried) == 1 else f'{len(tried)} conversations'} on {row}",
        "implementations": [{"impl": name, "label": name, "info": info} for name, info in implementations],
        "template": template,
        "conversations": [conversation(one, number) for one in tried],
        "pieces": pieces,
        "with": shlex.join(again),
        "again": shlex.join([*again, *files]),
    }


def conversation(tried: Tried, number: dict[str, int]) -> dict[str, Any]:
    """One conversation; ``runs`` aligns two answers."""
    both = [answer.tokens for answer in tried.answers if answer.tokens is not None]
    asked = {"messages": tried.given["messages"], **({"tools": tools} if (tools := tried.given.get("tools")) else {})}
    return {
        "title": tried.title,
        "input": json.dumps(asked, ensure_ascii=False, indent=1),
        "sides": [side(answer, tried.given, number) for answer in tried.answers],
        "runs": tokens_side_by_side(*both) if len(both) == 2 else None,
    }


def side(answer: Answer, given: dict[str, Any], number: dict[str, int]) -> dict[str, Any]:
    """One answer: its tokens, what each message takes, and what vanished."""
    if answer.tokens is None:
        return {"said": answer.said}
    found, roles = answer.tokens, [str(message["role"]) for message in given["messages"]]
    claimed = any(kind != "unattributed" for kind, _, _ in found.owners)
    shown = {"ids": found.ids, "owners": found.owners, "start": found.start, "total": found.total}
    return {
        "said": "",
        "tokens": {**shown, "pieces": [number[piece] for piece in found.pieces]},
        "messages": [asdict(share) for share in shares(found, roles)] if claimed else [],
        "vanished": vanished(answer.text, given["messages"], given.get("tools")),
    }
