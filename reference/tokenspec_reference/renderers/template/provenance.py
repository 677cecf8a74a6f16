"""Strings that know where each character came from.

``Tracked("Paris")`` behaves as the plain string in every respect a template can see. Beside its text it keeps *runs*:
``(length, origin)`` pairs that tile it. Strings made from it keep the origins of the characters they keep. Runs, not
one origin per character: a message of a megabyte is one pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Runs = tuple[tuple[int, int], ...]

SCAFFOLD = 0
"""Origin of the template's own characters."""
DERIVED = 1
"""Origin of characters that a template computed (a length, an index, a truth value)."""

PRIVATE = "_tokenspec_"
"""Prefix of every name this package adds to what a template can reach; the sandbox hides it."""


MARK = "\ue000"
"""Stands for each character of a string whose layout is asked for; a private one, which no format fills with."""


class Origin(NamedTuple):
    """A caller-supplied value. ``message`` is an index, or -1 for tools, documents and options.

    ``path`` leads from the message (or from the render call) to the value, as in
    ``("tool_calls", 0, "function", "name")``. ``key`` marks a dictionary key; it has the path of its value. An empty
    path stands for template text printed while a loop was at that message, ``computed`` for what the template computed.
    """

    message: int
    path: tuple[str | int, ...]
    key: bool = False
    computed: bool = False


def runs_of(text: str) -> Runs:
    """The runs of any string; a plain string is scaffold."""
    if isinstance(text, Tracked):
        return text._tokenspec_runs  # noqa: SLF001 - this function is the accessor
    return ((len(text), SCAFFOLD),) if text else ()


def merged(runs: Iterable[tuple[int, int]]) -> Runs:
    """The same tiling with equal neighbours joined.

    Empty runs of a caller's value stay: an empty system prompt still tells whose the tags around it are.
    """
    out: list[tuple[int, int]] = []
    for run in runs:
        length, origin = run
        if out and out[-1][1] == origin:
            out[-1] = (out[-1][0] + length, origin)
        elif length or origin > DERIVED:
            out.append(run)
    return tuple(out)


def cut(runs: Runs, start: int, stop: int) -> Runs:
    """The runs of ``text[start:stop]`` for ``0 <= start``, ``stop <= len(text)``."""
    if len(runs) == 1:
        ((_, origin),) = runs
        return ((max(stop - start, 0), origin),)
    out: list[tuple[int, int]] = []
    position = 0
    for length, origin in runs:
        low, high = max(start, position), min(stop, position + length)
        if low < high:
            out.append((high - low, origin))
        position += length
        if position >= stop:  # a front is cut off again and again, of texts with many runs
            break
    return tuple(out)


def parts_of(text: str) -> Iterator[tuple[str, int]]:
    """``(plain text, origin)`` of every run."""
    position = 0
    for length, origin in runs_of(text):
        yield str.__getitem__(text, slice(position, position + length)), origin
        position += length


def concat(pieces: Iterable[str]) -> str:
    """Join pieces; plain stays plain."""
    parts = list(pieces)
    text = "".join(parts)
    if not any(isinstance(part, Tracked) for part in parts):
        return text
    return Tracked.of(text, merged(run for part in parts for run in runs_of(part)))


def derived(text: str) -> Tracked:
    """``text`` computed in a way that cannot be followed character by character."""
    return Tracked.from_origin(str.__str__(text), DERIVED)


class Tracked(str):
    """A ``str`` with runs. Every method that returns characters of the string returns them tracked.

    ``format`` does not: :mod:`formatting` follows what it lays out.
    """

    __slots__ = ("_tokenspec_runs",)
    _tokenspec_runs: Runs

    @classmethod
    def of(cls, text: str, runs: Runs) -> Tracked:
        """``text`` tiled by ``runs``, whose lengths sum to ``len(text)``."""
        self = str.__new__(cls, text)
        self._tokenspec_runs = runs
        return self

    @classmethod
    def from_origin(cls, text: str, origin: int) -> Tracked:
        """``text`` whose every character has one origin."""
        return cls.of(text, ((len(text), origin),))

    @classmethod
    def lift(cls, text: str) -> Tracked:
        """Any string as a tracked one."""
        return text if isinstance(text, Tracked) else cls.of(str.__str__(text), runs_of(text))

    def unmarked(self) -> Tracked:
        """The string as it is printed: subclasses that mark it as safe drop the mark."""
        return self

    def _like(self, text: str, runs: Runs) -> Tracked:
        return type(self).of(text, runs)

    def _lift(self, other: str) -> str:
        """What ``other`` becomes when it is joined to this string; subclasses escape it."""
        return other

    # --- taking parts
    def _part(self, start: int, stop: int) -> Tracked:
        return self._like(str.__getitem__(self, slice(start, stop)), cut(self._tokenspec_runs, start, stop))

    def __str__(self) -> str:
        return self

    def __getitem__(self, key: Any) -> Tracked:
        text = str.__getitem__(self, key)
        if not isinstance(key, slice):
            index = range(len(self))[key]
            return self._like(text, cut(self._tokenspec_runs, index, index + 1))
        start, stop, step = key.indices(len(self))
        if step == 1:
            return self._like(text, cut(self._tokenspec_runs, start, stop))
        return self._like(text, merged(cut(self._tokenspec_runs, i, i + 1)[0] for i in range(start, stop, step)))

    def __iter__(self) -> Iterator[str]:
        characters = str.__iter__(self)
        for length, origin in self._tokenspec_runs:
            for _ in range(length):
                yield self._like(next(characters), ((1, origin),))

    def lstrip(self, chars: str | None = None, /) -> Tracked:
        return self._part(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> Tracked:
        return self._part(0, len(str.rstrip(self, chars)))

    def strip(self, chars: str | None = None, /) -> Tracked:
        return self.rstrip(chars).lstrip(chars)

    def removeprefix(self, prefix: str, /) -> Tracked:
        return self._part(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> Tracked:
        return self._part(0, len(str.removesuffix(self, suffix)))

    def _parts(self, texts: Iterable[str], gap: int = 0) -> list[str]:
        """Locate consecutive ``texts``: ``gap`` characters apart, or across white space."""
        out: list[str] = []
        position = 0
        for text in texts:
            start = str.find(self, text, position)
            out.append(self._part(start, start + len(text)))
            position = start + len(text) + gap
        return out

    def split(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:
        return self._parts(str.split(self, sep, maxsplit), len(sep or ""))

    def rsplit(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:
        return self._parts(str.rsplit(self, sep, maxsplit), len(sep or ""))

    def splitlines(self, keepends: bool = False) -> list[str]:
        lines = str.splitlines(self, keepends)
        whole = self._parts(str.splitlines(self, keepends=True))
        return [line[: len(end)] for line, end in zip(whole, lines, strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._parts(str.partition(self, sep))
        return head, middle, tail

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._parts(str.rpartition(self, sep))
        return head, middle, tail

    # --- putting together
    def _joined(self, *pieces: str) -> Tracked:
        return self._like("".join(pieces), merged(run for piece in pieces for run in runs_of(piece)))

    def __add__(self, other: Any) -> Any:
        return self._joined(self, self._lift(other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self._joined(self._lift(other), self) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        text = str.__mul__(self, count)
        return self._like(text, merged(self._tokenspec_runs * count)) if text else self[:0]

    __rmul__ = __mul__

    def join(self, iterable: Iterable[str], /) -> Tracked:
        items = [self._lift(item) if isinstance(item, str) else item for item in iterable]
        text = str.join(self, items)
        runs: list[tuple[int, int]] = []
        for index, item in enumerate(items):
            if index:
                runs.extend(self._tokenspec_runs)
            runs.extend(runs_of(item))
        return self._like(text, merged(runs))

    def replace(self, old: str, new: str, count: Any = -1, /) -> Tracked:
        fresh = self._lift(new)
        if old:
            return self._like(fresh, runs_of(fresh)).join(self.split(old, count))
        # An empty needle is found before every character and at the end; `count` are replaced from the left.
        gaps = len(self) + 1 if count < 0 else count
        pieces = [piece for k, c in enumerate(self) for piece in ((fresh, c) if k < gaps else (c,))]
        return self._joined(*pieces, *([fresh] if gaps > len(self) else []))

    def ljust(self, width: Any, fillchar: str = " ", /) -> Tracked:
        return self.laid_out(str.ljust(self, width, self._lift(fillchar)), lambda marked: marked.ljust(width))

    def rjust(self, width: Any, fillchar: str = " ", /) -> Tracked:
        return self.laid_out(str.rjust(self, width, self._lift(fillchar)), lambda marked: marked.rjust(width))

    def center(self, width: Any, fillchar: str = " ", /) -> Tracked:
        return self.laid_out(str.center(self, width, self._lift(fillchar)), lambda marked: marked.center(width))

    def laid_out(self, text: str, layout: Callable[[str], str]) -> Tracked:
        """``text``, this string cut and padded as ``layout`` does with any of its length; else it is derived."""
        try:
            marked = layout(MARK * len(self))
        except ValueError:  # of numbers
            marked = ""
        kept = marked.count(MARK)
        start = len(marked.partition(MARK)[0])
        shown = str.__getitem__(self, slice(kept))
        if len(marked) != len(text) or not text.startswith(shown, start):
            return derived(text)
        return self._joined(text[:start], self._part(0, kept), text[start + kept :])

    # --- mapping characters
    def mapped(self, change: Callable[[str], str]) -> Tracked:
        """Case maps and the like, which never shorten: a run's image ends where that of the text up to its end ends."""
        text = change(self)
        if len(text) == len(self):
            return self._like(str.__str__(text), self._tokenspec_runs)
        runs: list[tuple[int, int]] = []
        position = reached = 0
        for length, origin in self._tokenspec_runs:
            position += length
            end = len(change(str.__getitem__(self, slice(0, position))))
            runs.append((end - reached, origin))
            reached = end
        return self._like(str.__str__(text), merged(runs))

    def upper(self) -> Tracked:
        return self.mapped(str.upper)

    def lower(self) -> Tracked:
        return self.mapped(str.lower)

    def title(self) -> Tracked:
        return self.mapped(str.title)

    def capitalize(self) -> Tracked:
        return self.mapped(str.capitalize)

    def swapcase(self) -> Tracked:
        return self.mapped(str.swapcase)

    def casefold(self) -> Tracked:
        return self.mapped(str.casefold)

    def expandtabs(self, tabsize: Any = 8) -> Tracked:
        return self.mapped(lambda text: str.expandtabs(text, tabsize))

    def translate(self, table: Any, /) -> Tracked:
        pieces = [(str.translate(part, table), origin) for part, origin in parts_of(self)]
        return self._like("".join(piece for piece, _ in pieces), merged((len(piece), o) for piece, o in pieces))

    def zfill(self, width: Any, /) -> Tracked:
        sign = int(str.startswith(self, ("+", "-")))
        fill = len(str.zfill(self, width)) - len(self)
        return self._joined(self[:sign], "0" * fill, self[sign:])
