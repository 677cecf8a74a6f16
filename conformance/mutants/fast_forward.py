"""Broken fast-forwarders: the reference with one part replaced, before its work, inside it, or after."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from mutants import Mutant
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.fast_forward import adapter, canonical, continuations, json_schema, matcher, strict
from tokenspec_reference.fast_forward.tokenize import tokenize_marked
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

Request = dict[str, Any]
Result = dict[str, Any]
Before = Callable[[Request], None]
After = Callable[[Request, Result], None]


class Edited(ReferenceAdapter):
    """The reference with an edit of the request, of a name inside it, or of the result."""

    def __init__(self, before: Before | None, after: After | None, replaced: Sequence[tuple[Any, str, Any]]) -> None:
        """Any of the three may be absent; without all of them this is the unmutated twin."""
        super().__init__()
        self.before, self.after, self.replaced = before, after, replaced

    def fast_forward(self, request: Request) -> Result:
        """Edit, answer with parts replaced, edit."""
        given = copy.deepcopy(request)
        if self.before is not None:
            self.before(given)
        with _patched(self.replaced):
            result = super().fast_forward(given)
        if self.after is not None:
            self.after(request, result)
        return result


@contextmanager
def _patched(replaced: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    if not replaced:
        yield
        return
    owner, name, value = replaced[0]
    with patch.object(owner, name, value), _patched(replaced[1:]):
        yield


def mutant(
    id_: str,
    breaks: str,
    note: str,
    *replaced: tuple[Any, str, Any],
    before: Before | None = None,
    after: After | None = None,
    rows: tuple[str, ...] = ("toy-bpe", "-"),
) -> Mutant:
    """One mutant; ``breaks`` lists requirement ids."""
    return Mutant(
        f"fast-forward-{id_}",
        "fast-forward",
        tuple(breaks.split()),
        note,
        lambda: Edited(before, after, replaced),
        rows,
    )


def answers(result: Result, request: Request, mode: str | None = None) -> Iterator[tuple[Request, Result]]:
    """Queries with their answers."""
    for query, answer in zip(request["queries"], result["answers"], strict=True):
        if mode is None or query.get("mode", "llguidance") == mode:
            yield query, answer


# ---- strict answers ------------------------------------------------------------------------------------------------


def window_instead(
    vocabulary: TokenBytes, state: Any, forced: bytes, recent: Sequence[int], **_: Any
) -> tuple[list[int], bytes]:
    ending = matcher.after(state, forced)
    return canonical.windowed_tokens(vocabulary, forced, recent, ending, max_tokens=4, max_length=None)


def nothing_held_back(
    vocabulary: TokenBytes, state: Any, forced: bytes, recent: Sequence[int], **_: Any
) -> tuple[list[int], bytes]:
    return canonical.windowed_tokens(vocabulary, forced, recent, None, max_tokens=0, max_length=None)


def nothing_forced(*_: Any, **__: Any) -> list[int]:
    return []


def one_token_less(vocabulary: TokenBytes, context: tuple[int, ...], data: bytes, state: Any) -> list[int]:
    return ORIGINAL_SHARED(vocabulary, context, data, state)[:-1]


def text_with_special_tokens(vocabulary: TokenBytes, *arguments: Any, **keywords: Any) -> tuple[list[int], bytes]:
    return ORIGINAL_STRICT(_parsing(vocabulary), *arguments, **keywords)


def _parsing(vocabulary: TokenBytes) -> TokenBytes:
    spelled = list(vocabulary.by_id)
    for name, token in vocabulary.special_ids.items():
        spelled[token] = name.encode()
    return replace(vocabulary, by_id=tuple(spelled), encode_isolated=vocabulary.encode_text)


def normalized_is_fine(_text: Any, ids: Sequence[int]) -> list[int]:
    return list(ids)


def all_is_covered(_: Request, result: Result) -> None:
    for answer in result["answers"]:
        answer["leftover"] = ""


def leftover_of_everything(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        answer["leftover"] = result["forced_bytes"]


def last_token_refused(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        answer["consumed"] = max(answer["consumed"] - 1, 0)


def mask_of_a_single_token(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        if len(answer["tokens"]) > 1:
            answer["first_in_mask"] = False


def forgets_leftover(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        if answer["leftover"]:
            answer["forced_after"] = ""


def mask_ignores_leftover(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        if answer["leftover"]:
            answer["next_tokens"] = [*answer.get("next_tokens", []), 0, 1, 2, 3, 4]


def mask_is_empty(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "strict"):
        answer["next_tokens"] = []


def bytes_instead(request: Request, result: Result) -> None:
    """Replace a strict answer of several letters by the ids of its first byte, which toy vocabularies have."""
    for _, answer in answers(result, request, "strict"):
        if answer["tokens"]:
            answer["tokens"] = [answer["tokens"][0] + 1, *answer["tokens"][1:]]


# ---- forced bytes --------------------------------------------------------------------------------------------------


def through_accepting(state: Any) -> int | None:
    bytes_allowed = list(state.allowed())
    return bytes_allowed[0] if len(bytes_allowed) == 1 else None


def first_of_two(state: Any) -> int | None:
    bytes_allowed = list(state.allowed())
    return bytes_allowed[0] if bytes_allowed and not state.accepting() and len(bytes_allowed) < 3 else None


def one_byte_only(state: Any, **_: Any) -> tuple[bytes, Any]:
    forced, ending = ORIGINAL_FORCED(state)
    if not forced or forced[0] == matcher.MARKER:
        return forced, ending
    return forced[:1], state.step(forced[0])


def never_special(state: Any, **_: Any) -> tuple[bytes, Any]:
    kept = ORIGINAL_FORCED(state)[0].partition(b"\xff")[0]
    return kept, matcher.after(state, kept)


# ---- the window ----------------------------------------------------------------------------------------------------


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


# ---- queries and input ---------------------------------------------------------------------------------------------


class Remembers(Edited):
    """Its second query sees the state the first one left."""

    def fast_forward(self, request: Request) -> Result:
        """Later answers of the same mode lose a token."""
        result = super().fast_forward(request)
        seen: set[str] = set()
        for query, answer in answers(result, request):
            key = repr(sorted(query.items()))
            if key in seen:
                answer["tokens"] = answer["tokens"][1:]
            seen.add(key)
        return result


class ChangesRequest(ReferenceAdapter):
    """Writes defaults into the request it was given."""

    def fast_forward(self, request: Request) -> Result:
        """Answer, then leave a trace."""
        result = super().fast_forward(request)
        request["queries"][0]["max_tokens"] = 4
        return result


def drop_unknown_keywords(_reader: Any, *_: Any) -> None:
    return


def quiet_refusal(_reader: Any, schema: Any, known: set[str], pointer: str) -> None:
    if any(keyword not in known and keyword not in json_schema.ANNOTATIONS for keyword in schema):
        raise json_schema.SchemaError("this schema is not supported", field=pointer)


def accept_anything(request: Request) -> None:
    for query in request["queries"]:
        if (query.get("max_tokens") or 0) < 0:
            query["max_tokens"] = 0


def any_prefix(state: Any, data: bytes) -> Any:
    return ORIGINAL_AFTER(state, data) or state


ORIGINAL_SHARED = strict.shared_by_all
ORIGINAL_STRICT = strict.strict_tokens
ORIGINAL_FORCED = matcher.forced_bytes
ORIGINAL_WINDOWED = canonical.windowed_tokens
ORIGINAL_CLAIMED = canonical.claimed_by_spanning_token
ORIGINAL_AFTER = matcher.after
FORCED_EVERYWHERE = [(canonical, "forced_bytes"), (adapter, "forced_bytes")]


def everywhere(value: Any) -> tuple[tuple[Any, str, Any], ...]:
    """Replace the forced bytes wherever they are asked for."""
    return tuple((owner, name, value) for owner, name in FORCED_EVERYWHERE)


MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "parse-special",
        "FFT-001",
        "text is read as special tokens",
        (canonical, "strict_tokens", text_with_special_tokens),
    ),
    mutant(
        "lossy",
        "FFT-002",
        "tokens that spell other bytes are kept",
        (continuations.Text, "lossless", normalized_is_fine),
        rows=("toy-added",),
    ),
    mutant("no-leftover", "FFT-002", "nothing is reported as left over", after=all_is_covered),
    mutant(
        "leftover-everything", "FFT-002 FFT-008", "the leftover is all that is forced", after=leftover_of_everything
    ),
    mutant(
        "force-accepting",
        "FFT-003 FFT-004",
        "forcing goes on where the text may end",
        (matcher, "_only_byte", through_accepting),
    ),
    mutant("force-first-of-two", "FFT-003", "the first of two bytes is forced", (matcher, "_only_byte", first_of_two)),
    mutant("force-one-byte", "FFT-003 FFT-008", "one byte is forced at a time", *everywhere(one_byte_only)),
    mutant("special-not-forced", "FFT-005 FFT-003", "special tokens are never forced", *everywhere(never_special)),
    mutant("refuses-own-token", "FFT-007", "the matcher stops before the last token", after=last_token_refused),
    mutant("forgets-leftover", "FFT-008", "nothing is forced after the tokens", after=forgets_leftover),
    mutant("first-masked", "FFT-009", "the mask forbids the first of several tokens", after=mask_of_a_single_token),
    mutant("mask-without-leftover", "FFT-010", "the next mask ignores the leftover", after=mask_ignores_leftover),
    mutant("mask-empty", "FFT-010", "no token is allowed next", after=mask_is_empty),
    Mutant(
        "fast-forward-remembers",
        "fast-forward",
        ("FFT-011",),
        "a repeated query sees the first one's state",
        lambda: Remembers(None, None, ()),
    ),
    Mutant("fast-forward-changes-request", "fast-forward", ("FFT-011",), "writes into the request", ChangesRequest),
    mutant("strict-is-window", "FFT-020", "strict is the window test", (canonical, "strict_tokens", window_instead)),
    mutant(
        "strict-holds-nothing", "FFT-020", "strict gives nothing back", (canonical, "strict_tokens", nothing_held_back)
    ),
    mutant("always-empty", "FFT-021", "nothing is ever forced", (strict, "shared_by_all", nothing_forced)),
    mutant("one-less", "FFT-021", "the last token is always held back", (strict, "shared_by_all", one_token_less)),
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
    mutant("check-reversed", "FFT-033", "the grammar check is reversed", before=check_the_other_way),
    mutant(
        "strict-first-byte",
        "FFT-034",
        "strict spells single bytes",
        after=bytes_instead,
    ),
    mutant(
        "drops-keywords",
        "FFT-040",
        "unknown keywords are dropped",
        (json_schema._Reader, "only", drop_unknown_keywords),
    ),
    mutant("quiet-refusal", "FFT-040", "the refusal does not say why", (json_schema._Reader, "only", quiet_refusal)),
    mutant("negative-window", "FFT-041", "a negative window is none", before=accept_anything),
    mutant("any-prefix", "FFT-041", "a prefix that is not allowed is skipped", (adapter, "after", any_prefix)),
)
