"""How a tokenizer makes words of a text before it merges them, and which of those words no later text can change.

A pipeline is a list of stages, each of which splits the pieces of the one before. Most stages are a pattern whose
matches are the words (``split_pattern.py``); some only compare two neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

from tokenspec_reference.fast_forward.characters import ANYTHING, Characters, Next
from tokenspec_reference.fast_forward.open_match import BEYOND, OpenText, ends
from tokenspec_reference.fast_forward.split_pattern import Node, SplitPattern, adjacent_classes

Joint = Literal["boundary", "apart", "crossed"]
MOST_SEGMENTATIONS = 64
REMEMBERED = 4096  # short texts whose words are remembered, by the classes of their characters


class TooManyWays(Exception):
    """The words of an open text can be cut in more ways than are followed."""


class Piece(NamedTuple):
    """A stretch of the known text, in characters; an open one goes on beyond it."""

    start: int
    end: int
    open: bool


Segmentation = tuple[Piece, ...]  # from left to right, without gaps; only the last piece can be open


class Stage(Protocol):
    """One step of the pre-tokenizer. Characters of one signature are all alike to it."""

    @property
    def characters(self) -> Characters:
        """The classes of characters that it tells apart."""
        ...

    def joint(self, left: str, right: str) -> Joint:
        """What stands between two neighbours, whatever surrounds them.

        ``boundary``: a boundary. ``apart``: nothing that is matched on the left reaches, or depends on what comes
        after, ``right``. ``crossed``: a match may reach over.
        """
        ...

    def split(self, text: str, piece: Piece, following: Next) -> list[Segmentation]:
        """Every way a piece can be split; ``following`` is what may stand after an open one."""
        ...


@dataclass(frozen=True)
class ByNeighbours:
    """A boundary depends on its two neighbours alone.

    Attributes:
        characters: one class.
        rule: ``runs``: a boundary where membership changes. ``each``: around every member. ``before``: before every
            member.
    """

    characters: Characters
    rule: Literal["runs", "each", "before"]

    def joint(self, left: str, right: str) -> Joint:
        """A boundary, or nothing that could change."""
        before, after = self.characters.signature(left), self.characters.signature(right)
        bounded = {"runs": before != after, "each": bool(before or after), "before": bool(after)}[self.rule]
        return "boundary" if bounded else "apart"

    def split(self, text: str, piece: Piece, following: Next) -> list[Segmentation]:  # noqa: ARG002
        """One way; an open piece may also end where the known text ends."""
        cuts = [at for at in range(piece.start + 1, piece.end) if self.joint(text[at - 1], text[at]) == "boundary"]
        edges = [piece.start, *cuts, piece.end]
        closed = tuple(Piece(a, b, open=False) for a, b in pairwise(edges))
        if not piece.open:
            return [closed]
        return [closed, (*closed[:-1], Piece(edges[-2], piece.end, open=True))]


@dataclass(frozen=True)
class ByPattern:
    """Words are the matches of a pattern, and what lies between them."""

    root: Node
    characters: Characters
    _adjacent: frozenset[tuple[int, int]]
    _joints: dict[tuple[int, int], Joint] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(pattern: SplitPattern, matches: Callable[[str, str], Sequence[bool]]) -> ByPattern:
        """A stage; ``matches`` asks the engine which characters belong to a class."""
        return ByPattern(pattern.root, Characters(pattern.classes, matches), adjacent_classes(pattern.root))

    def joint(self, left: str, right: str) -> Joint:
        """By the classes that can be neighbours in a match."""
        pair = self.characters.signature(left), self.characters.signature(right)
        known = self._joints.get(pair)
        if known is None:
            known = self._joints[pair] = self._joint(*pair)
        return known

    def _joint(self, left: int, right: int) -> Joint:
        if any(left >> a & 1 and right >> b & 1 for a, b in self._adjacent):
            return "crossed"
        return "boundary" if self._always_matched(left) or self._always_matched(right) else "apart"

    def _always_matched(self, signature: int) -> bool:
        """Whether a match begins at a character with this signature, whatever follows, unless it is inside one."""
        texts = (OpenText((signature,), following) for following in (ANYTHING, None))
        return not any(ends(self.root, self.characters, text, 0)[1] for text in texts)

    def split(self, text: str, piece: Piece, following: Next) -> list[Segmentation]:
        """All ways, by following each match that may be the one."""
        signatures = tuple(self.characters.signature(char) for char in text[piece.start : piece.end])
        ways = self._cut(OpenText(signatures, following if piece.open else None))
        if not piece.start:
            return ways
        return [tuple(Piece(p.start + piece.start, p.end + piece.start, p.open) for p in way) for way in ways]

    def _cut(self, known: OpenText) -> list[Segmentation]:
        size = len(known.signatures)
        found: list[Segmentation] = []
        stack: list[tuple[int, int, Segmentation]] = [(0, 0, ())]  # where, where the gap before it began, pieces
        while stack:
            if len(found) + len(stack) > MOST_SEGMENTATIONS:
                raise TooManyWays
            at, gap, pieces = stack.pop()
            gapped = (*pieces, Piece(gap, at, open=False)) if gap < at else pieces
            if at == size:
                found.append(gapped)
                if known.following is not None and gap < at:
                    found.append((*pieces, Piece(gap, at, open=True)))
                continue
            ways, none = ends(self.root, self.characters, known, at)
            for end in ways:
                if end == BEYOND:
                    found.append((*gapped, Piece(at, size, open=True)))
                else:
                    stack.append((end, end, (*gapped, Piece(at, end, open=False))))
            if none:
                stack.append((at + 1, gap, pieces))
        return found


@dataclass(frozen=True)
class Pipeline:
    """What is known about a tokenizer beyond its function.

    Attributes:
        stages: how words are made; none where the whole text is one word.
        merged: the ids of a word by merges alone, of any bytes.
        whole: the id of a word that is in the vocabulary, where such a word is taken whole even if no merge reaches it
            (``ignore_merges``, tiktoken); None where merges decide.
        characters: whether merges begin with characters (a vocabulary with byte fallback) and not with bytes.
        literal: the texts of added tokens that are text, in bytes; they are cut out before words are made.
    """

    stages: tuple[Stage, ...]
    merged: Callable[[bytes], list[int]]
    whole: Callable[[bytes], int | None] | None = None
    characters: bool = False
    literal: frozenset[bytes] = frozenset()
    _kinds: _Kinds = field(init=False, repr=False, compare=False)
    _settled: dict[tuple[int, int], bool] = field(init=False, repr=False, compare=False, default_factory=dict)
    _ways: dict[tuple[object, ...], list[Segmentation]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        """What is remembered belongs to the stages: a changed copy begins anew."""
        object.__setattr__(self, "_kinds", _Kinds(self.stages))

    def word(self, data: bytes) -> list[int]:
        """The ids of a whole word."""
        taken = self.whole(data) if self.whole is not None else None
        return self.merged(data) if taken is None else [taken]

    def alone(self, text: str) -> list[int]:
        """The ids of a text that ends where it is known to."""
        (way,) = self.segmentations(text, None, may_end=True)
        return [token for piece in way for token in self.word(text[piece.start : piece.end].encode())]

    def settled(self, left: str, right: str) -> bool:
        """Whether a word always ends between two neighbours, and no later text changes the words before it."""
        pair = self._kinds[left], self._kinds[right]
        known = self._settled.get(pair)
        if known is None:
            joints = (stage.joint(left, right) for stage in self.stages)
            known = self._settled[pair] = next((joint for joint in joints if joint != "apart"), "") == "boundary"
        return known

    def last_settled(self, text: str, limit: int) -> int:
        """The last place, at most ``limit``, where words before it are settled; 0 where there is none."""
        return next((at for at in range(min(limit, len(text) - 1), 0, -1) if self.settled(text[at - 1], text[at])), 0)

    def segmentations(self, text: str, following: Next | None, *, may_end: bool) -> list[Segmentation]:
        """Every way the words of a text can be cut.

        Args:
            text: the known text; not empty.
            following: what may stand next; None where nothing may.
            may_end: whether the text may end here.

        Raises:
            TooManyWays: more ways than are followed.
        """
        key = (tuple(map(self._kinds.__getitem__, text)), following, may_end)
        known = self._ways.get(key)
        if known is None:
            if len(self._ways) >= REMEMBERED:
                self._ways.clear()
            known = self._ways[key] = self._segmentations(text, following, may_end=may_end)
        return known

    def _segmentations(self, text: str, following: Next | None, *, may_end: bool) -> list[Segmentation]:
        whole = Piece(0, len(text), open=False)
        ways: list[Segmentation] = [(whole,)] if may_end else []
        if following is not None:
            ways.append((Piece(0, len(text), open=True),))
        for stage in self.stages:
            ways = _distinct(_split_all(stage, text, way, following or ANYTHING) for way in ways)
        return ways


class _Kinds(dict[str, int]):
    """Characters that all stages find alike have one number."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        super().__init__()
        self.stages = stages
        self.numbers: dict[tuple[int, ...], int] = {}

    def __missing__(self, char: str) -> int:
        signatures = tuple(stage.characters.signature(char) for stage in self.stages)
        number = self[char] = self.numbers.setdefault(signatures, len(self.numbers))
        return number


def _split_all(stage: Stage, text: str, way: Segmentation, following: Next) -> list[Segmentation]:
    results: list[Segmentation] = [()]
    for piece in way:
        options = stage.split(text, piece, following)
        results = [(*done, *option) for done in results for option in options]
        if len(results) > MOST_SEGMENTATIONS:
            raise TooManyWays
    return results


def _distinct(groups: Iterable[list[Segmentation]]) -> list[Segmentation]:
    return list(dict.fromkeys(way for group in groups for way in group))
