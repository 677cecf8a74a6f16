"""IDS, asked for in other ways: what a sampler saw, and what isolation keeps from becoming a control token."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation, check
from tokenspec.areas.render.checks.place import row_of, show


@check("render.ids-sampled-boundary", area="render", level="IDS", requires=("RND-014",), kind="metamorphic")
def ids_are_what_a_sampler_saw(subject: Subject) -> Applicability | None:
    """Asked for the sampled-boundary profile, the seams of sampled text are token boundaries, and no others are new."""
    from tokenspec.areas.render.oracle.id_profiles import pieces, sampled_boundary_ids

    expect = subject.expect
    if expect is None or expect.unattributed is not None or not any(sampled for sampled, _ in pieces(expect)):
        return NOT_APPLICABLE
    output = subject.output
    if output.id_profile != "sampled-boundary":
        output = subject.output_of({**subject.request, "id_profile": "sampled-boundary"})
    if output.id_profile != "sampled-boundary":
        raise NotGiven("gives canonical ids only, no sampled-boundary profile")
    expected, got = sampled_boundary_ids(row_of(subject).tokenizer, expect), output.token_ids
    if got != expected:
        at = first_difference(expected, got)
        raise Violation(
            "the ids of the sampled-boundary profile differ from the pieces encoded apart",
            where=f"token {at} of {len(expected)}",
            expected=show(subject, expected[at : at + 4]),
            got=show(subject, got[at : at + 4]),
            hint="these are the canonical ids" if got == expect.token_ids else "cut where sampled text begins and ends",
        )
    return None


@check("render.isolated-control-ids", area="render", level="IDS", requires=("RND-015",), kind="metamorphic")
def typed_text_is_no_control_token(subject: Subject) -> Applicability | None:
    """Under isolated encoding the control ids are those of the scaffold, in number and order."""
    from tokenspec.areas.render.oracle.control_tokens import control_tokens

    expected = control_ids_of(subject)
    if expected is None:
        return NOT_APPLICABLE
    known = set(control_tokens(row_of(subject)).values())
    got = [id_ for id_ in isolated_output(subject).token_ids if id_ in known]
    if got != expected:
        at = first_difference(expected, got)
        raise Violation(
            f"{len(got)} control ids instead of the scaffold's {len(expected)}",
            where=f"control token {at}",
            expected=show(subject, expected[at : at + 3]),
            got=show(subject, got[at : at + 3]),
            hint="a caller's text became a control token" if len(got) > len(expected) else "",
        )
    return None


@check("render.isolated-text", area="render", level="TEXT", requires=("RND-016",), kind="metamorphic")
def isolation_changes_ids_only(subject: Subject) -> Applicability | None:
    """Isolated ids spell the text, and are the canonical ones where no caller's text spells a control token."""
    from tokenspec.areas.render.oracle.control_tokens import control_tokens

    expected = control_ids_of(subject)
    if expected is None:
        return NOT_APPLICABLE
    tokenizer, output, expect = row_of(subject).tokenizer, isolated_output(subject), subject.expect
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
        return None
    canonical, got = tokenizer.decode(expect.token_ids), tokenizer.decode(output.token_ids)
    if canonical == expect.text and got != expect.text:
        raise Violation("the isolated ids spell another text", expected=repr(expect.text[-60:]), got=repr(got[-60:]))
    return None


def control_ids_of(subject: Subject) -> list[int] | None:
    """The control ids of the scaffold in this cell; None where they are not listed (or for another oracle's text)."""
    from tokenspec.areas.oracle_version import CURRENT
    from tokenspec.areas.render.profiles import profiles_of

    golden = subject.cell.golden
    if golden is not None and golden.oracle["transformers"] != CURRENT.transformers:
        return None
    committed = profiles_of(subject.cell.row)
    listed = committed.isolated if committed is not None else []
    return next((entry.control_ids for entry in listed if entry.case == subject.cell.case.slug), None)


def isolated_output(subject: Subject) -> Any:
    """The answer under isolated encoding. Raises NotGiven where the implementation has none."""
    output = subject.output_of({**subject.request, "encoding": "isolated"})
    if output.encoding != "isolated":
        raise NotGiven("has no isolated encoding")
    return output


def first_difference(expected: Any, got: Any) -> int:
    """The first position at which two sequences differ."""
    common = min(len(expected), len(got))
    return next((at for at in range(common) if expected[at] != got[at]), common)
