"""gigatoken, a tokenizer in Rust for large corpora: the ids it gives to the text of the row's template."""

from __future__ import annotations

from pathlib import Path

import gigatoken

from tokenspec.columns.template_text import Encode, EncodedTemplate


class Adapter(EncodedTemplate):
    """Every vocabulary it can read from a ``tokenizer.json``."""

    def encoder(self, folder: str) -> Encode:
        """Its face in the manner of transformers, without tokens added around."""
        tokenizer = gigatoken.Tokenizer(str(Path(folder) / "tokenizer.json")).as_hf()
        return lambda text: list(tokenizer.encode(text, add_special_tokens=False))
