"""What was given and is not in the text: messages, calls, tools, reasoning."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.given_text import answer_text, calls_of, other_texts, reasoning_text, stands_in
from tokenspec_reference.preparation.message_keys import said_in
from tokenspec_reference.preparation.rendering import Rendering


def losses(found: Rendering) -> Iterator[Finding]:
    """``message-vanished``, ``vanished-text``, ``all-text-vanished`` and ``reasoning-dropped``.

    A message of which anything is written has not vanished: templates that leave out content beside calls, or reasoning
    in history, do so on purpose, and the rest is trained.
    """
    regions, runs = found.regions, found.message_runs
    given = gone = 0
    for index, message in enumerate(found.conversation.messages):
        region, role = regions.get(index, ""), message["role"]
        answer = answer_text(message)
        pieces = [piece for piece in (answer, *other_texts(message)) if piece.strip()]
        lost = [not stands_in(piece, region) for piece in pieces]
        given, gone = given + bool(pieces), gone + (bool(pieces) and all(lost))
        beside = region.replace(answer.strip(), "", 1) if answer.strip() else region
        head, _, tail = region.rpartition(answer.strip() or "\0")  # a thought is before its answer, and may quote it
        names = [name for call in calls_of(message) if isinstance(name := call.get("name"), str) and name]
        lost_calls = [name for name in names if name not in beside]
        reasoning = reasoning_text(message) if role == "assistant" else ""
        thought_gone = bool(reasoning.strip()) and not stands_in(reasoning, head + tail)
        parts = [*lost, *(name in lost_calls for name in names), *([thought_gone] if reasoning.strip() else [])]
        parts += [not stands_in(said, region) for said in said_in(message) if said.strip()]
        if parts and all(parts):
            yield Finding("message-vanished", f"all of message {index} ({role})", index, runs.get(index))
            continue
        if any(lost):
            yield Finding("vanished-text", f"the content of message {index} ({role})", index, runs.get(index))
        for name in lost_calls:
            yield Finding("vanished-text", f"the call of {name} in message {index}", index, runs.get(index))
        if thought_gone:
            yield Finding("reasoning-dropped", f"the reasoning of message {index}", index, runs.get(index))
    if given and gone == given:
        yield Finding("all-text-vanished", f"none of the {given} texts is written")
    for tool in found.conversation.tools or ():
        name = (tool.get("function") or tool).get("name") if isinstance(tool, dict) else None
        if isinstance(name, str) and name and name not in found.text:
            yield Finding("vanished-text", f"the tool {name}")
