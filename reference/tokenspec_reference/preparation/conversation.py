"""What is prepared: messages, tools, and which messages may be trained."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.preparation.finding import Finding


@dataclass(frozen=True)
class Conversation:
    """Messages and tools as ``apply_chat_template`` takes them.

    ``trained`` has one entry per message: whether the loss may see it. Empty means every message. Only what the model
    emits is ever trained, whatever stands here. ``findings`` are what the record it was read from already shows.
    """

    messages: list[dict[str, Any]]
    tools: list[Any] | None = None
    trained: tuple[bool, ...] = ()
    findings: tuple[Finding, ...] = ()

    def may_train(self, index: int) -> bool:
        """Whether a message may be trained."""
        return not self.trained or self.trained[index]

    @property
    def digest(self) -> str:
        """32 hex digits that are equal where messages, tools and what is trained are equal."""
        spelled = json.dumps([self.messages, self.tools, self.trained], sort_keys=True, ensure_ascii=True, default=repr)
        return hashlib.sha256(spelled.encode()).hexdigest()[:32]
