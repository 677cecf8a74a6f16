"""MASKS, derived: what trainers build from the masks (spans by role, masks for roles, selective loss)."""

from __future__ import annotations

from itertools import groupby

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.render.checks.laying import BODY, Label
from tokenspec.areas.render.checks.place import describe, labels_of, role_of
from tokenspec.store.masks import decode_mask


def asked_roles(question: Question) -> list[str]:
    """The roles a case derives for; empty when it asks nothing."""
    derive = question.input.get("derive") or {}
    return list(derive.get("roles", []))


def derives(question: Question) -> bool:
    """The case asks for what trainers build from the masks."""
    return bool(asked_roles(question))


def owned_labels(subject: Subject) -> tuple[Label, ...]:
    """The labels of all tokens. Raises NotComparable where another text leaves some to nobody."""
    labels = labels_of(subject)
    if any(kind == "unattributed" for kind, _ in labels):
        raise NotComparable("another text, and it is not known whose all of its tokens are")
    return labels


def role_at(subject: Subject, message: int | None) -> str | None:
    """The role of a message index."""
    return None if message is None else str(role_of(subject, message))


def content_mask(subject: Subject, roles: list[str]) -> list[bool]:
    """The expected mask: body tokens of messages of these roles."""
    return [kind in BODY and role_at(subject, message) in roles for kind, message in owned_labels(subject)]


def compare(subject: Subject, name: str, expected: list[bool]) -> None:
    """A derived mask equals the expected one, token for token."""
    given = getattr(subject.output, name)
    if given is None:
        raise NotGiven(f"gives no {name}")
    got = decode_mask(given)
    if len(got) != len(expected):
        raise Violation(f"{name} is not parallel to token_ids", expected=len(expected), got=len(got))
    for token, (want, have) in enumerate(zip(expected, got, strict=True)):
        if want != have:
            raise Violation(f"{name} is wrong", where=describe(subject, token), expected=want, got=have)


@check(
    "render.content-spans-by-role", area="render", level="MASKS", requires=("RND-030",), kind="golden", applies=derives
)
def spans_hold_owned_body_only(subject: Subject) -> None:
    """content_token_spans_by_role: maximal body runs of one message each, never another message's tokens."""
    if subject.output.content_spans_by_role is None:
        raise NotGiven("gives no content_spans_by_role")
    expected: dict[str, list[tuple[int, int]]] = {}
    position = 0
    for (kind, message), run in groupby(owned_labels(subject)):
        length = len(list(run))
        role = role_at(subject, message)
        if kind in BODY and role is not None:
            expected.setdefault(role, []).append((position, position + length))
        position += length
    got = {role: sorted(spans) for role, spans in subject.output.content_spans_by_role.items() if spans}
    if got != expected:
        role = next(role for role in sorted({*got, *expected}) if got.get(role) != expected.get(role))
        raise Violation("content spans of a role are wrong", where=role, expected=expected.get(role), got=got.get(role))


@check(
    "render.content-mask-for-roles", area="render", level="MASKS", requires=("RND-031",), kind="golden", applies=derives
)
def mask_for_roles_is_body_of_those_roles(subject: Subject) -> None:
    """content_mask_for_roles is True on body tokens of the named roles and nowhere else."""
    compare(subject, "content_mask", content_mask(subject, asked_roles(subject)))


@check("render.content-sft-roles", area="render", level="MASKS", requires=("RND-032",), kind="golden", applies=derives)
def loss_mask_adds_bodies_of_roles(subject: Subject) -> None:
    """content_sft_roles trains the assistant's samples and the bodies of the named roles, never their wraps."""
    roles = asked_roles(subject)
    expected = [
        kind == "sampled" or (kind == "content" and role_at(subject, message) in roles)
        for kind, message in owned_labels(subject)
    ]
    compare(subject, "loss_mask", expected)
