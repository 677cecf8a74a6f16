"""What the columns of bare tokenizers share: the text of the row's template by transformers, for them to encode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import Any

from tokenspec.adapters import Rejected, Unsupported

Encode = Callable[[str], list[int]]


class EncodedTemplate(ABC):
    """An adapter whose text is ``apply_chat_template``'s and whose ids are the library's."""

    @abstractmethod
    def encoder(self, folder: str) -> Encode:
        """The library's encoding with the vocabulary in a row's folder; special tokens in a text are special."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read a row; one is kept. What the library cannot read is *unsupported*, in its own words."""
        del model
        from transformers import AutoTokenizer

        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        self.template = assets["chat_template"]
        try:
            self.encode = self.encoder(assets["directory"])
        except Exception as error:
            raise Unsupported(f"cannot read this vocabulary: {error}") from error

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The text, and its ids."""
        from tokenspec.oracle.clock import frozen

        arguments = {"tools": request["tools"], "chat_template": self.template, **request["options"]}
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                text = self.tokenizer.apply_chat_template(request["messages"], tokenize=False, **arguments)
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"text": text, "token_ids": self.encode(text)}
