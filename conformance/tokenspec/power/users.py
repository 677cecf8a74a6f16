"""Which statements use what a statement does when the module is loaded: a constant has no cells of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tokenspec.power.edits import Source
from tokenspec.power.statements import Statement

Number = tuple[str, int]
"""A statement, as its file and its place there."""


class Users:
    """The statements whose cells may notice an edit.

    Inside a function the statement itself. Of what is executed when a module is loaded: the body of the function or
    class it is part of; else what mentions the names it binds, also through other constants, and the name of the class
    it stands in, for an attribute may be read by somebody else; else the whole module.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        """Read who mentions what."""
        self.sources = {source.file: source for source in sources}
        self.mentions: dict[str, list[tuple[Source, int]]] = defaultdict(list)
        for source in sources:
            for number, statement in enumerate(source.statements):
                for name in statement.names:
                    self.mentions[name].append((source, number))
        self.known: dict[Number, list[Number]] = {}

    def of(self, source: Source, number: int) -> list[Number]:
        """The users of one statement."""
        key = source.file, number
        if key not in self.known:
            self.known[key] = self._of(source, number)
        return self.known[key]

    def _of(self, source: Source, number: int) -> list[Number]:
        own = source.statements[number]
        if not own.at_import:
            return [(source.file, number)]
        inside = list(_below(source, own))
        if inside:
            return inside
        waiting, known, found = set(own.binds) | _classes_around(source, own), set[str](), set[Number]()
        while waiting:
            name = waiting.pop()
            known.add(name)
            for other, place in self.mentions[name]:
                statement = other.statements[place]
                if statement.at_import:
                    waiting |= statement.binds - known
                    found.update(_below(other, statement))
                else:
                    found.add((other.file, place))
        return sorted(found) or [(source.file, place) for place in range(len(source.statements))]


def _below(source: Source, statement: Statement) -> Iterator[Number]:
    """The statements in a function or class, those of its functions."""
    end = len(statement.path)
    for number, other in enumerate(source.statements):
        if not other.at_import and len(other.path) > end and other.path[:end] == statement.path:
            yield source.file, number


def _classes_around(source: Source, statement: Statement) -> set[str]:
    """The names of the classes that a statement executed at import stands in."""
    outer = (other for other in source.statements if len(other.path) < len(statement.path))
    return {name for other in outer if statement.path[: len(other.path)] == other.path for name in other.binds}
