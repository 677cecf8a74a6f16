"""TEXT on another day: what a template writes of today is that of the request."""

from __future__ import annotations

from dataclasses import replace

from tokenspec.areas.check import NotComparable, Question, Subject, Violation, check
from tokenspec.areas.difference import first_difference
from tokenspec.areas.render.checks.place import row_of
from tokenspec.areas.render.checks.text import require_template, text_of
from tokenspec.areas.render.declared import date_of, dated
from tokenspec.oracle.clock import OTHER


def on_another_day(question: Question) -> str | None:
    """The expected text of the other day: that day's date where the template writes today's; None where none stands."""
    found = date_of(question.expect.spans)
    if found is None:
        return None
    if "date" not in row_of(question).features:
        text: str = question.expect.text
        return text
    form, _ = found
    return "".join(span[3] for span in dated(question.expect.spans, form, OTHER.strftime(form)))


def shows_a_date(question: Question) -> bool:
    """The case is about the date, and the template writes today's or one of its own."""
    return "RND-006" in question.cell.case.requires and on_another_day(question) is not None


@check("render.clock", area="render", level="TEXT", requires=("RND-006",), kind="metamorphic", applies=shows_a_date)
def the_date_is_that_of_the_request(subject: Subject) -> None:
    """Asked on another day, the text has that day's date where it had today's, and nothing else is another one."""
    require_template(subject)
    if subject.profile.clock == "own":
        raise NotComparable("reads its own clock, as it declares")
    if text_of(subject) != subject.expect.text:
        raise NotComparable("another text than the oracle's (see RND-001)")
    expected = on_another_day(subject) or ""
    other = replace(subject, output=subject.output_of({**subject.request, "now": OTHER.isoformat()}))
    if (got := text_of(other)) != expected:
        at = first_difference(expected, got)
        raise Violation(
            "the text of another day is wrong",
            where=f"character {at}",
            expected=repr(expected[max(0, at - 20) : at + 20]),
            got=repr(got[max(0, at - 20) : at + 20]),
            hint="the moment is `now` of the request, not a date that is written down",
        )
