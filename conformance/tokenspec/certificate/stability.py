"""Does history stay, and does a turn continue the prompt it was sampled from?"""

from __future__ import annotations

from collections.abc import Iterator

from .facts import Break, Property, Scenario, Variant
from .probe import Message, Probe, Refused, common
from .scenarios import Spelling, scenarios, tools_of

EXCERPT = 24
KEYWORDS: dict[str, tuple[object, ...]] = {
    "enable_thinking": (True, False),
    "thinking": (True, False),
    "preserve_thinking": (True,),
    "clear_thinking": (False,),
    "truncate_history_thinking": (False,),
}
"""Template keywords that decide what becomes of reasoning, with the values a certificate tries."""


def prefix(probe: Probe, messages: list[Message]) -> Property:
    """Whether the text of every beginning of a conversation is a prefix of the text of the whole."""
    return _first_break(probe, messages, range(1, len(messages)))


def prefix_of_turns(probe: Probe, messages: list[Message]) -> Property:
    """The same for beginnings that end in an assistant turn: what a renderer's ``is_prefix_stable`` claims."""
    ends = [k for k in range(1, len(messages)) if messages[k - 1]["role"] == "assistant"]
    return _first_break(probe, messages, ends)


def coherence(probe: Probe, messages: list[Message]) -> Property:
    """Whether each assistant turn is written behind the generation prompt that it would be sampled from."""
    answered = False
    refusal: Refused | None = None
    for k in (k for k, message in enumerate(messages) if k and message["role"] == "assistant"):
        asked = probe.text(messages[:k], tools=tools_of(messages), prompt=True)
        turn = probe.text(messages[: k + 1], tools=tools_of(messages))
        if isinstance(asked, Refused) or isinstance(turn, Refused):
            refusal = asked if isinstance(asked, Refused) else turn if isinstance(turn, Refused) else None
            continue
        answered = True
        if not turn.startswith(asked):
            return _break(probe, messages, k, asked, turn)
    return "holds" if answered or refusal is None else str(refusal)


def _first_break(probe: Probe, messages: list[Message], cuts: Iterator[int] | range | list[int]) -> Property:
    whole = probe.text(messages, tools=tools_of(messages))
    if isinstance(whole, Refused):
        return str(whole)
    for k in cuts:
        part = probe.text(messages[:k], tools=tools_of(messages))
        if isinstance(part, str) and not whole.startswith(part):
            return _break(probe, messages, k, part, whole)
    return "holds"


def _break(probe: Probe, messages: list[Message], k: int, was: str, becomes: str) -> Break:
    at = common(was, becomes)
    return Break(
        after=k,
        at=at,
        owner=_owner(probe, messages, k, was, at),
        was=was[at : at + EXCERPT],
        becomes=becomes[at : at + EXCERPT],
    )


def _owner(probe: Probe, messages: list[Message], k: int, text: str, at: int) -> int:
    """The first message with which the text up to and including character ``at`` was there; ``k`` for the prompt."""
    for length in range(1, k + 1):
        part = probe.text(messages[:length], tools=tools_of(messages))
        if isinstance(part, str) and len(part) > at and part[: at + 1] == text[: at + 1]:
            return length - 1
    return k


def stability(probe: Probe, spelling: Spelling) -> tuple[dict[Scenario, Property], dict[Scenario, Property], bool]:
    """Prefix property and coherence by scenario, and whether assistant turns stay in all of them."""
    chats = scenarios(spelling)
    stable = all(
        not isinstance(prefix_of_turns(probe, messages), Break)
        for name, messages in chats.items()
        if name != "system_mid"
    )
    return (
        {name: prefix(probe, messages) for name, messages in chats.items()},
        {name: coherence(probe, messages) for name, messages in chats.items()},
        stable,
    )


def variants(probe: Probe, spelling: Spelling, reads: list[str]) -> dict[str, Variant]:
    """Stability under each keyword the template reads, where it differs from the row's own options."""
    found: dict[str, Variant] = {}
    for keyword, values in KEYWORDS.items():
        for value in values if keyword in reads else ():
            kept, coherent, stable = stability(probe.with_options(**{keyword: value}), spelling)
            found[f"{keyword}={str(value).lower()}"] = Variant(
                prefix_stable=stable,
                prefix_breaks=[name for name, property_ in kept.items() if isinstance(property_, Break)],
                coherence_breaks=[name for name, property_ in coherent.items() if isinstance(property_, Break)],
            )
    return found
