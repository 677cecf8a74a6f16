"""The golden of a fast-forward cell: forced bytes, llguidance's answer, and the canonical ways to go on.

Nothing is taken from the reference. The language is llguidance's automaton over bytes, the canonical tokens are those
of the row's tokenizer for whole texts of that language: all of them where they are few; with a small vocabulary all up
to twice its longest token after the forced bytes; else texts sampled by chance and texts sampled so that tokens of the
vocabulary that could span the end of the forced bytes get their try.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.areas.fast_forward.oracle.probes import probed
from tokenspec.areas.fast_forward.oracle.vocabulary import OracleVocabulary, inline_vocabulary, row_vocabulary
from tokenspec.areas.fast_forward.records import (
    Beginning,
    Bytes,
    FastForwardExpect,
    FastForwardInput,
    Hex,
    InlineVocabulary,
)
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row

WALKS = 40
SPANNING_PER_START = 12
LONGEST_SUFFIX = 40
KEPT = 8
UPSTREAM = "1.9.1"
MARKED = re.compile(rb"([^\xff]*)\xff\[(\d+)\]")


def forced_golden(case: Case, row: str, rows: Mapping[str, Row]) -> Golden:
    """The golden of one cell."""
    import importlib.metadata

    version = importlib.metadata.version("llguidance")
    if version != UPSTREAM:
        raise RuntimeError(f"the profile pins llguidance {UPSTREAM}, installed is {version}; install the pinned one")
    expect: FastForwardExpect | None = None
    if case.outcome == "ok":
        given = convert(case.input, FastForwardInput, where=case.id)
        vocabulary = vocabulary_of(case.input, row)
        expect = _expect(given, vocabulary, random.Random(f"{case.id} {row}"), _llguidance_of(vocabulary))
    return Golden(
        case=case.id,
        row=row,
        input_sha256=input_sha256(case.input),
        pins=rows[row].pins if row in rows else {},
        oracle={
            "llguidance": version,
            "tokenizers": importlib.metadata.version("tokenizers"),
            **({"re": "agrees about every probe"} if case.input.get("probes") else {}),
        },
        outcome=case.outcome,
        error=None if expect is not None else "the specification refuses this input",
        expect=msgspec.to_builtins(expect),
    )


def vocabulary_of(given: dict[str, Any], row: str) -> OracleVocabulary:
    """The vocabulary of a cell: the one its case brings along, or its row's."""
    inline = given.get("vocabulary")
    if inline is None:
        return _of_row(row)
    return inline_vocabulary(msgspec.convert(inline, InlineVocabulary))


@lru_cache(maxsize=1)
def _of_row(row: str) -> OracleVocabulary:
    from tokenspec.models import load

    return row_vocabulary(load(row))


@lru_cache(maxsize=1)
def _llguidance_of(vocabulary: OracleVocabulary) -> Any | None:
    """The tokenizer of llguidance; None where it refuses this vocabulary."""
    try:
        return vocabulary.llguidance()
    except Exception:  # noqa: BLE001 - it raises bare exceptions for decoders it does not know
        return None


def _expect(
    given: FastForwardInput, vocabulary: OracleVocabulary, rng: random.Random, tokenizer: Any | None
) -> FastForwardExpect:
    prefix: list[int] = []
    for piece in given.prefix:
        prefix += vocabulary.encode(piece) if isinstance(piece, str) else [vocabulary.special_ids[piece["special"]]]
    grammar = given.alike or given.grammar
    skeleton, rest, goes_on = _skeleton(grammar, vocabulary)
    consumed = _raw(vocabulary, prefix)
    settled, recent, spelled = _settled(vocabulary, skeleton[len(consumed) :], prefix)
    language = Language(rest, consumed[len(skeleton) :]) if rest is not None else None
    if goes_on and language is not None and _ends_there(language, language.forced()):
        raise ValueError("a case whose special token may be forced has only literals before it")
    forced = b"" if language is None else language.forced()
    texts = None if language is None else language.all_texts()
    depth = 2 * max(map(len, vocabulary.pieces))
    short = None
    if language is not None and texts is None and given.vocabulary is not None:
        short = language.all_texts(len(forced) + depth)
    asked = spelled and language is not None
    ways = _beginnings(vocabulary, language, recent, forced, texts or short, rng) if asked and language else []
    shared = _within(vocabulary, _shared([way.tokens for way in ways]), forced)
    return FastForwardExpect(
        prefix_tokens=prefix,
        forced_bytes=_json(skeleton[len(consumed) :] + forced),
        accepting=not skeleton[len(consumed) :] and not goes_on and (language is None or language.accepting),
        llguidance=None if tokenizer is None else _upstream(grammar, vocabulary, tokenizer, prefix),
        beginnings=[Beginning([*settled, *way.tokens], way.text) for way in _telling(ways)],
        texts=None if texts is None else len(texts),
        depth=depth if short else None,
        longest=[*settled, *shared] if ways else settled or None,
        probes=list(probed(given.grammar, grammar, consumed, given.probes)) if given.probes else [],
    )


def _ends_there(language: Language, text: bytes) -> bool:
    return not any(language.viable(text + bytes((byte,))) for byte in range(0xFF))


def _raw(vocabulary: OracleVocabulary, tokens: Sequence[int]) -> bytes:
    """Token bytes, special tokens as the marker byte and their id."""
    return b"".join(vocabulary.bytes_of[token] or b"\xff[%d]" % token for token in tokens)


def _skeleton(grammar: dict[str, Any], vocabulary: OracleVocabulary) -> tuple[bytes, dict[str, Any] | None, bool]:
    """The bytes that are literal up to a special token, the grammar after them, and whether a special token follows it.

    Everything up to a special token with literals before it is forced and settled. Where something else stands before
    one, its texts end there: what comes behind has no say.
    """
    items = grammar.get("sequence", [grammar])
    literal = next((at for at, item in enumerate(items) if not {"literal", "special"} & set(item)), len(items))
    last = max((index + 1 for index, item in enumerate(items[:literal]) if "special" in item), default=0)
    end = next((at for at, item in enumerate(items) if at > literal and "special" in item), len(items))
    skeleton = b"".join(
        b"\xff[%d]" % vocabulary.special_ids[item["special"]] if "special" in item else item["literal"].encode()
        for item in items[:last]
    )
    rest = items[last:end]
    return skeleton, {"sequence": rest} if len(rest) > 1 else rest[0] if rest else None, end < len(items)


def _settled(vocabulary: OracleVocabulary, forced: bytes, prefix: list[int]) -> tuple[list[int], list[int], bool]:
    """The tokens of a forced part that ends in a special token, the text tokens that are open after it, and whether
    the tokenizer spells that part: if not, no tokens are canonical.
    """
    boundary = max((at + 1 for at, token in enumerate(prefix) if vocabulary.bytes_of[token] is None), default=0)
    recent, tokens = prefix[boundary:], []
    for text, number in MARKED.findall(forced):
        before = _raw(vocabulary, recent) + text
        ids = vocabulary.encode(before.decode())
        if vocabulary.spell(ids) != before:
            return [], [], False
        tokens += [*ids[len(recent) :], int(number)]
        recent = []
    return tokens, recent, True


def _upstream(
    grammar: Mapping[str, Any], vocabulary: OracleVocabulary, tokenizer: Any, prefix: list[int]
) -> list[int] | None:
    """What llguidance forces after this prefix; None where it does not accept the prefix on this vocabulary."""
    import llguidance

    from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar

    text = llguidance_grammar(grammar, lambda name: vocabulary.special_ids[name])
    matcher = llguidance.LLMatcher(tokenizer, text, log_level=0)
    if matcher.is_error() or not matcher.consume_tokens(prefix):
        return None
    return [int(token) for token in matcher.compute_ff_tokens()]


def _beginnings(
    vocabulary: OracleVocabulary,
    language: Language,
    recent: list[int],
    forced: bytes,
    texts: list[bytes] | None,
    rng: random.Random,
) -> list[Beginning]:
    """The different canonical ways to cover the forced bytes, each with the shortest text that leads to it."""
    if texts is None:
        starts = [*_spanning(vocabulary, language, forced), *([forced] * WALKS)]
        texts = list(language.some_texts(starts, rng))
    before = vocabulary.spell(recent) or b""
    found: dict[tuple[int, ...], bytes] = {}
    for text in sorted(set(texts), key=lambda item: (len(item), item)):
        try:
            ids = vocabulary.encode((before + text).decode())
        except UnicodeDecodeError:
            continue
        if ids[: len(recent)] != recent or vocabulary.spell(ids) != before + text:
            continue
        found.setdefault(_covering(vocabulary, ids[len(recent) :], len(forced)), text[len(forced) :])
    return [Beginning(list(tokens), _json(text)) for tokens, text in found.items()]


def _spanning(vocabulary: OracleVocabulary, language: Language, forced: bytes) -> Iterator[bytes]:
    """Beginnings of texts in which a token of the vocabulary would reach over the end of the forced bytes."""
    for start in range(max(len(forced) - LONGEST_SUFFIX, 0), len(forced)):
        suffix = forced[start:]
        allowed = [extra for extra in vocabulary.further(suffix) if language.viable(forced + extra)]
        step = max(len(allowed) // SPANNING_PER_START, 1)
        yield from (forced + extra for extra in allowed[::step][:SPANNING_PER_START])


def _covering(vocabulary: OracleVocabulary, ids: Sequence[int], length: int) -> tuple[int, ...]:
    """The fewest first ids whose bytes reach ``length``."""
    at = count = 0
    while at < length:
        at += len(vocabulary.bytes_of[ids[count]] or b"")
        count += 1
    return tuple(ids[:count])


def _shared(lists: Sequence[Sequence[int]]) -> list[int]:
    shared = list(lists[0]) if lists else []
    for other in lists:
        count = next(
            (i for i, (a, b) in enumerate(zip(shared, other, strict=False)) if a != b), min(len(shared), len(other))
        )
        shared = shared[:count]
    return shared


def _telling(ways: list[Beginning]) -> list[Beginning]:
    """At most eight, those first that shorten most what all share."""
    kept: list[Beginning] = []
    waiting = list(ways)
    while waiting and len(kept) < KEPT:
        best = min(waiting, key=lambda way: len(_shared([item.tokens for item in (*kept, way)])) if kept else 0)
        kept.append(best)
        waiting.remove(best)
    return kept


def _within(vocabulary: OracleVocabulary, tokens: Sequence[int], forced: bytes) -> list[int]:
    """The tokens that end inside the forced bytes."""
    at = 0
    for count, token in enumerate(tokens):
        at += len(vocabulary.bytes_of[token] or b"")
        if at > len(forced):
            return list(tokens[:count])
    return list(tokens)


def _json(data: bytes) -> Bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Hex(data.hex())
