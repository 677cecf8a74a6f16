"""Asked for in other ways: what a sampler saw, and what isolation keeps from becoming a control token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.difference import first_difference
from tokenspec.areas.render.checks.laying import BODY, ids_of
from tokenspec.areas.render.checks.masks import indices_of, require_masks
from tokenspec.areas.render.checks.place import decode, describe, labels_of, row_of, show
from tokenspec.areas.render.checks.text import text_of


def require_same_text(subject: Subject) -> None:
    """What follows is about ids of the oracle's text. Raises NotComparable for another one."""
    ids_of(subject)
    if text_of(subject) != subject.expect.text:
        raise NotComparable("another text than the oracle's (see RND-001)")


def has_sampled_text(question: Question) -> bool:
    """The oracle knows which text is sampled, and some is."""
    from tokenspec.areas.render.oracle.id_profiles import pieces

    expect = question.expect
    return expect.unattributed is None and any(sampled for sampled, _ in pieces(expect))


@check(
    "render.ids-sampled-boundary",
    area="render",
    level="IDS",
    requires=("RND-014",),
    kind="metamorphic",
    applies=has_sampled_text,
)
def ids_are_what_a_sampler_saw(subject: Subject) -> None:
    """Asked for the sampled-boundary profile, the seams of sampled text are token boundaries, and no others are new."""
    from tokenspec.areas.render.oracle.id_profiles import sampled_boundary

    require_same_text(subject)
    expect = subject.expect
    expected, _ = sampled_boundary(row_of(subject).vocabulary, expect)
    got = sampled_boundary_output(subject).token_ids
    if got != expected:
        at = first_difference(expected, got)
        raise Violation(
            "the ids of the sampled-boundary profile differ from the pieces encoded apart",
            where=f"token {at} of {len(expected)}",
            expected=show(subject, expected[at : at + 4]),
            got=show(subject, got[at : at + 4]),
            hint="these are the canonical ids" if got == expect.token_ids else "cut where sampled text begins and ends",
        )


@check(
    "render.mask-sampled-boundary",
    area="render",
    level="MASKS",
    requires=("RND-014",),
    kind="metamorphic",
    applies=has_sampled_text,
)
def pieces_are_sampled_whole(subject: Subject) -> None:
    """Asked for the sampled-boundary profile, the sampled mask holds the tokens of sampled pieces and no others."""
    from tokenspec.areas.render.oracle.id_profiles import sampled_boundary

    require_same_text(subject)
    output = sampled_boundary_output(subject)
    mask = output.mask("sampled_mask")
    if mask is None:
        raise NotGiven("gives no sampled_mask in the sampled-boundary profile")
    ids, expected = sampled_boundary(row_of(subject).vocabulary, subject.expect)
    if output.token_ids != ids:
        raise NotComparable("other ids than those of the pieces (see RND-014)")
    if mask != expected:
        at = first_difference(expected, mask)
        raise Violation(
            "the sampled mask of the sampled-boundary profile is wrong",
            where=f"token {at} of {len(expected)}",
            expected=expected[at : at + 4],
            got=mask[at : at + 4],
        )


def sampled_boundary_output(subject: Subject) -> Any:
    """The answer in the sampled-boundary profile. Raises NotGiven where the implementation has none."""
    output = subject.output
    if output.id_profile != "sampled-boundary":
        output = subject.output_with("id_profile", "sampled-boundary")
    if output.id_profile != "sampled-boundary":
        raise NotGiven("gives canonical ids only, no sampled-boundary profile")
    return output


def lists_control_ids(question: Question) -> bool:
    """The control ids of the scaffold are listed."""
    return control_ids_of(question) is not None


@check(
    "render.isolated-control-ids",
    area="render",
    level="IDS",
    requires=("RND-015",),
    kind="metamorphic",
    applies=lists_control_ids,
)
def typed_text_is_no_control_token(subject: Subject) -> None:
    """Under isolated encoding the control ids are those of the scaffold, in number and order, of pieces as well."""
    from tokenspec.areas.render.oracle.control_tokens import control_tokens

    require_same_text(subject)
    expected = control_ids_of(subject) or []
    known = set(control_tokens(row_of(subject)).values())
    for output in isolated_outputs(subject):
        got = [id_ for id_ in output.token_ids if id_ in known]
        if got != expected:
            at = first_difference(expected, got)
            raise Violation(
                f"{len(got)} control ids instead of the scaffold's {len(expected)} ({output.id_profile})",
                where=f"control token {at}",
                expected=show(subject, expected[at : at + 3]),
                got=show(subject, got[at : at + 3]),
                hint="a caller's text became a control token" if len(got) > len(expected) else "",
            )


@check(
    "render.isolated-text",
    area="render",
    level="TEXT",
    requires=("RND-016",),
    kind="metamorphic",
    applies=lists_control_ids,
)
def isolation_changes_ids_only(subject: Subject) -> None:
    """Isolated ids spell the text, and are the canonical ones where no caller's text spells a control token."""
    from tokenspec.areas.render.oracle.control_tokens import control_tokens

    require_same_text(subject)
    expected = control_ids_of(subject) or []
    output, expect = isolated_output(subject), subject.expect
    if output.text is not None and output.text != expect.text:
        at = first_difference(expect.text, output.text)
        raise Violation(
            "isolated encoding gives another text",
            where=f"character {at}",
            expected=repr(expect.text[max(0, at - 20) : at + 20]),
            got=repr(output.text[max(0, at - 20) : at + 20]),
        )
    known = set(control_tokens(row_of(subject)).values())
    if [id_ for id_ in expect.token_ids if id_ in known] == expected:
        if output.token_ids != expect.token_ids:
            raise Violation("nothing had to be isolated, and yet the ids are not the canonical ones")
        return
    canonical, got = decode(subject, expect.token_ids), decode(subject, output.token_ids)
    if canonical == expect.text and got != expect.text:
        raise Violation("the isolated ids spell another text", expected=repr(expect.text[-60:]), got=repr(got[-60:]))


def isolates(question: Question) -> bool:
    """The case is about text that spells control tokens, and those of the scaffold are listed."""
    return "RND-017" in question.cell.case.requires and lists_control_ids(question)


@check(
    "render.isolated-masks", area="render", level="MASKS", requires=("RND-017",), kind="metamorphic", applies=isolates
)
def isolation_moves_no_owner(subject: Subject) -> None:
    """Masks and indices beside isolated ids are right about these ids."""
    require_same_text(subject)
    other = replace(subject, output=isolated_output(subject))
    require_masks(other, "beside isolated ids")
    for token, (index, (kind, message)) in enumerate(zip(indices_of(other), labels_of(other), strict=True)):
        if kind in BODY and index != message:
            raise Violation(
                "a body token carries another message's index beside isolated ids",
                where=describe(other, token),
                expected=message,
                got=index,
            )


def control_ids_of(question: Question) -> list[int] | None:
    """The control ids of the scaffold in this cell; None where they are not listed (or for another oracle's text)."""
    from tokenspec.areas.oracle_version import CURRENT
    from tokenspec.areas.render.profiles import profiles_of

    golden = question.cell.golden
    if golden is not None and golden.oracle["transformers"] != CURRENT.transformers:
        return None
    committed = profiles_of(question.cell.row)
    listed = committed.isolated if committed is not None else []
    return next((entry.control_ids for entry in listed if entry.case == question.cell.case.slug), None)


def isolated_output(subject: Subject) -> Any:
    """The answer under isolated encoding. Raises NotGiven where the implementation has none."""
    output = subject.output_with("encoding", "isolated")
    if output.encoding != "isolated":
        raise NotGiven("has no isolated encoding")
    return output


def isolated_outputs(subject: Subject) -> Iterator[Any]:
    """The answers under isolated encoding: to that alone, and with sampled-boundary ids where both can be asked for.

    Raises:
        NotGiven: the implementation has no isolated encoding.
    """
    yield isolated_output(subject)
    try:
        both = subject.output_with("encoding", "isolated", id_profile="sampled-boundary")
    except NotGiven:
        return
    if both.encoding == "isolated":
        yield both
