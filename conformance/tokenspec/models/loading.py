"""Anybody's tokenizer folder, loaded as ``transformers`` loads it: within bounds, with one kind of error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenspec.guard.bounds import OutOfBounds
from tokenspec.guard.strangers import strangers
from tokenspec.models.errors import BuildError
from tokenspec.models.publisher import TOKENIZER


def load_tokenizer(folder: Path) -> Any:
    """The fast tokenizer of a folder.

    Raises:
        BuildError: the library does not load it; the message has its words.
        OutOfBounds: it takes too much time or memory.
    """
    from transformers import PreTrainedTokenizerFast

    file = folder / TOKENIZER
    try:
        with strangers("tokenizer", file.stat().st_size if file.is_file() else 0):
            return PreTrainedTokenizerFast.from_pretrained(str(folder))
    except OutOfBounds:
        raise
    except Exception as error:  # the library raises plain Exception
        said = str(error).strip().splitlines() or [type(error).__name__]
        cure = "Save the folder with tokenizer.save_pretrained(...)"
        raise BuildError(f"{file}: transformers does not load it: {said[0][:160]}. {cure}") from error
