"""BRIDGE: what was sampled stays, what the template writes behind it follows, or the bridge declines.

Declining is an answer of its own (`token_ids` null); for every check but two it is one that gives nothing to judge.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tokenspec.areas.check import Applies, NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.render.checks.place import show
from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from tokenspec.areas.bridge.records import BridgeExpect, Must


def may_answer(question: Question) -> bool:
    """The row expresses the case, and an answer may be right."""
    expect: BridgeExpect = question.expect
    return expect.applies is None and expect.must != "refuse"


def has_to(must: Must) -> Applies:
    """The row expresses the case, and only one thing is right."""
    return lambda question: question.expect.applies is None and question.expect.must == must


def answer_of(subject: Subject) -> list[int]:
    """All ids of the answer.

    Raises:
        NotComparable: the bridge declines, which is right everywhere.
        NotGiven: it declines where an answer is asked for: who claims to bridge here does not.
    """
    ids: list[int] | None = subject.output.token_ids
    if ids is None:
        raise (NotGiven if subject.expect.must == "answer" else NotComparable)("declines (see RND-059)")
    return ids


def prior(subject: Subject) -> list[int]:
    """The ids that have to stay."""
    return [*subject.expect.prompt_ids, *subject.expect.completion_ids]


def appended(subject: Subject) -> list[int]:
    """What stands behind prompt and completion. Raises NotGiven where these did not stay."""
    ids = answer_of(subject)
    kept = prior(subject)
    if ids[: len(kept)] != kept:
        raise NotGiven("prompt and completion did not stay, so what follows cannot be told (see RND-050)")
    return ids[len(kept) :]


def first_difference(subject: Subject, expected: list[int], got: list[int]) -> Violation:
    """The first token that differs, with its neighbours."""
    pairs = zip(expected, got, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(expected), len(got)))
    return Violation(
        "what is appended is not what the template writes there",
        where=f"token {at} of {len(got)} behind the completion",
        expected=show(subject, expected[max(0, at - 1) : at + 3]),
        got=show(subject, got[max(0, at - 1) : at + 3]),
        hint="the suffix begins right behind the stop token; some templates write a newline there",
    )


@check("bridge.prefix", area="bridge", level="BRIDGE", requires=("RND-050",), kind="golden", applies=may_answer)
def sampled_ids_stay(subject: Subject) -> None:
    """The result begins with the prompt's and the completion's ids."""
    ids, kept = answer_of(subject), prior(subject)
    if ids[: len(kept)] != kept:
        pairs = zip(kept, ids, strict=False)
        at = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(ids), len(kept)))
        part = "prompt" if at < len(subject.expect.prompt_ids) else "completion"
        raise Violation(
            f"an id of the {part} changed",
            where=f"token {at} of {len(kept)}",
            expected=show(subject, kept[max(0, at - 1) : at + 3]),
            got=show(subject, ids[max(0, at - 1) : at + 3]),
        )


def goes_on_behind_a_stop(question: Question) -> bool:
    """Tokens were sampled behind a stop token."""
    row = question.rows[question.cell.row]
    stops = {row.vocabulary.convert_tokens_to_ids(stop) for stop in row.spec.wire.stop}
    return may_answer(question) and not stops.isdisjoint(question.expect.completion_ids[:-1])


@check(
    "bridge.behind-stop",
    area="bridge",
    level="BRIDGE",
    requires=("RND-057",),
    kind="golden",
    applies=goes_on_behind_a_stop,
)
def tokens_behind_a_stop_stay(subject: Subject) -> None:
    """Tokens sampled behind a stop token are kept."""
    ids, kept = answer_of(subject), prior(subject)
    if ids[: len(kept)] != kept:
        raise Violation(
            "tokens behind the stop token are gone",
            expected=show(subject, kept[-4:]),
            got=show(subject, ids[max(0, len(kept) - 4) : len(kept)]),
        )


@check("bridge.declines", area="bridge", level="BRIDGE", requires=("RND-051",), kind="golden", applies=has_to("refuse"))
def declines_what_cannot_be_bridged(subject: Subject) -> None:
    """Where no answer is right, none is given."""
    if subject.output.token_ids is not None:
        raise Violation("the bridge answers where it has to decline", expected="null", got="ids")


def has_closers(question: Question) -> bool:
    """What may close the turn is known."""
    return may_answer(question) and question.expect.closers is not None


@check("bridge.suffix", area="bridge", level="BRIDGE", requires=("RND-052",), kind="golden", applies=has_closers)
def the_turn_is_followed_by_the_suffix(subject: Subject) -> None:
    """The answer ends with the suffix, id for id; behind a turn that ended nothing else is appended."""
    expect, got = subject.expect, appended(subject)
    behind = 0 if expect.closers == [[]] else max(0, len(got) - len(expect.suffix_ids))
    if got[behind:] != expect.suffix_ids:
        raise first_difference(subject, expect.suffix_ids, got[behind:])


@check("bridge.close", area="bridge", level="BRIDGE", requires=("RND-053",), kind="golden", applies=has_closers)
def a_turn_is_closed_once(subject: Subject) -> None:
    """A turn that was cut is closed once, one that ended oddly is not closed twice."""
    expect, got = subject.expect, appended(subject)
    behind = max(0, len(got) - len(expect.suffix_ids))
    if got[behind:] != expect.suffix_ids:
        raise NotComparable("the suffix is another one, so where the turn's close ends cannot be told (see RND-052)")
    if got[:behind] not in expect.closers:
        raise Violation(
            "the turn is not closed exactly once before the next one",
            expected=" or ".join(show(subject, closer) for closer in expect.closers),
            got=show(subject, got[:behind][:6]),
        )


def is_inside_a_thought(question: Question) -> bool:
    """The turn was cut inside a thought."""
    return may_answer(question) and question.expect.closers is None


@check(
    "bridge.thought", area="bridge", level="BRIDGE", requires=("RND-054",), kind="golden", applies=is_inside_a_thought
)
def a_thought_is_closed(subject: Subject) -> None:
    """Behind an open thought its close stands once, and then the suffix."""
    expect: BridgeExpect = subject.expect
    got, suffix = appended(subject), expect.suffix_ids
    if got[max(0, len(got) - len(suffix)) :] != suffix:
        raise first_difference(subject, suffix, got)
    close = (expect.thought_close or "").strip()
    between = subject.rows[subject.cell.row].vocabulary.decode(got[: len(got) - len(suffix)])
    if close and between.count(close) != 1:
        raise Violation("the thought is not closed exactly once", expected=repr(close), got=repr(between))


@check(
    "bridge.nothing-sampled", area="bridge", level="BRIDGE", requires=("RND-055",), kind="golden", applies=may_answer
)
def nothing_is_sampled(subject: Subject) -> None:
    """No token is sampled; the prior part is no content and has no message."""
    total, kept = len(answer_of(subject)), len(prior(subject))
    sampled, content = subject.output.mask("sampled_mask"), subject.output.mask("is_content")
    indices = subject.output.message_indices
    for name, values in (("sampled_mask", sampled), ("is_content", content), ("message_indices", indices)):
        if values and len(values) != total:
            raise Violation(f"{name} is not parallel to token_ids", expected=total, got=len(values))
    if sampled and any(sampled):
        raise Violation("a token is marked as sampled", where=f"token {sampled.index(True)} of {total}")
    if content and any(content[:kept]):
        raise Violation("a token of the prior part is content", where=f"token {content.index(True)} of {total}")
    if indices and any(index != -1 for index in indices[:kept]):
        raise Violation("a token of the prior part names a new message", expected=-1, got=indices[:kept])
    if not sampled:
        raise NotGiven("gives no sampled_mask")


@check("bridge.bodies", area="bridge", level="BRIDGE", requires=("RND-056",), kind="golden", applies=may_answer)
def bodies_are_content(subject: Subject) -> None:
    """In the suffix content is the bodies of the new messages, each with its own index."""
    ids, suffix = answer_of(subject), subject.expect.suffix_ids
    content, indices = subject.output.mask("is_content"), subject.output.message_indices
    if content is None or not indices:
        raise NotGiven("gives no is_content or no message_indices")
    if not suffix:
        raise NotComparable("nothing follows the turn")
    if ids[max(0, len(ids) - len(suffix)) :] != suffix or not len(content) == len(indices) == len(ids):
        raise NotGiven("the suffix is another one, so masks cannot be laid over it (see RND-052)")
    offset = len(ids) - len(suffix)
    for token, (kind, message) in enumerate(labels_of_suffix(subject)):
        if content[offset + token] != (kind == "content"):
            raise Violation(
                "scaffold is content" if content[offset + token] else "body is not content",
                where=f"token {token} of the suffix",
                expected=kind,
                got=show(subject, suffix[max(0, token - 1) : token + 2]),
            )
        if kind == "content" and indices[offset + token] != message:
            raise Violation(
                "a body token names another message",
                where=f"token {token} of the suffix",
                expected=message,
                got=indices[offset + token],
            )


def labels_of_suffix(subject: Subject) -> list[tuple[str, int | None]]:
    """Per token of the suffix its kind and new message, by the row's rule for tokens over a seam."""
    spans, row = subject.expect.spans, subject.rows[subject.cell.row]
    text = "".join(span[3] for span in spans)
    owners = [(kind, message) for kind, message, _, part in spans for _ in part]
    starts = token_starts(row.vocabulary, subject.expect.suffix_ids, text)
    if starts is None:
        raise NotGiven("the suffix's ids do not spell its text")
    labels: list[tuple[str, int | None]] = []
    for start, end in pairwise([*starts, len(text)]):
        covered = owners[start : max(end, start + 1)] or owners[-1:]
        overlapping = (label for label in covered if label[0] == "content")
        labels.append(next(overlapping, covered[0]) if row.spec.wire.straddle == "overlap" else covered[0])
    return labels


def ends_with_a_prompt(question: Question) -> bool:
    """The generation prompt stands at the end."""
    spans = question.expect.spans
    return may_answer(question) and bool(spans) and spans[-1][0] == "prompt"


@check(
    "bridge.generation-prompt",
    area="bridge",
    level="BRIDGE",
    requires=("RND-058",),
    kind="golden",
    applies=ends_with_a_prompt,
)
def the_generation_prompt_ends_it(subject: Subject) -> None:
    """The last tokens are the generation prompt of the given options."""
    expect, ids = subject.expect, answer_of(subject)
    prompt = expect.suffix_ids[max(0, len(expect.suffix_ids) - expect.spans[-1][2]) :]
    got = ids[max(0, len(ids) - len(prompt)) :]
    if got != prompt:
        raise Violation(
            "the result does not end with the generation prompt",
            expected=show(subject, prompt),
            got=show(subject, got),
        )


@check("bridge.answers", area="bridge", level="BRIDGE", requires=("RND-059",), kind="golden", applies=has_to("answer"))
def stable_turns_are_bridged(subject: Subject) -> None:
    """A whole turn under a stable template gets an answer."""
    if subject.output.token_ids is None:
        raise Violation("declines although a full render has prompt and completion as its prefix", expected="ids")
