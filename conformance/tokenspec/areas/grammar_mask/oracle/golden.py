"""The golden of a grammar-mask cell: every id's bytes are tried on the automaton, and its next bytes on llguidance's.

On a vocabulary that a case brings along every id is tried for itself; on a row's, ids with bytes in common together.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.areas.fast_forward.oracle.language import Language, allowed
from tokenspec.areas.fast_forward.oracle.probes import Disagreement
from tokenspec.areas.fast_forward.oracle.vocabulary import OracleVocabulary
from tokenspec.areas.grammar_mask.oracle.automaton import SPECIAL, Automaton, States
from tokenspec.store.canonical import input_sha256
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row

MOST_RANGES = 24
BEYOND = "rollback-out-of-range"


def mask_golden(case: Case, row: str, rows: Mapping[str, Row]) -> Golden:
    """The right answers to a case."""
    answers = None if case.outcome != "ok" else [dict(one) for one in answered(case.input, row)]
    return Golden(
        case=case.id,
        row=row,
        input_sha256=input_sha256(case.input),
        pins=rows[row].pins if row in rows else {},
        oracle={
            "automaton": "over bytes, of this area",
            "llguidance": f"{importlib.metadata.version('llguidance')} agrees on next bytes",
            "tokenizers": importlib.metadata.version("tokenizers"),
        },
        outcome=case.outcome,
        error=None if answers is not None else "the specification refuses this input",
        expect=None if answers is None else {"steps": answers},
    )


def answered(given: Mapping[str, Any], row: str) -> Iterator[dict[str, Any]]:
    """The answer to every step, from the bytes of all tokens before it."""
    vocabulary = vocabulary_of(dict(given), row)
    automaton = Automaton(given["grammar"], vocabulary.special_ids)
    prefix: list[int] = []
    for piece in given.get("prefix", []):
        prefix += vocabulary.encode(piece) if isinstance(piece, str) else [vocabulary.special_ids[piece["special"]]]
    taken: list[int] = []
    for step in given["steps"]:
        states = automaton.after(automaton.start, symbols(vocabulary, [*prefix, *taken]))
        if not states:
            raise ValueError(f"the prefix {given.get('prefix')} does not belong to the grammar")
        match step["op"]:
            case "mask":
                _compare(given["grammar"], vocabulary, automaton, states, [*prefix, *taken])
                ids = mask_of(vocabulary, automaton, states, small=given.get("vocabulary") is not None)
                yield {**written(ids), "may_end": automaton.accepting(states)}
            case "accept":
                count = leading(vocabulary, automaton, states, step["tokens"])
                taken += step["tokens"][:count]
                yield {"accepted": count}
            case "rollback" if 0 <= step["count"] <= len(taken):
                taken = taken[: len(taken) - step["count"]]
                yield {}
            case _:
                yield {"refused": BEYOND}


def symbols(vocabulary: OracleVocabulary, tokens: Sequence[int]) -> Iterator[int]:
    """Tokens as symbols of the automaton."""
    for token in tokens:
        data = vocabulary.bytes_of[token]
        yield from (SPECIAL + token,) if data is None else data


def leading(vocabulary: OracleVocabulary, automaton: Automaton, states: States, tokens: Sequence[int]) -> int:
    """How many tokens are allowed, one after the other; an id that does not exist, or spells nothing, never is."""
    for count, token in enumerate(tokens):
        known = 0 <= token < len(vocabulary.bytes_of) and vocabulary.bytes_of[token] != b""
        states = automaton.after(states, symbols(vocabulary, [token])) if known else frozenset()
        if not states:
            return count
    return len(tokens)


def mask_of(vocabulary: OracleVocabulary, automaton: Automaton, states: States, *, small: bool) -> list[int]:
    """The allowed ids, ascending."""
    spelled = [token for token, data in enumerate(vocabulary.bytes_of) if data is None or (small and data)]
    found = [token for token in spelled if automaton.after(states, symbols(vocabulary, [token]))]
    if not small:
        found += [
            token
            for piece in _allowed_pieces(vocabulary.pieces, automaton, states)
            for token in vocabulary.ids_of[piece]
        ]
    return sorted(found)


def _allowed_pieces(pieces: Sequence[bytes], automaton: Automaton, states: States) -> Iterator[bytes]:
    """The byte strings that are allowed, of a sorted list: what neighbours share is walked once."""
    path = [states]
    before = b""
    for piece in pieces:
        shared = 0
        while shared < min(len(before), len(piece)) and before[shared] == piece[shared]:
            shared += 1
        before = piece
        del path[shared + 1 :]
        while path[-1] and len(path) <= len(piece):
            path.append(automaton.step(path[-1], piece[len(path) - 1]))
        if path[-1]:
            yield piece


def _compare(
    grammar: Mapping[str, Any],
    vocabulary: OracleVocabulary,
    automaton: Automaton,
    states: States,
    tokens: Sequence[int],
) -> None:
    """Raise ``Disagreement`` unless llguidance's automaton allows the same next bytes.

    It is not asked where its own language spells a grammar otherwise: special tokens, and broken characters.
    """
    if any(key in str(grammar) for key in ("'special'", "'hex'")):
        return
    language = Language(grammar, b"".join(vocabulary.bytes_of[token] or b"" for token in tokens))
    theirs = (set(allowed(language.matcher)), language.accepting)
    ours = (automaton.symbols(states), automaton.accepting(states))
    if theirs != ours:
        raise Disagreement(f"{grammar} after {tokens}: llguidance says {theirs}, the automaton {ours}")


def runs(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending ids as first and last ids of runs."""
    found: list[tuple[int, int]] = []
    for token in ids:
        if found and found[-1][1] == token - 1:
            found[-1] = (found[-1][0], token)
        else:
            found.append((token, token))
    return found


def digest(ids: Sequence[int]) -> str:
    """The hash of the ids in decimal, joined by commas."""
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()


def written(ids: Sequence[int]) -> dict[str, Any]:
    """A mask as a golden has it."""
    ranges = runs(ids)
    if len(ranges) > MOST_RANGES:
        return {"count": len(ids), "sha256": digest(ids)}
    return {"ranges": [list(one) for one in ranges]}
