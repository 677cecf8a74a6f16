"""The strings that patterns, formats and lengths of a schema leave, as automata; each is built once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tokenspec_reference.fast_forward.automaton import (
    ANY_TEXT,
    Automaton,
    TooManyStates,
    both,
    of_length,
    of_texts,
    opposite,
)
from tokenspec_reference.fast_forward.errors import InvalidGrammar
from tokenspec_reference.fast_forward.formats import FORMATS
from tokenspec_reference.fast_forward.pattern_automaton import automaton_of
from tokenspec_reference.fast_forward.regex_syntax import read_pattern
from tokenspec_reference.fast_forward.schema_demands import ANY_LENGTH, Span, TextRule

MOST_STATES_OF_A_SCHEMA = 200_000


@lru_cache(maxsize=256)
def texts_with(pattern: str) -> Automaton:
    """The texts that contain a match of a pattern.

    Raises:
        InvalidGrammar: the pattern is malformed or not understood.
        TooManyStates: it counts too far.
    """
    return automaton_of(read_pattern(pattern, ecma=True), anywhere=True)


@lru_cache(maxsize=32)
def texts_of_format(name: str) -> Automaton:
    """The texts of a known format."""
    return automaton_of(read_pattern(FORMATS[name]), anywhere=False)


class TextSets:
    """The sets of strings of one schema. Together they have a bounded number of states."""

    def __init__(self) -> None:
        self._known: dict[object, Automaton] = {}
        self._states = 0

    def strings(
        self,
        patterns: Iterable[TextRule] = (),
        formats: Iterable[TextRule] = (),
        lengths: Span = ANY_LENGTH,
        excluded: Iterable[str] = (),
    ) -> Automaton:
        """The strings that satisfy all of them.

        Raises:
            InvalidGrammar: a pattern is not understood.
            TooManyStates: together they need too many states.
        """
        key = (tuple(patterns), tuple(formats), lengths, tuple(excluded))
        if key not in self._known:
            found = ANY_TEXT
            for rule in key[0]:
                found = self.cut(found, texts_with(rule.value), negated=rule.negated)
            for rule in key[1]:
                found = self.cut(found, texts_of_format(rule.value), negated=rule.negated)
            if key[3]:
                found = self.cut(found, of_texts(key[3]), negated=True)
            if lengths != ANY_LENGTH and not _fits(found, lengths):
                found = self.cut(found, of_length(*lengths), negated=False)
            self._known[key] = found
        return self._known[key]

    def cut(self, left: Automaton, right: Automaton, *, negated: bool) -> Automaton:
        """The strings of both, or of the left one only; counted."""
        found = both(left, opposite(right) if negated else right)
        self._states += len(found.edges)
        if self._states > MOST_STATES_OF_A_SCHEMA:
            raise TooManyStates(f"all patterns together need more than {MOST_STATES_OF_A_SCHEMA} states")
        return found


def _fits(automaton: Automaton, lengths: Span) -> bool:
    """Whether all texts have one of these lengths; where in doubt they have not."""
    shortest, longest = automaton.lengths
    return lengths[0] <= shortest and (lengths[1] is None or (longest is not None and longest <= lengths[1]))


TextsRefused = (InvalidGrammar, TooManyStates)
