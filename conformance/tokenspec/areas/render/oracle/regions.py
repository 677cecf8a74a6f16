"""Where the generation prompt of a text begins, and what of each answer a model emits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokenspec.areas.render.records import GivenTurns, RenderInput
from tokenspec.oracle.attribution import Owners, Undecidable
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle


def prompt_length(
    oracle: TransformersOracle, given: RenderInput, options: dict[str, Any], text: str, openers: tuple[str, ...] = ()
) -> int:
    """How many characters at the end of the text are the generation prompt.

    It is one of ``openers`` where the template ends the last turn otherwise in front of a prompt, or refuses to write
    the text without one.

    Raises:
        Undecidable: it ends in none of them, and the text without it does not show it.
    """
    if not options.get("add_generation_prompt"):
        return 0
    try:
        without = oracle.text(given.messages, given.tools, {**options, "add_generation_prompt": False})
    except OracleRefuses:
        without = None
    if without is not None and text.startswith(without):
        return len(text) - len(without)
    if opener := next(filter(text.endswith, openers), ""):
        return len(opener)
    raise Undecidable("the text without generation prompt is no prefix of the text with it, or is refused")


def prompt_text(oracle: TransformersOracle, given: RenderInput, options: dict[str, Any], messages: list[Any]) -> str:
    """The generation prompt that these options give behind some messages; empty where they are refused."""
    plain = {
        key: value for key, value in options.items() if key not in {"add_generation_prompt", "continue_final_message"}
    }
    try:
        with_prompt = oracle.text(messages, given.tools, {**plain, "add_generation_prompt": True})
        without = oracle.text(messages, given.tools, {**plain, "add_generation_prompt": False})
    except OracleRefuses:
        return ""
    return with_prompt[len(without) :] if with_prompt.startswith(without) else ""


def sampled_regions(
    wire: GivenTurns,
    owners: Owners,
    messages: list[Any],
    end_of_turns: int,
    prompts: Mapping[int, Sequence[str]],
    *,
    goes_on: bool,
) -> dict[int, tuple[int, int]]:
    """For each assistant message the characters the model emits: after opener or generation prompt, through the closer.

    The prompt is the first of its ``prompts`` that stands there. Where the last answer ``goes_on`` it needs none.

    Raises:
        Undecidable: openers and assistant messages cannot be matched, a region holds another message's body, or white
            space of the template ends it.
    """
    text, ends = owners.text, tuple(wire.assistant_close)
    scaffold = [index is None for index in owners.owner]
    openers = occurrences(text, tuple(wire.assistant_open), scaffold, end_of_turns)
    limits = [start for start, _ in openers[1:]] + [end_of_turns] * bool(openers)
    regions: dict[int, tuple[int, int]] = {}
    for index, number in match_openers(owners, messages, openers, limits, ends).items():
        (start, after), limit = openers[number], limits[number]
        prompt = next((one for one in prompts.get(index, ()) if one and text.startswith(one, start)), "")
        first = start + len(prompt) if prompt else after
        closers = occurrences(text, ends, scaffold, end_of_turns, first)
        closed = bool(closers) and closers[0][0] < limit
        end = closers[0][1] if closed else limit
        quoted = quoted_names(owners, index)
        if any(owners.owner[at] == index and at not in quoted for at in range(end, limit)):
            raise Undecidable(f"messages[{index}] goes on behind the closer of its turn")
        foreign = {i for i in owners.owner[first:end] if i is not None and i != index}
        if foreign:
            raise Undecidable(f"the turn of messages[{index}] also holds the body of messages[{min(foreign)}]")
        if not closed and not goes_on and first < end and scaffold[end - 1] and text[end - 1].isspace():
            raise Undecidable(f"messages[{index}] ends in white space of the template, and with no stop token")
        regions[index] = (min(first, end), end)
    return regions


def prompted_regions(
    oracle: TransformersOracle, given: RenderInput, options: dict[str, Any], owners: Owners, closers: tuple[str, ...]
) -> dict[int, tuple[int, int]]:
    """The same where every answer stands right behind the text that the messages before it are prompted with.

    Each goes through the first closer behind its body; in front of the body of the next message, where one follows.
    None where that is not so of every answer, or nothing is before one.
    """
    text, messages = owners.text, given.messages
    regions: dict[int, tuple[int, int]] = {}
    for index, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        try:
            prompted = oracle.text(messages[:index], given.tools, {**options, "add_generation_prompt": True})
        except OracleRefuses:
            return {}
        own = [at for at, owner in enumerate(owners.owner) if owner == index]
        following = [at for at, owner in enumerate(owners.owner) if owner == index + 1]
        if not index or not text.startswith(prompted) or own[:1] != [len(prompted)]:
            return {}
        limit = following[0] if following else len(text)
        ends = [at + len(closer) for closer in closers if (at := text.find(closer, own[-1] + 1, limit)) >= 0]
        if not ends or (not following and index + 1 < len(messages)):
            return {}
        regions[index] = own[0], min(ends)
    return regions


def quoted_names(owners: Owners, index: int) -> set[int]:
    """Where names of the functions a message calls are printed: tool results quote them behind the turn's end."""
    names = (ranges for path, ranges in owners.strings.items() if path[0] == index and path[-1] == "name")
    return {at for ranges in names for start, end in ranges for at in range(start, end)}


def match_openers(
    owners: Owners,
    messages: list[Any],
    openers: list[tuple[int, int]],
    limits: list[int],
    closers: tuple[str, ...],
) -> dict[int, int]:
    """Assistant message -> number of its opener. A body decides; between two such turns, empty ones match in order.

    An opener nobody claims is no turn (templates whose assistant opener also closes the user's turn print it always),
    unless it is closed like one: then one message is printed as several turns.
    """
    assistants = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
    claimed: dict[int, int] = {}
    for number, ((_, after), limit) in enumerate(zip(openers, limits, strict=True)):
        inside = {i for i in owners.owner[after:limit] if i is not None and messages[i].get("role") == "assistant"}
        if len(inside) > 1:
            raise Undecidable(f"messages {sorted(inside)} share one assistant turn")
        for index in inside:
            if index in claimed:
                raise Undecidable(f"messages[{index}] is spread over two assistant turns")
            claimed[index] = number
    bodied = {i for i in owners.owner if i is not None and messages[i].get("role") == "assistant"}
    if bodied - set(claimed):
        raise Undecidable(f"messages[{min(bodied - set(claimed))}] is printed outside any assistant turn")
    empty = [index for index in assistants if index not in claimed]
    for index in empty:
        low = max((claimed[i] for i in claimed if i < index), default=-1)
        high = min((claimed[i] for i in claimed if i > index), default=len(openers))
        free = [number for number in range(low + 1, high) if number not in claimed.values()]
        rivals = [i for i in empty if _between(i, claimed, low, high)]
        if len(free) != len(rivals):
            raise Undecidable(f"messages[{index}] has no body, and {len(free)} openers could be its own")
    for index in empty:
        low = max((claimed[i] for i in claimed if i < index), default=-1)
        claimed[index] = low + 1
    for number in set(range(len(openers))) - set(claimed.values()):
        if any(owners.text.find(close, openers[number][1], limits[number]) >= 0 for close in closers):
            raise Undecidable("an assistant turn is opened and closed that belongs to no message alone")
    return dict(sorted(claimed.items()))


def _between(index: int, claimed: dict[int, int], low: int, high: int) -> bool:
    """Whether an unclaimed message lies between the turns ``low`` and ``high``."""
    before = max((claimed[i] for i in claimed if i < index), default=-1)
    after = min((claimed[i] for i in claimed if i > index), default=high)
    return before == low and after == high


def occurrences(
    text: str, wanted: tuple[str, ...], scaffold: list[bool], limit: int, start: int = 0
) -> list[tuple[int, int]]:
    """Where any of the strings stands in scaffold, in order and without overlap."""
    found: list[tuple[int, int]] = []
    position = start
    while nearest := min(((at, item) for item in wanted if (at := text.find(item, position)) >= 0), default=None):
        at, item = nearest
        if at >= limit:
            break
        inside = all(scaffold[at : at + len(item)])
        if inside:
            found.append((at, at + len(item)))
        position = at + (len(item) if inside else 1)
    return found
