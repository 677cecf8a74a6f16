"""MASKS of a template that comes with the conversation: the row's own, given so, changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokenspec.areas.check import NotComparable, Question, Subject, Violation, check
from tokenspec.areas.render.checks.masks import require_masks
from tokenspec.areas.render.checks.place import row_of
from tokenspec.areas.render.checks.text import require_template, text_of

OPTION = "chat_template"
TWIN = "{#- its twin -#}"
"""A comment at the end of a template: it prints the same, and nothing is stated of its turns."""


def renders_the_rows_template(question: Question) -> bool:
    """The case asks how the row's template does when it is given, and brings none itself."""
    return "RND-005" in question.cell.case.requires and OPTION not in question.input.get("options", {})


@check(
    "render.own-template",
    area="render",
    level="MASKS",
    requires=("RND-005",),
    kind="metamorphic",
    applies=renders_the_rows_template,
)
def the_rows_template_changes_nothing(subject: Subject) -> None:
    """Text, ids and masks are the same where the row's template comes with the conversation."""
    require_template(subject)
    other = replace(subject, output=output_with_the_rows_template(subject))
    if (text_of(other), other.output.token_ids) != (text_of(subject), subject.output.token_ids):
        raise Violation("the row's own template, given with the conversation, gives another text or other ids")
    require_masks(other, "where the row's template comes with the conversation")


def output_with_the_rows_template(subject: Subject) -> Any:
    """The answer where the row's template, or its twin, comes with the conversation.

    That a turn ends in the token which opens a result is what only a row can state: there the template is kept.

    Raises:
        NotComparable: the row has none.
        NotGiven, Violation: as ``Subject.output_of``.
    """
    row = row_of(subject)
    template = row.chat_template
    if not template:
        raise NotComparable("the row has an encoder in the place of a template")
    has_results = any(message.get("role") == "tool" for message in subject.request.get("messages") or ())
    stated = has_results and len(row.spec.wire.assistant_close) > 1
    options = {**subject.request["options"], OPTION: template if stated else template + TWIN}
    return subject.output_of({**subject.request, "options": options})
