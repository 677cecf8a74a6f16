"""``| safe`` and ``| escape``: strings that escape what is joined to them, as ``markupsafe.Markup`` does."""

from __future__ import annotations

from .provenance import Tracked, runs_of

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}


class SafeText(Tracked):
    """A tracked string marked safe: ``+`` escapes the other side. Printing drops the mark."""

    __slots__ = ()

    def __html__(self) -> SafeText:
        """Tell Jinja that this needs no escaping."""
        return self

    def _lift(self, other: str) -> str:
        return escaped(other)

    def unmarked(self) -> Tracked:
        """The printed string."""
        return Tracked.of(str.__str__(self), self._tokenspec_runs)


def escaped(text: str) -> SafeText:
    """HTML-escape; an entity belongs to the character it stands for."""
    if isinstance(text, SafeText):
        return text
    runs, pieces, position = [], [], 0
    for length, origin in runs_of(text):
        part = "".join(_ENTITIES.get(c, c) for c in str.__getitem__(text, slice(position, position + length)))
        runs.append((len(part), origin))
        pieces.append(part)
        position += length
    return SafeText.of("".join(pieces), tuple(runs))
