"""tokie, a tokenizer in Rust: the ids it gives to the text of the row's template."""

from __future__ import annotations

from pathlib import Path

from tokie import Tokenizer

from tokenspec.columns.template_text import Encode, EncodedTemplate


class Adapter(EncodedTemplate):
    """Every vocabulary it can read from a ``tokenizer.json``."""

    def encoder(self, folder: str) -> Encode:
        """Without tokens added around."""
        tokenizer = Tokenizer.from_json(str(Path(folder) / "tokenizer.json"))
        return lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids)
