"""kitoken, a tokenizer in Rust: the ids it gives to the text of the row's template."""

from __future__ import annotations

from pathlib import Path

from kitoken import Kitoken

from tokenspec.columns.template_text import Encode, EncodedTemplate


class Adapter(EncodedTemplate):
    """Every vocabulary it can read from a ``tokenizer.json``."""

    def encoder(self, folder: str) -> Encode:
        """Special tokens in a text are special, as in ``apply_chat_template``."""
        tokenizer = Kitoken.from_tokenizers_file(str(Path(folder) / "tokenizer.json"))
        return lambda text: list(tokenizer.encode(text, True))
