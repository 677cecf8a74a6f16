"""Inputs beside those of the cases: JSON values changed at random, with pieces of what stands elsewhere."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

Place = tuple[str | int, ...]
"""Where a value stands in another: keys and indices."""

Kind = tuple[str, ...]
"""A place without its indices: values of one kind can stand for each other."""

PIECES = re.compile(r"\{[%{#]-?|-?[%}#]\}|'[^']*'|\w+|\s+|.", re.DOTALL)
"""What a text is cut into: the brackets, literals and words of a template, and single characters."""

EDGES = ("", " ", "\n", "\n\n", "\t", "0", "1", "-1", "x", "é", "\U0001f600")
"""Texts that something often ends at."""

FEW = (1, 1, 1, 2, 2, 3, 4)
"""How many places of an input are changed."""

LENGTHS = (1, 1, 2, 3, 4, 8, 16)
"""How many pieces are taken at once."""

FROM_ANOTHER = 0.2
"""How often a whole field is another input's."""


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """The places of all that a JSON value holds, itself first."""
    yield at
    if isinstance(value, dict | list):
        for key, held in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(held, (*at, key))


def kind_of(place: Place) -> Kind:
    """A place without its indices."""
    return tuple("" if isinstance(step, int) else step for step in place)


def value_at(value: Any, place: Place) -> Any:
    """What stands at a place."""
    for step in place:
        value = value[step]
    return value


class Variation:
    """Changes inputs at random.

    Attributes:
        known: what stands at places of one kind in the inputs that were given.
    """

    def __init__(self, inputs: Sequence[dict[str, Any]]) -> None:
        """``inputs`` are what pieces are taken from."""
        self.known: dict[Kind, list[Any]] = {}
        for one in inputs:
            for place in places(one):
                self.known.setdefault(kind_of(place), []).append(value_at(one, place))

    def of(self, value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """Another value; it may be no input at all."""
        value = copy.deepcopy(value)
        kinds: dict[Kind, list[Place]] = {}
        for place in places(value):
            if place:
                kinds.setdefault(kind_of(place), []).append(place)
        for _ in range(chance.choice(FEW) if kinds else 0):
            self._change(value, chance.choice(kinds[chance.choice(list(kinds))]), chance)
        if chance.random() < FROM_ANOTHER:
            _take_field(value, chance.choice(self.known[()]), chance)
        return value

    def _change(self, value: Any, place: Place, chance: random.Random) -> None:
        try:
            holder = value_at(value, place[:-1])
            held = holder[place[-1]]
        except (LookupError, TypeError):  # an earlier change took it away
            return
        if isinstance(holder, str):  # an earlier change put a text in its place
            return
        others = self.known.get(kind_of(place), [])
        if others and chance.random() < 0.4:
            holder[place[-1]] = copy.deepcopy(chance.choice(others))
        elif isinstance(held, bool):
            holder[place[-1]] = not held
        elif isinstance(held, int | float):
            holder[place[-1]] = held + chance.choice((-2, -1, 1, 2))
        elif isinstance(held, str):
            holder[place[-1]] = changed_text(held, [one for one in others if isinstance(one, str)], chance)
        elif isinstance(held, list):
            _change_list(held, [one for one in others if isinstance(one, list) and one], chance)
        elif isinstance(held, dict):
            _change_object(held, [one for one in others if isinstance(one, dict) and one], chance)


def changed_text(text: str, others: Sequence[str], chance: random.Random) -> str:
    """A text with pieces left out, doubled, swapped, or taken from another."""
    pieces = PIECES.findall(text)
    for _ in range(chance.choice(FEW)):
        at, count = chance.randrange(len(pieces) + 1), chance.choice(LENGTHS)
        match chance.choice(("leave out", "leave out", "double", "swap", "edge", "take", "take")):
            case "leave out":
                del pieces[at : at + count]
            case "double":
                pieces[at:at] = pieces[at : at + count]
            case "swap" if at < len(pieces):
                to = chance.randrange(len(pieces))
                pieces[at], pieces[to] = pieces[to], pieces[at]
            case "take" if others:
                other = PIECES.findall(chance.choice(others))
                begin = chance.randrange(len(other) + 1)
                pieces[at : at + chance.choice((0, 0, 1, 4))] = other[begin : begin + count]
            case _:
                pieces[at : at + chance.choice((0, 1))] = [chance.choice(EDGES)]
    return "".join(pieces)


def _change_list(held: list[Any], others: Sequence[list[Any]], chance: random.Random) -> None:
    at = chance.randrange(len(held) + 1)
    match chance.choice(("leave out", "double", "swap", "take")):
        case "leave out":
            del held[at : at + 1]
        case "double" if held:
            held.insert(at, copy.deepcopy(chance.choice(held)))
        case "swap" if len(held) > 1:
            one, other = chance.sample(range(len(held)), 2)
            held[one], held[other] = held[other], held[one]
        case _ if others:
            held.insert(at, copy.deepcopy(chance.choice(chance.choice(others))))
        case _:
            pass


def _change_object(held: dict[str, Any], others: Sequence[dict[str, Any]], chance: random.Random) -> None:
    if held and chance.random() < 0.5:
        held.pop(chance.choice(list(held)))
    elif others:
        _take_field(held, chance.choice(others), chance)


def _take_field(held: dict[str, Any], other: dict[str, Any], chance: random.Random) -> None:
    if other:
        name = chance.choice(list(other))
        held[name] = copy.deepcopy(other[name])
