"""The conversations that certificates are measured on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .facts import Scenario
from .probe import Message

TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Look a word up.",
            "parameters": {
                "type": "object",
                "properties": {"word": {"type": "string", "description": "The word."}},
                "required": ["word"],
            },
        },
    }
]
USER: Message = {"role": "user", "content": "What is a token?"}
AGAIN: Message = {"role": "user", "content": "And a merge?"}
ANSWER: Message = {"role": "assistant", "content": "A piece of text."}
SYSTEM: Message = {"role": "system", "content": "Speak plainly."}
THOUGHT = {"reasoning_content": "I ought to recall."}


@dataclass(frozen=True)
class Spelling:
    """How a call must be written so that the template shows it."""

    as_string: bool = False
    content: str | None = ""

    def call(self, *arguments: dict[str, Any], first: int = 1, **more: Any) -> Message:
        """An assistant message with one call per set of arguments, numbered from ``first``."""
        calls = [
            {
                "id": call_id(first + number),
                "type": "function",
                "function": {
                    "name": "look_up",
                    "arguments": json.dumps(one, ensure_ascii=False) if self.as_string else one,
                },
            }
            for number, one in enumerate(arguments)
        ]
        return {"role": "assistant", "content": self.content, "tool_calls": calls, **more}


def call_id(number: int) -> str:
    """Nine letters and digits: the one form that every template accepts."""
    return f"callnr{number:03d}"


def result(content: str, number: int = 1) -> Message:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": call_id(number), "name": "look_up", "content": content}


def scenarios(spelling: Spelling) -> dict[Scenario, list[Message]]:
    """One conversation per scenario class."""
    call, other = spelling.call({"word": "token"}), spelling.call({"word": "merge"}, first=2)
    loop = [USER, {**call, **THOUGHT}, result("a piece"), {**other, **THOUGHT}, result("a pair", 2), ANSWER | THOUGHT]
    return {
        "plain": [USER, ANSWER, AGAIN, ANSWER],
        "tool_loop": [USER, call, result("a piece"), ANSWER, AGAIN, ANSWER],
        "reasoning_in_loop": loop,
        "reasoning_then_user": [USER, ANSWER | THOUGHT, AGAIN, ANSWER | THOUGHT],
        "loop_then_user": [*loop, AGAIN, ANSWER],
        "parallel_tools": [
            USER,
            spelling.call({"word": "token"}, {"word": "merge"}),
            result("a piece"),
            result("a pair", 2),
            ANSWER,
        ],
        "system_mid": [SYSTEM, USER, ANSWER, {"role": "system", "content": "Be brief now."}, AGAIN, ANSWER],
    }


def tools_of(messages: list[Message]) -> list[Any] | None:
    """The tools a conversation needs: those it calls."""
    return TOOLS if any("tool_calls" in message for message in messages) else None
