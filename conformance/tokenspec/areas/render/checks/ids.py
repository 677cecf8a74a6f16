"""IDS: the canonical ids, which are one encode of the whole text."""

from __future__ import annotations

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.render.checks.place import decode, describe, row_of, show


@check("render.ids", area="render", level="IDS", requires=("RND-010",), kind="golden")
def ids_are_canonical(subject: Subject) -> None:
    """The ids equal the oracle's, one encode of the whole text."""
    if subject.output.id_profile != "canonical":
        raise NotGiven(f"claims the {subject.output.id_profile} ids")
    expected, got = subject.expect.token_ids, subject.output.token_ids
    if got == expected:
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b),
        min(len(expected), len(got)),
    )
    same_text = decode(subject, expected) == decode(subject, got)
    raise Violation(
        f"the ids differ from the oracle's ({len(got)} instead of {len(expected)})",
        where=describe(subject, at) if same_text else f"token {at} of {len(expected)}",
        expected=show(subject, expected[at : at + 4]),
        got=show(subject, got[at : at + 4]),
        hint="same text, other ids: encode the joined text once, not piece by piece" if same_text else "",
    )


def comes_back(question: Question, text: str) -> bool:
    """Whether the row's tokenizer decodes what it encodes."""
    tokenizer = row_of(question).tokenizer
    return bool(tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text)


def is_lossless(question: Question) -> bool:
    """The row's tokenizer gives the expected text back."""
    return comes_back(question, question.expect.text)


@check("render.ids-spell-text", area="render", level="IDS", requires=("RND-011",), applies=is_lossless)
def ids_spell_the_text(subject: Subject) -> None:
    """The ids decode to the text the implementation itself gives."""
    if subject.output.text is None:
        raise NotGiven("gives no text")
    if not comes_back(subject, subject.output.text):
        raise NotGiven("the tokenizer does not give this text back, and it is another one than expected (see RND-001)")
    decoded = decode(subject, subject.output.token_ids)
    if decoded != subject.output.text:
        raise Violation(
            "the ids decode to another text",
            expected=repr(subject.output.text[-60:]),
            got=repr(decoded[-60:]),
        )
