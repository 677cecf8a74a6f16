"""What a template leaves out: a word in every string of a conversation, by what its last message is."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from .facts import Ending
from .probe import Message, Probe, Refused
from .scenarios import Spelling, result, tools_of

WORDS = {
    "system": "Aardvark.",
    "first question": "Badger?",
    "content beside calls": "Caracal.",
    "reasoning of calls": "Dingo.",
    "call 1": "ermine",
    "call 2": "fossa",
    "result 1": "gibbon",
    "result 2": "hyena",
    "answer": "Ibis.",
    "reasoning of the answer": "Jackal.",
    "next question": "Koala?",
}

OPTIONAL = ({"system"}, {"reasoning of calls"}, {"content beside calls"}, {"call 2", "result 2"})
"""What some templates refuse, left out in turn."""


def losses(probe: Probe, spelling: Spelling) -> dict[Ending, str]:
    """What has no word in the text, by the last message: a question, an answer, calls, their results."""
    return {ending: _lost(probe, spelling, ending) for ending in ("question", "answer", "calls", "results", "loop")}


def _lost(probe: Probe, spelling: Spelling, ending: Ending) -> str:
    """Of the fullest conversation that the template does not refuse: what it refuses is another fact."""
    text: str | Refused = ""
    for refused in (left_out for count in range(len(OPTIONAL) + 1) for left_out in combinations(OPTIONAL, count)):
        said = conversation(spelling, ending, set(WORDS).difference(*refused))
        text = probe.text(said, tools=tools_of(said))
        if not isinstance(text, Refused):
            return (
                ", ".join(name for name, word in WORDS.items() if word in str(said) and word not in text) or "nothing"
            )
    return str(text)


def conversation(spelling: Spelling, ending: Ending, given: set[str]) -> list[Message]:
    """The messages up to the one that it ends with, with the strings that are given."""
    beside = "content beside calls"
    calling = replace(spelling, content=WORDS[beside] if beside in given else spelling.content)
    thinks = "reasoning of calls" in given
    thought: dict[str, Any] = {"reasoning_content": WORDS["reasoning of calls"]} if thinks else {}
    answer = {"content": WORDS["answer"], "reasoning_content": WORDS["reasoning of the answer"]}
    opening: list[Message] = [
        *([{"role": "system", "content": WORDS["system"]}] if "system" in given else []),
        {"role": "user", "content": WORDS["first question"]},
    ]
    calls = [calling.call(*({"word": WORDS[name]} for name in ("call 1", "call 2") if name in given), **thought)]
    results = [result(WORDS[f"result {number}"], number) for number in (1, 2) if f"result {number}" in given]
    answered: list[Message] = [{"role": "assistant", **answer}]
    asked: list[Message] = [{"role": "user", "content": WORDS["next question"]}]
    return (
        opening
        + {
            "question": answered + asked,
            "answer": answered,
            "calls": calls,
            "results": calls + results,
            "loop": calls + results + answered + asked,
        }[ending]
    )
