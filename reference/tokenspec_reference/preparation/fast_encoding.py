"""A faster tokenizer, where it is shown to give the same ids as the row's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenspec_reference.preparation.finding import ENDS_A_RUN
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.token_text import CharSpans, spans_from_bytes


class ProvenEncoder(Encoder):
    """The tables of the row's tokenizer, the ids of another implementation that was compared with it."""

    def __init__(self, slow: Encoder, fast: Any) -> None:
        """``fast`` has ``encode(text)`` whose result has ``ids``; see :func:`proven`."""
        super().__init__(slow.tokenizer)
        self._slow = slow
        self._other = fast

    def ids(self, text: str) -> list[int]:
        """The ids of the fast implementation."""
        return list(self._other.encode(text).ids)

    def encode(self, text: str) -> tuple[list[int], CharSpans | None]:
        """Its ids with their spans; the row's own where the bytes of these tokens are not those of the text."""
        token_ids = self.ids(text)
        spans = spans_from_bytes(text, token_ids, self.bytes_by_id) if self.bytes_by_id is not None else None
        return (token_ids, spans) if spans is not None else self._slow.encode(text)


def proven(slow: Encoder, fast: Any, texts: Iterable[str]) -> ProvenEncoder | None:
    """The fast encoder, or None where it differs on any of ``texts`` or breaks."""
    try:
        same = all(list(fast.encode(text).ids) == slow.ids(text) for text in texts)
    except ENDS_A_RUN:
        raise
    except BaseException:  # noqa: BLE001 - another implementation may raise what it likes; then it is not used
        return None
    return ProvenEncoder(slow, fast) if same else None
