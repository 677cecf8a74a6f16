"""Broken fast-forwarders: strict answers, forced bytes, queries and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tokenspec.areas.fast_forward.mutants.edits import Edited, Request, Result, answers, mutant, schemas_in
from tokenspec.areas.misrefusing import coded, misrefusing, placing
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.fast_forward import adapter, canonical, continuations, matcher, schema_shapes, strict
from tokenspec_reference.fast_forward.errors import SchemaError
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

# ---- strict answers ------------------------------------------------------------------------------------------------


def window_instead(
    vocabulary: TokenBytes, forced: bytes, ending: Any, recent: Sequence[int], **_: Any
) -> tuple[list[int], bytes]:
    return canonical.windowed_tokens(vocabulary, forced, recent, ending, max_tokens=4, max_length=None)


def nothing_held_back(
    vocabulary: TokenBytes, forced: bytes, ending: Any, recent: Sequence[int], **_: Any
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


def all_is_covered_by_llguidance(request: Request, result: Result) -> None:
    for _, answer in answers(result, request, "llguidance"):
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


def drop_what_is_not_understood(request: Request) -> None:
    for schema in schemas_in(request["grammar"].get("json_schema", {})):
        for keyword in ("uniqueItems", "contains", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef"):
            schema.pop(keyword, None)


def quiet_refusal(_message: str, *, field: str) -> SchemaError:
    return SchemaError("this schema is not supported", field=field.rpartition("/")[0])


def accept_anything(request: Request) -> None:
    for query in request["queries"]:
        if (query.get("max_tokens") or 0) < 0:
            query["max_tokens"] = 0


def any_prefix(state: Any, data: bytes) -> Any:
    return ORIGINAL_AFTER(state, data) or state


ORIGINAL_SHARED = strict.shared_by_all
ORIGINAL_STRICT = strict.strict_tokens
ORIGINAL_FORCED = matcher.forced_bytes
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
        "no-leftover-of-llguidance",
        "FFT-002",
        "what the profile llguidance leaves over is lost",
        after=all_is_covered_by_llguidance,
    ),
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
    misrefusing(
        "fast-forward", "fast_forward", "any-reason", "FFT-041", "one code for all refusals", coded("invalid-input")
    ),
    misrefusing(
        "fast-forward",
        "fast_forward",
        "place-of-schema",
        "FFT-040",
        "points to the grammar",
        placing(lambda _: "/grammar"),
    ),
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
        before=drop_what_is_not_understood,
    ),
    mutant("quiet-refusal", "FFT-040", "the refusal does not say why", (schema_shapes, "SchemaError", quiet_refusal)),
    mutant("negative-window", "FFT-041", "a negative window is none", before=accept_anything),
    mutant("any-prefix", "FFT-041", "a prefix that is not allowed is skipped", (adapter, "after", any_prefix)),
)
