"""IDS: the canonical ids, which are one encode of the whole text."""

from __future__ import annotations

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.difference import first_difference
from tokenspec.areas.render.checks.laying import are_far_more, ids_of
from tokenspec.areas.render.checks.place import comes_back, decode, describe, encode, show


def canonical_ids(subject: Subject) -> list[int]:
    """The oracle's ids where the text is the oracle's, else one encode of the text that was given or is decoded.

    Raises:
        NotComparable: no text is given, and the tokenizer does not decode what it encodes.
    """
    expected: list[int] = subject.expect.token_ids
    given, ids = subject.output.text, ids_of(subject)
    if given == subject.expect.text or ids == expected:
        return expected
    if are_far_more(ids, expected):
        return expected
    text = decode(subject, ids) if given is None else given
    if given is None and not comes_back(subject, text):
        raise NotComparable("gives no text, and this tokenizer's decode is not the inverse of its encode")
    return expected if text == subject.expect.text else encode(subject, text)


@check("render.ids", area="render", level="IDS", requires=("RND-010",), kind="golden")
def ids_are_canonical(subject: Subject) -> None:
    """The ids are one encode of the whole text: the oracle's, where the text is, else the implementation's own."""
    if subject.output.id_profile != "canonical":
        raise NotComparable(f"claims the {subject.output.id_profile} ids")
    expected, got = canonical_ids(subject), ids_of(subject)
    if got == expected:
        return
    at = first_difference(expected, got)
    same_text = decode(subject, expected) == decode(subject, got)
    raise Violation(
        f"the ids are not one encode of the text ({len(got)} instead of {len(expected)})",
        where=describe(subject, at) if same_text else f"token {at} of {len(expected)}",
        expected=show(subject, expected[at : at + 4]),
        got=show(subject, got[at : at + 4]),
        hint="same text, other ids: encode the joined text once, not piece by piece" if same_text else "",
        cause="the ids are not one encode of the text" + (", and spell it" if same_text else ""),
    )


def is_lossless(question: Question) -> bool:
    """The row's tokenizer gives the expected text back."""
    return comes_back(question, question.expect.text)


@check("render.ids-spell-text", area="render", level="IDS", requires=("RND-011",), applies=is_lossless)
def ids_spell_the_text(subject: Subject) -> None:
    """The ids decode to the text the implementation itself gives."""
    ids = ids_of(subject)
    if subject.output.text is None:
        raise NotGiven("gives no text")
    if not comes_back(subject, subject.output.text):
        raise NotComparable("the tokenizer does not give this text back, and it is another one than expected")
    decoded = decode(subject, ids)
    if decoded != subject.output.text:
        raise Violation(
            "the ids decode to another text",
            expected=repr(subject.output.text[-60:]),
            got=repr(decoded[-60:]),
        )
