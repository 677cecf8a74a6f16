"""What holds of any answer: it spells what is forced, the grammar takes it, and bad input is refused."""

from __future__ import annotations

from tokenspec.areas.check import NotComparable, Question, Subject, Violation, cites
from tokenspec.areas.fast_forward.checks.asked import (
    answers,
    asked,
    equal,
    field,
    forced,
    has_prefix,
    knows_the_longest,
    marked,
    raw,
    rule,
    vocabulary,
)
from tokenspec.areas.fast_forward.records import data_of
from tokenspec.areas.refusal import refused

MOST_REPORTED = 16  # ids of the next mask that an answer names


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


@rule("probes", "BYTES", "FFT-042", "FFT-043", kind="golden", applies=lambda question: bool(question.expect.probes))
def texts_are_those_of_the_grammar(subject: Subject) -> None:
    """Of each probe as many bytes are allowed as some text begins with, and exactly the texts are complete."""
    probes, got = subject.input["probes"], field(subject.output.probes, "probes")
    equal("one answer per probe", len(probes), len(got), where="probes")
    for index, (probe, expected, given) in enumerate(zip(probes, subject.expect.probes, got, strict=True)):
        equal(f"another language: {probe!r}", expected, given, where=f"probes[{index}]")


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


def special_follows_canonical_text(question: Question) -> bool:
    """A special token is forced, and the tokenizer spells the text before it."""
    return bool(marked(question)) and question.expect.longest is not None


@rule("special-whole", "TOKENS", "FFT-005", kind="golden", applies=special_follows_canonical_text)
def special_tokens_are_forced_whole(subject: Subject) -> None:
    """Every special token that is forced is in the answer."""
    known, named = vocabulary(subject), marked(subject)
    for mode in ("strict", "llguidance"):
        for _, tokens, _ in answers(subject, mode):
            got = [token for token in tokens if known.spell([token]) is None]
            if got[: len(named)] != named:
                raise Violation("a forced special token is missing", expected=named, got=got, where=mode)


def is_spelled(question: Question) -> bool:
    """The tokenizer spells the forced bytes, and no special token is named in them."""
    known = vocabulary(question)
    try:
        text = forced(question).decode()
    except UnicodeDecodeError:
        return False
    named = any(name in text for name in known.special_ids)
    return not named and known.spell(known.encode(text)) == text.encode()


@rule("lossless", "BYTES", "FFT-002", kind="golden")
def tokens_and_leftover_spell(subject: Subject) -> None:
    """Bytes of the strict tokens, then the leftover, are the forced bytes."""
    require_forced(subject, "strict")


@rule("lossless-llguidance", "BYTES", "FFT-002", kind="golden", applies=is_spelled)
def tokens_and_leftover_of_llguidance_spell(subject: Subject) -> None:
    """In the profile llguidance, too, where the tokenizer spells the forced bytes."""
    require_forced(subject, "llguidance")


def require_forced(subject: Subject, mode: str) -> None:
    """Raises Violation where the tokens of a mode and the leftover spell other bytes than the forced ones."""
    known = vocabulary(subject)
    for _, tokens, answer in answers(subject, mode):
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
        raise NotComparable("no token is forced in mode strict")
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
        if len(following) > MOST_REPORTED:
            raise Violation("more ids than an answer names", expected=f"at most {MOST_REPORTED}", got=len(following))
        for token in following:
            data = known.spell([token])
            if data is None or not (data.startswith(leftover) or leftover.startswith(data)):
                raise Violation(
                    "a next token contradicts the leftover", expected=leftover, got=data, where=f"id {token}"
                )
    if not judged:
        raise NotComparable("nothing is left over in mode strict")


@rule("next-whole", "TOKENS", "FFT-012", kind="golden", applies=leaves_bytes)
def every_id_that_begins_the_leftover_is_allowed(subject: Subject) -> None:
    """With a leftover and a mask that was given whole, every id whose bytes begin the leftover is in it."""
    known, judged = vocabulary(subject), False
    for _, _, answer in answers(subject, "strict"):
        leftover, following = data_of(field(answer.leftover, "leftover")), field(answer.next_tokens, "next_tokens")
        if leftover and not leftover.startswith(b"\xff") and len(following) < MOST_REPORTED:
            judged = True
            missing = sorted(set(known.beginning(leftover)) - set(following))
            equal("ids that begin the leftover are not allowed", [], missing, where="next_tokens")
    if not judged:
        raise NotComparable("nothing is left over in mode strict, or more ids are allowed than are reported")


@rule(
    "refuses-keyword",
    "BYTES",
    "FFT-040",
    kind="rejects",
    applies=lambda question: question.input.get("names") is not None,
)
def unsupported_keyword_is_named(subject: Subject) -> None:
    """The refusal names the keyword."""
    word, message = subject.input["names"], refused(subject).message
    if word not in message:
        raise Violation("the refusal does not name the keyword", expected=word, got=message)


@rule("refuses-input", "BYTES", "FFT-041", kind="rejects", applies=cites("FFT-041"))
def bad_input_is_refused(subject: Subject) -> None:
    """Prefix, window, special name or grammar that make no sense are refused."""
    refused(subject)


@rule("refuses-endless", "BYTES", "FFT-006", kind="rejects", applies=cites("FFT-006"))
def forcing_is_bounded(subject: Subject) -> None:
    """Very long forced text is refused."""
    refused(subject)
