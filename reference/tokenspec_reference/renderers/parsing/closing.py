"""Whether a close marker ends a block of calls, or is a part of a value in it.

A value may spell the marker that closes it (``RND-061``): what stands before such a marker then does not end, and the
next one is looked at.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal, Protocol

Ending = Literal["whole", "open", "broken"]
"""What a block does at a close marker: it ends, a value goes on behind the marker, or it is no such notation."""


class Values(Protocol):
    """The values in a block. ``close`` is what every value ends with that may hold a marker."""

    @property
    def close(self) -> str: ...

    def ending(self, text: str) -> Ending:
        """What the block does behind ``text``."""
        ...


@dataclass(frozen=True)
class JsonValues:
    """JSON goes on where a string is not closed; what stands around the JSON is not looked at."""

    close: str = '"'

    def ending(self, text: str) -> Ending:
        """See :class:`Values`."""
        start = text.find("{")
        if start < 0:
            return "broken"
        try:
            json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError as error:
            return "open" if error.msg.startswith("Unterminated string") else "broken"
        return "whole"


@dataclass(frozen=True)
class TaggedValues:
    """Values between tags: ``begins`` opens a key and its value, ``close`` ends the value, ``last`` a block of them.

    ``value`` is a whole one, with the groups key and text; it reaches to the last close tag before the next one begins.
    """

    begins: str
    value: re.Pattern[str]
    close: str
    last: str

    @classmethod
    def of(cls, *, begins: str, head: str, close: str, last: str) -> TaggedValues:
        """``head``: a regular expression of all that stands before the text of a value."""
        value = rf"{head}((?:(?!{re.escape(begins)}).)*){re.escape(close)}"
        return cls(begins, re.compile(value, re.DOTALL), close, last)

    def read(self, text: str) -> list[tuple[str, str]]:
        """Keys and texts of all whole values."""
        return self.value.findall(text)

    def are_whole(self, text: str) -> bool:
        """Whether each value that begins is a whole one."""
        return text.count(self.begins) == len(self.read(text))

    def ending(self, text: str) -> Ending:
        """Values go on where the last one is not closed, and those before it are."""
        if text.lstrip().startswith("{"):
            return JsonValues().ending(text)
        written, begun = text.rstrip(), text.rfind(self.begins)
        if begun < 0 or written.endswith((self.close, self.last)):
            return "whole" if written.endswith(self.last) and self.are_whole(text) else "broken"
        return "open" if self.are_whole(text[:begun]) else "broken"
