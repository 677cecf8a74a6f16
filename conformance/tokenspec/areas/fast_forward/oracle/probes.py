"""What a grammar makes of a text: llguidance's automaton over bytes, and Python's regular expressions beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.areas.fast_forward.oracle.membership import satisfies
from tokenspec.areas.fast_forward.oracle.patterns import is_regular, member
from tokenspec.areas.fast_forward.records import Bytes, Probe, data_of


class Disagreement(Exception):
    """The two disagree about a text: one of them, or the case, is wrong."""


def probed(
    grammar: Mapping[str, Any], alike: Mapping[str, Any], prefix: bytes, probes: Sequence[Bytes]
) -> Iterator[Probe]:
    """One answer a probe; ``alike`` is the grammar as llguidance understands it.

    Raises:
        Disagreement: a text belongs to the grammar by one of the two only.
    """
    language = Language(alike, prefix)
    for probe in map(data_of, probes):
        allowed = language.allowed_of(probe)
        complete = allowed == len(probe) and language.complete(probe)
        if complete != _belongs(grammar, alike, prefix + probe):
            raise Disagreement(f"{grammar}: llguidance says {complete} of {prefix + probe!r}, re says {not complete}")
        yield Probe(allowed, complete)


def _belongs(grammar: Mapping[str, Any], alike: Mapping[str, Any], text: bytes) -> bool:
    """The second opinion: Python's regular expressions, or ``jsonschema`` where a schema is no such pattern.

    How the values of a schema are written is said by the grammar alike, which may be a pattern.
    """
    if is_regular(grammar):
        return member(grammar, text)
    try:
        whole = text.decode()
    except UnicodeDecodeError:
        return False
    if "json_schema" not in alike and not member(alike, text):
        return False
    spacing, most = grammar.get("whitespace", "compact"), grammar.get("most_whitespace")
    return satisfies(grammar["json_schema"], alike.get("json_schema", True), whole, spacing, most)
