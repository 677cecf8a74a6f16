"""Bounds on what an untrusted template may do. Templates come from model repositories; they are code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tokenspec_reference.errors import TemplateRejects, TokenSpecError
from tokenspec_reference.surrogates import has_lone_surrogate

_NUMBER = re.compile(r"[1-9]\d*")
_TEXT = (str, bytes)
_JOINED = (*_TEXT, list, tuple)

LONG = 4096
"""Characters that cost a step where they are searched, copied or built."""

MANY = 32
"""Items that cost a step where they are walked."""

ENOUGH = 500_000
"""Steps of a conversation of a few messages; a second or two."""

PER_PAIR = 16
"""More steps for each pair of messages."""

SEARCHED = 256
"""Characters that cost a step where they are searched, or taken apart."""

REWRITTEN = 16
"""Characters that cost a step where each word or sign of them is looked at."""

KEY = 4096
"""Parts of a key at most: Python walks all of them each time it looks one up."""

DIGITS = 20
"""Digits of a width that Python itself refuses to read."""


class InvalidTemplate(TokenSpecError):
    """The text is no Jinja template."""

    rejection_code = "invalid-template"


class TemplateLimitExceeded(TokenSpecError):
    """The template asks for more than the bounds allow: a runaway loop, a huge string, endless recursion."""

    rejection_code = "template-limit"

    def at_line(self, line: int | None) -> TemplateLimitExceeded:
        """The same, naming the line of the template that was at work."""
        words = str(self).removeprefix(f"{self.field}: ")
        return TemplateLimitExceeded(f"line {line}: {words}" if line else words, field=self.field)


def printed_size(value: Any, measured: Mapping[int, int] = MappingProxyType({})) -> int:
    """How many characters a value has at least when it is printed or walked: shared parts count every time.

    Lists that hold one list twice, which holds one list twice, and so on, are small in memory and endless on paper.
    """
    return size_and_visited(value, measured)[0]


def size_and_visited(value: Any, measured: Mapping[int, int]) -> tuple[int, int]:
    """:func:`printed_size`, and how many items were looked at to tell.

    Every part is visited once; those that are ``measured``, by identity, not at all. No list holds itself: a template
    cannot change one, and what it is given was checked.
    """
    known: dict[int, int] = {}
    visited = 0

    def size(container: Any) -> int:
        nonlocal visited
        place = id(container)
        if place in measured:
            return measured[place]
        if place not in known:
            visited += len(container)
            total = 1
            for items in (container, container.values()) if isinstance(container, dict) else (container,):
                for item in items:
                    if isinstance(item, str):
                        total += len(item) + 1
                    else:
                        total += size(item) if is_container(item) else 1
            known[place] = total
        return known[place]

    if isinstance(value, str):
        return len(value) + 1, 0
    return (size(value) if is_container(value) else 1), visited


def size_of_measured(container: Any, measured: Mapping[int, int]) -> int:
    """:func:`printed_size` of a list or mapping whose own lists and mappings are all measured."""
    total = 1
    for items in (container, container.values()) if isinstance(container, dict) else (container,):
        for item in items:
            total += len(item) + 1 if isinstance(item, str) else measured.get(id(item), 1)
    return total


def is_container(value: Any) -> bool:
    """Whether a value holds others that a template can walk."""
    return isinstance(value, (list, tuple, dict))


@dataclass(frozen=True)
class Limits:
    """``characters`` bounds the output and every value on the way; ``steps`` bounds loop iterations and calls.

    Long values cost steps, too: one for so many items or characters as take the time of a turn of a loop. Without that,
    a loop that searches a long text in every turn runs for hours within its steps.

    ``measured`` are the sizes of what a render was given, by identity: a template asks for ``messages`` at every turn.
    ``budget`` is what the render has left; None outside one.
    """

    characters: int = 64 * 2**20
    steps: int = 5_000_000
    measured: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)
    budget: Budget | None = field(default=None, repr=False, compare=False)

    def for_messages(self, count: int) -> int:
        """The steps for a conversation: of a short one a template that needs them all runs away.

        Published templates take up to five for each message; some walk all messages at each, up to one for each pair.
        """
        return min(self.steps, max(ENOUGH, self.steps // 10) + PER_PAIR * count * count)

    def charge(self, amount: int) -> None:
        """Pay for work that Python does in one go.

        Raises:
            TemplateLimitExceeded: when the steps are used up.
        """
        if amount and self.budget is not None:
            self.budget.spend(amount)

    def check_size(self, size: Any) -> None:
        """Refuse a string or list of ``size`` elements (anything but a number passes), and charge for it.

        Raises:
            TemplateLimitExceeded: when it is larger than ``characters``, or the steps are used up.
        """
        if not isinstance(size, int):
            return
        if size > LONG:
            self.charge(size // LONG)
        if size > self.characters:
            raise TemplateLimitExceeded(
                f"the template builds a value of {size} elements, more than the {self.characters} allowed;"
                " pass limits=Limits(characters=...) if you trust it",
                field="chat_template",
            )

    def printed(self, pieces: Iterable[str]) -> Iterator[str]:
        """What a template prints, as long as all of it is no larger than a value may be.

        Raises:
            TemplateLimitExceeded: as for :meth:`check_size`.
            TemplateRejects: half of a surrogate pair (an escape in the template) is no text.
        """
        size = 0
        for piece in pieces:
            size += len(piece)
            self.check_size(size)
            if has_lone_surrogate(piece):
                raise TemplateRejects(
                    "it writes half of a surrogate pair; write the character itself", field="template"
                )
            yield piece

    def check_tree(self, *values: Any) -> None:
        """Refuse lists and mappings that would be too large when printed, compared or walked.

        Raises:
            TemplateLimitExceeded: as for :meth:`check_size`.
        """
        for value in values:
            if isinstance(value, str):
                self.charge(len(value) // LONG)
            elif isinstance(value, range):
                self.charge(len(value) // MANY)
            elif is_container(value):
                size, visited = size_and_visited(value, self.measured)
                self.check_size(size)
                self.charge(max(visited, len(value)) // MANY)


class Budget:
    """Steps left in one render."""

    def __init__(self, steps: int) -> None:
        """Start with the whole allowance."""
        self._steps = steps
        self._left = steps

    def spend(self, steps: int) -> None:
        """Pay for ``steps``.

        Raises:
            TemplateLimitExceeded: when the allowance is used up.
        """
        self._left -= steps
        if self._left < 0:
            raise TemplateLimitExceeded(
                f"the template takes more than {self._steps} steps; pass limits=Limits(steps=...) if you trust it",
                field="chat_template",
            )


def check_numbers(limits: Limits, specification: str) -> None:
    """Refuse a format specification with a huge width or precision."""
    for number in _NUMBER.findall(specification):
        if len(number) < DIGITS:
            check_width(limits, int(number))


def check_width(limits: Limits, width: Any) -> None:
    """Refuse a huge width or precision, and charge for its characters (anything but a number passes)."""
    limits.check_size(width)
    if isinstance(width, int):
        limits.charge(abs(width) // REWRITTEN)


def check_key(*keys: Any) -> None:
    """Refuse a tuple of so many parts, shared ones counted each time, that a look-up takes too long.

    Raises:
        TemplateLimitExceeded: it does.
    """
    for key in keys:
        if isinstance(key, tuple) and printed_size(key) > KEY:
            raise TemplateLimitExceeded(f"a key holds more than {KEY} parts", field="chat_template")


def check_operator(limits: Limits, operator: str, left: Any, right: Any) -> None:
    """Refuse ``left operator right`` before Python builds something huge."""
    if operator == "+":
        if isinstance(left, _JOINED) and isinstance(right, _JOINED):
            limits.check_size(len(left) + len(right))
    elif isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length(), right.bit_length()
        limits.charge((sum(bits) >> 14) + (bits[0] * bits[1] >> 20))
        if operator == "*":
            limits.check_size((left.bit_length() + right.bit_length()) * 64)
        elif operator == "**":
            limits.check_size(left.bit_length() * right * 64)
    elif operator == "*":
        for value, count in ((left, right), (right, left)):
            if isinstance(value, _JOINED) and isinstance(count, int):
                limits.check_size(len(value) * count)


_REWRITING = frozenset(
    {"title", "wordwrap", "urlize", "striptags", "wordcount", "escape", "e", "forceescape", "pprint"}
)
"""Methods and filters that look at each word or sign."""

_SEARCHING = frozenset({"find", "rfind", "index", "rindex", "count", "split", "rsplit", "splitlines", "replace"})
"""Methods that search a text, or take it apart."""

_SIZED = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "indent", "batch", "slice", "to_bytes"})
"""Methods and filters whose whole numbers are sizes."""


def check_method(limits: Limits, name: str, text: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a method or filter whose result would be huge."""
    if name in ("length", "count") and is_container(text):
        limits.check_size(1 + len(text))  # it walks nothing; a template asks at every turn for that of what it has cut
        return
    values = (*args, *kwargs.values())
    limits.check_tree(text, *values)
    if isinstance(text, _TEXT):
        limits.charge(len(text) // (REWRITTEN if name in _REWRITING else SEARCHED if name in _SEARCHING else LONG))
    if name in _SIZED:
        for value in values:
            limits.check_size(value * 64 if name in ("batch", "slice") and isinstance(value, int) else value)
        if name == "expandtabs" and isinstance(text, _TEXT):
            tabs = text.count("\t") if isinstance(text, str) else text.count(b"\t")
            limits.check_size(tabs * next((v for v in values if isinstance(v, int)), 8))
    elif name == "sum" and isinstance(text, (list, tuple)):
        lists = [len(item) for item in text if isinstance(item, (list, tuple))]
        limits.check_size(sum(lists) * len(lists))  # each addition copies what was added before
    elif name == "round" and (isinstance(text, int) or any(isinstance(value, str) for value in values)):
        for value in values:
            limits.check_size(abs(value) * 64 if isinstance(value, int) else value)  # a power of ten with these digits
    elif isinstance(text, _TEXT) and values:
        _check_rewriting(limits, name, text, values)


def _check_rewriting(limits: Limits, name: str, text: str | bytes, values: Sequence[Any]) -> None:
    """Refuse what is as long as the text is long or a part is frequent, times the length of what is put there."""
    given = values[0]
    if name in ("urlize", "wordwrap"):
        limits.check_size(len(text) * max((len(value) for value in values if isinstance(value, str)), default=0))
    elif name == "replace" and len(values) > 1 and isinstance(values[1], _TEXT):
        limits.check_size(text.count(given) * len(values[1]))
    elif name == "join" and isinstance(given, (list, tuple, str)):
        limits.check_size(len(text) * len(given) + sum(len(v) for v in given if isinstance(v, _TEXT)))
    elif name == "translate" and isinstance(given, (dict, list, tuple)):
        images = given.values() if isinstance(given, dict) else given
        limits.check_size(len(text) * max((len(v) for v in images if isinstance(v, str)), default=0))
