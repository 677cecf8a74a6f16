"""TEXT: a row's own template, given with the conversation, is read as the row's own turns are."""

from __future__ import annotations

from tokenspec.areas.check import Question, Subject, Violation, check
from tokenspec.areas.render.checks.given import OPTION, output_with_the_rows_template


def gives_no_template(question: Question) -> bool:
    """The row expresses the case, which brings no template itself. Calls of tools are those that were offered."""
    is_read = question.expect.applies is None and OPTION not in question.request["options"]
    return is_read and (bool(question.request["tools"]) or not question.expect.tool_calls)


@check(
    "parse.own-template",
    area="parse",
    level="TEXT",
    requires=("RND-005",),
    kind="metamorphic",
    applies=gives_no_template,
)
def the_rows_template_is_read_alike(subject: Subject) -> None:
    """What is read is the same, but for outer white space, where the row's template comes with the conversation."""
    own, given = subject.output, output_with_the_rows_template(subject)
    for name in ("content", "reasoning_content"):
        expected, got = (str(getattr(output, name) or "") for output in (own, given))
        if expected.strip() != got.strip():
            raise Violation(f"{name} is another where the row's template is given", expected=expected, got=got)
    for name in ("reasoning_complete", "tool_calls"):
        expected, got = getattr(own, name), getattr(given, name)
        if expected != got:
            raise Violation(f"{name} are others where the row's template is given", expected=expected, got=got)
