"""What an implementation says of one of its operations: which cells it claims, and in which form it answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The cells an implementation answers: inside its claim *unsupported* fails.

    Attributes:
        levels: the grades it can be given; None: all of the area.
        rows: the row keys it knows; None: all.
        without: what it leaves out: rows, flags or features of cases (``tokenspec list flags``), and requirements.
        source: ``template``, where the answer of a row's publisher is none of its own (CNV-008); None: whichever.
    """

    levels: list[str] | None = None
    rows: list[str] | None = None
    without: list[str] = []
    source: Literal["template"] | None = None

    def covers(self, row: str, words: Iterable[str]) -> bool:
        """Whether it holds for a case with these flags and features on a row."""
        return (self.rows is None or row in self.rows) and set(self.without).isdisjoint({row, *words})

    def asks(self, requires: Iterable[str]) -> bool:
        """Whether it holds for what these requirements ask beside the case itself."""
        return set(self.without).isdisjoint(requires)

    def holds_at(self, level: str) -> bool:
        """Whether it holds for a level."""
        return self.levels is None or level in self.levels


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The form of the answers, where it is not the oracle's own; each is judged against what it declares.

    Attributes:
        ending: whether a conversation that ends in an assistant turn ends after the stop token, or with what the
            template writes behind it.
        empty_thought: whether the empty thought a template writes into a turn counts as sampled.
        after_stop: whether the newline behind the stop token counts as sampled.
        sampled: whether the whole turn counts as sampled, or the text of its ``content`` alone.
        arguments: whether it takes the arguments of calls as mappings, or as JSON in a string as OpenAI's wire does.
        reasoning: the key it reads reasoning from.
        template: whether it renders with the row's template, or with one of its own.
        clock: whether it takes the moment from the request, or from the machine.
    """

    ending: Literal["template", "stop"] = "template"
    empty_thought: Literal["sampled", "scaffold"] = "sampled"
    after_stop: Literal["scaffold", "sampled"] = "scaffold"
    sampled: Literal["turn", "content"] = "turn"
    arguments: Literal["mapping", "string"] = "mapping"
    reasoning: Literal["reasoning_content", "reasoning", "thinking"] = "reasoning_content"
    template: Literal["row", "own"] = "row"
    clock: Literal["given", "own"] = "given"

    def declared(self) -> str:
        """What differs from the oracle's form: ``ending=stop, arguments=string``; empty where nothing does."""
        return ", ".join(f"{key}={value}" for key, value in msgspec.to_builtins(self).items())


class Capability(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an implementation says of an operation. Without a claim nothing is promised, and the share is printed."""

    claim: Claim | None = None
    profile: Profile = Profile()


NOTHING_SAID = Capability()
