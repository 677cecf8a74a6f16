"""Sampled ids as text that knows which of its characters are control tokens.

Two completions with the same bytes give the same view: ordinary tokens are joined as bytes before they are decoded, and
a marker that is a control token of the tokenizer is only found where that token was sampled, never where ordinary
tokens happen to spell it.
"""

from __future__ import annotations

import codecs
import operator
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec_reference.renderers.encode import Encoder

CHECKED = 64
"""How many ids at the end of a list are looked at, so that a check does not depend on its length."""


@dataclass(frozen=True)
class Completion:
    """``text`` of the ids before the stop token. ``token_starts[k]`` is where token ``k`` begins in it.

    ``controls`` maps the start of each control token to its text; ``is_control`` tells which markers are ever tokens.
    ``stopped`` says whether a stop token ended it.
    """

    text: str
    token_starts: list[int]
    controls: dict[int, str]
    known_controls: frozenset[str]
    stopped: bool

    def find(self, marker: str, start: int = 0, end: int | None = None) -> int:
        """First position of a marker in ``[start, end)``, or -1."""
        limit = len(self.text) if end is None else end
        position = self.text.find(marker, start, limit)
        while position >= 0 and marker in self.known_controls and self.controls.get(position) != marker:
            position = self.text.find(marker, position + 1, limit)
        return position

    def rfind(self, marker: str) -> int:
        """Last position of a marker, or -1."""
        found = position = self.find(marker)
        while position >= 0:
            found, position = position, self.find(marker, position + 1)
        return found

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open token span that covers the characters ``[start, end)``."""
        return bisect_right(self.token_starts, start) - 1, bisect_left(self.token_starts, end)


def check_ids(token_ids: Any, field: str) -> None:
    """Refuse what is no sequence of token ids: text, None, ids that are no whole numbers (the last ones are looked at).

    Raises:
        TokenSpecError: naming ``field``.
    """
    if (
        isinstance(token_ids, (str, bytes))
        or not hasattr(token_ids, "__getitem__")
        or not hasattr(token_ids, "__len__")
    ):
        raise TokenSpecError(
            f"expected token ids (a list of whole numbers), got {type(token_ids).__name__}", field=field
        )
    for token in token_ids[-CHECKED:]:
        _id(token, field)


def list_of_ids(token_ids: Any, field: str) -> list[int]:
    """Token ids of any sequence or one-dimensional array as plain integers.

    Raises:
        TokenSpecError: as :func:`check_ids`; here every id is looked at.
    """
    listed = token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids
    check_ids(listed, field)
    return [_id(token, field) for token in listed]


def _id(token: Any, field: str) -> int:
    try:
        index = -1 if isinstance(token, bool) else operator.index(token)
    except TypeError:
        index = -1
    if index < 0:
        raise TokenSpecError(f"expected token ids (whole numbers from 0), got {token!r}", field=field)
    return index


def read_completion(encoder: Encoder, token_ids: Sequence[int], stop_ids: frozenset[int]) -> Completion:
    """Decode ids up to the first stop token. Incomplete UTF-8 at the end becomes one U+FFFD."""
    end = next((k for k, token in enumerate(token_ids) if token in stop_ids), len(token_ids))
    parts: list[str] = []
    starts: list[int] = []
    controls: dict[int, str] = {}
    position = 0
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for token in token_ids[:end]:
        control = encoder.added.get(token)
        if control is not None:
            rest = decoder.decode(b"", final=True)
            parts.append(rest)
            position += len(rest)
            controls[position] = control
        starts.append(position)
        text = control if control is not None else decoder.decode(encoder.token_bytes(token))
        parts.append(text)
        position += len(text)
    parts.append(decoder.decode(b"", final=True))
    return Completion("".join(parts), starts, controls, frozenset(encoder.added.values()), stopped=end < len(token_ids))
