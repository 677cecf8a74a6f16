"""IDS: the canonical ids, which are one encode of the whole text."""

from __future__ import annotations

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.areas.render.checks.place import describe, row_of, show


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
    tokenizer = row_of(subject).tokenizer
    same_text = tokenizer.decode(expected) == tokenizer.decode(got)
    raise Violation(
        f"the ids differ from the oracle's ({len(got)} instead of {len(expected)})",
        where=describe(subject, at) if same_text else f"token {at} of {len(expected)}",
        expected=show(subject, expected[at : at + 4]),
        got=show(subject, got[at : at + 4]),
        hint="same text, other ids: encode the joined text once, not piece by piece" if same_text else "",
    )


@check("render.ids-spell-text", area="render", level="IDS", requires=("RND-011",))
def ids_spell_the_text(subject: Subject) -> Applicability | None:
    """The ids decode to the text the implementation itself gives."""
    if subject.output.text is None:
        raise NotGiven("gives no text")
    tokenizer = row_of(subject).tokenizer
    lossless = tokenizer.decode(tokenizer.encode(subject.output.text, add_special_tokens=False)) == subject.output.text
    if not lossless:
        return NOT_APPLICABLE
    decoded = tokenizer.decode(subject.output.token_ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    if decoded != subject.output.text:
        raise Violation(
            "the ids decode to another text",
            expected=repr(subject.output.text[-60:]),
            got=repr(decoded[-60:]),
        )
    return None
