"""What holds of forced tokens: they spell what is forced, the grammar takes them, and the model has met them this way.

Answers of mode ``strict`` are judged by the definition, answers of mode ``llguidance`` by the pinned implementation.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tokenspec.areas.check import Applies, Judge, NotGiven, Question, Subject, Violation, check, cites, everywhere
from tokenspec.areas.fast_forward.oracle.vocabulary import OracleVocabulary
from tokenspec.areas.fast_forward.records import Answer, FastForwardExpect, FastForwardOutput, Query, data_of

MARKED = re.compile(rb"\xff\[(\d+)\]")


def rule(
    name: str, level: str, *requires: str, kind: str = "invariant", applies: Applies = everywhere
) -> Callable[[Judge], Judge]:
    """Register a check of this area."""
    return check(
        f"fast-forward.{name}", area="fast-forward", level=level, requires=requires, kind=kind, applies=applies
    )


def queries(question: Question, mode: str) -> list[Query]:
    """The queries of one mode."""
    return [query for query in (Query(**given) for given in question.input["queries"]) if query.mode == mode]


def asked(subject: Subject) -> list[tuple[Query, Answer]]:
    """The queries with their answers; a wrong number of answers is a Violation."""
    output: FastForwardOutput = subject.output
    made = [Query(**query) for query in subject.input["queries"]]
    if len(made) != len(output.answers):
        raise Violation("one answer per query", expected=len(made), got=len(output.answers))
    return list(zip(made, output.answers, strict=True))


def answers(subject: Subject, mode: str) -> Iterator[tuple[Query, list[int], Answer]]:
    """The answers of one mode that were given; NotGiven where none was."""
    found = [(query, answer.tokens, answer) for query, answer in asked(subject) if query.mode == mode]
    given = [(query, tokens, answer) for query, tokens, answer in found if tokens is not None]
    if not given:
        reason = next((answer.unsupported for _, _, answer in found), "the case does not ask for it")
        raise NotGiven(f"mode {mode}: {reason}")
    return iter(given)


def field(value: Any, name: str) -> Any:
    """An optional field, or NotGiven."""
    if value is None:
        raise NotGiven(f"{name} is not given")
    return value


def vocabulary(question: Question) -> OracleVocabulary:
    """The vocabulary as the oracle reads it."""
    from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of

    return vocabulary_of(question.input, question.cell.row)


def forced(question: Question) -> bytes:
    """The forced bytes by the oracle."""
    expect: FastForwardExpect = question.expect
    return data_of(expect.forced_bytes)


def has_prefix(question: Question) -> bool:
    """Tokens stand before the grammar."""
    return bool(question.expect.prefix_tokens)


@rule("prefix", "TOKENS", "FFT-031", kind="golden", applies=has_prefix)
def prefix_is_tokenised_alike(subject: Subject) -> None:
    """Each piece of the prefix is tokenised for itself, by the row's tokenizer."""
    equal("the prefix is other tokens", subject.expect.prefix_tokens, subject.output.prefix_tokens)


@rule("forced-bytes", "BYTES", "FFT-003", kind="golden")
def forced_bytes_are_exact(subject: Subject) -> None:
    """The forced bytes are those of the grammar."""
    equal("other bytes are forced", forced(subject), data_of(field(subject.output.forced_bytes, "forced_bytes")))


@rule("complete", "BYTES", "FFT-004", kind="golden")
def complete_text_forces_nothing(subject: Subject) -> None:
    """A complete text forces no bytes and no tokens, and a text that has to go on is not complete."""
    if not subject.expect.accepting:
        equal("the text so far is not complete", False, field(subject.output.accepting, "accepting"), where="accepting")
        return
    equal("the text so far is complete", True, field(subject.output.accepting, "accepting"))
    for _, answer in asked(subject):
        if answer.tokens or answer.leftover:
            raise Violation("a complete text forces nothing", expected=[], got=answer.tokens, where="tokens, leftover")


@rule("special-only-by-name", "TOKENS", "FFT-001", kind="golden")
def text_never_becomes_special(subject: Subject) -> None:
    """Special tokens in a strict answer are those the grammar names, no more."""
    known, named = vocabulary(subject), marked(subject)
    for _, tokens, _ in answers(subject, "strict"):
        special = [token for token in tokens if known.spell([token]) is None]
        if special != named[: len(special)]:
            raise Violation(
                "a special token that the grammar does not name",
                expected=named,
                got=special,
                where="special tokens of the strict answer",
                hint="the tokenizer read text of the grammar as a special token",
            )


@rule("special-whole", "TOKENS", "FFT-005", kind="golden", applies=lambda question: bool(marked(question)))
def special_tokens_are_forced_whole(subject: Subject) -> None:
    """Every special token that is forced is in the answer."""
    known, named = vocabulary(subject), marked(subject)
    for mode in ("strict", "llguidance"):
        for _, tokens, _ in answers(subject, mode):
            got = [token for token in tokens if known.spell([token]) is None]
            if got[: len(named)] != named:
                raise Violation("a forced special token is missing", expected=named, got=got, where=mode)


@rule("lossless", "BYTES", "FFT-002", kind="golden")
def tokens_and_leftover_spell(subject: Subject) -> None:
    """Bytes of the strict tokens, then the leftover, are the forced bytes."""
    known = vocabulary(subject)
    for _, tokens, answer in answers(subject, "strict"):
        spelled = raw(known, tokens) + data_of(field(answer.leftover, "leftover"))
        equal("tokens and leftover spell other bytes", forced(subject), spelled, hint="a normalizer changes the text")


@rule("accepted", "BYTES", "FFT-007")
def grammar_takes_the_tokens(subject: Subject) -> None:
    """The implementation's own matcher accepts every strict token."""
    for _, tokens, answer in answers(subject, "strict"):
        equal(
            "the matcher stops inside its own tokens", len(tokens), field(answer.consumed, "consumed"), where="consumed"
        )


@rule("leftover-next", "BYTES", "FFT-008")
def leftover_is_forced_next(subject: Subject) -> None:
    """Once the tokens are consumed, exactly the leftover is forced."""
    for _, _, answer in answers(subject, "strict"):
        leftover = data_of(field(answer.leftover, "leftover"))
        equal(
            "something else is forced after the tokens", leftover, data_of(field(answer.forced_after, "forced_after"))
        )


def forces_tokens(question: Question) -> bool:
    """Strict tokens are expected; where texts were sampled, forced bytes are all that is known."""
    return bool(question.expect.longest if knows_the_longest(question) else forced(question))


@rule("first-allowed", "TOKENS", "FFT-009", applies=forces_tokens)
def first_token_is_in_the_mask(subject: Subject) -> None:
    """The mask before the strict tokens allows the first of them."""
    judged = [answer for _, tokens, answer in answers(subject, "strict") if tokens]
    if not judged:
        raise NotGiven("no token is forced in mode strict")
    for answer in judged:
        equal("the mask forbids the first token", True, field(answer.first_in_mask, "first_in_mask"))


def leaves_bytes(question: Question) -> bool:
    """Bytes of text are expected to be left over; where texts were sampled, forced bytes are all that is known."""
    taken = raw(vocabulary(question), question.expect.longest) if knows_the_longest(question) else b""
    left = forced(question)[len(taken) :]
    return bool(left) and not left.startswith(b"\xff")


@rule("next-agrees", "TOKENS", "FFT-010", kind="golden", applies=leaves_bytes)
def next_token_agrees_with_leftover(subject: Subject) -> None:
    """With a leftover, every next token is a prefix of it or begins with it."""
    known, judged = vocabulary(subject), False
    for _, _, answer in answers(subject, "strict"):
        leftover = data_of(field(answer.leftover, "leftover"))
        if not leftover or leftover.startswith(b"\xff"):
            continue
        judged = True
        following = field(answer.next_tokens, "next_tokens")
        if not following:
            raise Violation("no token is allowed although bytes are forced", expected=leftover, got=[])
        for token in following:
            data = known.spell([token])
            if data is None or not (data.startswith(leftover) or leftover.startswith(data)):
                raise Violation(
                    "a next token contradicts the leftover", expected=leftover, got=data, where=f"id {token}"
                )
    if not judged:
        raise NotGiven("nothing is left over in mode strict")


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
    for _, tokens, answer in answers(subject, "strict"):
        equal("a text without choice is not forced whole", expect.beginnings[0].tokens, tokens)
        equal("something is left over", b"", data_of(field(answer.leftover, "leftover")))


def knows_the_longest(question: Question) -> bool:
    """All texts of the grammar are known, and with them what they share."""
    expect: FastForwardExpect = question.expect
    return expect.texts is not None and expect.longest is not None and bool(expect.beginnings)


@rule("longest", "CANONICAL", "FFT-022", kind="golden", applies=knows_the_longest)
def no_more_is_held_back_than_necessary(subject: Subject) -> None:
    """The strict tokens are all that canonical continuations share."""
    for _, tokens, _ in answers(subject, "strict"):
        equal("more could be forced", subject.expect.longest, tokens)


@rule("no-window", "TOKENS", "FFT-023", applies=lambda question: len(queries(question, "strict")) > 1)
def strict_has_no_window(subject: Subject) -> None:
    """Strict answers do not depend on the window."""
    given = [tokens for _, tokens, _ in answers(subject, "strict")]
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


def why_unsupported(subject: Subject) -> str:
    """The first reason an implementation gives for a query it has no answer to."""
    return next(
        (answer.unsupported for _, answer in asked(subject) if answer.unsupported), "fewer answers than queries"
    )


def asks_unchecked(question: Question) -> bool:
    """The case asks what upstream asks, and the same without grammar check."""
    own = queries(question, "llguidance")
    return any(query.upstream for query in own) and any(not query.grammar_check for query in own)


@rule("unchecked", "TOKENS", "FFT-033", applies=asks_unchecked)
def without_grammar_check_more_is_held_back(subject: Subject) -> None:
    """Without grammar check the tokens are a prefix of those with it."""
    given = list(answers(subject, "llguidance"))
    checked = next((tokens for query, tokens, _ in given if query.upstream), None)
    unchecked = next((tokens for query, tokens, _ in given if not query.grammar_check), None)
    if checked is None or unchecked is None:
        raise NotGiven(why_unsupported(subject))
    prefix_of("without grammar check less is held back", unchecked, checked, "grammar_check")


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


@rule(
    "refuses-keyword",
    "BYTES",
    "FFT-040",
    kind="rejects",
    applies=lambda question: question.input.get("names") is not None,
)
def unsupported_keyword_is_named(subject: Subject) -> None:
    """The refusal names the keyword."""
    word, message = subject.input["names"], refusal(subject)
    if word not in message:
        raise Violation("the refusal does not name the keyword", expected=word, got=message)


@rule("refuses-input", "BYTES", "FFT-041", kind="rejects", applies=cites("FFT-041"))
def bad_input_is_refused(subject: Subject) -> None:
    """Prefix, window, special name or grammar that make no sense are refused."""
    refusal(subject)


@rule("refuses-endless", "BYTES", "FFT-006", kind="rejects", applies=cites("FFT-006"))
def forcing_is_bounded(subject: Subject) -> None:
    """Very long forced text is refused."""
    refusal(subject)


def refusal(subject: Subject) -> str:
    """The text of the refusal; an answer is a Violation."""
    from tokenspec.adapters import Refused

    if not isinstance(subject.outcome, Refused):
        raise Violation("bad input is answered", expected="a refusal", got=subject.output)
    return subject.outcome.message


def marked(question: Question) -> list[int]:
    """The special tokens among the forced bytes."""
    return [int(number) for number in MARKED.findall(forced(question))]


def raw(known: OracleVocabulary, tokens: list[int]) -> bytes:
    """Token bytes, special tokens as markers."""
    return b"".join(known.spell([token]) or b"\xff[%d]" % token for token in tokens)


def equal(message: str, expected: object, got: object, *, where: str = "", hint: str = "") -> None:
    """A Violation unless both are equal."""
    if expected != got:
        raise Violation(message, expected=expected, got=got, where=where, hint=hint)


def prefix_of(message: str, shorter: list[int], longer: list[int], where: str) -> None:
    """A Violation unless the first list begins the second."""
    if longer[: len(shorter)] != shorter:
        raise Violation(message, expected=f"a prefix of {longer}", got=shorter, where=where)
