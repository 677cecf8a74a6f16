"""Canonical spellings of ``nw-compat`` as integers, each found once for a vocabulary and not once for every token.

The fast half of ``canonical``: two-token fixes are looked for only where one can begin, and runs of byte-like tokens
are counted, not spelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec_reference.aligners import canonical
from tokenspec_reference.aligners.canonical_tables import SPACE, TWO_TOKEN_FIXES

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Spelled:
    """A sequence in canonical spelling: its forms, and where the original tokens of each begin (and the last ends)."""

    forms: list[int]
    starts: Sequence[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Original positions of a range of canonical ones."""
        return self.starts[start], self.starts[end]


class Forms:
    """Spellings by number. ``texts``: canonical; ``again``: canonicalised once more, which is what repairs compare."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.texts: list[str] = []
        self.again: list[str] = []
        self._byte_counts: list[int] = []
        self._numbers: dict[str, int] = {}
        self._of_token: dict[str, int] = {}
        self._begins_fix = {pattern[0] for pattern, _ in TWO_TOKEN_FIXES}

    def spelled(self, tokens: Sequence[str]) -> Spelled:
        """The canonical forms of vocabulary pieces; ``canonicalize_sequence`` says the same in strings."""
        starts: Sequence[int] = range(len(tokens) + 1)
        if not self._begins_fix.isdisjoint(tokens):
            tokens, ranges = canonical.merge_encoding_artifacts(tokens)
            starts = [start for start, _ in ranges] + [ranges[-1][1]]
        known = self._of_token
        try:
            forms = [known[token] for token in tokens]
        except KeyError:
            forms = [self._form(token) for token in tokens]
        return self._bytes_joined(forms, starts)

    def _form(self, token: str) -> int:
        if token not in self._of_token:
            self._of_token[token] = self._number(canonical.canonical_token(token))
        return self._of_token[token]

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
            self.again.append(canonical.canonical_token(text))
            bare = text.lstrip(SPACE)
            values = [canonical.byte_value(character) for character in bare]
            self._byte_counts.append(0 if None in values else len(bare))
        return self._numbers[text]

    def _bytes_joined(self, forms: list[int], starts: Sequence[int]) -> Spelled:
        """Maximal runs of byte-like tokens that spell one character become it (``ALN-032``)."""
        counts = self._byte_counts
        joined: list[int] = []
        kept: list[int] = []
        reached = at = 0
        while at < len(forms):
            begin, total = at, 0
            while at < len(forms) and counts[forms[at]]:
                total += counts[forms[at]]
                at += 1
            if 2 <= total <= 4:
                character = canonical.decode_run([self.texts[form] for form in forms[begin:at]])
                if character is not None:
                    joined += [*forms[reached:begin], self._number(character)]
                    kept += starts[reached : begin + 1]
                    reached = at
            at += at == begin
        return Spelled([*joined, *forms[reached:]], [*kept, *starts[reached:]])
