"""``apply_chat_template`` as the oracle of text and ids, at whatever version is installed; goldens record which.

Where a row has an encoder in the place of a template, it writes the text (:mod:`tokenspec.oracle.encoder`).
"""

from __future__ import annotations

import copy
import importlib.metadata
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tokenspec.guard.bounds import OutOfBounds
from tokenspec.guard.strangers import strangers
from tokenspec.models import Row
from tokenspec.oracle import encoder
from tokenspec.oracle.clock import FROZEN, frozen


class OracleRefuses(Exception):
    """The template, or ``transformers`` in front of it, refuses the conversation; ``kind`` is its error's class."""

    def __init__(self, error: Exception) -> None:
        """Keep class and first line of the upstream error."""
        self.kind = type(error).__name__
        super().__init__(str(error).splitlines()[0] if str(error) else self.kind)


def versions() -> dict[str, str]:
    """What a golden records of its oracle."""
    packages = ("transformers", "tokenizers", "jinja2")
    return {"name": "transformers", **{name: importlib.metadata.version(name) for name in packages}}


def effective_options(row: Row, options: dict[str, Any]) -> dict[str, Any]:
    """The row's default template options, overridden by the case's."""
    return {**row.options, **options}


@dataclass(frozen=True)
class TransformersOracle:
    """The oracle on one row."""

    row: Row
    moment: datetime = FROZEN

    def text(self, messages: list[Any], tools: list[Any] | None, options: dict[str, Any]) -> str:
        """The rendered text. Raises OracleRefuses where upstream raises."""
        _ = self.row.tokenizer  # loaded within bounds of its own
        try:
            with frozen(self.moment), strangers("template", _size(messages, tools)):
                if self.row.spec.oracle == "encoder":
                    return encoder.text(self.row, messages, tools, options)
                text: str = self.row.tokenizer.apply_chat_template(
                    copy.deepcopy(messages),
                    tools=copy.deepcopy(tools),
                    tokenize=False,
                    **{"chat_template": self.row.chat_template, **copy.deepcopy(options)},
                )
                text.encode()  # half of a surrogate pair, an escape in a template, is no text and has no ids
        except OutOfBounds:
            raise
        except Exception as error:
            raise OracleRefuses(error) from error
        return text

    def token_ids(self, messages: list[Any], tools: list[Any] | None, options: dict[str, Any]) -> list[int]:
        """The canonical ids: what ``apply_chat_template(tokenize=True)`` returns."""
        if self.row.spec.oracle == "encoder":
            text = self.text(messages, tools, options)
            return list(self.row.tokenizer(text, add_special_tokens=False)["input_ids"])
        _ = self.row.tokenizer
        with frozen(self.moment), strangers("template", _size(messages, tools)):
            ids: list[int] = self.row.tokenizer.apply_chat_template(
                copy.deepcopy(messages),
                tools=copy.deepcopy(tools),
                tokenize=True,
                return_dict=False,
                **{"chat_template": self.row.chat_template, **copy.deepcopy(options)},
            )
        return list(ids)


def _size(messages: list[Any], tools: list[Any] | None) -> int:
    """About how many characters a conversation has."""
    return len(repr((messages, tools)))
