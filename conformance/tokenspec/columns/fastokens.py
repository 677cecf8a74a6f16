"""fastokens as a column: the template's text, encoded by another implementation of the same vocabulary."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version, not_installed


class FastokensColumn:
    """The column ``fastokens``: ids only, it has no renderer of its own."""

    def __init__(self) -> None:
        """Start without rows."""
        self.assets: dict[str, dict[str, Any]] = {}

    def info(self) -> dict[str, str]:
        """Who this is."""
        version = installed_version("fastokens") or "not installed"
        return {"name": "fastokens", "version": version, "language": "rust"}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read the vocabulary; what the backend cannot read is *unsupported* with its own words."""
        if installed_version("fastokens") is None:
            raise not_installed("fastokens")
        try:
            tokenizer_of(assets["directory"])
        except ValueError as error:
            raise Unsupported(f"cannot read this tokenizer.json: {error}") from error
        self.assets[model] = assets

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """``apply_chat_template``'s text, fastokens' ids."""
        from tokenspec.models import load
        from tokenspec.oracle.clock import frozen

        assets = self.assets[request["model"]]
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                text = load(request["model"]).tokenizer.apply_chat_template(
                    request["messages"],
                    tools=request["tools"],
                    chat_template=assets["chat_template"],
                    tokenize=False,
                    **request["options"],
                )
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"text": text, "token_ids": list(tokenizer_of(assets["directory"]).encode(text).ids)}


@lru_cache(maxsize=2)
def tokenizer_of(directory: str) -> Any:
    """The fastokens tokenizer of a row's folder."""
    import fastokens

    return fastokens.Tokenizer.from_file(str(Path(directory) / "tokenizer.json"))
