"""MASKS: where each token lies in the text, of canonical ids and of ids that were asked for in other ways."""

from __future__ import annotations

from dataclasses import replace

from tokenspec.areas.check import NotComparable, NotGiven, Subject, Violation, check
from tokenspec.areas.difference import first_difference
from tokenspec.areas.render.checks.laying import ids_of
from tokenspec.areas.render.checks.masks import has_tokens
from tokenspec.areas.render.checks.place import row_of, show
from tokenspec.areas.render.checks.profiles import (
    has_sampled_text,
    isolated_outputs,
    isolates,
    require_same_text,
    sampled_boundary_output,
)
from tokenspec.oracle.token_bytes import token_ranges


def require_spans(subject: Subject) -> None:
    """The spans of an answer are where the bytes of its tokens lie in the text.

    Raises:
        Violation: the first token of which the span is wrong.
        NotGiven: there are no spans.
        NotComparable: another text, or tokens that spell another one.
    """
    ids, got = ids_of(subject), subject.output.char_spans
    if not got:
        raise NotGiven("gives no char_spans")
    require_same_text(subject)
    expected = token_ranges(row_of(subject).vocabulary, ids, subject.expect.text)
    if expected is None:
        raise NotComparable("the tokens spell another text than the rendered one")
    if got != expected:
        at = first_difference(expected, got)
        raise Violation(
            "char_spans are not where the tokens lie",
            where=f"token {at} of {len(expected)}: {show(subject, ids[at : at + 1])}",
            expected=expected[at : at + 1],
            got=got[at : at + 1],
        )


@check("render.char-spans", area="render", level="MASKS", requires=("RND-019",), applies=has_tokens)
def spans_hold_the_tokens(subject: Subject) -> None:
    """The span of each token is the characters that hold its bytes."""
    require_spans(subject)


@check(
    "render.char-spans-sampled-boundary",
    area="render",
    level="MASKS",
    requires=("RND-014", "RND-019"),
    kind="metamorphic",
    applies=has_sampled_text,
)
def spans_of_pieces_hold_their_tokens(subject: Subject) -> None:
    """So is it asked for the sampled-boundary profile."""
    require_spans(replace(subject, output=sampled_boundary_output(subject)))


@check(
    "render.char-spans-isolated",
    area="render",
    level="MASKS",
    requires=("RND-017", "RND-019"),
    kind="metamorphic",
    applies=isolates,
)
def spans_of_isolated_ids_hold_their_tokens(subject: Subject) -> None:
    """So is it under isolated encoding, of pieces as well."""
    for output in isolated_outputs(subject):
        require_spans(replace(subject, output=output))
