"""Masks, ends, accepted tokens and rollbacks against the oracle, each as far as it can go wrong by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tokenspec.areas.check import Applies, NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.grammar_mask.oracle.golden import digest
from tokenspec.areas.grammar_mask.records import StepAnswer, StepExpect

AREA, MASK, MOVES = "grammar-mask", "MASK", "MOVES"
IDS = 1 << 22  # more than any vocabulary has: a run of ids is never written out beyond it
Pairs = Iterator[tuple[str, StepExpect, StepAnswer]]


def has(op: str) -> Applies:
    """The script has such a step."""
    return lambda question: any(step["op"] == op for step in question.request["steps"])


def one_each(script: Sequence[object], given: list[StepAnswer]) -> list[StepAnswer]:
    """The answers, one for every step of a script."""
    if len(given) != len(script):
        raise Violation("one answer per step", expected=len(script), got=len(given))
    return given


def steps(subject: Subject, op: str, *, behind: str = "") -> Pairs:
    """The steps of one kind with their places; those behind a step of another kind, if it is given."""
    script = subject.request["steps"]
    given = one_each(script, subject.output.steps)
    seen = not behind
    for place, (step, want, got) in enumerate(zip(script, subject.expect.steps, given, strict=True)):
        if seen and step["op"] == op:
            yield f"step {place} ({op})", want, got
        seen = seen or step["op"] == behind


def ids_of(answer: StepAnswer, place: str) -> list[int]:
    """The ids of a mask, ascending."""
    if answer.ranges is None:
        raise NotGiven(f"no field ranges in the answer to {place}")
    before = -1
    for first, last in answer.ranges:
        if not before < first <= last < IDS:
            raise Violation("runs of ids are ascending, apart and below 2^22", got=(first, last), where=place)
        before = last
    return [token for first, last in answer.ranges for token in range(first, last + 1)]


def compare(want: StepExpect, got: StepAnswer, place: str, *, missing: bool, extra: bool, hint: str) -> None:
    """Compare a mask: where the oracle's ids are listed, by what is missing and what is too much; else by the whole."""
    ids = ids_of(got, place)
    if want.ranges is None:
        if want.sha256 == digest(ids):
            return
        count = want.count or 0
        if (missing and len(ids) <= count) or (extra and len(ids) >= count):
            raise Violation("another mask", expected=f"{count} ids", got=f"{len(ids)} ids", where=place, hint=hint)
        return
    wanted = {token for first, last in want.ranges for token in range(first, last + 1)}
    lost, added = sorted(wanted - set(ids)), sorted(set(ids) - wanted)
    if missing and lost:
        raise Violation("allowed ids are missing", expected=lost[:12], got=len(lost), where=place, hint=hint)
    if extra and added:
        raise Violation("ids are allowed that lead nowhere", got=added[:12], where=place, hint=hint)


@check("grammar-mask.complete", area=AREA, level=MASK, requires=("MSK-001",), kind="golden", applies=has("mask"))
def every_id_that_goes_on(subject: Subject) -> None:
    """Every id that goes on is in the mask."""
    for place, want, got in steps(subject, "mask"):
        hint = "ids with equal bytes, broken characters, and ids longer than what is forced"
        compare(want, got, place, missing=True, extra=False, hint=hint)


@check("grammar-mask.sound", area=AREA, level=MASK, requires=("MSK-002",), kind="golden", applies=has("mask"))
def no_other_id(subject: Subject) -> None:
    """No other id is in the mask."""
    for place, want, got in steps(subject, "mask"):
        hint = "every byte of an id has to go on, and an id needs bytes"
        compare(want, got, place, missing=False, extra=True, hint=hint)


@check("grammar-mask.end", area=AREA, level=MASK, requires=("MSK-003",), kind="golden", applies=has("mask"))
def end_where_complete(subject: Subject) -> None:
    """The end is allowed exactly where the text is complete."""
    for place, want, got in steps(subject, "mask"):
        if got.may_end is None:
            raise NotGiven(f"no field may_end in the answer to {place}")
        if got.may_end != want.may_end:
            raise Violation("the end in the wrong place", expected=want.may_end, got=got.may_end, where=place)


def names_special(question: Question) -> bool:
    """The vocabulary that a case brings along has special tokens."""
    vocabulary = question.request["vocabulary"]
    return vocabulary is not None and bool(vocabulary.get("special")) and has("mask")(question)


@check("grammar-mask.special", area=AREA, level=MASK, requires=("MSK-004",), kind="golden", applies=names_special)
def special_tokens_by_name(subject: Subject) -> None:
    """Special tokens are in the mask where the grammar names them."""
    vocabulary = subject.request["vocabulary"]
    first = 256 + len(vocabulary["merged"])
    known = range(first, first + len(vocabulary["special"]))
    for place, want, got in steps(subject, "mask"):
        if want.ranges is None:
            raise NotComparable("the oracle's mask is a hash")
        wanted = [token for start, last in want.ranges for token in range(start, last + 1) if token in known]
        found = [token for token in ids_of(got, place) if token in known]
        if found != wanted:
            raise Violation("other special tokens", expected=wanted, got=found, where=place)


@check("grammar-mask.accepted", area=AREA, level=MOVES, requires=("MSK-010",), kind="golden", applies=has("accept"))
def leading_tokens_are_taken(subject: Subject) -> None:
    """Exactly the leading allowed tokens are taken."""
    for place, want, got in steps(subject, "accept"):
        if got.accepted is None:
            raise NotGiven(f"no field accepted in the answer to {place}")
        if got.accepted != want.accepted:
            raise Violation("another number of tokens taken", expected=want.accepted, got=got.accepted, where=place)


def behind(op: str, requirement: str, doc: str) -> None:
    """Register the comparison of masks behind steps of one kind."""

    def judge(subject: Subject) -> None:
        for place, want, got in steps(subject, "mask", behind=op):
            compare(want, got, place, missing=True, extra=True, hint=f"the state behind {op} is another")
            if got.may_end not in {None, want.may_end}:
                raise Violation("another end", expected=want.may_end, got=got.may_end, where=place)

    judge.__doc__ = doc
    applies = mask_behind(op)
    check(f"grammar-mask.{op}", area=AREA, level=MOVES, requires=(requirement,), kind="golden", applies=applies)(judge)


def mask_behind(op: str) -> Callable[[Question], bool]:
    """A mask is asked for behind such a step."""

    def applies(question: Question) -> bool:
        ops = [step["op"] for step in question.request["steps"]]
        return op in ops and "mask" in ops[ops.index(op) :]

    return applies


behind("accept", "MSK-010", "Behind accepted tokens stand the masks of their bytes.")
behind("rollback", "MSK-011", "Behind a rollback stand the masks of before.")


@check("grammar-mask.beyond", area=AREA, level=MOVES, requires=("MSK-012",), kind="golden", applies=has("rollback"))
def not_beyond_the_start(subject: Subject) -> None:
    """No more is taken back than was accepted."""
    for place, want, got in steps(subject, "rollback"):
        if got.refused != want.refused:
            raise Violation("a rollback", expected=want.refused or "done", got=got.refused or "done", where=place)
