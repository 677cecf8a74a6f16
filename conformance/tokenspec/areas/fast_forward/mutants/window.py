"""Broken window tests: what they compare, where they start, what they take as context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenspec.areas.fast_forward.mutants.edits import Before, Request, Result, answers, mutant
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.fast_forward import canonical
from tokenspec_reference.fast_forward.tokenize import tokenize_marked
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

ORIGINAL_WINDOWED = canonical.windowed_tokens
ORIGINAL_CLAIMED = canonical.claimed_by_spanning_token


def no_context(vocabulary: TokenBytes, forced: bytes, recent: Sequence[int], *arguments: Any, **keywords: Any) -> Any:
    return ORIGINAL_WINDOWED(vocabulary, forced, (), *arguments, **keywords)


def context_always_kept(
    vocabulary: TokenBytes, forced: bytes, recent: Sequence[int], following: Any, **window: Any
) -> tuple[list[int], bytes]:
    context = list(recent[-1:])
    ids, settled = tokenize_marked(vocabulary, vocabulary.raw(context) + forced)
    back, length = canonical.claimed_by_spanning_token(
        vocabulary, ids[max(settled, len(context)) :], following, window["max_tokens"], window["max_length"]
    )
    return ids[len(context) : len(ids) - back], forced[max(len(forced) - length, 0) :]


def latest_suffix(
    vocabulary: TokenBytes, ids: Sequence[int], following: Any, max_tokens: int | None, max_length: int | None
) -> tuple[int, int]:
    claims = [
        ORIGINAL_CLAIMED(vocabulary, ids, following, max_tokens, length)
        for length in range(1, vocabulary.longest + 1)
        if max_length is None or length <= max_length
    ]
    return next((claim for claim in claims if claim[0]), (0, 0))


def last_token_always_dropped(vocabulary: TokenBytes, ids: Sequence[int], *arguments: Any) -> tuple[int, int]:
    found = ORIGINAL_CLAIMED(vocabulary, ids, *arguments)
    return (1, len(vocabulary.raw(ids[-1:]))) if ids and not found[0] else found


def one_token_too_many(vocabulary: TokenBytes, ids: Sequence[int], *arguments: Any) -> tuple[int, int]:
    count, _ = ORIGINAL_CLAIMED(vocabulary, ids, *arguments)
    count = min(count + 1, len(ids)) if count else 0
    return count, len(vocabulary.raw(ids[len(ids) - count :]))


def grammar_ignored(vocabulary: TokenBytes, ids: Sequence[int], _following: Any, *window: Any) -> tuple[int, int]:
    return ORIGINAL_CLAIMED(vocabulary, ids, None, *window)


def bytes_ignored(
    vocabulary: TokenBytes, ids: Sequence[int], following: Any, max_tokens: int | None, _: int | None
) -> tuple[int, int]:
    return ORIGINAL_CLAIMED(vocabulary, ids, following, max_tokens, None)


def check_the_other_way(query: Request) -> None:
    for item in query["queries"]:
        item["grammar_check"] = not item.get("grammar_check", True)


def always(**setting: Any) -> Before:
    def edit(request: Request) -> None:
        for query in request["queries"]:
            if query.get("mode", "llguidance") == "llguidance":
                query.update(setting)

    return edit


def windows_reversed(request: Request) -> None:
    for query in request["queries"]:
        if query.get("mode", "llguidance") == "llguidance" and query.get("max_tokens", 4) != 4:
            query["max_tokens"] = {0: None, 1: 2, 2: 1, None: 0}[query["max_tokens"]]


def window_in_strict(request: Request, result: Result) -> None:
    for query, answer in answers(result, request, "strict"):
        if query.get("max_tokens", 4) == 0 or query.get("max_length") == 1:
            answer["tokens"] = answer["tokens"][:-1]


MUTANTS: tuple[Mutant, ...] = (
    mutant("strict-window", "FFT-023", "the window shortens strict answers", after=window_in_strict),
    mutant(
        "latest-suffix",
        "FFT-030",
        "the search goes on after the first suffix",
        (canonical, "claimed_by_spanning_token", latest_suffix),
    ),
    mutant(
        "drops-last",
        "FFT-030",
        "without a spanning token the last one goes",
        (canonical, "claimed_by_spanning_token", last_token_always_dropped),
    ),
    mutant(
        "one-too-many",
        "FFT-030",
        "one token too many is given back",
        (canonical, "claimed_by_spanning_token", one_token_too_many),
    ),
    mutant("no-healing", "FFT-030", "the window is always empty", before=always(max_tokens=0)),
    mutant("short-window", "FFT-030", "the window is one token", before=always(max_tokens=1)),
    mutant(
        "grammar-ignored", "FFT-030", "any token may span", (canonical, "claimed_by_spanning_token", grammar_ignored)
    ),
    mutant("no-context", "FFT-031", "the token before is ignored", (canonical, "windowed_tokens", no_context)),
    mutant(
        "context-kept",
        "FFT-031",
        "the token before is cut off unseen",
        (canonical, "windowed_tokens", context_always_kept),
    ),
    mutant("windows-reversed", "FFT-032", "a larger window gives back less", before=windows_reversed),
    mutant(
        "bytes-ignored",
        "FFT-032",
        "the window has all bytes of its tokens",
        (canonical, "claimed_by_spanning_token", bytes_ignored),
    ),
    mutant("check-reversed", "FFT-033", "the grammar check is reversed", before=check_the_other_way),
)
