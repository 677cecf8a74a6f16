"""MASKS of a template that comes with the conversation: the row's own changes nothing, and what no template shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.render.checks.masks import has_tokens, mask_of, require_masks
from tokenspec.areas.render.checks.place import describe, labels_of, row_of
from tokenspec.areas.render.checks.profiles import require_same_text
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


def states_what_nobody_knows(question: Question) -> bool:
    """The case says what of its assistant turns is unattributed, or that nothing is, and there are tokens to list."""
    return question.input.get("unattributed") is not None and has_tokens(question)


@check(
    "render.unattributed",
    area="render",
    level="MASKS",
    requires=("RND-029",),
    kind="golden",
    applies=states_what_nobody_knows,
)
def what_nobody_knows_is_listed(subject: Subject) -> None:
    """The tokens that begin where prompts and history disagree are listed and in no mask; no others are listed."""
    runs = subject.output.unattributed
    if runs is None:
        raise NotGiven("gives no unattributed")
    require_same_text(subject)  # in another one nobody's is what differs, too
    labels = labels_of(subject)
    if any(not 0 <= start <= end <= len(labels) for start, end in runs):
        raise Violation("unattributed is not made of token ranges", expected=f"0 .. {len(labels)}", got=runs)
    listed = {token for run in runs for token in range(*run)}
    marked = [mask_of(subject, name) for name in ("sampled_mask", "is_content")]
    for token, (kind, _) in enumerate(labels):
        is_of_nobody = kind == "unattributed"
        if (token in listed) != is_of_nobody:
            raise Violation(
                "a token that prompts and history disagree on is not listed"
                if is_of_nobody
                else "a token is listed as unattributed, and it is known whose it is",
                where=describe(subject, token),
                expected=kind,
            )
        if is_of_nobody and any(mask[token] for mask in marked):
            raise Violation("an unattributed token is marked", where=describe(subject, token), expected=kind)
