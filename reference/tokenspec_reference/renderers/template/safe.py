"""``| safe`` and ``| escape``: strings that escape what is joined to them, as ``markupsafe.Markup`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from .provenance import Tracked, derived, parts_of, runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}


class SafeText(Tracked):
    """A tracked string marked safe: joining escapes the other side, printing drops the mark."""

    __slots__ = ()

    def __html__(self) -> Markup:
        """Tell Jinja that this needs no escaping."""
        return Markup(str.__str__(self))  # noqa: S704 - the template marked it safe

    def __repr__(self) -> str:
        return f"Markup({str.__repr__(self)})"

    def unmarked(self) -> Tracked:
        return Tracked.of(str.__str__(self), runs_of(self))

    def __iter__(self) -> Iterator[str]:
        return iter(self.unmarked())

    def _lift(self, other: str) -> str:
        return escaped(other)


def marked_safe(text: str) -> SafeText:
    """``text | safe``."""
    safe = SafeText.of(str.__str__(text), runs_of(text))
    assert isinstance(safe, SafeText)
    return safe


def escaped(text: str) -> SafeText:
    """``text | escape``; an entity belongs to the character it stands for."""
    if isinstance(text, SafeText):
        return text
    if isinstance(text, Markup):  # Jinja's own: of a block that is kept, or a macro, where text is escaped
        return marked_safe(derived(text))
    pieces = [("".join(_ENTITIES.get(c, c) for c in part), origin) for part, origin in parts_of(text)]
    runs = tuple((len(piece), origin) for piece, origin in pieces)
    return marked_safe(Tracked.of("".join(piece for piece, _ in pieces), runs))


def as_markup(text: SafeText, method: str, *args: Any, **kwargs: Any) -> Tracked:
    """A method of ``Markup`` that formats, unescapes or strips tags: nobody follows its characters."""
    markup = Markup(str.__str__(text))  # noqa: S704 - the template marked it safe
    result = getattr(markup, method)(*args, **kwargs)
    return marked_safe(derived(result)) if isinstance(result, Markup) else derived(result)
