"""MASKS: placeholders are body of the message that holds the medium; what is written around them is scaffold."""

from __future__ import annotations

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.media.checks.ids import is_render, same_ids
from tokenspec.areas.render.checks.place import show


def is_attributed(question: Question) -> bool:
    """A render whose owners are known."""
    return is_render(question) and question.expect.unattributed is None


@check("media.body", area="media", level="MASKS", requires=("RND-095", "RND-022"), kind="golden", applies=is_attributed)
def placeholders_are_body(subject: Subject) -> None:
    """Placeholders and bodies are content with their message's index, and nothing else is."""
    ids = same_ids(subject)
    compare_labels(subject, ids, 0)


@check(
    "media.sampled", area="media", level="MASKS", requires=("RND-095", "RND-029"), kind="golden", applies=is_attributed
)
def no_medium_is_sampled(subject: Subject) -> None:
    """What the model emits is sampled, and no placeholder of another's message is."""
    ids = same_ids(subject)
    sampled = subject.output.mask("sampled_mask")
    if sampled is None:
        raise NotGiven("gives no sampled_mask")
    expected = [kind == "sampled" for kind, _, count in subject.expect.spans for _ in range(count)]
    if sampled != expected:
        raise wrong(subject, ids, expected, sampled, "sampled_mask is another")


def compare_labels(subject: Subject, ids: list[int], start: int) -> None:
    """``is_content`` and ``message_indices`` from a token on.

    Raises:
        NotGiven: one of them is missing.
    """
    content, indices = subject.output.mask("is_content"), subject.output.message_indices
    if content is None or not indices:
        raise NotGiven("gives no is_content or no message_indices")
    labels = [(kind, message) for kind, message, count in subject.expect.spans for _ in range(count)]
    expected = [kind in {"content", "sampled"} for kind, _ in labels]
    if content[start:] != expected:
        raise wrong(subject, ids[start:], expected, content[start:], "is_content is another")
    if len(indices[start:]) != len(expected):
        raise Violation("message_indices is not parallel to token_ids", expected=len(ids), got=len(indices))
    for at, ((_, message), is_body, index) in enumerate(zip(labels, expected, indices[start:], strict=True)):
        if is_body and index != message:
            raise Violation(
                "a body token names another message",
                where=f"token {start + at} of {len(ids)}",
                expected=message,
                got=index,
            )


def wrong(subject: Subject, ids: list[int], expected: list[bool], got: list[bool], message: str) -> Violation:
    """The first token whose mask differs."""
    pairs = zip(expected, got, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(expected), len(got)))
    return Violation(
        message,
        where=f"token {at} of {len(got)}",
        expected=expected[at : at + 1],
        got=f"{got[at : at + 1]} on {show(subject, ids[max(0, at - 1) : at + 2])}",
    )
