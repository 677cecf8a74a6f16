"""Strict answers that look at too little of what may follow, or believe too much about the tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from tokenspec.areas.fast_forward.mutants.edits import mutant
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.fast_forward import candidates, canonical, continuations, open_match, pipeline, strict
from tokenspec_reference.fast_forward.characters import ANYTHING, Characters, Next
from tokenspec_reference.fast_forward.open_match import BEYOND
from tokenspec_reference.fast_forward.pipeline import Pipeline
from tokenspec_reference.fast_forward.tokenize import split_markers
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

Strict = Callable[..., tuple[list[int], bytes]]

# ---- what is known of the tokenizer --------------------------------------------------------------------------------


def believing(change: Callable[[Pipeline], Pipeline]) -> tuple[Any, str, Strict]:
    """Strict answers with another belief about the tokenizer."""

    def strict_tokens(vocabulary: TokenBytes, *given: Any, **named: Any) -> tuple[list[int], bytes]:
        known = vocabulary.pipeline
        return STRICT(replace(vocabulary, pipeline=None if known is None else change(known)), *given, **named)

    return canonical, "strict_tokens", strict_tokens


def shorter_tokens(vocabulary: TokenBytes, *given: Any, **named: Any) -> tuple[list[int], bytes]:
    return STRICT(replace(vocabulary, longest=min(vocabulary.longest, 16)), *given, **named)


def context_after_special(
    vocabulary: TokenBytes, forced: bytes, ending: Any, recent: Sequence[int], *, grammar_check: bool
) -> tuple[list[int], bytes]:
    first = next(split_markers(forced), b"")
    if not isinstance(first, int):
        return STRICT(vocabulary, forced, ending, recent, grammar_check=grammar_check)
    marker = vocabulary.raw((first,))
    tokens, leftover = STRICT(vocabulary, forced[len(marker) :], ending, recent, grammar_check=grammar_check)
    return [first, *tokens], leftover


def no_context(*_: Any) -> tuple[int, ...]:
    return ()


def last_token(_: TokenBytes, recent: Sequence[int]) -> tuple[int, ...]:
    return tuple(recent[-1:])


# ---- what may follow -----------------------------------------------------------------------------------------------


def first_four(following: Any) -> list[bytes] | None:
    found = FEW_TEXTS(following)
    return None if found is None else found[:4]


def last_four(following: Any) -> list[bytes] | None:
    found = FEW_TEXTS(following)
    return None if found is None else found[-4:]


def nothing_beyond(*given: Any) -> tuple[list[int], bool]:
    ways, none = ENDS(*given)
    return [end for end in ways if end != BEYOND], none


def one_way(*given: Any) -> tuple[list[int], bool]:
    ways, none = ENDS(*given)
    return ways[:1], none and not ways


def unseen_is_fine(index: int, negative: Any, characters: Any, text: Any, at: int) -> Iterator[tuple[int, bool]]:
    if at < len(text.signatures):
        yield from LOOK(index, negative, characters, text, at)
    else:
        yield at, True


def three_tokens(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    return islice(AGAIN(first, rest), 3)


def two_hundred_tokens(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    return islice(AGAIN(first, rest), 200)


def one_character(broken: bytes, ending: Any) -> frozenset[str] | None:
    found = CHARACTERS(broken, ending)
    return found and frozenset([max(found)])


def only_named(self: Any, following: Next, index: int) -> bool:
    return following.others is not None and MAY_BE(self, following, index)


def added_whole_only(known: Pipeline, data: bytes, ending: Any) -> set[int]:
    return CUTS(known, data, ending) if any(one in data for one in known.literal) else set()


def spans_by_merges(self: Any, word: bytes, start: int, extension: bytes) -> bool:
    return SPANS(replace_whole(self), word, start, extension)


def replace_whole(opened: Any) -> Any:
    return candidates._Open(replace(opened.pipeline, whole=None), opened, opened.ending, opened.broken, opened.shared)


def only_accepting_ends(ending: Any, broken: bytes) -> tuple[Next | None, bool]:
    following, may_end = FOLLOWING(ending, broken)
    return following, may_end and (ending is None or ending.accepting())


def never_ends(ending: Any, broken: bytes) -> tuple[Next | None, bool]:
    return FOLLOWING(ending, broken)[0], False


def always_ends(*_: Any) -> tuple[Next | None, bool]:
    return None, True


def anything_follows(*_: Any) -> tuple[Next | None, bool]:
    return ANYTHING, True


def ascii_follows(ending: Any, broken: bytes) -> tuple[Next | None, bool]:
    following, may_end = FOLLOWING(ending, broken)
    return (None if following is None else Next(following.ascii, frozenset())), may_end


def broken_end_unseen(self: Any, known: Any, text: Any, ending: Any, _broken: bytes, shared: Any) -> None:
    OPEN(self, known, text, ending, b"", shared)


def spans_by_letters(*_: Any) -> bool:
    return True


def spans_never(*_: Any) -> bool:
    return False


STRICT = strict.strict_tokens
FEW_TEXTS = continuations.few_texts
ENDS = open_match.ends
LOOK = open_match._look
AGAIN = candidates._again
FOLLOWING = candidates._following
OPEN = candidates._Open.__init__
SPANS = candidates._Open.spans
CHARACTERS = candidates._characters
MAY_BE = Characters.may_be
CUTS = candidates._cuts
EVERYWHERE = ("toy-bpe", "toy-ranks", "-")

MUTANTS: tuple[Mutant, ...] = (
    mutant("first-four-texts", "FFT-020", "the first four ways to go on count", (strict, "few_texts", first_four)),
    mutant("last-four-texts", "FFT-020", "the last four ways to go on count", (strict, "few_texts", last_four)),
    mutant(
        "whole-words",
        "FFT-020",
        "a word that no merge reaches is forced although it may go on",
        believing(lambda known: replace(known, merged=known.word)),
        rows=("toy-ranks",),
    ),
    mutant(
        "merges-only",
        "FFT-020",
        "a word that no merge reaches never appears",
        believing(lambda known: replace(known, whole=None)),
        rows=("toy-ranks",),
    ),
    mutant(
        "one-word",
        "FFT-020",
        "the whole text is one word",
        believing(lambda known: replace(known, stages=())),
        rows=EVERYWHERE,
    ),
    mutant(
        "added-unseen",
        "FFT-020",
        "added tokens are text like any other",
        believing(lambda known: replace(known, literal=frozenset())),
        rows=("toy-added",),
    ),
    mutant(
        "sixteen-bytes",
        "FFT-020",
        "no token is longer than sixteen bytes",
        (canonical, "strict_tokens", shorter_tokens),
    ),
    mutant(
        "context-unseen",
        "FFT-020",
        "the tokens before are not looked at",
        (strict, "context_of", no_context),
        rows=EVERYWHERE,
    ),
    mutant(
        "context-after-special",
        "FFT-020",
        "the token before a special token is context",
        (canonical, "strict_tokens", context_after_special),
    ),
    mutant(
        "spaces-unseen",
        "FFT-020",
        "what comes next is never looked at",
        (open_match, "_look", unseen_is_fine),
        rows=EVERYWHERE,
    ),
    mutant(
        "words-end", "FFT-020", "every word ends with the text", (pipeline, "ends", nothing_beyond), rows=EVERYWHERE
    ),
    mutant("one-way", "FFT-020", "a word ends in one way", (pipeline, "ends", one_way), rows=EVERYWHERE),
    mutant("never-ends", "FFT-020", "the text always goes on", (candidates, "_following", never_ends), rows=EVERYWHERE),
    mutant(
        "always-ends", "FFT-020", "the text never goes on", (candidates, "_following", always_ends), rows=EVERYWHERE
    ),
    mutant(
        "anything-follows",
        "FFT-022",
        "any character may follow",
        (candidates, "_following", anything_follows),
        rows=EVERYWHERE,
    ),
    mutant(
        "ascii-follows", "FFT-020", "only ASCII may follow", (candidates, "_following", ascii_follows), rows=EVERYWHERE
    ),
    mutant(
        "broken-unseen",
        "FFT-020",
        "a broken character is not looked at",
        (candidates._Open, "__init__", broken_end_unseen),
    ),
    mutant(
        "last-token",
        "FFT-020",
        "of the tokens before, the last is looked at",
        (strict, "context_of", last_token),
        rows=("toy-ranks",),
    ),
    mutant("hundreds-of-trials", "FFT-020", "two hundred tokens may span", (candidates, "_again", two_hundred_tokens)),
    mutant("one-named", "FFT-020", "of few characters one may follow", (candidates, "_characters", one_character)),
    mutant("only-named", "FFT-020", "many characters are none", (Characters, "may_be", only_named)),
    mutant(
        "added-begun",
        "FFT-020",
        "an added token that may still come about is not seen",
        (candidates, "_cuts", added_whole_only),
        rows=("toy-added",),
    ),
    mutant(
        "merged-words",
        "FFT-020",
        "no token spans that merges do not reach",
        (candidates._Open, "spans", spans_by_merges),
        rows=("toy-ranks",),
    ),
    mutant(
        "special-is-no-end",
        "FFT-020",
        "before a special token the text goes on",
        (candidates, "_following", only_accepting_ends),
    ),
    mutant("three-trials", "FFT-020", "three tokens may span", (candidates, "_again", three_tokens)),
    mutant("spans-never", "FFT-020", "no token spans the end", (candidates._Open, "spans", spans_never)),
    mutant(
        "spans-by-letters", "FFT-022", "a token spans if its letters do", (candidates._Open, "spans", spans_by_letters)
    ),
)
