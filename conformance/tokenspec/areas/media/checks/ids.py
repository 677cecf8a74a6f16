"""IDS and RANGES: the placeholders of each medium, as many as the processor writes, and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokenspec.adapters import Ok
from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.media.records import MediaExpect, written_out
from tokenspec.areas.refusal import names_one_of
from tokenspec.areas.render.checks.place import show


def is_render(question: Question) -> bool:
    """The row expresses the case, and nothing is bridged."""
    expect: MediaExpect = question.expect
    return expect.applies is None and expect.prior == 0


def has_media(question: Question) -> bool:
    """A render with media in it."""
    return is_render(question) and bool(question.expect.placeholders)


def declares_faults(question: Question) -> bool:
    """The oracle says what is wrong with the input."""
    return question.expect is not None


def has_grids(question: Question) -> bool:
    """A render whose processor gives the grids of its media."""
    return is_render(question) and bool(question.expect.grids)


def has_types(question: Question) -> bool:
    """A render whose processor gives the types of its tokens."""
    return is_render(question) and question.expect.types is not None


def same_ids(subject: Subject) -> list[int]:
    """The ids, where they are the oracle's: places are counted in them.

    Raises:
        NotGiven: it declines a render.
        NotComparable: the ids are others.
    """
    ids: list[int] | None = subject.output.token_ids
    if ids is None:
        raise NotGiven("gives no ids")
    if ids != subject.expect.token_ids:
        raise NotComparable("the ids are others, so places cannot be compared (see RND-090)")
    return ids


def differing(subject: Subject, expected: list[int], got: list[int], message: str) -> Violation:
    """The first token that differs."""
    pairs = zip(expected, got, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(expected), len(got)))
    return Violation(
        f"{message} ({len(got)} instead of {len(expected)})" if len(got) != len(expected) else message,
        where=f"token {at} of {len(got)}",
        expected=show(subject, expected[max(0, at - 1) : at + 2]),
        got=show(subject, got[max(0, at - 1) : at + 2]),
        hint="the number of placeholders follows from the resized size: multiples of patch x merge, area in bounds",
        cause=message,
    )


def is_told(question: Question) -> bool:
    """A render for which the request gives the numbers of the processor."""
    return is_render(question) and bool(question.input.get("told", True))


def is_untold(question: Question) -> bool:
    """A render whose numbers the implementation has to know."""
    return is_render(question) and not question.input.get("told", True)


@check("media.ids", area="media", level="IDS", requires=("RND-090",), kind="golden", applies=is_told)
def ids_are_the_processors(subject: Subject) -> None:
    """Ids with media expanded are the processor's."""
    compare_ids(subject)


@check("media.published-numbers", area="media", level="IDS", requires=("RND-098",), kind="golden", applies=is_untold)
def published_numbers_hold(subject: Subject) -> None:
    """Without numbers in the request, ids are those of the published processor."""
    compare_ids(subject)


def compare_ids(subject: Subject) -> None:
    """The ids are the oracle's."""
    got = subject.output.token_ids
    if got is None:
        raise NotGiven("gives no ids")
    expected = subject.expect.token_ids
    if got != expected:
        raise differing(subject, expected, got, "the ids are not the processor's")


@check("media.refused", area="media", level="IDS", requires=("RND-091",), kind="rejects")
def refuses_what_the_processor_refuses(subject: Subject) -> None:
    """Where template or processor raise, so does the implementation."""
    golden = subject.cell.golden
    may_decline = subject.expect is not None and subject.expect.prior
    if isinstance(subject.outcome, Ok) and (subject.output.token_ids is not None or not may_decline):
        raise Violation(
            "expands media the processor refuses",
            expected=f"a refusal (upstream raises {golden and golden.error})",
            got="ids",
        )


@check("media.fault", area="media", level="IDS", requires=("RND-091",), kind="rejects", applies=declares_faults)
def names_what_is_wrong(subject: Subject) -> None:
    """The refusal has code and place of one of the faults."""
    names_one_of(subject, subject.expect.faults)


@check("media.ranges", area="media", level="RANGES", requires=("RND-092",), kind="golden", applies=has_media)
def ranges_hold_the_placeholders(subject: Subject) -> None:
    """The range of each medium goes from its first placeholder through its last."""
    same_ids(subject)
    compare(subject.expect.placeholders, subject.output.mm_placeholders, "mm_placeholders")


@check("media.hashes", area="media", level="RANGES", requires=("RND-093",), kind="golden", applies=has_media)
def hashes_name_the_bytes(subject: Subject) -> None:
    """The hash of each medium is the declared one, that of its bytes, or null."""
    compare(subject.expect.hashes, subject.output.mm_hashes, "mm_hashes")


@check("media.grids", area="media", level="RANGES", requires=("RND-099",), kind="golden", applies=has_grids)
def grids_are_the_processors(subject: Subject) -> None:
    """The grid of each medium is the processor's."""
    compare(subject.expect.grids, subject.output.mm_grids, "mm_grids")


@check("media.types", area="media", level="RANGES", requires=("RND-094",), kind="golden", applies=has_types)
def types_tell_media_apart(subject: Subject) -> None:
    """Token types are 1 in pictures, 2 in videos, 0 elsewhere."""
    same_ids(subject)
    compare_types(subject)


def compare_types(subject: Subject) -> None:
    """The types of the tokens are the oracle's."""
    got, expected = subject.output.mm_token_type_ids, written_out(subject.expect.types)
    if got is None:
        raise NotGiven("gives no mm_token_type_ids")
    if got != expected:
        at = next((n for n, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), len(expected))
        raise Violation(
            "mm_token_type_ids are others",
            where=f"token {at} of {len(expected)}",
            expected=expected[at : at + 1],
            got=got[at : at + 1],
        )


def compare(expected: Mapping[str, Sequence[object]], got: Mapping[str, Sequence[object]] | None, name: str) -> None:
    """Per modality the same list; an empty list says as much as none."""
    if got is None:
        raise NotGiven(f"gives no {name}")
    for kind in sorted({*expected, *got}):
        mine, theirs = expected.get(kind, []), got.get(kind, [])
        if len(mine) != len(theirs):
            raise Violation(f"{name} names another number of media", where=kind, expected=len(mine), got=len(theirs))
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            if one != other:
                raise Violation(f"{name} is another", where=f"{kind} {number}", expected=one, got=other)
