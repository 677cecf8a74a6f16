"""Control tokens that somebody typed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.preparation.given_text import strings_of
from tokenspec_reference.preparation.rendering import Rendering
from tokenspec_reference.renderers.encode import Encoder

_NEVER = re.compile("(?!)")


@dataclass(frozen=True)
class TypedControlTokens:
    """Patterns by who may write what: a model writes think and call tags, nobody writes special tokens."""

    of_assistant: re.Pattern[str]
    of_others: re.Pattern[str]
    beginnings: tuple[str, ...]

    @classmethod
    def of(cls, encoder: Encoder) -> TypedControlTokens:
        """The control tokens of a row; what its tokenizer calls special no message may hold."""
        entries = getattr(encoder.tokenizer, "added_tokens_decoder", None) or {}
        control = [encoder.added[i] for i in encoder.control_ids]
        special = [encoder.added[i] for i in encoder.control_ids if getattr(entries.get(i), "special", True)]
        return cls(_any_of(special), _any_of(control), tuple(sorted({token[:2] for token in control})))

    def findings(self, found: Rendering) -> Iterator[Finding]:
        """``control-token``, once for each message and token."""
        for index, message in enumerate(found.conversation.messages):
            pattern = self.of_assistant if message["role"] == "assistant" else self.of_others
            typed: set[str] = set()
            for text in strings_of(message):
                if any(beginning in text for beginning in self.beginnings):
                    typed.update(pattern.findall(text))
            for token in sorted(typed):
                detail = f"message {index} ({message['role']}) spells {token}"
                yield Finding("control-token", detail, index, found.message_runs.get(index))
        tools = json.dumps(found.conversation.tools or [], ensure_ascii=False, default=repr)
        for token in sorted(set(self.of_others.findall(tools))):
            yield Finding("control-token", f"the tools spell {token}")


def _any_of(tokens: list[Any]) -> re.Pattern[str]:
    longest_first = sorted(tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if tokens else _NEVER
