"""BRIDGE: a row's own template, given with the conversation, is bridged as the row's own turns are."""

from __future__ import annotations

from tokenspec.areas.bridge.checks.bridging import may_answer
from tokenspec.areas.check import NotComparable, Question, Subject, Violation, check
from tokenspec.areas.render.checks.given import OPTION, output_with_the_rows_template


def gives_no_template(question: Question) -> bool:
    """An answer may be right, and the case brings no template itself."""
    return may_answer(question) and OPTION not in question.request["options"]


@check(
    "bridge.own-template",
    area="bridge",
    level="BRIDGE",
    requires=("RND-005",),
    kind="metamorphic",
    applies=gives_no_template,
)
def the_rows_template_is_bridged_alike(subject: Subject) -> None:
    """Ids and masks are the same where the row's template comes with the conversation."""
    given = output_with_the_rows_template(subject)
    if subject.output.token_ids is None or given.token_ids is None:
        raise NotComparable("one of the two bridges declines")
    for name in ("token_ids", "is_content"):
        if getattr(subject.output, name) != getattr(given, name):
            raise Violation(f"{name} are others where the row's template is given with the conversation")
