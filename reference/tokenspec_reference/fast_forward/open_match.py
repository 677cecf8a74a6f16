"""Where a match can end in a text whose end is not known.

The matcher tries what a backtracking engine tries, in its order. A try that stays within the known text is certain:
later tries do not matter. A try that asks for a character that is not known yet may succeed or fail, so it counts, and
so do the tries after it. What is found is every end the match can have, whatever follows, and never one too few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenspec_reference.fast_forward.characters import Characters, Next
from tokenspec_reference.fast_forward.split_pattern import AtEnd, Atom, FirstOf, InTurn, Look, Node, Repeat

BEYOND = -1  # the match goes on past the known text
Path = tuple[int, bool]  # where it ends; whether that is certain


class OpenText(NamedTuple):
    """Signatures of known characters.

    Attributes:
        signatures: one a character.
        following: what may stand next; None where the text ends here.
    """

    signatures: tuple[int, ...]
    following: Next | None


def ends(root: Node, characters: Characters, text: OpenText, at: int) -> tuple[list[int], bool]:
    """The ends a match at a position can have (``BEYOND`` among them), and whether there may be no match."""
    found: list[int] = []
    for end, certain in _paths(root, characters, text, at):
        if end not in found:
            found.append(end)
        if certain:
            return found, False
    return found, True


def _paths(node: Node, characters: Characters, text: OpenText, at: int) -> Iterator[Path]:
    match node:
        case Atom(index):
            if at < len(text.signatures):
                if text.signatures[at] >> index & 1:
                    yield at + 1, True
            elif text.following is not None and characters.may_be(text.following, index):
                yield BEYOND, False
        case InTurn(parts):
            yield from _in_turn(parts, characters, text, at)
        case FirstOf(options):
            for option in options:
                yield from _paths(option, characters, text, at)
        case Repeat(Atom(index)):
            yield from _run(node, index, characters, text, at)
        case Repeat():
            tries = _repeated(node, 0, characters, text, at)
            yield from _up_to_certain(tries) if node.greed == "possessive" else tries
        case Look(index, negative):
            yield from _look(index, negative, characters, text, at)
        case AtEnd():
            if at == len(text.signatures) and text.following is None:
                yield at, True


def _in_turn(parts: Sequence[Node], characters: Characters, text: OpenText, at: int) -> Iterator[Path]:
    if not parts:
        yield at, True
        return
    for middle, certain in _paths(parts[0], characters, text, at):
        if middle == BEYOND:
            yield BEYOND, False
            continue
        for end, also in _in_turn(parts[1:], characters, text, middle):
            yield end, certain and also


def _run(node: Repeat, index: int, characters: Characters, text: OpenText, at: int) -> Iterator[Path]:
    """Of one class: as many as there are, then fewer; or the other way round."""
    size = len(text.signatures)
    last = size if node.most is None else min(at + node.most, size)
    end = at
    while end < last and text.signatures[end] >> index & 1:
        end += 1
    more = end == size and (node.most is None or end - at < node.most)
    beyond = more and text.following is not None and characters.may_be(text.following, index)
    least = at + node.least
    if node.greed == "lazy":
        yield from ((stop, True) for stop in range(least, end + 1))
    if beyond:
        yield BEYOND, False
    if node.greed == "possessive" and end >= least:
        yield end, True
    elif node.greed == "greedy":
        yield from ((stop, True) for stop in range(end, least - 1, -1))


def _repeated(node: Repeat, count: int, characters: Characters, text: OpenText, at: int) -> Iterator[Path]:
    stop_here = count >= node.least
    if stop_here and node.greed == "lazy":
        yield at, True
    if node.most is None or count < node.most:
        for middle, certain in _paths(node.part, characters, text, at):
            if middle == BEYOND:
                yield BEYOND, False
                continue
            for end, also in _repeated(node, count + 1, characters, text, middle):
                yield end, certain and also
    if stop_here and node.greed != "lazy":
        yield at, True


def _up_to_certain(paths: Iterator[Path]) -> Iterator[Path]:
    for end, certain in paths:
        yield end, certain
        if certain:
            return


def _look(index: int, negative: bool, characters: Characters, text: OpenText, at: int) -> Iterator[Path]:
    if at < len(text.signatures):
        may, may_not = bool(text.signatures[at] >> index & 1), not text.signatures[at] >> index & 1
    elif text.following is None:
        may, may_not = False, True
    else:
        may, may_not = characters.may_be(text.following, index), characters.may_not_be(text.following, index)
    if negative:
        may, may_not = may_not, may
    if may:
        yield at, not may_not
