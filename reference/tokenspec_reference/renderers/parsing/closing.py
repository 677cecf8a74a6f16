"""Whether a close marker ends a block of calls, or is a part of a value in it.

A value may spell the marker that closes it (``RND-061``): what stands before such a marker then does not end, and the
next one is looked at.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

from tokenspec_reference.renderers.parsing.json_values import TooDeep, Unreadable, decode_at

Ending = Literal["whole", "open", "broken"]
"""What a block does at a close marker: it ends, a value goes on behind the marker, or it is no such notation."""


class Values(Protocol):
    """The values in a block. ``close`` is what every value ends with that may hold a marker."""

    @property
    def close(self) -> str: ...

    def ending(self, text: str) -> Ending:
        """What the block does behind ``text``."""
        ...

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """Half-open ranges of whole values, in which a marker is text."""
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
            decode_at(text, start)
        except TooDeep:
            return "broken"
        except Unreadable:
            return "whole"
        except json.JSONDecodeError as error:
            return "open" if error.msg.startswith("Unterminated string") else "broken"
        return "whole"

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """See :class:`Values`."""
        start = text.find("{")
        try:
            return [(start, decode_at(text, start)[1])] if start >= 0 else []
        except json.JSONDecodeError:
            return []


def written_in(values: Values | None, text: str) -> Values | None:
    """The notation of a block that begins with ``text``: a model may fall back to JSON."""
    return JsonValues() if values is not None and text.lstrip().startswith("{") else values


@dataclass(frozen=True)
class TaggedValues:
    """Values between tags: ``begins`` opens a key and its value, ``close`` ends the value, ``last`` a block of them.

    ``value`` is a whole one, with the groups key and text; it reaches to the last close tag before the next one begins.
    """

    begins: str
    value: re.Pattern[str]
    close: str
    last: str
    between: re.Pattern[str]

    @classmethod
    def of(cls, *, begins: str, head: str, close: str, last: str, other_call: str = "") -> TaggedValues:
        """``head``: a regular expression of all that stands before the text of a value; ``other_call``: of what begins
        a call behind another one in the block.
        """
        value = rf"{head}((?:(?!{re.escape(begins)}).)*){re.escape(close)}"
        between = rf"\s*(?:{re.escape(last)}\s*{other_call}\s*)*" if other_call else r"\s*"
        return cls(begins, re.compile(value, re.DOTALL), close, last, re.compile(between))

    def read(self, text: str) -> list[tuple[str, str]]:
        """Keys and texts of all whole values."""
        return self.value.findall(text)

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """See :class:`Values`."""
        return [found.span() for found in self.value.finditer(text)]

    def fill(self, text: str) -> bool:
        """Whether there is nothing but whole values, and white space."""
        return not self.value.sub("", text).strip()

    def of_call(self, text: str) -> tuple[str, Ending]:
        """What stands before the last close tag of the call whose values these are, and how the call ends there."""
        inside, closed, behind = text.rpartition(self.last)
        if not closed:
            return behind, "open"
        return inside, "whole" if self.fill(inside) else "broken"

    def are_whole(self, text: str) -> bool:
        """Whether each value that begins is a whole one, and no words stand between two of a call."""
        found = list(self.value.finditer(text))
        gaps = (text[one.end() : other.start()] for one, other in pairwise(found))
        return text.count(self.begins) == len(found) and all(map(self.between.fullmatch, gaps))

    def ending(self, text: str) -> Ending:
        """Values go on where the last one is not closed, and those before it are."""
        written, begun = text.rstrip(), text.rfind(self.begins)
        if begun < 0 or written.endswith((self.close, self.last)):
            return "whole" if written.endswith(self.last) and self.are_whole(text) else "broken"
        return "open" if self.are_whole(text[:begun]) else "broken"
