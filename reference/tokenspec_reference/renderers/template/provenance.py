"""Strings that know where each character came from.

``Tracked("Paris")`` behaves as the plain string in every respect a template can see; beside its text it keeps *runs*,
``(length, origin)`` pairs that tile it. Strings made from it keep the origins of the characters they kept. Runs, not one
origin per character: a message of a megabyte is one pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Runs = tuple[tuple[int, int], ...]

SCAFFOLD = 0
"""Origin of the template's own characters."""
DERIVED = 1
"""Origin of characters that a template computed (a length, an index, a truth value): no source character exists."""

PRIVATE = "_tokenspec_"


class Origin(NamedTuple):
    """A caller-supplied value: ``message`` is an index or -1 (tools, documents, options).

    ``path`` leads from the message (or the argument) to the value: ``("tool_calls", 0, "function", "name")``.
    ``key`` marks a dictionary key, which is named by the path of its value. An empty path is scaffold emitted while
    the template walked over that message.
    """

    message: int
    path: tuple[str | int, ...]
    key: bool = False


def runs_of(text: str) -> Runs:
    """The runs of any string; a plain string is scaffold."""
    if isinstance(text, Tracked):
        return text._tokenspec_runs
    return ((len(text), SCAFFOLD),) if text else ()


def merged(runs: Iterable[tuple[int, int]]) -> Runs:
    """The same tiling with equal neighbours joined and empty runs dropped."""
    out: list[tuple[int, int]] = []
    for length, origin in runs:
        if length and out and out[-1][1] == origin:
            out[-1] = (out[-1][0] + length, origin)
        elif length:
            out.append((length, origin))
    return tuple(out)


def cut(runs: Runs, start: int, stop: int) -> Runs:
    """The runs of ``text[start:stop]`` for ``0 <= start <= stop <= len(text)``."""
    if start >= stop:
        return ()
    if len(runs) == 1:
        return ((stop - start, runs[0][1]),)
    out, position = [], 0
    for length, origin in runs:
        low, high = max(start, position), min(stop, position + length)
        if low < high:
            out.append((high - low, origin))
        position += length
        if position >= stop:
            break
    return tuple(out)


def single_origin(texts: Iterable[str]) -> int:
    """The one origin all characters share, else ``DERIVED``."""
    origins = {origin for text in texts for _, origin in runs_of(text)}
    return origins.pop() if len(origins) == 1 else DERIVED


def derived(text: str, *sources: str) -> Tracked:
    """``text`` computed from ``sources`` in a way that cannot be followed character by character."""
    return Tracked.of(str.__str__(text), ((len(text), single_origin(sources)),) if text else ())


def concat(pieces: Iterable[str]) -> str:
    """Join pieces; plain stays plain."""
    parts = list(pieces)
    if len(parts) == 1:
        return parts[0]
    text = "".join(parts)
    if not any(isinstance(part, Tracked) for part in parts):
        return text
    return Tracked.of(text, merged(run for part in parts for run in runs_of(part)))


class Tracked(str):
    """A ``str`` with runs. Every method that returns characters of the string returns them tracked."""

    __slots__ = ("_tokenspec_runs",)
    _tokenspec_runs: Runs

    @classmethod
    def of(cls, text: str, runs: Runs) -> Tracked:
        """``text`` tiled by ``runs`` (lengths sum to ``len(text)``)."""
        self = str.__new__(cls, text)
        self._tokenspec_runs = runs
        return self

    @classmethod
    def from_origin(cls, text: str, origin: int) -> Tracked:
        """``text`` whose every character has one origin."""
        return cls.of(text, ((len(text), origin),) if text else ())

    def _like(self, text: str, runs: Runs) -> Tracked:
        return type(self).of(text, runs)

    def _part(self, start: int, stop: int) -> Tracked:
        return self._like(str.__getitem__(self, slice(start, stop)), cut(self._tokenspec_runs, start, stop))

    def _lift(self, other: str) -> str:
        """Hook for subclasses that transform what is joined to them."""
        return other

    # --- taking parts
    def __str__(self) -> str:
        return self

    def __getitem__(self, key: Any) -> Tracked:
        if not isinstance(key, slice):
            text = str.__getitem__(self, key)
            index = range(len(self))[key]
            return self._like(text, cut(self._tokenspec_runs, index, index + 1))
        start, stop, step = key.indices(len(self))
        if step == 1:
            return self._part(start, max(start, stop))
        picked = [cut(self._tokenspec_runs, i, i + 1)[0] for i in range(start, stop, step)]
        return self._like(str.__getitem__(self, key), merged(picked))

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

    def _parts(self, texts: list[str], gap: int | None) -> list[str]:
        """Locate consecutive ``texts``: ``gap`` characters apart, or across white space when None."""
        out: list[str] = []
        position = 0
        for text in texts:
            start = str.find(self, text, position) if gap is None else position
            out.append(self._part(start, start + len(text)))
            position = start + len(text) + (gap or 0)
        return out

    def split(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:  # type: ignore[override]
        return self._parts(str.split(self, sep, maxsplit), None if sep is None else len(sep))

    def rsplit(self, sep: str | None = None, maxsplit: Any = -1) -> list[str]:  # type: ignore[override]
        return self._parts(str.rsplit(self, sep, maxsplit), None if sep is None else len(sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        whole = self._parts(str.splitlines(self, keepends=True), 0)
        if keepends:
            return whole
        ends = str.splitlines(self)
        return [line[: len(end)] for line, end in zip(whole, ends, strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._parts(list(str.partition(self, sep)), 0)
        return head, middle, tail

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._parts(list(str.rpartition(self, sep)), 0)
        return head, middle, tail

    # --- putting together
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        return self._joined((self, self._lift(other)))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        return self._joined((self._lift(other), self))

    def _joined(self, pieces: Iterable[str]) -> Tracked:
        parts = list(pieces)
        return self._like("".join(parts), merged(run for part in parts for run in runs_of(part)))

    def __mul__(self, count: Any) -> Any:
        text = str.__mul__(self, count)
        return self._like(text, merged(self._tokenspec_runs * (len(text) // len(self) if self else 0)))

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

    def replace(self, old: str, new: str, count: Any = -1, /) -> Tracked:  # type: ignore[override]
        text = str.replace(self, old, new, count)
        new = self._lift(new)
        if old:
            return self._like(new, runs_of(new)).join(self.split(old, count))
        # An empty needle sits before every character and at the end, `count` times from the left.
        gaps = len(self) + 1 if count < 0 else min(count, len(self) + 1)
        pieces: list[str] = []
        for index, character in enumerate(self):
            pieces += [new, character] if index < gaps else [character]
        return self._like(text, self._joined([*pieces, new] if gaps > len(self) else pieces)._tokenspec_runs)

    def _padded(self, text: str, left: int) -> Tracked:
        runs = ((left, SCAFFOLD), *self._tokenspec_runs, (len(text) - len(self) - left, SCAFFOLD))
        return self._like(text, merged(runs))

    def ljust(self, width: Any, fillchar: str = " ", /) -> Tracked:
        return self._padded(str.ljust(self, width, fillchar), 0)

    def rjust(self, width: Any, fillchar: str = " ", /) -> Tracked:
        text = str.rjust(self, width, fillchar)
        return self._padded(text, len(text) - len(self))

    def center(self, width: Any, fillchar: str = " ", /) -> Tracked:
        text = str.center(self, width, fillchar)
        return self._padded(text, ("x" * len(self)).center(width, "-").find("x") if self else 0)

    def __format__(self, spec: str) -> str:
        return self if not spec else self.padded_as(str.__format__(self, spec))

    def padded_as(self, text: str) -> Tracked:
        """``text`` is this string padded or cut by a format specification; anything else is derived."""
        start = text.find(str.__str__(self)) if self else 0
        if start >= 0:
            return self._padded(text, start)
        return self[: len(text)] if str.startswith(self, text) else self._like(*_of(derived(text, self)))

    def unmarked(self) -> Tracked:
        """As it is printed: subclasses that mark a string as safe drop the mark."""
        return self

    # --- mapping characters
    def _mapped(self, change: Callable[[str], str]) -> Tracked:
        """Case maps: they may lengthen, but a run's image ends where the image of the prefix ends."""
        text = change(self)
        if len(text) == len(self) or len(self._tokenspec_runs) < 2:
            return self._like(
                text, self._tokenspec_runs if len(text) == len(self) else runs_of(derived(text, self))
            )
        plain, runs, position, reached = str.__str__(self), [], 0, 0
        for length, origin in self._tokenspec_runs:
            position += length
            end = len(change(str.__getitem__(plain, slice(0, position))))
            runs.append((end - reached, origin))
            reached = end
        return self._like(text, merged(runs))

    def upper(self) -> Tracked:
        return self._mapped(str.upper)

    def lower(self) -> Tracked:
        return self._mapped(str.lower)

    def title(self) -> Tracked:
        return self._mapped(str.title)

    def capitalize(self) -> Tracked:
        return self._mapped(str.capitalize)

    def swapcase(self) -> Tracked:
        return self._mapped(str.swapcase)

    def casefold(self) -> Tracked:
        return self._mapped(str.casefold)

    def zfill(self, width: Any, /) -> Tracked:
        return self._like(*_of(derived(str.zfill(self, width), self)))

    def expandtabs(self, tabsize: Any = 8) -> Tracked:
        return self._like(*_of(derived(str.expandtabs(self, tabsize), self)))

    def translate(self, table: Any, /) -> Tracked:
        return self._like(*_of(derived(str.translate(self, table), self)))


def _of(text: str) -> tuple[str, Runs]:
    return str.__str__(text), runs_of(text)
