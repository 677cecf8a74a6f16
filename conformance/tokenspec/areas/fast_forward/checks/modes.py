"""Mode ``strict`` is judged by the definition, mode ``llguidance`` by the pinned implementation."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Literal

from tokenspec.areas.check import NotGiven, Question, Subject, Violation
from tokenspec.areas.fast_forward.checks.asked import (
    MARKED,
    answers,
    asked,
    equal,
    field,
    forced,
    has_prefix,
    knows_the_longest,
    prefix_of,
    queries,
    raw,
    rule,
    vocabulary,
)
from tokenspec.areas.fast_forward.records import FastForwardExpect, Query, data_of

MODES: tuple[Literal["llguidance", "strict"], ...] = ("llguidance", "strict")


@rule("pure", "BYTES", "FFT-011", kind="metamorphic")
def queries_change_nothing(subject: Subject) -> None:
    """Asking again, twice and in reverse, gives the same answers and leaves the request alone."""
    if subject.mutated:
        raise Violation("the request was changed", where="request")
    request = copy.deepcopy(subject.request)
    once = request["queries"]
    request["queries"] = [*reversed(once), *once]
    again = subject.output_of(request)
    count = len(once)
    equal("the number of answers depends on the queries", 2 * count, len(again.answers))
    equal("other answers in reverse order", subject.output.answers, list(reversed(again.answers[:count])))
    equal("other answers the second time", subject.output.answers, again.answers[count:])


@rule("canonical", "CANONICAL", "FFT-020", kind="golden", applies=lambda question: bool(question.expect.beginnings))
def forced_tokens_are_canonical(subject: Subject) -> None:
    """Every canonical way to go on begins with the strict tokens."""
    for _, tokens, _ in answers(subject, "strict"):
        for beginning in subject.expect.beginnings:
            if beginning.tokens[: len(tokens)] != tokens:
                raise Violation(
                    "forcing these tokens leaves the canonical tokenisation",
                    expected=f"{beginning.tokens} when {data_of(beginning.text)!r} follows the forced bytes",
                    got=tokens,
                    hint="tokenise whole continuations and keep what all of them share",
                )


def leaves_no_choice(question: Question) -> bool:
    """The grammar has a single text from here, and it is forced."""
    expect: FastForwardExpect = question.expect
    return expect.texts == 1 and len(expect.beginnings) == 1 and not data_of(expect.beginnings[0].text)


@rule("whole", "CANONICAL", "FFT-021", kind="golden", applies=leaves_no_choice)
def text_without_choice_is_whole(subject: Subject) -> None:
    """A single possible text is forced to its end."""
    expect: FastForwardExpect = subject.expect
    for query, tokens, answer in answers(subject, "strict"):
        if query.grammar_check:
            equal("a text without choice is not forced whole", expect.beginnings[0].tokens, tokens)
            equal("something is left over", b"", data_of(field(answer.leftover, "leftover")))


@rule("longest", "CANONICAL", "FFT-022", kind="golden", applies=knows_the_longest)
def no_more_is_held_back_than_necessary(subject: Subject) -> None:
    """The strict tokens are all that canonical continuations share."""
    for query, tokens, _ in answers(subject, "strict"):
        if query.grammar_check:
            equal("more could be forced", subject.expect.longest, tokens)


def asks_for_strict_windows(question: Question) -> bool:
    """The case asks for several strict answers that differ in their windows."""
    return sum(query.grammar_check for query in queries(question, "strict")) > 1


@rule("no-window", "TOKENS", "FFT-023", applies=asks_for_strict_windows)
def strict_has_no_window(subject: Subject) -> None:
    """Strict answers do not depend on the window."""
    given = [tokens for query, tokens, _ in answers(subject, "strict") if query.grammar_check]
    if len(given) < 2:
        raise NotGiven("one strict answer only, so there is nothing to compare it with")
    for tokens in given[1:]:
        equal("the window changes a strict answer", given[0], tokens)


def loads_upstream(question: Question) -> bool:
    """The pinned implementation loads the vocabulary."""
    return question.expect.llguidance is not None


@rule("upstream", "TOKENS", "FFT-030", kind="golden", applies=loads_upstream)
def tokens_are_those_of_llguidance(subject: Subject) -> None:
    """Mode llguidance, upstream's window: token for token."""
    compare_with_upstream(subject)


@rule(
    "context",
    "TOKENS",
    "FFT-031",
    kind="golden",
    applies=lambda question: has_prefix(question) and loads_upstream(question),
)
def last_token_is_context(subject: Subject) -> None:
    """The same where a token stands before: it is context, or left out if it does not come back."""
    compare_with_upstream(subject)


def compare_with_upstream(subject: Subject) -> None:
    """Compare where both force the same bytes."""
    if data_of(field(subject.output.forced_bytes, "forced_bytes")) != forced(subject):
        raise NotGiven("other bytes are forced, so other tokens are (see FFT-003)")
    hint = "compare window, context, settled tokens"
    for query, tokens, _ in answers(subject, "llguidance"):
        if query.upstream:
            equal("llguidance forces other tokens", subject.expect.llguidance, tokens, hint=hint)


def windowed(query: Query) -> bool:
    """Whether a query of mode llguidance differs from upstream's in its window at most."""
    return query.grammar_check and query.max_length is None


def asks_for_windows(question: Question) -> bool:
    """The case asks for two windows."""
    return sum(map(windowed, queries(question, "llguidance"))) > 1


@rule("window", "TOKENS", "FFT-032", applies=asks_for_windows)
def larger_window_gives_back_more(subject: Subject) -> None:
    """With a larger window the tokens are a prefix; with none nothing is given back."""
    plain = [item for item in answers(subject, "llguidance") if windowed(item[0])]
    plain.sort(key=lambda item: float("inf") if item[0].max_tokens is None else item[0].max_tokens)
    if len(plain) < 2:
        raise NotGiven(why_unsupported(subject))
    for query, _, answer in plain:
        if query.max_tokens == 0:
            equal("a window of no tokens gives something back", b"", data_of(field(answer.leftover, "leftover")))
    for (small, smaller, _), (large, larger, _) in pairwise(plain):
        prefix_of(
            "a larger window gives back less", larger, smaller, f"max_tokens {small.max_tokens} and {large.max_tokens}"
        )


def asks_for_bytes(question: Question) -> bool:
    """The case asks for a window of bytes, and for all tokens beside it."""
    asked_for = queries(question, "llguidance")
    return any(query.max_length is not None for query in asked_for) and any(map(is_empty, asked_for))


def is_empty(query: Query) -> bool:
    """Whether the window of a query has no tokens, so that nothing is given back."""
    return query.max_tokens == 0


@rule("window-bytes", "TOKENS", "FFT-032", applies=asks_for_bytes)
def tokens_before_the_window_are_kept(subject: Subject) -> None:
    """What is given back has some of the last ``max_length`` bytes, each token of it."""
    given = [(query, tokens) for query, tokens, _ in answers(subject, "llguidance")]
    whole = next((tokens for query, tokens in given if is_empty(query)), None)
    limited = [(query.max_length, tokens) for query, tokens in given if query.max_length is not None]
    if whole is None or not limited:
        raise NotGiven(why_unsupported(subject))
    for size, tokens in limited:
        behind = raw(vocabulary(subject), whole[len(tokens) + 1 :])  # the first that is given back
        if len(tokens) < len(whole) and len(behind) >= size:
            raise Violation(
                "a token before the window is given back",
                expected=f"the tokens before the last {size} bytes of {whole}",
                got=tokens,
                where=f"max_length {size}",
            )


def why_unsupported(subject: Subject) -> str:
    """The first reason an implementation gives for a query it has no answer to."""
    return next(
        (answer.unsupported for _, answer in asked(subject) if answer.unsupported), "fewer answers than queries"
    )


def without_window(query: Query) -> bool:
    """A strict query, or one of llguidance that differs from what upstream asks in the grammar check at most."""
    return query.mode == "strict" or (query.max_tokens, query.max_length) == (4, None)


def asks_unchecked(question: Question) -> bool:
    """The case asks in one mode with and without grammar check."""
    own = ([query for query in queries(question, mode) if without_window(query)] for mode in MODES)
    return any(len({query.grammar_check for query in given}) == 2 for given in own)


@rule("unchecked", "TOKENS", "FFT-033", applies=asks_unchecked)
def without_grammar_check_more_is_held_back(subject: Subject) -> None:
    """Without grammar check the tokens are a prefix of those with it."""
    compared = False
    for mode in MODES:
        given = [(query, answer.tokens) for query, answer in asked(subject) if query.mode == mode]
        own = {query.grammar_check: tokens for query, tokens in reversed(given) if without_window(query)}
        checked, unchecked = own.get(True), own.get(False)
        if checked is not None and unchecked is not None:
            compared = True
            prefix_of("without grammar check less is held back", unchecked, checked, f"grammar_check, {mode}")
    if not compared:
        raise NotGiven(why_unsupported(subject))


def upstream_is_canonical(question: Question) -> bool:
    """The tokens of llguidance spell forced text, and no canonical way to go on leaves them."""
    upstream, text = question.expect.llguidance, forced(question)
    if not upstream or MARKED.search(text) or not text.startswith(raw(vocabulary(question), upstream)):
        return False
    return all(way.tokens[: len(upstream)] == upstream for way in question.expect.beginnings)


@rule("modes-agree", "TOKENS", "FFT-034", kind="golden", applies=upstream_is_canonical)
def profiles_do_not_contradict(subject: Subject) -> None:
    """One profile's tokens are a prefix of the other's, where those of llguidance are text and canonical."""
    strict = next(answers(subject, "strict"))[1]
    for query, tokens, _ in answers(subject, "llguidance"):
        if query.upstream and tokens[: len(strict)] != strict[: len(tokens)]:
            raise Violation("the profiles contradict each other", expected=tokens, got=strict, where="strict")
