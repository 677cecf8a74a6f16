"""A tokenspec adapter inside Python: an object whose methods are its operations.

It claims one operation, `segment`, and knows one engine of it, `new-line`. Put your own implementation in its place:
the methods named like operations are what you claim, and what you raise Unsupported for is never counted.
"""

import re
from typing import Any

from tokenspec.adapters import Unsupported

Json = dict[str, Any]


class MyAdapter:
    """One column of the matrix."""

    def __init__(self) -> None:
        """Start without model rows."""
        self.rows: dict[str, Json] = {}

    def info(self) -> dict[str, str]:
        """Who answers."""
        return {"name": "my-adapter", "version": "0.1", "language": "python"}

    def load(self, model: str, assets: Json) -> None:
        """A model row: assets has directory (tokenizer.json, tokenizer_config.json), chat_template, family, status.

        Load the tokenizer here, and raise Unsupported for a row you cannot use.
        """
        self.rows[model] = assets

    def segment(self, request: Json) -> Json:
        """Cut after every blank line; white space alone joins what follows it. Offsets count characters."""
        if request["engines"] != ["new-line"] or any(request[key] for key in ("given", "fusion", "gold", "parameters")):
            raise Unsupported("only the engine new-line, alone")
        trace = request["trace"]
        offsets: list[list[int]] = []
        begin = 0
        for end in [*(found.end() for found in re.finditer("\n\n+", trace)), len(trace)]:
            if trace[begin:end].strip():
                offsets.append([begin, end])
                begin = end
        if begin < len(trace):
            offsets = [*offsets[:-1], [offsets[-1][0] if offsets else 0, len(trace)]]
        return {"offsets": offsets}
