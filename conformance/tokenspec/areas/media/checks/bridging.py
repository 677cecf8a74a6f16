"""BRIDGE: earlier media stay where they are, new ones are expanded behind them; declining is an answer of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.media.checks.ids import compare, compare_types, differing
from tokenspec.areas.media.checks.masks import compare_labels
from tokenspec.areas.media.records import MediaExpect


def is_bridge(question: Question) -> bool:
    """The row expresses the case, and its earlier media are named, if there are any."""
    expect: MediaExpect = question.expect
    return expect.applies is None and expect.prior > 0 and accounted_for(question)


def accounted_for(question: Question) -> bool:
    """Whether the bridge is told of all earlier media."""
    return bool(question.input.get("named", True)) or not any(question.expect.known.values())


def is_unaccounted_for(question: Question) -> bool:
    """A bridge that is not told of the media before it."""
    expect: MediaExpect = question.expect
    return expect.applies is None and expect.prior > 0 and not accounted_for(question)


def answer_of(subject: Subject) -> list[int]:
    """The ids; a bridge that declines has nothing to judge."""
    ids: list[int] | None = subject.output.token_ids
    if ids is None:
        raise NotComparable("declines (see RND-059)")
    return ids


@check("media.bridge-prior", area="media", level="BRIDGE", requires=("RND-096",), kind="golden", applies=is_bridge)
def earlier_media_stay(subject: Subject) -> None:
    """The prior ids, and the ranges and hashes of their media, come first and unchanged."""
    expect: MediaExpect = subject.expect
    ids, kept = answer_of(subject), expect.token_ids[: expect.prior]
    if ids[: len(kept)] != kept:
        raise differing(subject, kept, ids[: len(kept)], "prompt or completion changed")
    named: dict[str, Mapping[str, Sequence[object]]] = {
        "mm_placeholders": expect.placeholders,
        "mm_hashes": expect.hashes,
    }
    for name, expected in named.items():
        got = getattr(subject.output, name)
        if got is None:
            raise NotGiven(f"gives no {name}")
        earlier = {kind: found[: expect.known.get(kind, 0)] for kind, found in expected.items()}
        compare(earlier, {kind: got.get(kind, [])[: len(found)] for kind, found in earlier.items()}, name)


@check(
    "media.bridge-declines",
    area="media",
    level="BRIDGE",
    requires=("RND-096",),
    kind="golden",
    applies=is_unaccounted_for,
)
def unnamed_media_are_a_reason_to_decline(subject: Subject) -> None:
    """Placeholders in the prior part that nobody names are not passed over."""
    if subject.output.token_ids is not None:
        raise Violation("answers although earlier media are not named", expected="null", got="ids")


@check("media.bridge-equals", area="media", level="BRIDGE", requires=("RND-097",), kind="golden", applies=is_bridge)
def a_bridge_equals_the_render(subject: Subject) -> None:
    """Ids, ranges, hashes and types are those of the whole render, and owners those of the new messages."""
    expect: MediaExpect = subject.expect
    ids = answer_of(subject)
    if ids[expect.prior :] != expect.token_ids[expect.prior :]:
        raise differing(subject, expect.token_ids, ids, "the bridge is not the render of the whole conversation")
    compare(expect.placeholders, subject.output.mm_placeholders, "mm_placeholders")
    compare(expect.hashes, subject.output.mm_hashes, "mm_hashes")
    if expect.types is not None:
        compare_types(subject)
    if expect.unattributed is None:
        compare_labels(subject, ids, expect.prior)


@check(
    "media.bridge-answers",
    area="media",
    level="BRIDGE",
    requires=("RND-059",),
    kind="golden",
    applies=lambda question: cites("RND-059")(question) and is_bridge(question),
)
def stable_turns_are_bridged(subject: Subject) -> None:
    """A whole turn under a template that continues its own prompt gets an answer."""
    if subject.output.token_ids is None:
        raise Violation("declines although a render has prompt and completion as its prefix", expected="ids")
