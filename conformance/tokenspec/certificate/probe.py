"""Asking the oracle many small questions: each render is made once, a refusal is an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from tokenspec.models import Row
from tokenspec.oracle.clock import FROZEN
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options

Message = dict[str, Any]


@dataclass(frozen=True)
class Refused:
    """The template raised; ``kind`` is the class of its error."""

    kind: str

    def __str__(self) -> str:
        """As certificates write it."""
        return f"refused: {self.kind}"


@dataclass(frozen=True)
class TextRow(Row):
    """A row whose tokenizer knows its named special tokens and no vocabulary: enough for text, loaded at once."""

    @cached_property
    def tokenizer(self) -> Any:
        """A ``transformers`` tokenizer that ``apply_chat_template(tokenize=False)`` cannot tell from the real one."""
        from tokenizers import Tokenizer
        from tokenizers.models import BPE
        from transformers import PreTrainedTokenizerFast

        config = json.loads((self.directory / "tokenizer_config.json").read_bytes())
        named = {key: value for key, value in config.items() if key.endswith("_token")}
        return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(BPE()), **named)


def text_row(row: Row) -> TextRow:
    """The same row without its vocabulary."""
    return TextRow(row.spec, row.directory)


@dataclass(frozen=True)
class Probe:
    """The oracle on one row, with options on top of the row's own; ``spelling`` is how calls must be written."""

    row: Row
    options: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, str | Refused] = field(default_factory=dict)
    moment: datetime = FROZEN

    def with_options(self, **options: Any) -> Probe:
        """The same oracle asked with more options."""
        return replace(self, options={**self.options, **options})

    def at(self, moment: datetime) -> Probe:
        """The same oracle asked at another time."""
        return replace(self, moment=moment)

    def text(self, messages: list[Message], *, tools: list[Any] | None = None, prompt: bool = False) -> str | Refused:
        """The text of a conversation, or the refusal."""
        options = {**effective_options(self.row, self.options), "add_generation_prompt": prompt}
        key = json.dumps([messages, tools, options, self.moment.isoformat()])
        if key not in self.seen:
            oracle = TransformersOracle(self.row, self.moment)
            try:
                self.seen[key] = oracle.text(messages, tools, options)
            except OracleRefuses as refusal:
                self.seen[key] = Refused(refusal.kind)
        return self.seen[key]


def common(one: str, other: str) -> int:
    """How many characters two texts share at their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def difference(one: str, other: str) -> tuple[str, str]:
    """The parts of two texts between their common start and their common end."""
    start = common(one, other)
    end = common(one[start:][::-1], other[start:][::-1])
    return one[start : len(one) - end], other[start : len(other) - end]
