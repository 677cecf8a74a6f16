"""Which characters belong to the classes of a pattern, as the tokenizer's own engine sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tokenspec_reference.fast_forward.split_pattern import only_ascii

Matches = Callable[[str, str], Sequence[bool]]
ASCII = "".join(map(chr, range(128)))
ALL_ASCII = (1 << 128) - 1


class Next(NamedTuple):
    """What may stand after the last character seen.

    Attributes:
        ascii: ASCII characters, as a 128-bit set.
        others: the other characters; None where they are too many to name.
    """

    ascii: int
    others: frozenset[str] | None


ANYTHING = Next(ALL_ASCII, None)
OTHER = Next(0, None)


class Characters:
    """The classes of one pattern. A character's signature is the set of classes it belongs to, as an integer."""

    def __init__(self, classes: Sequence[str], matches: Matches) -> None:
        """Ask about ASCII at once, about others when they are met.

        Args:
            classes: patterns of one character.
            matches: which characters of a text a pattern of one character matches.
        """
        self.classes = tuple(classes)
        self._matches = matches
        self._signatures: dict[str, int] = dict.fromkeys(ASCII, 0)
        self._ascii: list[int] = []
        self._only_ascii = [only_ascii(source) for source in classes]
        for index, source in enumerate(self.classes):
            members = 0
            for char, inside in zip(ASCII, matches(source, ASCII), strict=True):
                if inside:
                    members |= 1 << ord(char)
                    self._signatures[char] |= 1 << index
            self._ascii.append(members)

    def signature(self, char: str) -> int:
        """The classes of a character."""
        known = self._signatures.get(char)
        if known is None:
            known = sum(self._matches(source, char)[0] << index for index, source in enumerate(self.classes))
            self._signatures[char] = known
        return known

    def may_be(self, following: Next, index: int) -> bool:
        """Whether the next character may belong to a class."""
        if following.ascii & self._ascii[index]:
            return True
        if following.others is None:
            return not self._only_ascii[index]
        return any(self.signature(char) >> index & 1 for char in following.others)

    def may_not_be(self, following: Next, index: int) -> bool:
        """Whether the next character may be one that does not belong to a class."""
        if following.ascii & ~self._ascii[index] or following.others is None:
            return True
        return any(not self.signature(char) >> index & 1 for char in following.others)
